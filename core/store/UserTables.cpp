// The things that users say: names of runs, comparisons, layouts entered by hand, facts of
// machines.
#include "core/model/HarmlessText.h"
#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/Writing.h"

namespace trainscope::store {

namespace {

Result<bool> hasComparison(Database& database, std::string_view name) {
    ASSIGN_OR_RETURN(
        const auto count, database.number("SELECT count(*) FROM comparison WHERE name=?", name));
    return count > 0;
}

Error noComparison(const Database& database, std::string_view name) {
    return {ErrorCode::NotFound,
        "There is no saved comparison named \"" + std::string(name) + "\".", database.shownPath()};
}

// Nothing was changed where there is no such row.
Status changedOr(const Database& database, const Status& done, Error otherwise) {
    return done.hasValue() && database.changes() == 0 ? Status(std::move(otherwise)) : done;
}

Error noRun(const Database& database, const char* message) {
    return {ErrorCode::NotFound, message, database.shownPath()};
}

Error nameless(const Database& database) {
    return {ErrorCode::Usage, "A comparison needs a name.", database.shownPath()};
}

} // namespace

Status saveComparison(Store& store, std::string_view name, std::string_view spec) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string wanted = harmless(name);
        if (wanted.empty())
            return nameless(database);
        return database.execute(
            "INSERT INTO comparison(name, spec, created_ns, changed_ns) VALUES(?1, ?2, ?3, ?3)"
            " ON CONFLICT(name) DO UPDATE SET spec=excluded.spec, changed_ns=excluded.changed_ns",
            wanted, harmless(spec), wallClock().ns);
    });
}

Status renameComparison(Store& store, std::string_view name, std::string_view wanted) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string text = harmless(wanted);
        if (text.empty())
            return nameless(database);
        ASSIGN_OR_RETURN(const auto exists, hasComparison(database, name));
        if (!exists)
            return noComparison(database, name);
        if (text == name)
            return {};
        ASSIGN_OR_RETURN(const auto isTaken, hasComparison(database, text));
        if (isTaken)
            return Error{ErrorCode::Usage, "Another comparison is already named \"" + text + "\".",
                database.shownPath()};
        return database.execute(
            "UPDATE comparison SET name=?, changed_ns=? WHERE name=?", text, wallClock().ns, name);
    });
}

Status removeComparison(Store& store, std::string_view name) {
    return store.connection().change([&](Database& database) {
        return changedOr(database, database.execute("DELETE FROM comparison WHERE name=?", name),
            noComparison(database, name));
    });
}

Status setEnteredLayout(Store& store, RunId run, const std::optional<std::string>& spec) {
    return store.connection().change([&](Database& database) {
        if (!spec)
            return database.execute("DELETE FROM run_layout WHERE run=?", run.value);
        return changedOr(database,
            database.execute(
                "INSERT OR REPLACE INTO run_layout(run, spec) SELECT id, ?2 FROM run WHERE id=?1",
                run.value, harmless(*spec)),
            noRun(database, "The run whose layout is to be kept does not exist."));
    });
}

Status setMachine(Store& store, RunId run, const std::optional<std::string>& facts) {
    Connection& connection = store.connection();
    if (connection.mode == OpenMode::ReadOnly)
        return requireWritable(connection);
    return connection.call([&](Database& database) {
        return changedOr(database,
            database.execute("UPDATE cluster SET machine=?2 WHERE run=?1", run.value,
                harmless(facts.value_or(std::string()))),
            noRun(database, "The run whose machine is to be described does not exist."));
    });
}

Status setAirflow(Store& store, RunId run, std::span<const int> order) {
    std::string text; // "4,5,6,7,0,1,2,3"
    for (const int index : order)
        text += (text.empty() ? "" : ",") + std::to_string(index);
    return store.connection().change([&](Database& database) {
        return database.execute("UPDATE cluster SET airflow=?2 WHERE run=?1", run.value, text);
    });
}

Status renameRun(Store& store, RunId run, std::string_view name) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string wanted = harmless(name);
        if (wanted.empty())
            return Error{ErrorCode::Usage, "A run needs a name.", database.shownPath()};
        ASSIGN_OR_RETURN(const auto taken,
            database.number("SELECT count(*) FROM run WHERE name=? AND id<>?", wanted, run.value));
        if (taken > 0)
            return Error{ErrorCode::Usage, "Another run is already named \"" + wanted + "\".",
                database.shownPath()};
        return changedOr(database,
            database.execute("UPDATE run SET name=? WHERE id=?", wanted, run.value),
            noRun(database, "The run to rename does not exist."));
    });
}

} // namespace trainscope::store
