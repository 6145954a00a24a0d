#include "core/store/Writing.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/maintenance/Maintenance.h"
#include "core/store/tables/Session.h"

namespace trainscope::store {
Result<std::unique_ptr<ImportSession>> beginImport(Store& store, const SourceDescription& source) {
    using Begun = Result<std::unique_ptr<ImportSession>>;
    Connection* connection = &store.connection();
    RETURN_IF_ERROR(requireWritable(*connection));
    return connection->call([&](Database& database) -> Begun {
        connection->importing = true;
        auto session = std::make_unique<Session>(
            database, source, [connection] { connection->importing = false; });
        RETURN_IF_ERROR(session->begin());
        return std::unique_ptr<ImportSession>(std::move(session));
    });
}

Status removeRun(Store& store, RunId run, const Progress& progress) {
    return store.connection().change(
        [&](Database& database) { return removeRun(database, run, progress); });
}

Result<VacuumOutcome> vacuum(Store& store, const Progress& progress) {
    RETURN_IF_ERROR(requireWritable(store.connection()));
    return store.connection().call(vacuumDatabase, progress);
}

} // namespace trainscope::store
