#include "core/store/RunLinks.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/Store.h"
#include "core/store/tables/LinkTables.h"

namespace trainscope::store {

Result<std::vector<RunLink>> runLinks(const Store& store) {
    return store.connection().call(readLinks);
}

Status writeLink(Store& store, const std::string& sourcePath, RunLink link,
    std::span<const SeriesDescription> series, TimeRange range) {
    return store.connection().call([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(link.source.value,
            database.number("SELECT max(id) FROM source WHERE path=?", sourcePath));
        return addLink(database, link, series, range);
    });
}

Status extendLink(Store& store, RunId run, TimeNs end) {
    RETURN_IF_ERROR(requireWritable(store.connection()));
    return store.connection().call([&](Database& database) {
        return database.transaction([&] { return moveLinkEnd(database, run, end); });
    });
}

} // namespace trainscope::store
