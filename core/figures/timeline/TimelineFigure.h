#pragma once
// The timeline as a kind of figure: what its view shows, or what the command line asks for.

#include "core/figures/Figure.h"
#include "core/figures/timeline/RemoteLanes.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::figures {

// The timeline that the command line or a report asks for.
struct TimelineAsked {
    std::vector<std::string> metrics; // a lane for each, "kernels" too; empty: the usual lanes
    std::optional<int> rank; // alone
    std::string align; // "start", "clock" or the number of an iteration; empty: as the runs lie
    plot::TimeDisplay axis = plot::TimeDisplay::Relative;
    std::optional<DurationNs> from; // since the runs' begin
    std::optional<DurationNs> to;
    bool alignClocks = false;
    bool path = false; // the critical path as a line over the lanes
    std::vector<std::string> marks; // "12.5=warm": seconds since the first run's begin
};
const Options<TimelineAsked>& timelineOptions();

std::vector<Kind> timelineKinds();

// The state of a timeline view. Lane heights are those of the screen; figures scale them to their
// size.
struct TimelineRequest {
    std::filesystem::path database; // contains the runs
    std::vector<plot::ShownRun> runs;
    plot::Arrangement arrangement; // without lanes: the default arrangement
    plot::ViewWindow window; // empty (end <= begin): everything the runs have
    plot::TimeDisplay time = plot::TimeDisplay::Relative;
    std::int64_t utcOffsetSeconds = 0; // for TimeDisplay::Local
    // Overlays of the runs, drawn over the lanes; nullptr: none.
    std::shared_ptr<const std::vector<plot::RunOverlay>> overlays;
    std::shared_ptr<RemoteLanes> remote; // lanes of linked runs; nullptr: none
    std::vector<plot::TimelineMark> marks = {};
};

// Columns that are read for a picture of the request's size.
int timelineColumns(const Request& request);

// Read from a store of that database; the request's options are not looked at.
Result<Figure> timelineFigure(const store::Store& store, const TimelineRequest& timeline,
    const Request& request, const Progress& progress = {});

} // namespace trainscope::figures
