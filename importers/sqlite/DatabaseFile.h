#pragma once
// The bytes of a foreign database in a form that SQLite opens: the file itself where it lies on
// disk as it is, else a copy in an unnamed file.

#include "importers/common/Source.h"

struct sqlite3;

namespace trainscope::importers {

// Length of an SQLite database by its first 100 bytes ("Database File Format", 1.3).
struct DatabaseHeader {
    static constexpr std::size_t kBytes = 100;

    std::uint64_t pageSize = 4096;
    std::uint64_t pages = 0; // 0: it does not say, or its count is out of date

    [[nodiscard]] std::uint64_t bytes() const { return pages * pageSize; }
};

// `head`: the file's first bytes, at least kBytes of them for the count of pages.
DatabaseHeader databaseHeaderOf(std::string_view head);

class DatabaseFile {
public:
    DatabaseFile() = default;
    static Result<DatabaseFile> of(
        const SourceTree& tree, const std::string& path, const Progress& progress);

    // A connection that only reads and takes no lock. Once only.
    Result<sqlite3*> open(const std::string& where);
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] std::uint64_t pageSize() const { return m_header.pageSize; }
    // Its header counts pages that are not there.
    [[nodiscard]] bool isCutShort() const { return m_header.bytes() > m_size; }

private:
    Status unpack(
        std::string bytes, ByteStream& rest, std::uint64_t bytesOnDisk, const Progress& progress);

    std::string m_path;
    bool m_isTemporary = false; // unlinked as soon as it is open
    std::uint64_t m_size = 0;
    DatabaseHeader m_header;
};

} // namespace trainscope::importers
