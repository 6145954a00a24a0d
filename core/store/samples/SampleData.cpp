#include "core/store/samples/SampleData.h"

#include <algorithm>

namespace trainscope::store {

Status DataWriter::begin() {
    if (m_row > 0)
        return {};
    m_open.reserve(static_cast<std::size_t>(kDataRow));
    return m_database.forEach("SELECT coalesce(max(id), 0) + 1 FROM sample_data",
        [this](const Row& row) { m_row = row.integer(0); });
}

Status DataWriter::writeRow() {
    Status status = m_database.execute(
        "INSERT INTO sample_data(id, source, data) VALUES(?,?,?)", m_row, m_source, m_open);
    m_open.clear();
    ++m_row;
    return status;
}

Result<DataPlace> DataWriter::append(ByteView bytes) {
    RETURN_IF_ERROR(begin());
    const DataPlace place{m_row * kRowStride + static_cast<std::int64_t>(m_open.size()),
        static_cast<std::int64_t>(bytes.size())};
    while (!bytes.empty()) {
        const std::size_t room = static_cast<std::size_t>(kDataRow) - m_open.size();
        const std::size_t take = std::min(room, bytes.size());
        m_open.insert(
            m_open.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(take));
        bytes = bytes.subspan(take);
        if (take < room)
            break;
        RETURN_IF_ERROR(writeRow());
    }
    return place;
}

Status readData(Database& database, DataPlace place, Bytes& out) {
    out.clear();
    if (place.size <= 0)
        return {};
    const std::int64_t firstRow = place.at / kRowStride;
    const auto wanted = static_cast<std::size_t>(place.size);
    auto skip = static_cast<std::size_t>(place.at % kRowStride);
    std::int64_t next = firstRow;
    Status read = database.forEach(
        "SELECT id, data FROM sample_data WHERE id >= ? ORDER BY id",
        [&](const Row& row) {
            const ByteView data = row.blob(1);
            if (row.integer(0) != next++ || data.size() < skip)
                return false;
            const ByteView part
                = data.subspan(skip, std::min(data.size() - skip, wanted - out.size()));
            out.insert(out.end(), part.begin(), part.end());
            skip = 0;
            return out.size() < wanted;
        },
        firstRow);
    if (read.hasValue() && out.size() != wanted)
        return database.damaged("a part of the samples");
    return read;
}

} // namespace trainscope::store
