#include "core/store/tables/RunLabels.h"

#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/model/Try.h"

#include <map>
#include <utility>

namespace trainscope::store {

namespace {

Status requireRun(Database& database, RunId run) {
    ASSIGN_OR_RETURN(
        const auto count, database.number("SELECT count(*) FROM run WHERE id=?", run.value));
    if (count > 0)
        return {};
    return Error{ErrorCode::NotFound, "The run to describe does not exist.", database.shownPath()};
}

} // namespace

Result<std::vector<RunLabels>> readLabels(Database& database) {
    std::map<RunId, RunLabels> found;
    const auto of = [&found](const Row& row) -> RunLabels& {
        const RunId run{row.integer(0)};
        RunLabels& labels = found[run];
        labels.run = run;
        return labels;
    };
    RETURN_IF_ERROR(database.forEach("SELECT run, tag FROM run_tag ORDER BY run, tag",
        [&of](const Row& row) { of(row).tags.push_back(row.string(1)); }));
    RETURN_IF_ERROR(database.forEach(
        "SELECT run, text FROM run_note", [&of](const Row& row) { of(row).note = row.string(1); }));
    std::vector<RunLabels> labels;
    for (auto& [run, one] : found)
        labels.push_back(std::move(one));
    return labels;
}

Status writeTags(Database& database, RunId run, std::span<const std::string> tags) {
    RETURN_IF_ERROR(requireRun(database, run));
    RETURN_IF_ERROR(database.execute("DELETE FROM run_tag WHERE run=?", run.value));
    for (const std::string& given : tags) {
        const std::string tag = harmless(trimmed(given));
        if (!tag.empty())
            RETURN_IF_ERROR(database.execute(
                "INSERT OR IGNORE INTO run_tag(run, tag) VALUES(?, ?)", run.value, tag));
    }
    return {};
}

Status writeNote(Database& database, RunId run, std::string_view note) {
    RETURN_IF_ERROR(requireRun(database, run));
    const std::string text = harmless(trimmed(note));
    if (text.empty())
        return database.execute("DELETE FROM run_note WHERE run=?", run.value);
    return database.execute(
        "INSERT OR REPLACE INTO run_note(run, text) VALUES(?, ?)", run.value, text);
}

Status changeLabels(Database& database, std::span<const RunId> runs, const Relabel& relabel) {
    std::map<RunId, RunLabels> said;
    ASSIGN_OR_RETURN(const auto all, readLabels(database));
    for (const RunLabels& one : all)
        said[one.run] = one;
    for (const RunId run : runs) {
        RunLabels& labels = said[run];
        labels.run = run;
        RETURN_IF_ERROR(relabel(labels));
        RETURN_IF_ERROR(writeTags(database, run, labels.tags));
        RETURN_IF_ERROR(writeNote(database, run, labels.note));
    }
    return {};
}

} // namespace trainscope::store
