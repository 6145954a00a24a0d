#pragma once
// The values of one moment: of every lane, and of every metric of the GPU that has the focus. Exact
// samples, not buckets. Blocking; for a worker.

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/figures/timeline/RemoteLanes.h"

namespace trainscope::app {

struct ProbeRequest {
    CataloguePtr catalogue;
    std::vector<plot::ShownRun> runs;
    plot::Arrangement arrangement;
    DurationNs time; // view time
    int rank = 0; // GPU with the focus
    int node = -1; // node of the series pointed at; -1: that of the GPU
    DurationNs column{1}; // time in a pixel
    std::shared_ptr<figures::RemoteLanes> remote = {}; // lanes of linked runs; nullptr: none
    SeriesId pointed = {}; // the series under the pointer; invalid: none
};

struct ProbeResult {
    DurationNs time;
    int rank = 0;
    int node = -1; // as asked
    std::vector<QStringList> lanes; // a text per lane and run: "688 W", "no data"
    // The metrics of the GPU, per run; of a run without GPUs those of its nodes and its own.
    std::vector<Fact> gpu;
    bool hasGpus = false; // one of the runs at least
    SeriesId pointed = {}; // as asked, with its value alone
    QString pointedText = {};
};

Result<ProbeResult> probe(const store::Store& store, const ProbeRequest& request,
    const std::function<bool()>& isCancelled);

} // namespace trainscope::app
