#pragma once
// One lane of a window: which series and tracks it shows, and their reading.

#include "core/figures/timeline/TimelineLoad.h"

namespace trainscope::figures {

struct SelectedSeries {
    std::size_t run = 0; // index into the shown runs
    int node = -1;
    const Series* series = nullptr; // owned by the catalogue
};
// By run, node, rank, device: the order of heat rows. Each subject once, where two sources recorded
// it.
std::vector<SelectedSeries> selectSeries(
    const plot::Catalogue& catalogue, const plot::LaneSpec& lane);

struct SelectedTrack {
    std::size_t run = 0;
    const Track* track = nullptr;
};
// Kernels: device streams that hold spans. Thread: host threads. By run, rank, device, then as
// stored.
std::vector<SelectedTrack> selectTracks(
    const plot::Catalogue& catalogue, const plot::LaneSpec& lane);

// Node of a rank, -1 if the run does not list it.
int nodeOf(const plot::Catalogue::OfRun& run, int rank);

// "rank 5 · node 0", "node 1", "node 1 · mlx5_0".
std::string subjectLabel(const Subject& subject, int node);

// "GPU", "GPUs"; of the run itself "whole run", of which there is one.
struct SubjectNoun {
    std::string_view one;
    std::string_view many;
};
SubjectNoun nounOf(SubjectKind kind);

// A column in which one value holds.
void fill(Bucket& bucket, float value);

// Everything a lane's reading needs; refers to its owner's values.
struct LaneRequest {
    const store::Store& store;
    const plot::Catalogue& catalogue;
    const std::vector<plot::ShownRun>& runs;
    plot::ViewWindow window;
    int columns = 0;
    const std::function<bool()>& isCancelled;
    plot::LoadDetail detail = plot::LoadDetail::Drawn;
    RemoteLanes* remote = nullptr; // lanes of linked runs; nullptr: none
    Patience patience = Patience::Whole;
};

// Values that the axis of a lane is to show, SI.
struct LaneExtent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double a, double b) {
        if (std::isfinite(a) && std::isfinite(b)) {
            low = std::min(low, a);
            high = std::max(high, b);
        }
    }
    [[nodiscard]] bool isEmpty() const { return low > high; }
};
// Unit and round numbers at both ends.
void setAxis(plot::LaneData& lane, const Metric& metric, LaneExtent extent);
// Title, and subtitle by the series that the lane has: "W, 8 GPUs, coloured by node".
void setTexts(plot::LaneData& lane, const Metric& metric);

Result<plot::LaneData> loadMetricLane(const LaneRequest& request, const plot::LaneSpec& spec);
// The part of a lane that linked runs gave.
struct RemotePart {
    std::vector<plot::LaneBand> bands; // drawn as Band: added to the lane's
    double low = 1.0; // low > high: nothing
    double high = 0.0;
    std::string remark;
};
// Hands each series (or group of them) with its buckets to `add`; of a Band the series have none.
Result<RemotePart> loadRemote(const LaneRequest& request, plot::LaneStyle style,
    const std::vector<SelectedSeries>& selected, bool isOnly,
    const std::function<void(plot::LaneSeries)>& add);
// True where the series comes from a linked run.
bool isRemote(const LaneRequest& request, const Series& series);

Result<plot::LaneData> loadSpanLane(const LaneRequest& request, const plot::LaneSpec& spec);

// Completes the buckets of a series: columns between two samples get the held value (`heldAtStart`:
// what held when the window began, NaN for nothing), columns outside the recording or in a hole get
// NaN.
void holdBetweenSamples(
    std::vector<Bucket>& buckets, const Series& series, TimeRange window, double heldAtStart);

} // namespace trainscope::figures
