#include "core/text/RunState.h"

namespace trainscope::text {

namespace {

constexpr DurationNs kSince{15'000'000'000};
constexpr DurationNs kAhead{5'000'000'000}; // tolerance for another machine's clock

} // namespace

bool isBeingRecorded(const Run& run, TimeNs now) {
    return run.status == RunStatus::Partial && run.range.end > now - kSince
        && run.range.end < now + kAhead;
}

std::string_view runState(const Run& run, TimeNs now) {
    return isBeingRecorded(run, now) ? "recording" : toString(run.status);
}

DurationNs runLength(const Run& run) {
    const DurationNs length = run.range.length();
    return length > DurationNs{1} ? length : DurationNs{};
}

} // namespace trainscope::text
