#include "core/store/tables/LinkTables.h"

#include "core/model/Try.h"
#include "core/store/tables/SourceTables.h"

namespace trainscope::store {

Result<std::vector<RunLink>> readLinks(Database& database) {
    return database.rows("SELECT source, run, location, spec FROM run_link ORDER BY run, source",
        [](const Row& row) {
            return RunLink{{row.integer(0)}, {row.integer(1)}, row.string(2), row.string(3)};
        });
}

Status addLink(Database& database, const RunLink& link, std::span<const SeriesDescription> series,
    TimeRange range) {
    RETURN_IF_ERROR(database.execute(
        "INSERT OR REPLACE INTO run_link(source, run, location, spec) VALUES(?,?,?,?)",
        link.source.value, link.run.value, link.where, link.spec));
    for (const SeriesDescription& one : series) {
        const auto added = addSeries(database, link.source, link.run, one);
        if (!added.hasValue())
            return added.error();
    }
    // One sample stands for those elsewhere, so that nobody takes the series for empty; it is in no
    // chunk, and whoever wants it is told where the samples are.
    return database.execute("UPDATE series SET count=1, begin_ns=?, end_ns=? WHERE source=?",
        range.begin.ns, range.end.ns, link.source.value);
}

Status moveLinkEnd(Database& database, RunId run, TimeNs end) {
    RETURN_IF_ERROR(
        database.execute("UPDATE series SET end_ns=?2 WHERE run=?1 AND end_ns<?2 AND source IN"
                         " (SELECT source FROM run_link WHERE run=?1)",
            run.value, end.ns));
    return database.execute("UPDATE run SET end_ns=?2 WHERE id=?1 AND end_ns<?2 AND EXISTS"
                            " (SELECT 1 FROM run_link WHERE run=?1)",
        run.value, end.ns);
}

} // namespace trainscope::store
