#include "core/layout/InferLayout.h"

#include "core/model/WholeNumber.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

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

std::vector<int> divisorsOf(int number) {
    std::vector<int> result;
    for (int divisor = 1; divisor <= number; ++divisor) {
        if (number % divisor == 0)
            result.push_back(divisor);
    }
    return result;
}

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

namespace {

// The distinct groups of ranks that a run shows.
struct Evidence {
    std::map<CommunicatorKind, std::set<std::vector<int>>> named;
    std::set<std::vector<int>> unnamed; // more than one rank, but not all
    bool hasWhole = false; // an unnamed group of all ranks beside the default one
    // Megatron-LM makes the data-parallel groups (with CP) first, and torch numbers groups as they
    // are made: the size of the first group of a rank, where the groups have no names but numbers.
    std::optional<int> firstSize;
    int groups = 0;
};

bool isSaid(const std::string& description) {
    return !description.empty() && description != "undefined";
}

std::optional<int> sizeOfFirst(const std::vector<ProcessGroup>& groups) {
    constexpr int kMegatronsGroups = 6; // each rank is in at least so many
    std::map<int, std::pair<int, int>> firstOf; // by rank: number and size
    std::map<int, int> count;
    for (const ProcessGroup& group : groups) {
        const auto number = wholeNumber<int>(group.name);
        if (!number || (isSaid(group.description) && group.description != "default_pg"))
            return std::nullopt;
        if (*number == 0)
            continue;
        for (const int rank : group.ranks) {
            const std::pair candidate{*number, static_cast<int>(group.ranks.size())};
            const auto [known, isNew] = firstOf.try_emplace(rank, candidate);
            if (!isNew)
                known->second = std::min(known->second, candidate);
            ++count[rank];
        }
    }
    // A rank whose own list was not recorded is known from others' lists only.
    const auto most = std::max_element(count.begin(), count.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == count.end() || most->second < kMegatronsGroups)
        return std::nullopt;
    return firstOf.at(most->first).second;
}

// Neighbouring stages that talk in pairs are parts of one pipeline.
std::set<std::vector<int>> joinedPipelines(const std::set<std::vector<int>>& groups) {
    std::vector<std::set<int>> joined;
    for (const auto& group : groups) {
        std::set<int> whole(group.begin(), group.end());
        std::erase_if(joined, [&](const std::set<int>& other) {
            const bool meets = std::any_of(
                other.begin(), other.end(), [&](int rank) { return whole.contains(rank); });
            if (meets)
                whole.insert(other.begin(), other.end());
            return meets;
        });
        joined.push_back(std::move(whole));
    }
    std::set<std::vector<int>> result;
    for (const auto& group : joined)
        result.emplace(group.begin(), group.end());
    return result;
}

Evidence evidenceOf(const std::vector<ProcessGroup>& groups, int worldSize) {
    Evidence evidence;
    for (const ProcessGroup& group : withJoinedShards(groups)) {
        auto ranks = group.ranks;
        std::sort(ranks.begin(), ranks.end());
        const auto kind = kindFromName(group.name, group.description);
        const bool isPart = ranks.size() > 1 && static_cast<int>(ranks.size()) < worldSize;
        const bool isUnsaid = !kind && !isAuxiliary(group.description) && !isAuxiliary(group.name);
        if (kind)
            evidence.named[*kind].insert(ranks);
        else if (isPart && isUnsaid)
            evidence.unnamed.insert(ranks);
        else if (isUnsaid && static_cast<int>(ranks.size()) == worldSize && group.name != "0")
            evidence.hasWhole = true;
    }
    evidence.groups = static_cast<int>(std::count_if(groups.begin(), groups.end(),
        [](const ProcessGroup& group) { return group.ranks.size() > 1; }));
    if (const auto found = evidence.named.find(CommunicatorKind::Pipeline);
        found != evidence.named.end())
        found->second = joinedPipelines(found->second);
    evidence.firstSize = sizeOfFirst(groups);
    return evidence;
}

// Megatron-LM's default and its --use-tp-pp-dp-mapping before all others.
std::vector<RankOrder> ordersToTry() {
    RankOrder pipelineBeforeData;
    std::swap(pipelineBeforeData.dimensions[3], pipelineBeforeData.dimensions[4]);
    std::vector<RankOrder> orders{kMegatronOrder, pipelineBeforeData};
    RankOrder other;
    while (std::next_permutation(other.dimensions.begin(), other.dimensions.end()))
        orders.push_back(other);
    return orders;
}

bool has(const RankGrid& grid, CommunicatorKind kind, const std::vector<int>& ranks) {
    return static_cast<int>(ranks.size()) == grid.groupSize(kind) && ranks.back() < grid.worldSize()
        && grid.groupOf(kind, ranks.front()) == ranks;
}

bool hasAnyKind(const RankGrid& grid, const std::vector<int>& ranks) {
    const auto kinds = communicatorKinds();
    if (std::any_of(kinds.begin(), kinds.end(),
            [&](const CommunicatorInfo& info) { return has(grid, info.kind, ranks); }))
        return true;
    // The embeddings' group: first and last stage.
    if (ranks.size() != 2 || ranks.back() >= grid.worldSize())
        return false;
    const auto pipeline = grid.groupOf(CommunicatorKind::Pipeline, ranks.front());
    return pipeline.front() == ranks.front() && pipeline.back() == ranks.back();
}

bool isExpert(CommunicatorKind kind) {
    return infoOf(kind).decomposition == Decomposition::Expert;
}

// Quality of a layout as an explanation of the groups; less is better.
struct Score {
    int unexplained = 0; // unnamed groups that it does not make
    int unshown = 0; // dimensions that no group shows
    int unlikely = 0; // penalty: CP and PP explain a group less often than TP and DP
    auto operator<=>(const Score&) const = default;
};

bool agreesWithNamed(const RankGrid& grid, const Evidence& evidence, bool withExperts) {
    return std::all_of(evidence.named.begin(), evidence.named.end(), [&](const auto& entry) {
        const auto& [kind, groups] = entry;
        return (isExpert(kind) && !withExperts)
            || std::all_of(groups.begin(), groups.end(),
                [&, of = kind](const auto& ranks) { return has(grid, of, ranks); });
    });
}

bool isShown(const RankGrid& grid, const Evidence& evidence, CommunicatorKind kind) {
    if (evidence.named.contains(kind))
        return true;
    if (evidence.hasWhole && grid.groupSize(kind) == grid.worldSize())
        return true;
    return std::any_of(evidence.unnamed.begin(), evidence.unnamed.end(),
        [&](const auto& ranks) { return has(grid, kind, ranks); });
}

int unlikelihoodOf(const RankGrid& grid, CommunicatorKind kind) {
    const auto group = grid.groupOf(kind, 0);
    // Neighbouring ranks that are not all ranks are rather tensor-parallel.
    const bool isDense
        = group.back() == static_cast<int>(group.size()) - 1 && group.back() < grid.worldSize() - 1;
    switch (kind) {
    case CommunicatorKind::Data:
        return isDense ? 2 : 0;
    case CommunicatorKind::Tensor:
        return 1;
    case CommunicatorKind::Pipeline:
        return 2;
    default:
        return 4;
    }
}

Score scoreOf(const RankGrid& grid, const Evidence& evidence) {
    Score score;
    for (const auto& ranks : evidence.unnamed)
        score.unexplained += hasAnyKind(grid, ranks) ? 0 : 1;
    for (const auto kind : {CommunicatorKind::Tensor, CommunicatorKind::Context,
             CommunicatorKind::Data, CommunicatorKind::Pipeline, CommunicatorKind::Expert}) {
        if (grid.groupSize(kind) == 1 || evidence.named.contains(kind))
            continue;
        score.unshown += isShown(grid, evidence, kind) ? 0 : 1;
        score.unlikely += unlikelihoodOf(grid, kind);
    }
    // Experts are divided like the rest, or not at all.
    constexpr int kOddExperts = 4;
    const auto& degrees = grid.degrees();
    if (degrees.expertTensor != degrees.tensor)
        score.unlikely += degrees.expertTensor == 1 ? 1 : kOddExperts;
    return score;
}

struct Candidate {
    RankGrid grid;
    Score score;
};

class Search {
public:
    Search(const Evidence& evidence, int worldSize)
        : m_evidence(evidence)
        , m_worldSize(worldSize)
        , m_divisors(divisorsOf(worldSize)) { }

