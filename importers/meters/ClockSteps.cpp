#include "importers/meters/ClockSteps.h"

#include "core/text/Times.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace trainscope::importers::meters {

namespace {

bool isApart(TimeNs later, TimeNs earlier, DurationNs by) {
    constexpr std::int64_t kAgree = std::int64_t{10} * 1'000'000'000; // files do not start at once
    return std::abs((later - earlier - by).ns) <= kAgree;
}

// In whole half hours, from UTC+1 to UTC+14; zero where no zone is as far.
DurationNs zoneStep(TimeNs later, TimeNs earlier) {
    constexpr std::int64_t kHalfHour = std::int64_t{1800} * 1'000'000'000;
    const std::int64_t steps
        = std::llround(static_cast<double>((later - earlier).ns) / static_cast<double>(kHalfHour));
    const DurationNs apart{steps * kHalfHour};
    const bool isZone = std::abs(steps) >= 2 && std::abs(steps) <= 28;
    return isZone && isApart(later, earlier, apart) ? apart : DurationNs{0};
}

// Stamps with a zone of their own are right, and so is unix time, unless a script made it of
// others.
bool mayBeLocal(const FileProbe& probe) {
    return probe.start && (probe.clock == StampKind::Local || probe.format->isOfLocalTime);
}

// True where both begin and end of a recording of a minute and more are as far apart.
bool isWhollyApart(const FileProbe& own, const FileProbe& usual, DurationNs by) {
    constexpr std::int64_t kMinute = std::int64_t{60} * 1'000'000'000;
    return own.end && usual.end && (*own.end - *own.start).ns >= kMinute
        && isApart(*own.start, *usual.start, by) && isApart(*own.end, *usual.end, by);
}

} // namespace

std::vector<ClockStep> clockSteps(const SourceTree& tree, const std::vector<std::string>& files,
    const std::vector<FileProbe>& probes) {
    std::vector<ClockStep> steps(files.size());
    std::vector<TimeNs> known;
    for (const FileProbe& probe : probes) {
        if (mayBeLocal(probe))
            known.push_back(*probe.start);
    }
    std::ranges::sort(known);
    const TimeNs usual = known.empty() ? TimeNs{} : known[known.size() / 2];
    std::vector<std::size_t> together;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!mayBeLocal(probes[i]))
            continue;
        steps[i].apart = zoneStep(*probes[i].start, usual);
        if (isApart(*probes[i].start, usual, {0}))
            together.push_back(i);
    }
    std::map<std::size_t, FileProbe> ends; // those of the files that matter
    const auto withEnd = [&](std::size_t i) -> const FileProbe& {
        const auto [entry, isNew] = ends.try_emplace(i);
        if (isNew)
            entry->second = probeMeters(tree, files[i], MeterKinds::Others, {}, Look::BeginAndEnd);
        return entry->second;
    };
    for (std::size_t i = 0; i < files.size(); ++i) {
        steps[i].isOfZone = steps[i].apart.ns != 0 && 2 * together.size() > known.size()
            && std::ranges::any_of(together, [&](std::size_t other) {
                   return isWhollyApart(withEnd(i), withEnd(other), steps[i].apart);
               });
    }
    return steps;
}

std::string stepNote(std::string_view path, const ClockStep& step) {
    const std::string apart
        = text::duration({std::abs(step.apart.ns)}) + (step.apart.ns < 0 ? " behind" : " ahead of");
    if (step.isOfZone)
        return fmt::format("The clock of {} is {} that of the other files, whose begin and end it "
                           "shares otherwise: its times are set right by that.",
            namePart(path), apart);
    return fmt::format("{} begins {} the other files and is taken as recorded then: nothing shows "
                       "whose clock is of another zone, if any is.",
        namePart(path), apart);
}

} // namespace trainscope::importers::meters
