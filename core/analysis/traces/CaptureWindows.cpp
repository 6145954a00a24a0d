#include "core/analysis/traces/CaptureWindows.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/RankWindow.h"
#include "core/model/Try.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostCapturesListed = 20;

Error notFound(const Run& run, const std::string& name, const std::vector<Capture>& all) {
    std::vector<std::string> names;
    for (const Capture& one : all) {
        if (std::ranges::find(names, one.name) == names.end())
            names.push_back(one.name);
    }
    if (names.empty())
        return {ErrorCode::NotFound,
            "There is no capture '" + name + "': the run has none. Import its traces first.",
            run.name};
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), kMostCapturesListed); ++i)
        list += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMostCapturesListed)
        list += ", and " + std::to_string(names.size() - kMostCapturesListed) + " more";
    return {ErrorCode::NotFound,
        "There is no capture '" + name + "'. The captures of the run are: " + list + ".", run.name};
}

} // namespace

TimeRange CaptureWindows::of(int rank) const {
    const auto own = byRank.find(rank);
    return own == byRank.end() ? window : own->second;
}

std::string CaptureWindows::wording() const {
    return "the capture '" + name + "'";
}

std::vector<Capture> capturesByName(std::vector<Capture> captures) {
    std::ranges::stable_sort(captures, {}, &Capture::name);
    std::vector<Capture> merged;
    for (Capture& capture : captures) {
        if (merged.empty() || merged.back().name != capture.name) {
            merged.push_back(std::move(capture));
            continue;
        }
        TimeRange& range = merged.back().range;
        range = spanned(range, capture.range);
    }
    std::ranges::stable_sort(merged, {}, [](const Capture& one) { return one.range.begin; });
    return merged;
}

std::vector<Capture> namedCaptures(std::vector<Capture> captures) {
    std::map<int, std::string_view> nameOfRank;
    bool isOneEach = true;
    bool hasSeveral = false;
    for (const Capture& one : captures) {
        hasSeveral = hasSeveral || one.name != captures.front().name;
        isOneEach = isOneEach && nameOfRank.emplace(one.rank, one.name).first->second == one.name;
    }
    return hasSeveral && isOneEach ? std::vector<Capture>() : captures;
}

std::vector<Capture> partsByCapture(std::vector<Capture> captures) {
    return capturesByName(namedCaptures(std::move(captures)));
}

Result<CaptureWindows> captureWindows(const RunStudy& study, const std::string& name) {
    ASSIGN_OR_RETURN(const auto all, study.store.captures(study.run.id));
    CaptureWindows found{name, {}, kNoTime};
    for (const Capture& one : all) {
        if (one.name != name)
            continue;
        const auto [own, isFirst] = found.byRank.emplace(one.rank, one.range);
        own->second = spanned(own->second, one.range);
    }
    if (found.byRank.empty())
        return notFound(study.run, name, all);
    RankClocksPtr clocks; // null for one rank: its own clock
    if (found.byRank.size() > 1) {
        ASSIGN_OR_RETURN(clocks, differingClocks(study));
    }
    for (const auto& [rank, range] : found.byRank)
        found.window = spanned(found.window, onReference(clocks, rank, range));
    return found;
}

} // namespace trainscope::analysis
