#include "core/store/samples/ChunkRows.h"

#include "core/model/Try.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"

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

} // namespace trainscope::store
