#pragma once
// Times as they are given on a command line: RFC 3339, unix seconds, "now", "-2h", "now-90m"; and
// lengths of time as engines write them: "15s", "1h30m", "500ms". Pure; any thread.

#include "core/model/Result.h"
#include "core/model/Time.h"

#include <optional>
#include <string_view>

namespace trainscope::importers::engine {

// us ms s m (min) h d w, one behind the other; a bare number is seconds. Absent for anything else
// and for nothing.
std::optional<DurationNs> durationFrom(std::string_view text);

// True where the moment depends on when it is read.
bool isRelative(std::string_view moment);
// `now` is what "now" means. RFC 3339 needs a zone (Z or an offset), so that nobody is hours off.
Result<TimeNs> momentFrom(std::string_view text, TimeNs now);

// "2026-11-22T10:00:00Z", with as many decimals as needed down to ms.
std::string rfc3339(TimeNs time);
// "1773114089.184": seconds as the API takes them.
std::string apiSeconds(std::int64_t milliseconds);
// "15s", "1h30m", "250ms": without a fraction.
std::string engineDuration(std::int64_t milliseconds);

} // namespace trainscope::importers::engine
