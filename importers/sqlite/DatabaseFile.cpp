#include "importers/sqlite/DatabaseFile.h"

#include "core/model/Try.h"
#include "importers/common/Decompress.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10; // read at once

// As a file: address, which takes flags.
std::string addressOf(const std::string& path) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string address = "file:";
    for (const char c : path) {
        if (c != '?' && c != '#' && c != '%') {
            address += c;
            continue;
        }
        const auto code = static_cast<unsigned char>(c);
        address.append({'%', kHex[code >> 4U], kHex[code & 15U]});
    }
    return address + "?mode=ro&immutable=1";
}

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

} // namespace

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
    file.m_bytes = std::move(head);
    RETURN_IF_ERROR(file.unpack(*stream, tree.sizeOf(path), progress));
    return file;
}

Status DatabaseFile::unpack(
    ByteStream& stream, std::uint64_t bytesOnDisk, const Progress& progress) {
    std::string block(kBlock, '\0');
    while (const std::size_t count = readSome(stream, block)) {
        if (progress && !progress({"Unpacking", stream.bytesConsumed(), bytesOnDisk}))
            return cancelled();
        m_bytes.append(block, 0, count);
        if (m_bytes.size() > kInMemory)
            return spill(stream, bytesOnDisk, progress);
    }
    m_size = m_bytes.size();
    return {};
}

Status DatabaseFile::spill(
    ByteStream& stream, std::uint64_t bytesOnDisk, const Progress& progress) {
    std::error_code problem;
    const auto folder = std::filesystem::temp_directory_path(problem);
    std::string name = (problem ? std::string("/tmp") : folder.string()) + "/trainscope-XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0)
        return noTemporary(errno);
    m_path = name;
    m_isTemporary = true;
    std::string block(kBlock, '\0');
    Status status = writeAll(descriptor, m_bytes);
    m_size = m_bytes.size();
    m_bytes = {};
    while (status.hasValue()) {
        const std::size_t count = readSome(stream, block);
        if (count == 0)
            break;
        m_size += count;
        status = writeAll(descriptor, std::string_view(block).substr(0, count));
        if (progress && !progress({"Unpacking", stream.bytesConsumed(), bytesOnDisk}))
            status = cancelled();
    }
    ::close(descriptor);
    if (!status.hasValue())
        ::unlink(name.c_str());
    return status;
}

Result<sqlite3*> DatabaseFile::open(const std::string& where) {
    if (m_path.empty())
        return openBytes(where);
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(addressOf(m_path).c_str(), &handle,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
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

Result<sqlite3*> DatabaseFile::openBytes(const std::string& where) {
    // A copy in memory has no write-ahead log; these bytes say that the file was written with one.
    constexpr std::size_t kWriteVersion = 18;
    for (const std::size_t at : {kWriteVersion, kWriteVersion + 1}) {
        if (m_bytes.size() > at && m_bytes[at] == 2)
            m_bytes[at] = 1;
    }
    sqlite3* handle = nullptr;
    int code = sqlite3_open_v2(
        ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(m_bytes.size() + 1));
    if (code == SQLITE_OK && bytes != nullptr) {
        std::memcpy(bytes, m_bytes.data(), m_bytes.size());
        const auto size = static_cast<sqlite3_int64>(m_bytes.size());
        code = sqlite3_deserialize(handle, "main", bytes, size, size,
            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
        bytes = nullptr; // SQLite's now, also where that failed
    }
    const bool isOpen = code == SQLITE_OK && !m_bytes.empty();
    sqlite3_free(bytes);
    m_bytes = {};
    if (isOpen)
        return handle;
    sqlite3_close_v2(handle);
    return Error{ErrorCode::Unreadable, "The bytes are not those of an SQLite database.", where};
}

} // namespace trainscope::importers
