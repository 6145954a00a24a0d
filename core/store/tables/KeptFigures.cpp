#include "core/store/tables/KeptFigures.h"

#include "core/model/HarmlessText.h"
#include "core/model/Try.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace trainscope::store {

namespace {

Status insertFigures(Database& database, const KeptFigures& kept) {
    RETURN_IF_ERROR(dropFigures(database, kept.run));
    RETURN_IF_ERROR(database.execute("INSERT INTO summary_basis(run, basis) VALUES(?, ?)",
        kept.run.value, harmless(kept.basis)));
    for (const KeptFigure& figure : kept.figures)
        RETURN_IF_ERROR(database.execute(
            "INSERT OR REPLACE INTO summary(run, key, value, absent_why) VALUES(?, ?, ?, ?)",
            kept.run.value, harmless(figure.key), figure.value, harmless(figure.absentWhy)));
    return {};
}

} // namespace

Result<std::vector<KeptFigures>> readFigures(Database& database) {
    ASSIGN_OR_RETURN(auto kept,
        database.rows("SELECT run, basis FROM summary_basis ORDER BY run", [](const Row& row) {
            return KeptFigures{{row.integer(0)}, row.string(1), {}};
        }));
    auto run = kept.begin();
    RETURN_IF_ERROR(
        database.forEach("SELECT run, key, value, absent_why FROM summary ORDER BY run, key",
            [&run, &kept](const Row& row) {
                const RunId id{row.integer(0)};
                while (run != kept.end() && run->run < id)
                    ++run;
                if (run == kept.end() || run->run != id)
                    return;
                run->figures.push_back({row.string(1),
                    row.isNull(2) ? std::nullopt : std::optional(row.real(2)), row.string(3)});
            }));
    return kept;
}

Result<std::vector<std::pair<RunId, std::string>>> readFigureBases(Database& database) {
    // Sources and their import times, the range that a recording has reached, and the machine and
    // layout that the user entered.
    constexpr std::string_view sql
        = "SELECT run.id, (SELECT group_concat(source.id || ':' || hash || ':' || imported_ns)"
          "  FROM source_run JOIN source ON source.id=source WHERE source_run.run=run.id),"
          " (SELECT machine || '|' || airflow FROM cluster WHERE cluster.run=run.id),"
          " (SELECT spec FROM run_layout WHERE run_layout.run=run.id),"
          " begin_ns || '-' || end_ns FROM run ORDER BY run.id";
    return database.rows(sql, [](const Row& row) {
        const std::string told
            = row.string(1) + '\n' + row.string(2) + '\n' + row.string(3) + '\n' + row.string(4);
        return std::pair{
            RunId{row.integer(0)}, fmt::format("{:016x}", XXH3_64bits(told.data(), told.size()))};
    });
}

Status writeFigures(Database& database, std::span<const KeptFigures> figures) {
    for (const KeptFigures& kept : figures) {
        ASSIGN_OR_RETURN(const auto count,
            database.number("SELECT count(*) FROM run WHERE id=?", kept.run.value));
        if (count > 0)
            RETURN_IF_ERROR(insertFigures(database, kept));
    }
    return {};
}

Status dropFigures(Database& database, RunId run) {
    RETURN_IF_ERROR(database.execute("DELETE FROM summary WHERE run=?", run.value));
    return database.execute("DELETE FROM summary_basis WHERE run=?", run.value);
}

} // namespace trainscope::store
