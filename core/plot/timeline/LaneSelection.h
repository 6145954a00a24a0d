#pragma once
// Which series and tracks a lane shows, and in which order.

#include "core/plot/timeline/Timeline.h"

#include <string>
#include <vector>

namespace trainscope::plot {

struct SelectedSeries {
    std::size_t run = 0; // index into the shown runs
    int node = -1;
    const Series* series = nullptr; // owned by the catalogue
};
// By run, node, rank, device: the order of heat rows.
std::vector<SelectedSeries> selectSeries(const Catalogue& catalogue, const LaneSpec& lane);

struct SelectedTrack {
    std::size_t run = 0;
    const Track* track = nullptr;
};
// Kernels: device streams that hold spans. Thread: host threads. By run, rank, device, then as
// stored.
std::vector<SelectedTrack> selectTracks(const Catalogue& catalogue, const LaneSpec& lane);

// Node of a rank, -1 if the run does not list it.
int nodeOf(const Catalogue::OfRun& run, int rank);

// "rank 5 · node 0", "node 1", "node 1 · mlx5_0".
std::string subjectLabel(const Subject& subject, int node);

} // namespace trainscope::plot