    std::optional<Candidate> run() {
        constexpr int kUsualOrders = 2;
        int tried = 0;
        for (const RankOrder& order : ordersToTry()) {
            tryDense(order);
            ++tried;
            // A layout that explains all groups ends the search after the usual orders, or at once
            // where it leaves no dimension unshown.
            const bool isExplained = m_best && m_best->score.unexplained == 0;
            if (isExplained && (m_best->score.unshown == 0 || tried >= kUsualOrders))
                break;
        }
        return m_best;
    }

private:
    // The size that the named groups of that kind have; absent without any.
    [[nodiscard]] std::optional<int> said(CommunicatorKind kind) const {
        const auto found = m_evidence.named.find(kind);
        if (found == m_evidence.named.end())
            return std::nullopt;
        return static_cast<int>(found->second.begin()->size());
    }

    [[nodiscard]] bool canBe(CommunicatorKind kind, int size) const {
        return said(kind).value_or(size) == size;
    }

    void tryDense(const RankOrder& order) {
        for (const int tensor : m_divisors) {
            if (!canBe(CommunicatorKind::Tensor, tensor))
                continue;
            for (const int context : m_divisors) {
                if (!canBe(CommunicatorKind::Context, context)
                    || m_worldSize / tensor % context != 0)
                    continue;
                for (const int pipeline : m_divisors)
                    tryPipeline({tensor, context, 1, tensor, 1, pipeline}, order);
            }
        }
    }

