#include "core/layout/InferLayout.h"

#include "core/layout/RankGrid.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace trainscope::layout {

namespace {

enum class Part { Other, Shards, Replicas };

Part partOf(const ProcessGroup& group) {
    const auto kind = kindFromName(group.name, group.description);
    if (kind != CommunicatorKind::Data && kind != CommunicatorKind::DataContext
        && kind != CommunicatorKind::ExpertData)
        return Part::Other;
    const auto says = [&group](std::string_view word) {
        return group.name.find(word) != std::string::npos
            || group.description.find(word) != std::string::npos;
    };
    if (says("replicate"))
        return Part::Replicas;
    return says("shard") ? Part::Shards : Part::Other;
}

// Ranks are evenly spaced in both; empty where that gives none of a cluster.
std::vector<int> meshOf(
    const std::vector<int>& shards, const std::vector<int>& replicas, int common) {
    std::vector<int> ranks;
    if (shards.size() * replicas.size() > std::size_t{RankGrid::kMaxRanks})
        return ranks;
    for (const int replica : replicas) {
        for (const int shard : shards) {
            const std::int64_t rank = std::int64_t{shard} + replica - common;
            if (rank < 0 || rank >= RankGrid::kMaxRanks)
                return {};
            ranks.push_back(static_cast<int>(rank));
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

} // namespace

std::vector<ProcessGroup> withJoinedShards(const std::vector<ProcessGroup>& groups) {
    std::vector<ProcessGroup> result;
    std::vector<const ProcessGroup*> shards;
    std::map<int, const ProcessGroup*> replicasOf; // by rank
    for (const ProcessGroup& group : groups) {
        const Part part = partOf(group);
        if (part == Part::Other)
            result.push_back(group);
        else if (part == Part::Shards)
            shards.push_back(&group);
        for (const int rank : part == Part::Replicas ? group.ranks : std::vector<int>())
            replicasOf.emplace(rank, &group);
    }
    if (shards.empty() || replicasOf.empty())
        return groups;
    for (const ProcessGroup* shard : shards) {
        for (const int rank : shard->ranks) {
            const auto found = replicasOf.find(rank);
            if (found == replicasOf.end())
                continue;
            auto mesh = meshOf(shard->ranks, found->second->ranks, rank);
            if (!mesh.empty())
                result.push_back({shard->name, shard->description, std::move(mesh)});
            break; // the replicas of its other ranks span the same
        }
    }
    return result;
}

std::optional<int> shardSizeOf(const std::vector<ProcessGroup>& groups) {
    std::size_t shards = 0;
    bool hasReplicas = false;
    for (const ProcessGroup& group : groups) {
        const Part part = partOf(group);
        const bool isOfExperts
            = kindFromName(group.name, group.description) == CommunicatorKind::ExpertData;
        if (part == Part::Shards && !isOfExperts)
            shards = std::max(shards, group.ranks.size());
        hasReplicas = hasReplicas || (part == Part::Replicas && group.ranks.size() > 1);
    }
    return hasReplicas && shards > 0 ? std::optional(static_cast<int>(shards)) : std::nullopt;
}

} // namespace trainscope::layout
