#include "core/analysis/operators/HostSelfTime.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::analysis {

std::vector<HostCalls> hostCalls(const CallTree& tree) {
    std::map<std::uint32_t, HostCalls> byName;
    for (const CallNode& node : tree.nodes) {
        if (node.kind != FrameKind::Self)
            continue;
        HostCalls& one = byName[node.name];
        one.calls += node.sums.works;
        one.selfTime = one.selfTime + node.sums.time;
    }
    std::vector<HostCalls> calls;
    for (auto& [name, one] : byName) {
        one.name = tree.names[name];
        // Numbered annotations are one, which ends where their numbers began.
        if (one.name.size() > 1 && one.name.ends_with('#'))
            one.name.pop_back();
        calls.push_back(std::move(one));
    }
    std::ranges::stable_sort(calls, std::greater<>(), &HostCalls::selfTime);
    return calls;
}

Result<std::optional<HostSelfTime>> hostSelfTime(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    HostSelfTime host;
    for (const Track& track : tracks) {
        if (track.description.kind == TrackKind::Stream && track.count > 0)
            return std::optional<HostSelfTime>();
        host.threads += track.description.kind == TrackKind::Thread && track.count > 0 ? 1 : 0;
    }
    if (host.threads == 0)
        return std::optional<HostSelfTime>();
    ASSIGN_OR_RETURN(host.ranks, tracedRanks(study));
    ASSIGN_OR_RETURN(const auto tree, callTree(study));
    host.window = tree.window;
    host.byName = hostCalls(tree);
    for (const HostCalls& one : host.byName) {
        host.calls += one.calls;
        host.selfTime = host.selfTime + one.selfTime;
    }
    return host.calls == 0 ? std::optional<HostSelfTime>() : std::optional(std::move(host));
}

std::string hostPlaceText(const HostSelfTime& host) {
    const std::string threads = text::counted(host.threads, "thread");
    return host.ranks.size() == 1 ? fmt::format("{} of rank {}", threads, host.ranks.front())
                                  : fmt::format("{} of {} ranks", threads, host.ranks.size());
}

} // namespace trainscope::analysis
