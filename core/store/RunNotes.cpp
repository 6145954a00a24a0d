#include "core/store/RunNotes.h"

#include "core/model/HarmlessText.h"
#include "core/store/Connection.h"
#include "core/store/Store.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace trainscope::store {

namespace {

Result<bool> hasRun(Database& database, RunId run) {
    ASSIGN_OR_RETURN(
        const auto count, database.number("SELECT count(*) FROM run WHERE id=?", run.value));
    return count > 0;
}

Status requireRun(Database& database, RunId run) {
    ASSIGN_OR_RETURN(const bool isThere, hasRun(database, run));
    if (isThere)
        return {};
    return Error{ErrorCode::NotFound, "The run to describe does not exist.", database.shownPath()};
}

Status insertFigures(Database& database, const KeptFigures& kept) {
    RETURN_IF_ERROR(database.execute("DELETE FROM summary WHERE run=?", kept.run.value));
    RETURN_IF_ERROR(
        database.execute("INSERT OR REPLACE INTO summary_basis(run, basis) VALUES(?, ?)",
            kept.run.value, harmless(kept.basis)));
    for (const KeptFigure& figure : kept.figures)
        RETURN_IF_ERROR(database.execute(
            "INSERT OR REPLACE INTO summary(run, key, value, absent_why) VALUES(?, ?, ?, ?)",
            kept.run.value, harmless(figure.key), figure.value, harmless(figure.absentWhy)));
    return {};
}

} // namespace

Result<std::vector<RunLabels>> runLabels(const Store& store) {
    std::map<RunId, RunLabels> found;
    const auto of = [&found](const Row& row) -> RunLabels& {
        const RunId run{row.integer(0)};
        RunLabels& labels = found[run];
        labels.run = run;
        return labels;
    };
    RETURN_IF_ERROR(store.connection().call([&](Database& database) -> Status {
        RETURN_IF_ERROR(database.forEach("SELECT run, tag FROM run_tag ORDER BY run, tag",
            [&of](const Row& row) { of(row).tags.push_back(row.string(1)); }));
        return database.forEach("SELECT run, text FROM run_note",
            [&of](const Row& row) { of(row).note = row.string(1); });
    }));
    std::vector<RunLabels> labels;
    for (auto& [run, one] : found)
        labels.push_back(std::move(one));
    return labels;
}

Status setTags(Store& store, RunId run, std::span<const std::string> tags) {
    return store.connection().change([&](Database& database) -> Status {
        RETURN_IF_ERROR(requireRun(database, run));
        RETURN_IF_ERROR(database.execute("DELETE FROM run_tag WHERE run=?", run.value));
        for (const std::string& given : tags) {
            const std::string tag = harmless(trimmed(given));
            if (!tag.empty())
                RETURN_IF_ERROR(database.execute(
                    "INSERT OR IGNORE INTO run_tag(run, tag) VALUES(?, ?)", run.value, tag));
        }
        return {};
    });
}

Status setNote(Store& store, RunId run, std::string_view note) {
    return store.connection().change([&](Database& database) -> Status {
        RETURN_IF_ERROR(requireRun(database, run));
        const std::string text = harmless(trimmed(note));
        if (text.empty())
            return database.execute("DELETE FROM run_note WHERE run=?", run.value);
        return database.execute(
            "INSERT OR REPLACE INTO run_note(run, text) VALUES(?, ?)", run.value, text);
    });
}

Status changeLabels(Store& store, std::span<const RunId> runs, const Relabel& relabel) {
    return store.connection().change([&](Database&) -> Status {
        std::map<RunId, RunLabels> said;
        ASSIGN_OR_RETURN(const auto all, runLabels(store));
        for (const RunLabels& one : all)
            said[one.run] = one;
        for (const RunId run : runs) {
            RunLabels& labels = said[run];
            labels.run = run;
            RETURN_IF_ERROR(relabel(labels));
            RETURN_IF_ERROR(setTags(store, run, labels.tags));
            RETURN_IF_ERROR(setNote(store, run, labels.note));
        }
        return {};
    });
}

Result<std::vector<std::pair<RunId, std::string>>> sourcePaths(const Store& store) {
    return store.connection().call([](Database& database) {
        return database.rows("SELECT run, path FROM source_run JOIN source ON source.id=source"
                             " ORDER BY run, source",
            [](const Row& row) {
                return std::pair{RunId{row.integer(0)}, row.string(1)};
            });
    });
}

Result<std::vector<KeptFigures>> keptFigures(const Store& store) {
    return store.connection().call([](Database& database) -> Result<std::vector<KeptFigures>> {
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
    });
}

Status keepFigures(Store& store, std::span<const KeptFigures> figures) {
    return store.connection().change([&](Database& database) -> Status {
        for (const KeptFigures& kept : figures) {
            ASSIGN_OR_RETURN(const bool isThere, hasRun(database, kept.run));
            if (isThere)
                RETURN_IF_ERROR(insertFigures(database, kept));
        }
        return {};
    });
}

Result<std::vector<std::pair<RunId, std::string>>> figureBases(const Store& store) {
    // Sources and their import times, the range that a recording has reached, and the machine and
    // layout that the user entered.
    constexpr std::string_view sql
        = "SELECT run.id, (SELECT group_concat(source.id || ':' || hash || ':' || imported_ns)"
          "  FROM source_run JOIN source ON source.id=source WHERE source_run.run=run.id),"
          " (SELECT machine || '|' || airflow FROM cluster WHERE cluster.run=run.id),"
          " (SELECT spec FROM run_layout WHERE run_layout.run=run.id),"
          " begin_ns || '-' || end_ns FROM run ORDER BY run.id";
    return store.connection().call([&](Database& database) {
        return database.rows(sql, [](const Row& row) {
            const std::string told = row.string(1) + '\n' + row.string(2) + '\n' + row.string(3)
                + '\n' + row.string(4);
            return std::pair{RunId{row.integer(0)},
                fmt::format("{:016x}", XXH3_64bits(told.data(), told.size()))};
        });
    });
}

} // namespace trainscope::store
