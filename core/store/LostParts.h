#pragma once
// Reading all of a database that may be damaged: what of a source it still has, and what it has
// lost.

#include "core/model/Result.h"
#include "core/model/Series.h"
#include "core/model/Span.h"
#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace trainscope::store {

class Store;

struct LostParts {
    std::set<SeriesId> series;
    std::set<TrackId> tracks;
    std::vector<std::string> names; // of both: "gpu_power of rank 3"
    int whole = 0; // series and tracks that can be read

    // True where something is lost and something is not.
    [[nodiscard]] bool isPart() const { return whole > 0 && !names.empty(); }
    [[nodiscard]] std::string text() const; // the first names, and how many more
};

// True where the status says that `database` is damaged.
bool isLoss(const Database& database, const Status& status);

// Reads all of the source once; Cancelled when `goesOn` says so.
Result<LostParts> lostParts(
    const Store& store, const Source& source, const std::function<bool()>& goesOn);

// In source numbers, to the last one that the catalogue says there is, else Unreadable.
Status readAll(Database& database, const Series& series,
    const std::function<Status(std::span<const std::int64_t>, std::span<const double>)>& visit);
// In order of start; the same.
Status readAll(Database& database, const Track& track,
    const std::function<Status(std::span<const Span>)>& visit);

} // namespace trainscope::store
