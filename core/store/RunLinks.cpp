#include "core/store/RunLinks.h"

#include "core/store/Connection.h"
#include "core/store/tables/SourceTables.h"

namespace trainscope::store {

Result<std::vector<RunLink>> runLinks(const Store& store) {
    return store.connection().call([](Database& database) {
        return database.rows(
            "SELECT source, run, location, spec FROM run_link ORDER BY run, source",
            [](const Row& row) {
                return RunLink{{row.integer(0)}, {row.integer(1)}, row.string(2), row.string(3)};
            });
    });
}

Status writeLink(Store& store, const std::string& sourcePath, RunLink link,
    std::span<const SeriesDescription> series, TimeRange range) {
    return store.connection().call([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(link.source.value,
            database.number("SELECT max(id) FROM source WHERE path=?", sourcePath));
        RETURN_IF_ERROR(database.execute(
            "INSERT OR REPLACE INTO run_link(source, run, location, spec) VALUES(?,?,?,?)",
            link.source.value, link.run.value, link.where, link.spec));
        for (const SeriesDescription& one : series)
            RETURN_IF_ERROR(addSeries(database, link.source, link.run, one));
        // One sample stands for those elsewhere, so that nobody takes the series for empty; it is
        // in no chunk, and whoever wants it is told where the samples are.
        return database.execute("UPDATE series SET count=1, begin_ns=?, end_ns=? WHERE source=?",
            range.begin.ns, range.end.ns, link.source.value);
    });
}

Status extendLink(Store& store, RunId run, TimeNs end) {
    return store.connection().change([&](Database& database) -> Status {
        RETURN_IF_ERROR(
            database.execute("UPDATE series SET end_ns=?2 WHERE run=?1 AND end_ns<?2 AND source IN"
                             " (SELECT source FROM run_link WHERE run=?1)",
                run.value, end.ns));
        return database.execute("UPDATE run SET end_ns=?2 WHERE id=?1 AND end_ns<?2 AND EXISTS"
                                " (SELECT 1 FROM run_link WHERE run=?1)",
            run.value, end.ns);
    });
}

} // namespace trainscope::store
