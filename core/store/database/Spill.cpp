#include "core/store/database/Spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace trainscope::store {
namespace {

Error failure(std::string_view doing) {
    const std::string reason = std::strerror(errno);
    return {ErrorCode::Io,
        std::string(doing) + " the temporary file for sorting failed (" + reason
            + "), and nothing of it was kept; check the free space beside the database.",
        {}};
}

// By pread() or pwrite(), which move as much as they can at once.
template <typename Move, typename Byte>
Status moveAll(Move move, int descriptor, std::uint64_t offset, std::span<Byte> bytes,
    std::string_view doing) {
    while (!bytes.empty()) {
        const ssize_t moved
            = move(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return failure(doing);
        offset += static_cast<std::uint64_t>(moved);
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
    return {};
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
    RETURN_IF_ERROR(moveAll(::pwrite, m_descriptor, m_size, bytes, "Writing"));
    m_size += bytes.size();
    return {};
}

Status SpillFile::readAt(std::uint64_t offset, std::span<std::byte> bytes) const {
    return moveAll(::pread, m_descriptor, offset, bytes, "Reading");
}

} // namespace trainscope::store
