#include "core/store/database/FileLocks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace trainscope::store {

bool hasFileLocks(const std::string& path) {
    std::string name = path + ".lock-XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0)
        return true;
    ::unlink(name.c_str());
    struct flock lock { };
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    const bool isLocked = ::fcntl(descriptor, F_SETLK, &lock) == 0;
    const int number = errno;
    ::close(descriptor);
    return isLocked || number == EACCES || number == EAGAIN;
}

} // namespace trainscope::store
