#include "core/store/tables/UserTables.h"

#include "core/store/tables/Names.h"

#include <chrono>

namespace trainscope::store {

namespace {

Result<bool> hasComparison(Database& database, std::string_view name) {
    bool found = false;
    Status status = database.forEach(
        "SELECT 1 FROM comparison WHERE name=?", [&found](const Row&) { found = true; }, name);
    if (!status.hasValue())
        return status.error();
    return found;
}

Error noComparison(const Database& database, std::string_view name) {
    return {ErrorCode::NotFound,
        "There is no saved comparison named \"" + std::string(name) + "\".", database.shownPath()};
}

Error nameless(const Database& database) {
    return {ErrorCode::Usage, "A comparison needs a name.", database.shownPath()};
}

} // namespace

TimeNs wallClock() {
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch())
                .count()};
}

Result<std::vector<SavedComparison>> readComparisons(Database& database) {
    std::vector<SavedComparison> saved;
    Status status = database.forEach(
        "SELECT name, spec, created_ns, changed_ns FROM comparison ORDER BY name",
        [&saved](const Row& row) {
            saved.push_back({row.string(0), row.string(1), {row.integer(2)}, {row.integer(3)}});
        });
    if (!status.hasValue())
        return status.error();
    return saved;
}

Status saveComparison(Database& database, std::string_view name, std::string_view spec) {
    const std::string wanted = validUtf8(name);
    if (wanted.empty())
        return nameless(database);
    return database.execute(
        "INSERT INTO comparison(name, spec, created_ns, changed_ns) VALUES(?1, ?2, ?3, ?3)"
        " ON CONFLICT(name) DO UPDATE SET spec=excluded.spec, changed_ns=excluded.changed_ns",
        wanted, validUtf8(spec), wallClock().ns);
}

Status renameComparison(Database& database, std::string_view name, std::string_view wanted) {
    const std::string text = validUtf8(wanted);
    if (text.empty())
        return nameless(database);
    const auto exists = hasComparison(database, name);
    if (!exists.hasValue())
        return exists.error();
    if (!exists.value())
        return noComparison(database, name);
    if (text == name)
        return {};
    const auto isTaken = hasComparison(database, text);
    if (!isTaken.hasValue())
        return isTaken.error();
    if (isTaken.value())
        return Error{ErrorCode::Usage, "Another comparison is already named \"" + text + "\".",
            database.shownPath()};
    return database.execute(
        "UPDATE comparison SET name=?, changed_ns=? WHERE name=?", text, wallClock().ns, name);
}

Status removeComparison(Database& database, std::string_view name) {
    Status status = database.execute("DELETE FROM comparison WHERE name=?", name);
    if (status.hasValue() && database.changes() == 0)
        return noComparison(database, name);
    return status;
}

Result<std::optional<std::string>> readEnteredLayout(Database& database, RunId run) {
    std::optional<std::string> spec;
    Status status = database.forEach(
        "SELECT spec FROM run_layout WHERE run=?",
        [&spec](const Row& row) { spec = row.string(0); }, run.value);
    if (!status.hasValue())
        return status.error();
    return spec;
}

Status writeEnteredLayout(Database& database, RunId run, const std::optional<std::string>& spec) {
    if (!spec)
        return database.execute("DELETE FROM run_layout WHERE run=?", run.value);
    Status status = database.execute(
        "INSERT OR REPLACE INTO run_layout(run, spec) SELECT id, ?2 FROM run WHERE id=?1",
        run.value, validUtf8(*spec));
    if (status.hasValue() && database.changes() == 0)
        return Error{ErrorCode::NotFound, "The run whose layout is to be kept does not exist.",
            database.shownPath()};
    return status;
}

Result<std::optional<std::string>> readMachine(Database& database, RunId run) {
    std::optional<std::string> facts;
    Status status = database.forEach(
        "SELECT machine FROM cluster WHERE run=? AND machine<>''",
        [&facts](const Row& row) { facts = row.string(0); }, run.value);
    if (!status.hasValue())
        return status.error();
    return facts;
}

Status writeMachine(Database& database, RunId run, const std::optional<std::string>& facts) {
    Status status = database.execute("UPDATE cluster SET machine=?2 WHERE run=?1", run.value,
        validUtf8(facts.value_or(std::string())));
    if (status.hasValue() && database.changes() == 0)
        return Error{ErrorCode::NotFound,
            "The run whose machine is to be described does not exist.", database.shownPath()};
    return status;
}

} // namespace trainscope::store
