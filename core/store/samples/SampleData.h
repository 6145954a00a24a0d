#pragma once
// The bytes of all chunks and pages of samples: one stream, cut into rows of kDataRow bytes that
// fill whole pages of the file, so that neither small nor large pieces waste room. The row of an
// address is address / kRowStride; a piece may reach into the next row. Each import begins a new
// row.

#include "core/store/database/Database.h"

namespace trainscope::store {

// With the row's header four pages of SQLite's file format, of 4096 bytes less their sums
// (PageSums.h): what lies in the leaf and three overflow pages.
inline constexpr std::int64_t kDataRow = 16288;
// The length of rows before format 9.
inline constexpr std::int64_t kRowStride = 16320;

struct DataPlace {
    std::int64_t at = 0;
    std::int64_t size = 0;
};

// Appends for one source. Appended bytes can be read after flush().
class DataWriter {
public:
    explicit DataWriter(Database& database)
        : m_database(database) { }
    void setSource(std::int64_t source) { m_source = source; }
    Result<DataPlace> append(ByteView bytes);
    Status flush() { return m_open.empty() ? Status() : writeRow(); }

private:
    Status begin();
    Status writeRow();

    Database& m_database;
    std::int64_t m_source = 0;
    std::int64_t m_row = 0; // row of m_open; 0: not known yet
    Bytes m_open;
};

// Replaces `out`. Unreadable where the file has lost these bytes.
Status readData(Database& database, DataPlace place, Bytes& out);

} // namespace trainscope::store
