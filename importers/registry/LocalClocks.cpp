#include "importers/registry/LocalClocks.h"

#include "core/text/Times.h"
#include "importers/common/RunFolders.h"

#include <cstdlib>
#include <string>

namespace trainscope::importers {

namespace {

bool knowsZone(const ImportUnit& unit) {
    return unit.clock == ClockKind::Utc && unit.utcOffsetSeconds && unit.start;
}

bool areTogether(const ImportUnit& a, const ImportUnit& b) {
    return a.runName == b.runName
        || (!a.files.empty() && !b.files.empty()
            && folderPart(a.files.front()) == folderPart(b.files.front()));
}

bool beginTogether(const ImportUnit& local, const ImportUnit& other) {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    const DurationNs offset{*other.utcOffsetSeconds * 1'000'000'000};
    return std::abs((*local.start - offset - *other.start).ns) < kHour;
}

} // namespace

void findLocalClocks(std::vector<ImportUnit>& units) {
    for (ImportUnit& unit : units) {
        if (unit.clock != ClockKind::Local || unit.utcOffsetSeconds || !unit.start)
            continue;
        for (const ImportUnit& other : units) {
            if (!knowsZone(other) || !areTogether(unit, other) || !beginTogether(unit, other))
                continue;
            unit.utcOffsetSeconds = other.utcOffsetSeconds;
            unit.notes.push_back("Its clock is taken as " + text::zone(*other.utcOffsetSeconds)
                + ", which " + std::string(namePart(other.path)) + " says of its machine.");
            break;
        }
    }
}

} // namespace trainscope::importers
