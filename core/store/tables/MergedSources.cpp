#include "core/store/tables/MergedSources.h"

#include "core/model/Try.h"
#include "core/store/tables/StoredJson.h"

#include <algorithm>

namespace trainscope::store {

namespace {

constexpr const char* kOriginFact = "merged from";
constexpr const char* kPart = "a part of ";

struct Kept {
    SourceId id;
    std::string hash;
    std::string origin;
};

Result<bool> isOfNoOtherRun(Database& database, SourceId source, const std::vector<RunId>& runs) {
    bool isOfOther = false;
    RETURN_IF_ERROR(database.forEach(
        "SELECT run FROM source_run WHERE source=?",
        [&](const Row& row) {
            const RunId run{row.integer(0)};
            isOfOther |= std::find(runs.begin(), runs.end(), run) == runs.end();
        },
        source.value));
    return !isOfOther;
}

} // namespace

std::string originOf(const ImportReport& report, const std::string& path, const std::string& uuid) {
    const auto said = report.facts.find(kOriginFact);
    return said != report.facts.end() ? said->second : path + " of the database " + uuid;
}

std::string partOf(const std::string& origin) {
    return origin.starts_with(kPart) ? origin : kPart + origin;
}

void writeOrigin(ImportReport& report, const std::string& origin) {
    report.facts[kOriginFact] = origin;
}

Result<MergedPlace> placeFor(Database& into, const std::string& uuid, const Source& source,
    const std::string& origin, const std::vector<RunId>& runs) {
    MergedPlace place{source.path, {}};
    for (int number = 2;; ++number) {
        ASSIGN_OR_RETURN(const auto there,
            into.rows(
                "SELECT id, hash, report FROM source WHERE path=?",
                [&](const Row& row) {
                    return Kept{{row.integer(0)}, row.string(1),
                        originOf(reportFromJson(row.text(2)), place.path, uuid)};
                },
                place.path));
        for (const Kept& kept : there) {
            // Recordings have no hash, and a path that no two share.
            const bool isSame = kept.hash == source.hash || kept.origin == origin
                || kept.origin == partOf(origin);
            ASSIGN_OR_RETURN(const bool isFree, isOfNoOtherRun(into, kept.id, runs));
            if (isSame && isFree)
                place.earlier.push_back(kept.id);
        }
        if (there.empty() || !place.earlier.empty())
            return place;
        place.path = source.path + " (" + std::to_string(number) + ")";
    }
}

} // namespace trainscope::store
