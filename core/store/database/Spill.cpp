#include "core/store/database/Spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace trainscope::store {
namespace {

Error failure(std::string_view doing) {
    const std::string reason = std::strerror(errno);
    return {ErrorCode::Io,
        std::string(doing) + " the temporary file for sorting failed (" + reason
            + "), and nothing of it was kept; check the free space beside the database.",
        {}};
}

} // namespace

SpillFile::~SpillFile() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Status SpillFile::open(const std::filesystem::path& beside) {
    std::string name = beside.string() + ".sort-XXXXXX";
    m_descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (m_descriptor < 0)
        return failure("Creating");
    ::unlink(name.c_str());
    return {};
}

Status SpillFile::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written
            = ::pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(m_size));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failure("Writing");
        m_size += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Status SpillFile::readAt(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got
            = ::pread(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return failure("Reading");
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

} // namespace trainscope::store
