#pragma once
// State of a run in a word: as the database says it, whether a recorder is at work on it, and
// how long it took.

#include "core/model/Run.h"

namespace trainscope::text {

// It is unfinished, and its last sample is of the last seconds: recorders write every second.
bool isBeingRecorded(const Run& run, TimeNs now);
// "ok", "oom", "partial", "recording".
std::string_view runState(const Run& run, TimeNs now);
// 0 of a run of one moment, whose range is 1 ns long to hold it.
DurationNs runLength(const Run& run);

} // namespace trainscope::text
