#include "core/store/samples/SampleReader.h"

#include "core/store/codec/IntColumn.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"
#include "core/store/samples/SampleData.h"

namespace trainscope::store {
namespace {

// True for ranges of samples that overflow nowhere.
bool isSound(std::int64_t firstIndex, std::int64_t count) {
    constexpr auto most = static_cast<std::int64_t>(kMaxColumn);
    return firstIndex >= 0 && firstIndex <= std::numeric_limits<std::int64_t>::max() - most
        && count >= 0 && count <= most;
}

} // namespace

Result<const SampleChunk*> SampleReader::at(std::int64_t index) {
    const bool held = m_loaded && index >= m_chunk.firstIndex && index < m_chunk.endIndex();
    if (!held)
        RETURN_IF_ERROR(load(index));
    return m_loaded ? &m_chunk : nullptr;
}

Status SampleReader::load(std::int64_t index) {
    m_loaded = false;
    m_chunk.firstIndex = 0;
    std::int64_t count = 0;
    std::array<DataPlace, 3> places; // values, times, and the base of times, if any
    RETURN_IF_ERROR(m_database.forEach(
        "SELECT first_index, count, values_at, values_size, times_at, times_size, base_at, "
        "base_size FROM sample_chunk"
        " WHERE series=? AND first_index<=? ORDER BY first_index DESC LIMIT 1",
        [&](const Row& row) {
            m_chunk.firstIndex = row.integer(0);
            count = row.integer(1);
            places = {DataPlace{row.integer(2), row.integer(3)}, {row.integer(4), row.integer(5)},
                {row.integer(6), row.integer(7)}};
        },
        m_series.value, index));
    if (!isSound(m_chunk.firstIndex, count))
        return m_database.damaged("a chunk of samples");
    if (index >= m_chunk.firstIndex + count)
        return {};
    m_chunk.times.resize(static_cast<std::size_t>(count));
    m_chunk.values.resize(static_cast<std::size_t>(count));
    RETURN_IF_ERROR(readData(m_database, places[0], m_bytes));
    const bool hasValues = decodeValues(m_bytes, m_chunk.values);
    RETURN_IF_ERROR(readData(m_database, places[1], m_bytes));
    RETURN_IF_ERROR(readData(m_database, places[2], m_base));
    m_loaded = hasValues && decodeTimes(m_bytes, m_base, m_chunk.times);
    return m_loaded ? Status() : m_database.damaged("a chunk of samples");
}

Result<std::optional<ChunkPlace>> SampleReader::placeBefore(std::int64_t time) {
    const auto place = [](const Row& row) {
        return ChunkPlace{row.integer(0), row.integer(1), row.integer(2), row.integer(3)};
    };
    auto found = m_database.single("SELECT first_index, count, begin_ns, end_ns FROM "
                                   "sample_chunk WHERE series=? AND begin_ns<?"
                                   " ORDER BY begin_ns DESC, first_index DESC LIMIT 1",
        place, m_series.value, time);
    const bool isFirst = found.hasValue() && !found.value();
    if (isFirst)
        found = m_database.single(
            "SELECT first_index, count, begin_ns, end_ns FROM sample_chunk WHERE series=?"
            " ORDER BY begin_ns, first_index LIMIT 1",
            place, m_series.value);
    if (!found.hasValue() || !found.value())
        return found;
    const ChunkPlace& chunk = *found.value();
    if (!isSound(chunk.firstIndex, chunk.count) || (isFirst && chunk.firstIndex != 0))
        return m_database.damaged("the index of samples");
    return found;
}

Result<std::int64_t> SampleReader::lowerBound(std::int64_t time) {
    ASSIGN_OR_RETURN(const auto place, placeBefore(time));
    if (!place)
        return std::int64_t{0};
    if (place->end < time)
        return place->firstIndex + place->count;
    ASSIGN_OR_RETURN(const auto chunk, at(place->firstIndex));
    if (chunk == nullptr)
        return m_database.damaged("the index of samples");
    const auto& times = chunk->times;
    return chunk->firstIndex + (std::lower_bound(times.begin(), times.end(), time) - times.begin());
}

Result<Sample> SampleReader::sample(std::int64_t index) {
    ASSIGN_OR_RETURN(const auto chunk, at(index));
    if (chunk == nullptr)
        return m_database.damaged("the index of samples");
    const auto i = static_cast<std::size_t>(index - chunk->firstIndex);
    return Sample{{chunk->times[i]}, chunk->values[i]};
}

Status SampleReader::requireNoneBehind(std::int64_t index) {
    ASSIGN_OR_RETURN(const auto isThere,
        m_database.number(
            "SELECT EXISTS (SELECT 1 FROM sample_chunk WHERE series=? AND first_index>?)",
            m_series.value, index));
    return isThere == 0 ? Status() : Status(m_database.damaged("the index of samples"));
}

Status SampleReader::forEach(std::int64_t from, std::int64_t to, const Visit& visit) {
    for (std::int64_t index = std::max<std::int64_t>(from, 0); index < to;) {
        ASSIGN_OR_RETURN(const auto found, at(index));
        const SampleChunk* chunk = found;
        if (chunk == nullptr)
            return requireNoneBehind(index);
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
