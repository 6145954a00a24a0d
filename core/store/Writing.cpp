#include "core/store/Writing.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/KeptSums.h"
#include "core/store/RunNotes.h"
#include "core/store/maintenance/Maintenance.h"
#include "core/store/tables/KeptFigures.h"
#include "core/store/tables/KeptSumTables.h"
#include "core/store/tables/RunLabels.h"
#include "core/store/tables/Session.h"
#include "core/store/tables/UserTables.h"

namespace trainscope::store {
namespace {

template <typename Work>
auto writing(Store& store, Work&& work) -> decltype(work(std::declval<Database&>())) {
    Connection& connection = store.connection();
    RETURN_IF_ERROR(requireWritable(connection));
    return connection.call(work);
}

} // namespace

Result<std::unique_ptr<ImportSession>> beginImport(Store& store, const SourceDescription& source) {
    using Begun = Result<std::unique_ptr<ImportSession>>;
    return writing(store, [&](Database& database) -> Begun {
        Connection* connection = &store.connection();
        connection->importing = true;
        auto session = std::make_unique<Session>(
            database, source, [connection] { connection->importing = false; });
        RETURN_IF_ERROR(session->begin());
        return std::unique_ptr<ImportSession>(std::move(session));
    });
}

Status renameRun(Store& store, RunId run, std::string_view name) {
    return writing(store, [&](Database& database) { return writeRunName(database, run, name); });
}

Status setAirflow(Store& store, RunId run, std::span<const int> order) {
    return writing(store, [&](Database& database) { return writeAirflow(database, run, order); });
}

Status setEnteredLayout(Store& store, RunId run, const std::optional<std::string>& spec) {
    return writing(
        store, [&](Database& database) { return writeEnteredLayout(database, run, spec); });
}

Status setMachine(Store& store, RunId run, const std::optional<std::string>& facts) {
    Connection& connection = store.connection();
    return connection.mode == OpenMode::ReadOnly ? requireWritable(connection)
                                                 : connection.call(writeMachine, run, facts);
}

Status setTags(Store& store, RunId run, std::span<const std::string> tags) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return writeTags(database, run, tags); });
    });
}

Status setNote(Store& store, RunId run, std::string_view note) {
    return writing(store, [&](Database& database) { return writeNote(database, run, note); });
}

Status changeLabels(Store& store, std::span<const RunId> runs, const Relabel& relabel) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return changeLabels(database, runs, relabel); });
    });
}

Status keepFigures(Store& store, std::span<const KeptFigures> figures) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return writeFigures(database, figures); });
    });
}

Status keepSums(Store& store, const KeptSums& sums) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return writeSums(database, sums); });
    });
}

Status saveComparison(Store& store, std::string_view name, std::string_view spec) {
    return writing(store, [&](Database& database) { return saveComparison(database, name, spec); });
}

Status renameComparison(Store& store, std::string_view name, std::string_view wanted) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return renameComparison(database, name, wanted); });
    });
}

Status removeComparison(Store& store, std::string_view name) {
    return writing(store, [&](Database& database) { return removeComparison(database, name); });
}

Status removeRun(Store& store, RunId run, const Progress& progress) {
    return writing(store, [&](Database& database) {
        return database.transaction([&] { return removeRun(database, run, progress); });
    });
}

Result<VacuumOutcome> vacuum(Store& store, const Progress& progress) {
    return writing(store,
        [&](Database& database) { return vacuumDatabase(database, store.path(), progress); });
}

} // namespace trainscope::store
