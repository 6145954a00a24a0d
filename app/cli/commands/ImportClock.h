#pragma once
// Options for clocks that the sources leave open.

#include "importers/common/Importer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace trainscope::cli {

struct ImportClock {
    std::optional<TimeNs> start; // of recordings without a date
    std::optional<DurationNs> period; // between readings without stamps
    std::optional<std::int64_t> utcOffsetSeconds; // of local stamps
};

// Empty texts are not said. Usage errors name the option.
Result<ImportClock> parseClock(
    const std::string& start, const std::string& period, const std::string& utcOffset);

// To a unit whose clock needs it.
void applyClock(const ImportClock& clock, importers::ImportUnit& unit);

} // namespace trainscope::cli
