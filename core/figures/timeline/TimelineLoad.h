#pragma once
// The data of a timeline's window, read from the store: which lanes there are, their columns, and
// what lies over them.

#include "core/analysis/RunStudy.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/figures/timeline/RemoteLanes.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::figures {

Result<plot::Catalogue> readCatalogue(
    const store::Store& store, const std::vector<plot::ShownRun>& runs);

// True where the runs are best shown at their own times: several measured ones, none of them apart
// from all others.
bool overlapInTime(const std::vector<Run>& runs);

// Lanes worth showing first for what the runs have: power, temperature, clock, link rates, kernels.
plot::Arrangement defaultArrangement(const plot::Catalogue& catalogue);
// All lanes that could be added: of each metric one with all GPUs, then of each single GPU.
std::vector<plot::LaneChoice> laneChoices(const plot::Catalogue& catalogue);
// Lanes that Trainscope knows of and none of the runs has.
std::vector<plot::LaneChoice> missingLanes(const plot::Catalogue& catalogue);
// The style that suits a metric of so many GPUs, nodes or links: temperatures of several are a row
// of colours each, all else lines.
struct DefaultStyle {
    plot::LaneStyle style = plot::LaneStyle::Lines;
    std::string of; // "1 GPU", "8 GPUs": what the metric is of, in the run with most of them
};
DefaultStyle defaultStyle(const plot::Catalogue& catalogue, std::string_view metric);
std::string_view nameOf(plot::LaneGroup group); // "Power", "Heat", …

// Lanes that answer a question together, of those that the runs have; no lanes: they have none.
struct LanePreset {
    std::string_view title; // "Power and heat"
    std::string_view lacks; // data that none of the runs has, if there is no lane
    plot::Arrangement arrangement;
};
std::vector<LanePreset> lanePresets(const plot::Catalogue& catalogue);

// Derived lanes of millions of samples are computed once, which takes seconds. Whole: waits for
// them. None: such a lane says how far it is (LaneData::isComing) until then.
enum class Patience { Whole, None };

// Reads what `arrangement` shows of the window. `isCancelled` is asked between series. `remote` has
// the lanes of linked runs; without it they are an error.
Result<plot::TimelineData> loadTimeline(const store::Store& store, const plot::Catalogue& catalogue,
    const std::vector<plot::ShownRun>& runs, const plot::Arrangement& arrangement,
    plot::ViewWindow window, int columns, const std::function<bool()>& isCancelled = {},
    plot::LoadDetail detail = plot::LoadDetail::Drawn, RemoteLanes* remote = nullptr,
    Patience patience = Patience::Whole);

// Reads the overlay of a run: its throttle episodes, its warm-up, its iterations where none are
// recorded, and the time until its temperatures had settled. Walks the clock of every GPU: takes as
// long as a summary. Cancelled by progress.
Result<plot::RunOverlay> loadOverlay(const analysis::RunStudy& study);

// Reads the critical path of each iteration that counts, for RunOverlay::path. Takes as long as
// building the step graph. NotFound without traces.
Result<std::vector<plot::PathMark>> loadPath(const analysis::RunStudy& study);

// The rate that the last sample at or before `time` brought, which holds until the next; NaN
// outside the recording, before the second sample and behind a hole.
Result<double> counterRateAt(const store::Store& store, const Series& counter, TimeNs time);

struct RateBounds {
    double low = 0.0; // NaN where there is no rate at all
    double high = 0.0;
};
// Over the whole recording.
Result<RateBounds> counterRateBounds(const store::Store& store, const Series& counter);

} // namespace trainscope::figures
