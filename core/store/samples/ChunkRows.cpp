#include "core/store/samples/ChunkRows.h"

namespace trainscope::store {

Status insertChunk(Database& database, SeriesId series, std::int64_t firstIndex,
    const SampleFigures& figures, DataPlace values, const TimeShare::Places& times) {
    const bool beside = times.base.size > 0;
    const auto ifBeside
        = [beside](std::int64_t value) { return beside ? std::optional(value) : std::nullopt; };
    return database.execute(
        "INSERT INTO sample_chunk(series, first_index, count, begin_ns, end_ns, missing, min, max,"
        " last, weighted_sum, weight_ns, values_at, values_size, times_at, times_size, base_at,"
        " base_size) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        series.value, firstIndex, figures.count, figures.begin, figures.end, figures.missing,
        figures.min, figures.max, figures.last, figures.weighted, figures.weight, values.at,
        values.size, times.times.at, times.times.size, ifBeside(times.base.at),
        ifBeside(times.base.size));
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
