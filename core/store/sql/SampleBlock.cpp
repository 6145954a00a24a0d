#include "core/store/sql/SampleBlock.h"

#include "core/model/Try.h"
#include "core/model/Vectorized.h"
#include "core/store/codec/IntColumn.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

// Σ of what is not missing. Four sums side by side, so that one addition need not wait for the
// other.
TRAINSCOPE_VECTORIZED double sumOf(const double* values, std::size_t count, double scale) {
    constexpr std::size_t lanes = 4;
    std::array<double, lanes> sums{};
    const std::size_t whole = count / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double value = values[i + lane];
            sums[lane] += value == value ? value * scale : 0.0;
        }
    }
    for (std::size_t i = whole; i < count; ++i)
        sums[0] += std::isnan(values[i]) ? 0.0 : values[i] * scale;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

Status SampleBlock::enter(
    const ChunkRow& chunk, double scale, IntegerRange times, const RealRange& values) {
    if (chunk.missing < 0 || chunk.missing > chunk.count
        || chunk.count > static_cast<std::int64_t>(kMaxColumn))
        return m_database.damaged("a chunk of samples");
    m_chunk = chunk;
    m_scale = scale;
    m_count = chunk.count;
    m_present = chunk.count - chunk.missing;
    m_firstTime = chunk.begin;
    m_lastTime = chunk.end;
    m_min = std::min(chunk.min * scale, chunk.max * scale);
    m_max = std::max(chunk.min * scale, chunk.max * scale);
    m_first = 0;
    m_places.clear();
    m_hasTimes = false;
    m_hasValues = false;
    m_isPart = false;
    if (chunk.begin < times.begin || chunk.end >= times.end)
        RETURN_IF_ERROR(narrowTimes(times));
    const bool areAllWanted = chunk.missing == 0 && m_min >= values.low && m_max <= values.high;
    if (values.isAsked && !areAllWanted && m_count > 0)
        return narrowValues(values);
    if (m_isPart && m_count > 0) {
        RETURN_IF_ERROR(readValues());
        measureValues();
    }
    return {};
}

Status SampleBlock::narrowTimes(IntegerRange times) {
    RETURN_IF_ERROR(readTimes());
    const auto from = std::lower_bound(m_times.begin(), m_times.end(), times.begin);
    const auto to = std::lower_bound(from, m_times.end(), times.end);
    m_isPart = true;
    m_first = static_cast<std::size_t>(from - m_times.begin());
    m_count = to - from;
    if (m_count == 0)
        return {};
    m_firstTime = *from;
    m_lastTime = *std::prev(to);
    return {};
}

// Moves those that are wanted to the front.
Status SampleBlock::narrowValues(const RealRange& values) {
    if (m_present == 0 || m_max < values.low || m_min > values.high) {
        m_count = 0;
        return {};
    }
    RETURN_IF_ERROR(readTimes());
    RETURN_IF_ERROR(readValues());
    m_places.resize(static_cast<std::size_t>(m_count));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_count); ++i) {
        if (!values.contains(value(i)))
            continue;
        m_times[kept] = m_times[m_first + i];
        m_values[kept] = m_values[m_first + i];
        m_places[kept] = static_cast<std::uint32_t>(m_first + i);
        ++kept;
    }
    m_isPart = true;
    m_first = 0;
    m_count = static_cast<std::int64_t>(kept);
    if (kept == 0)
        return {};
    m_firstTime = m_times[0];
    m_lastTime = m_times[kept - 1];
    measureValues();
    return {};
}

void SampleBlock::measureValues() {
    m_present = 0;
    m_min = std::numeric_limits<double>::infinity();
    m_max = -m_min;
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_count); ++i) {
        const double one = value(i);
        if (std::isnan(one))
            continue;
        ++m_present;
        m_min = std::min(m_min, one);
        m_max = std::max(m_max, one);
    }
}

Status SampleBlock::readTimes() {
    if (m_hasTimes)
        return {};
    m_times.resize(static_cast<std::size_t>(m_chunk.count));
    RETURN_IF_ERROR(readData(m_database, m_chunk.columns.times, m_bytes));
    RETURN_IF_ERROR(readData(m_database, m_chunk.columns.base, m_base));
    m_hasTimes = decodeTimes(m_bytes, m_base, m_times);
    return m_hasTimes ? Status() : m_database.damaged("a chunk of samples");
}

Status SampleBlock::readValues() {
    if (m_hasValues)
        return {};
    m_values.resize(static_cast<std::size_t>(m_chunk.count));
    RETURN_IF_ERROR(readData(m_database, m_chunk.columns.values, m_bytes));
    m_hasValues = decodeValues(m_bytes, m_values);
    return m_hasValues ? Status() : m_database.damaged("a chunk of samples");
}

Result<double> SampleBlock::sum() {
    RETURN_IF_ERROR(readValues());
    return sumOf(m_values.data() + m_first, static_cast<std::size_t>(m_count), m_scale);
}

} // namespace trainscope::store
