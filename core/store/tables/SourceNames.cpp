#include "core/store/tables/SourceNames.h"

#include "core/model/Import.h"

namespace trainscope::store {
namespace {

constexpr std::size_t kBetweenQuestions = 1024;

} // namespace

Status writeSourceNames(Database& database, SourceId source, const IdSet& names) {
    Bytes data;
    names.encode(data);
    return database.execute(
        "INSERT OR REPLACE INTO source_name(source, data) VALUES(?,?)", source.value, data);
}

Status readSourceNames(Database& database, SourceId source, IdSet& names) {
    return database.forEach(
        "SELECT data FROM source_name WHERE source=?",
        [&](const Row& row) {
            IdSet own;
            if (own.decode(row.blob(0)))
                names.add(own);
        },
        source.value);
}

Status deleteUnusedNames(Database& database, IdSet names, const std::function<bool()>& proceed) {
    bool isKnown = true;
    Status status = database.forEach("SELECT data FROM source_name", [&](const Row& row) -> Status {
        IdSet used;
        isKnown = isKnown && used.decode(row.blob(0));
        names.remove(used);
        return proceed() ? Status() : Status(cancelled());
    });
    if (!isKnown)
        return status;
    std::size_t done = 0;
    for (const std::int64_t name : names.list()) {
        if (!status.hasValue())
            break;
        status = database.execute("DELETE FROM name WHERE id=?", name);
        if (status.hasValue() && ++done % kBetweenQuestions == 0 && !proceed())
            status = cancelled();
    }
    return status;
}

} // namespace trainscope::store
