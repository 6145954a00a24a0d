#pragma once
// Lanes of linked runs: what their samples are, reduced to columns, comes from elsewhere, without
// waiting: what is not there yet is nothing (NaN), is asked for, and is there when the lane is
// loaded again.

#include "core/model/Series.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::figures {

// A question for one lane and run.
struct RemoteQuestion {
    RunId run;
    Metric metric;
    std::vector<const Series*> series; // every series in the lane
    bool isOnly = false; // one GPU or node of many that have the metric
    bool isTogether = false; // only the mean of all series, as `buckets` of one
    plot::LaneStyle style = plot::LaneStyle::Lines; // as drawn
    TimeRange window;
    int columns = 0;
};

struct RemoteAnswer {
    // Buckets of each series, in the question's order. Empty where the lane is too large for that
    // and `band` or `groups` say what there is.
    std::vector<std::vector<Bucket>> buckets;
    std::optional<plot::LaneBand> band;
    // Rows of several series together, as of a node.
    struct Group {
        int node = -1;
        std::string label; // "node 3 · mean of 8"
        std::vector<Bucket> buckets;
    };
    std::vector<Group> groups;
    // Extent of all values of the metric that were seen; low > high: nothing yet.
    double low = 1.0;
    double high = 0.0;
    bool isComplete = true; // nothing of it is still asked for
    std::string remark; // for the lane's subtitle: "sampled", "being asked"; may be empty
};

// Thread-safe.
class RemoteLanes {
public:
    RemoteLanes() = default;
    RemoteLanes(const RemoteLanes&) = delete;
    RemoteLanes& operator=(const RemoteLanes&) = delete;
    virtual ~RemoteLanes() = default;
    // True where the samples of that series are on an engine.
    [[nodiscard]] virtual bool has(const Series& series) const = 0;
    virtual Result<RemoteAnswer> lane(
        const RemoteQuestion& question, const std::function<bool()>& isCancelled)
        = 0;
};

} // namespace trainscope::figures
