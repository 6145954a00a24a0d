#include "core/store/SampleReader.h"

#include "core/store/ChunkCodec.h"
#include "core/store/IntColumn.h"
#include "core/store/TimeCodec.h"

#include <algorithm>

namespace trainscope::store {

Error damagedChunk(const Database& database, std::string_view what) {
    return {ErrorCode::Unreadable,
        "The database is damaged: " + std::string(what)
            + " cannot be decoded. Import the source again to replace it.",
        database.shownPath()};
}

Result<const SampleChunk*> SampleReader::at(std::int64_t index) {
    const bool held = m_loaded && index >= m_chunk.firstIndex && index < m_chunk.endIndex();
    if (!held) {
        if (Status status = load(index); !status.hasValue())
            return status.error();
    }
    return m_loaded ? &m_chunk : nullptr;
}

Status SampleReader::load(std::int64_t index) {
    m_loaded = false;
    std::int64_t timesId = 0;
    bool decoded = true;
    Status read = m_database.forEach(
        "SELECT first_index, count, times, data FROM sample_chunk"
        " WHERE series=? AND first_index<=? ORDER BY first_index DESC LIMIT 1",
        [&](const Row& row) {
            const std::int64_t count = row.integer(1);
            if (index >= row.integer(0) + count)
                return;
            m_chunk.firstIndex = row.integer(0);
            timesId = row.integer(2);
            decoded = count > 0 && count <= static_cast<std::int64_t>(kMaxColumn);
            if (!decoded)
                return;
            m_chunk.values.resize(static_cast<std::size_t>(count));
            decoded = decodeValues(row.blob(3), m_chunk.values);
            m_loaded = decoded;
        },
        m_series.value, index);
    if (!read.hasValue())
        return read;
    if (!decoded)
        return damagedChunk(m_database, "a chunk of samples");
    if (!m_loaded || (timesId == m_timesId && m_chunk.times.size() == m_chunk.values.size()))
        return {};
    m_chunk.times.resize(m_chunk.values.size());
    m_loaded = false;
    read = m_database.forEach(
        "SELECT data FROM time_column WHERE id=?",
        [&](const Row& row) { m_loaded = decodeTimes(row.blob(0), {}, m_chunk.times); }, timesId);
    m_timesId = m_loaded ? timesId : 0;
    if (read.hasValue() && !m_loaded)
        return damagedChunk(m_database, "a column of times");
    return read;
}

Result<std::optional<ChunkPlace>> SampleReader::placeBefore(std::int64_t time) {
    std::optional<ChunkPlace> place;
    const auto take = [&place](const Row& row) {
        place = ChunkPlace{row.integer(0), row.integer(1), row.integer(2), row.integer(3)};
    };
    Status read = m_database.forEach("SELECT first_index, count, begin_ns, end_ns FROM "
                                     "sample_chunk WHERE series=? AND begin_ns<?"
                                     " ORDER BY begin_ns DESC, first_index DESC LIMIT 1",
        take, m_series.value, time);
    if (read.hasValue() && !place) {
        read = m_database.forEach(
            "SELECT first_index, count, begin_ns, end_ns FROM sample_chunk WHERE series=?"
            " ORDER BY begin_ns, first_index LIMIT 1",
            take, m_series.value);
    }
    if (!read.hasValue())
        return read.error();
    return place;
}

Result<std::int64_t> SampleReader::lowerBound(std::int64_t time) {
    const auto place = placeBefore(time);
    if (!place.hasValue())
        return place.error();
    if (!place.value())
        return std::int64_t{0};
    if (place.value()->end < time)
        return place.value()->firstIndex + place.value()->count;
    const auto chunk = at(place.value()->firstIndex);
    if (!chunk.hasValue())
        return chunk.error();
    if (chunk.value() == nullptr)
        return damagedChunk(m_database, "the index of samples");
    const auto& times = chunk.value()->times;
    return chunk.value()->firstIndex
        + (std::lower_bound(times.begin(), times.end(), time) - times.begin());
}

Status SampleReader::forEach(std::int64_t from, std::int64_t to, const Visit& visit) {
    for (std::int64_t index = std::max<std::int64_t>(from, 0); index < to;) {
        const auto found = at(index);
        if (!found.hasValue())
            return found.error();
        const SampleChunk* chunk = found.value();
        if (chunk == nullptr)
            return {};
        const auto skip = static_cast<std::size_t>(index - chunk->firstIndex);
        const auto take = static_cast<std::size_t>(std::min(to, chunk->endIndex()) - index);
        if (!visit(std::span(chunk->times).subspan(skip, take),
                std::span(chunk->values).subspan(skip, take)))
            return {};
        index += static_cast<std::int64_t>(take);
    }
    return {};
}

} // namespace trainscope::store
