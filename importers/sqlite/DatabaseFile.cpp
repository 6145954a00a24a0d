#include "importers/sqlite/DatabaseFile.h"

#include "core/store/database/Database.h"
#include "importers/common/Decompress.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace trainscope::importers {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10; // read at once

Error noTemporary(int code) {
    return {ErrorCode::Io,
        "The unpacked database cannot be written to the folder for temporary files ("
            + std::generic_category().message(code) + ").",
        {}};
}

Status writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return noTemporary(errno);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

// Bytes of a cut stream are kept: what is missing shows as pages that are not there.
std::size_t readSome(ByteStream& stream, std::string& buffer) {
    const auto count = stream.read(std::as_writable_bytes(std::span(buffer.data(), buffer.size())));
    return count.valueOr(0);
}

std::uint64_t bigEndian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes)
        number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

} // namespace

DatabaseHeader databaseHeaderOf(std::string_view head) {
    constexpr std::size_t kPageSize = 16;
    constexpr std::size_t kChangeCounter = 24;
    constexpr std::size_t kPages = 28;
    constexpr std::size_t kVersionValidFor = 92;
    DatabaseHeader header;
    if (head.size() >= kPageSize + 2) {
        const std::uint64_t size = bigEndian(head.substr(kPageSize, 2));
        header.pageSize = size == 1 ? 65'536 : size;
    }
    // The count of pages is that of the change that the counter tells, or out of date.
    if (head.size() >= DatabaseHeader::kBytes
        && head.substr(kChangeCounter, 4) == head.substr(kVersionValidFor, 4))
        header.pages = bigEndian(head.substr(kPages, 4));
    return header;
}

Result<DatabaseFile> DatabaseFile::of(
    const SourceTree& tree, const std::string& path, const Progress& progress) {
    DatabaseFile file;
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    std::string head;
    RETURN_IF_ERROR(readUpTo(*stream, DatabaseHeader::kBytes, head));
    file.m_header = databaseHeaderOf(head);
    std::string magic = tree.localPath(path).empty() ? std::string() : head;
    if (!magic.empty()) {
        ASSIGN_OR_RETURN(auto raw, tree.openRaw(path));
        magic.clear();
        RETURN_IF_ERROR(readUpTo(*raw, kMagicBytes, magic));
        if (compressionOf(magic) == Compression::None) {
            file.m_path = tree.localPath(path);
            file.m_size = tree.sizeOf(path);
            return file;
        }
    }
    RETURN_IF_ERROR(file.unpack(std::move(head), *stream, tree.sizeOf(path), progress));
    return file;
}

Status DatabaseFile::unpack(
    std::string bytes, ByteStream& rest, std::uint64_t bytesOnDisk, const Progress& progress) {
    std::error_code problem;
    const auto folder = std::filesystem::temp_directory_path(problem);
    std::string name = (problem ? std::string("/tmp") : folder.string()) + "/trainscope-XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0)
        return noTemporary(errno);
    m_path = name;
    m_isTemporary = true;
    Status status = writeAll(descriptor, bytes);
    m_size = bytes.size();
    bytes.resize(kBlock);
    while (status.hasValue()) {
        const std::size_t count = readSome(rest, bytes);
        if (count == 0)
            break;
        m_size += count;
        status = writeAll(descriptor, std::string_view(bytes).substr(0, count));
        if (progress && !progress({"Unpacking", rest.bytesConsumed(), bytesOnDisk}))
            status = cancelled();
    }
    ::close(descriptor);
    if (!status.hasValue())
        ::unlink(name.c_str());
    return status;
}

Result<sqlite3*> DatabaseFile::open(const std::string& where) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(store::addressOf(m_path, "?mode=ro&immutable=1").c_str(),
        &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    // SQLite opens the file when it is first read.
    if (code == SQLITE_OK)
        sqlite3_exec(handle, "PRAGMA schema_version", nullptr, nullptr, nullptr);
    if (m_isTemporary)
        ::unlink(m_path.c_str());
    if (code == SQLITE_OK)
        return handle;
    const std::string detail = handle == nullptr ? "no memory" : sqlite3_errmsg(handle);
    sqlite3_close_v2(handle);
    return Error{ErrorCode::Unreadable, "The file cannot be opened (" + detail + ").", where};
}

} // namespace trainscope::importers
