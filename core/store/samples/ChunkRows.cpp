#include "core/store/samples/ChunkRows.h"

#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"

#include <xxhash.h>

namespace trainscope::store {

ChunkOutput encodeChunk(const ChunkInput& input, Squeeze squeeze) {
    ChunkOutput output;
    encodeValues(input.values, output.values, squeeze);
    if (!input.share.known && input.share.base)
        output.beside = encodeTimesBeside(*input.times, *input.share.base, output.times);
    else if (!input.share.known)
        encodeTimes(*input.times, output.times);
    output.figures = figuresOf(*input.times, input.values);
    output.periods.addBetween(*input.times);
    return output;
}

Status ChunkWriter::write(SeriesId series, std::int64_t firstIndex,
    const TimeShare::Decision& share, const ChunkOutput& chunk) {
    if (!share.known) {
        ASSIGN_OR_RETURN(const auto place, m_data.append(chunk.times));
        m_share.place(
            share.slot, place, chunk.beside ? m_share.places(share.baseSlot).times : DataPlace{});
    }
    ASSIGN_OR_RETURN(const auto values, m_data.append(chunk.values));
    const DataPlace times = m_share.places(share.slot).times;
    const DataPlace base = m_share.places(share.slot).base;
    const auto ifBeside = [isBeside = base.size > 0](std::int64_t value) {
        return isBeside ? std::optional(value) : std::nullopt;
    };
    const SampleFigures& figures = chunk.figures;
    return m_database.execute(
        "INSERT INTO sample_chunk(series, first_index, count, begin_ns, end_ns, missing, min, max,"
        " last, weighted_sum, weight_ns, values_at, values_size, times_at, times_size, base_at,"
        " base_size) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        series.value, firstIndex, figures.count, figures.begin, figures.end, figures.missing,
        figures.min, figures.max, figures.last, figures.weighted, figures.weight, values.at,
        values.size, times.at, times.size, ifBeside(base.at), ifBeside(base.size));
}

Status updateSeries(Database& database, const SeriesShape& series, const SampleFigures& all) {
    const auto si = [&series](const std::optional<double>& value) {
        return value ? std::optional<double>(*value * series.scale) : std::nullopt;
    };
    return database.execute(
        "UPDATE series SET begin_ns=?, end_ns=?, period_ns=?, count=?, missing=?, first=?,"
        " last=?, min=?, max=?, mean=? WHERE id=?",
        all.begin, all.count > 0 ? clampedSum(all.end, 1) : all.begin, series.periodNs, all.count,
        all.missing, si(all.firstPresent), si(all.lastPresent), si(all.min), si(all.max),
        si(all.mean()), series.id.value);
}

TimeShare::Decision TimeShare::decide(const TimeColumn& times) {
    const XXH128_hash_t hash = XXH3_128bits(times->data(), times->size() * sizeof(std::int64_t));
    const auto [found, added] = m_known.try_emplace({hash.low64, hash.high64}, m_places.size());
    Decision decision;
    decision.slot = found->second;
    decision.known = !added;
    if (!added)
        return decision;
    m_places.emplace_back();
    if (times->size() < kShortest)
        return decision;
    if (const Leader* leader = leaderFor(*times)) {
        decision.base = leader->times;
        decision.baseSlot = leader->slot;
    } else {
        lead(times, decision.slot);
    }
    return decision;
}

// The column of that length that begins nearest, where the differences to it are worth it.
const TimeShare::Leader* TimeShare::leaderFor(const std::vector<std::int64_t>& times) const {
    const Leader* nearest = nullptr;
    std::uint64_t least = 0;
    for (const Leader& leader : m_leaders) {
        const std::int64_t begin = leader.times->front();
        const std::uint64_t apart
            = distance(std::min(begin, times.front()), std::max(begin, times.front()));
        if (leader.times->size() == times.size() && (nearest == nullptr || apart < least)) {
            nearest = &leader;
            least = apart;
        }
    }
    return nearest != nullptr && isWorthBeside(times, *nearest->times) ? nearest : nullptr;
}

void TimeShare::lead(const TimeColumn& times, std::size_t slot) {
    m_leaders.push_back({times, slot});
    m_values += times->size();
    while (m_values > kMostValues || m_leaders.size() > kMostLeaders) {
        m_values -= m_leaders.front().times->size();
        m_leaders.pop_front();
    }
}

} // namespace trainscope::store