    void tryPipeline(Degrees degrees, const RankOrder& order) {
        const int rest = m_worldSize / degrees.tensor / degrees.context;
        if (!canBe(CommunicatorKind::Pipeline, degrees.pipeline) || rest % degrees.pipeline != 0)
            return;
        degrees.data = rest / degrees.pipeline;
        const bool isFirst
            = !m_evidence.firstSize || *m_evidence.firstSize == degrees.data * degrees.context;
        if (!canBe(CommunicatorKind::Data, degrees.data) || !isFirst)
            return;
        const auto dense = RankGrid::make(degrees, order);
        if (!dense.hasValue() || !agreesWithNamed(dense.value(), m_evidence, false))
            return;
        tryExperts(degrees, order);
    }

    void tryExperts(Degrees degrees, const RankOrder& order) {
        const bool isSaid = std::any_of(m_evidence.named.begin(), m_evidence.named.end(),
            [](const auto& entry) { return isExpert(entry.first); });
        const bool isExplained = consider(degrees, order);
        if (!isSaid && isExplained)
            return;
        for (const int expert : m_divisors) {
            degrees.expert = expert;
            for (const int tensor : m_divisors) {
                degrees.expertTensor = tensor;
                const bool isPossible = canBe(CommunicatorKind::Expert, expert)
                    && canBe(CommunicatorKind::ExpertTensor, tensor)
                    && (tensor == 1 || tensor == degrees.tensor || isSaid);
                if (isPossible)
                    consider(degrees, order);
            }
        }
    }

    // True when the layout makes all the groups.
    bool consider(const Degrees& degrees, const RankOrder& order) {
        const auto grid = RankGrid::make(degrees, order);
        if (!grid.hasValue() || !agreesWithNamed(grid.value(), m_evidence, true))
            return false;
        const Score score = scoreOf(grid.value(), m_evidence);
        if (!m_best || score < m_best->score)
            m_best = Candidate{grid.value(), score};
        return score.unexplained == 0;
    }

    const Evidence& m_evidence;
    int m_worldSize;
    std::vector<int> m_divisors;
    std::optional<Candidate> m_best;
};

std::string misfitOf(const Evidence& evidence) {
    for (const auto& [kind, groups] : evidence.named) {
        const auto& first = *groups.begin();
        for (const auto& ranks : groups) {
            if (ranks.size() != first.size())
                return fmt::format("groups of {} have {} and {} ranks", infoOf(kind).key,
                    first.size(), ranks.size());
        }
    }
    return "the groups that are named fit no common division of the ranks";
}

std::string wordingOf(const Evidence& evidence, const RankGrid& grid) {
    std::string text = evidence.groups == 1
        ? std::string("the one process group of the traces")
        : fmt::format("the {} process groups of the traces", evidence.groups);
    std::vector<std::string> assumed;
    for (const auto kind : {CommunicatorKind::Tensor, CommunicatorKind::Context,
             CommunicatorKind::Data, CommunicatorKind::Pipeline, CommunicatorKind::Expert}) {
        if (grid.groupSize(kind) > 1 && !isShown(grid, evidence, kind))
            assumed.push_back(fmt::format("{} {}", infoOf(kind).key, grid.groupSize(kind)));
    }
    if (evidence.named.empty())
        text += ", which do not say what they are for";
    text += fmt::format("; rank order {}", grid.order().text());
    if (!assumed.empty())
        text += fmt::format("; assumed, for no group shows it: {}", fmt::join(assumed, ", "));
    return text;
}

} // namespace

Result<InferredLayout> inferLayout(const std::vector<ProcessGroup>& groups, int worldSize) {
    if (worldSize < 1 || worldSize > RankGrid::kMaxRanks)
        return Error{ErrorCode::NotFound, "It is not known how many ranks there are.", {}};
    const Evidence evidence = evidenceOf(groups, worldSize);
    if (evidence.groups == 0)
        return Error{
            ErrorCode::NotFound, "The traces name no process group of more than one rank.", {}};
    const auto found = Search(evidence, worldSize).run();
    if (!found || found->score.unexplained > 0)
        return Error{ErrorCode::NotFound,
            fmt::format("No layout of {} ranks makes the process groups of the traces: {}.",
                worldSize,
                found ? fmt::format("{} groups fit none", found->score.unexplained)
                      : misfitOf(evidence)),
            {}};
    return InferredLayout{
        found->grid.degrees(), found->grid.order(), wordingOf(evidence, found->grid)};
}

std::vector<ProcessGroup> contradictions(
    const std::vector<ProcessGroup>& groups, const RankGrid& grid) {
    std::vector<ProcessGroup> result;
    for (const ProcessGroup& group : withJoinedShards(groups)) {
        const auto kind = kindFromName(group.name, group.description);
        if (kind && !group.ranks.empty() && !has(grid, *kind, group.ranks))
            result.push_back(group);
    }
    return result;
}

} // namespace trainscope::layout
