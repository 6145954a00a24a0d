#include "core/analysis/comparison/ThrottleLoss.h"

#include "core/analysis/statistics/CompensatedSum.h"

#include <algorithm>
#include <set>

namespace trainscope::analysis {

namespace {

struct Edge {
    TimeNs time;
    double share = 0.0; // of the clock that lacks
    bool isBegin = false;
};

std::vector<Edge> edgesOf(const std::vector<RankEpisode>& episodes) {
    std::vector<Edge> edges;
    for (const RankEpisode& one : episodes) {
        const double seconds = one.episode.range.length().seconds();
        if (seconds <= 0.0)
            continue;
        const double share = one.episode.lostSeconds / seconds;
        edges.push_back({one.episode.range.begin, share, true});
        edges.push_back({one.episode.range.end, share, false});
    }
    std::sort(
        edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
    return edges;
}

} // namespace

double lostToSlowest(const std::vector<RankEpisode>& episodes) {
    CompensatedSum lost;
    std::multiset<double> active;
    TimeNs now;
    for (const Edge& edge : edgesOf(episodes)) {
        if (!active.empty())
            lost.add(*active.rbegin() * (edge.time - now).seconds());
        now = edge.time;
        if (edge.isBegin)
            active.insert(edge.share);
        else if (const auto found = active.find(edge.share); found != active.end())
            active.erase(found);
    }
    return lost.value();
}

} // namespace trainscope::analysis
