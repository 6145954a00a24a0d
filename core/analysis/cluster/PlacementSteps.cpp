
#include "core/analysis/cluster/PlacementModel.h"
#include "core/layout/ScheduleOrder.h"

#include <numeric>
#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr double kLeastGainOfALayer = 1e-9; // share of the step

GpuMapping unmoved(std::size_t ranks) {
    GpuMapping stay(ranks);
    std::iota(stay.begin(), stay.end(), 0);
    return stay;
}

using layout::CommunicatorKind;

bool staysInside(CommunicatorKind kind) {
    return kind == CommunicatorKind::Tensor || kind == CommunicatorKind::Context
        || kind == CommunicatorKind::TensorContext;
}

} // namespace

std::optional<std::vector<int>> bestSplit(const SplitRequest& request) {
    const std::size_t stages = request.speeds.size();
    std::vector<int> split(stages, 1);
    int left = request.layers - static_cast<int>(stages);
    const bool fitsOne
        = std::all_of(request.most.begin(), request.most.end(), [](int most) { return most >= 1; });
    if (left < 0 || !fitsOne)
        return std::nullopt;
    const auto doneWithNext = [&](std::size_t stage) {
        return std::tuple((split[stage] + 1 + request.extra[stage]) / request.speeds[stage],
            -request.speeds[stage], stage);
    };
    for (; left > 0; --left) {
        std::optional<std::size_t> best;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            if (split[stage] < request.most[stage]
                && (!best || doneWithNext(stage) < doneWithNext(*best)))
                best = stage;
        }
        if (!best)
            return std::nullopt;
        ++split[*best];
    }
    return split;
}

double slowestStage(const SplitRequest& request, const std::vector<int>& split) {
    double slowest = 0.0;
    for (std::size_t stage = 0; stage < split.size(); ++stage)
        slowest = std::max(slowest, (split[stage] + request.extra[stage]) / request.speeds[stage]);
    return slowest;
}

PlacementSteps::PlacementSteps(const PlacementInput& input)
    : m_input(input)
    , m_stages(static_cast<std::size_t>(input.layout.grid.degrees().pipeline)) {
    m_exchangeBefore = exchange(unmoved(input.gpus.size()));
    std::vector<double> speeds(m_stages, 1.0);
    for (std::size_t rank = 0; rank < input.gpus.size(); ++rank) {
        double& speed = speeds[static_cast<std::size_t>(
            input.layout.grid.position(static_cast<int>(rank)).pipeline)];
        speed = std::min(speed, std::max(kLeastSpeed, 1.0 - input.gpus[rank].lost));
    }
    const double units = pipeline(input.layersBefore, speeds);
    if (input.stepSeconds && units > 0.0)
        m_unitSeconds = *input.stepSeconds / units;
}

// Layers of a stage with several pieces are shared by these; what it does besides is the last
// one's.
double PlacementSteps::pipeline(
    const std::vector<int>& split, const std::vector<double>& speeds) const {
    const auto& layout = m_input.layout;
    const int stages = static_cast<int>(m_stages);
    const int pieces = stages * layout.virtualStages;
    layout::ScheduleRequest schedule{layout.schedule, stages, layout.microbatches.value_or(0),
        layout.virtualStages, std::vector<layout::PieceTimes>(static_cast<std::size_t>(pieces)),
        0.0, layout.microbatchGroup};
    for (int stage = 0; stage < stages; ++stage) {
        const auto s = static_cast<std::size_t>(stage);
        for (int chunk = 0; chunk < layout.virtualStages; ++chunk) {
            const int piece = pieceOf(layout.schedule, stages, stage, chunk);
            const double besides = chunk + 1 == layout.virtualStages ? m_input.extra[s] : 0.0;
            const double each
                = (static_cast<double>(split[s]) / layout.virtualStages + besides) / speeds[s];
            schedule.times[static_cast<std::size_t>(piece)] = {each, each, each};
        }
    }
    const auto made = layout::makeSchedule(schedule);
    const SplitRequest request{m_input.layers, speeds, m_input.extra, {}};
    return made.hasValue() ? made.value().makespan : 3.0 * slowestStage(request, split);
}

double PlacementSteps::of(const GpuMapping& mapping, const std::vector<int>& split,
    const std::vector<double>& speeds) const {
    const auto cost = movingCost(mapping);
    return pipeline(split, speeds) + (cost && m_unitSeconds > 0.0 ? *cost / m_unitSeconds : 0.0);
}

// The time of the rank that takes longest, its groups one after the other.
double PlacementSteps::exchange(const GpuMapping& mapping) const {
    if (m_input.scaleUp <= 0.0 || m_input.scaleOut <= 0.0)
        return 0.0;
    std::vector<double> seconds(m_input.gpus.size(), 0.0);
    const auto nodeOf = [&](int rank) {
        const int gpu = mapping[static_cast<std::size_t>(rank)];
        return m_input.gpus[static_cast<std::size_t>(gpu)].node;
    };
    for (const GroupLoad& load : m_input.loads) {
        const int node = nodeOf(load.ranks.front());
        const bool isInside = std::all_of(
            load.ranks.begin(), load.ranks.end(), [&](int rank) { return nodeOf(rank) == node; });
        for (const int rank : load.ranks)
            seconds[static_cast<std::size_t>(rank)]
                += load.bytes / (isInside ? m_input.scaleUp : m_input.scaleOut);
    }
    return *std::max_element(seconds.begin(), seconds.end());
}

std::optional<double> PlacementSteps::movingCost(const GpuMapping& mapping) const {
    const bool isKnown = !m_input.loads.empty() && m_input.scaleUp > 0.0 && m_input.scaleOut > 0.0
        && m_unitSeconds > 0.0;
    return isKnown ? std::optional(std::max(0.0, exchange(mapping) - m_exchangeBefore))
                   : std::nullopt;
}

// True where trying every layer on every stage is little work.
bool PlacementSteps::canImprove() const {
    constexpr std::size_t kMostStages = 16;
    constexpr int kMostMicrobatches = 256;
    return m_stages <= kMostStages
        && m_input.layout.microbatches.value_or(kMostMicrobatches + 1) <= kMostMicrobatches;
}

std::optional<std::vector<int>> PlacementSteps::bestSplitFor(
    const GpuMapping& mapping, const std::vector<double>& speeds) const {
    auto split = bestSplit({m_input.layers, speeds, m_input.extra, m_input.mostLayers});
    if (!split || !canImprove())
        return split;
    double best = of(mapping, *split, speeds);
    for (bool isBetter = true; isBetter;) {
        isBetter = false;
        auto next = *split;
        for (std::size_t from = 0; from < m_stages; ++from) {
            for (std::size_t to = 0; to < m_stages; ++to) {
                auto moved = *split;
                --moved[from];
                ++moved[to];
                if (from == to || moved[from] < 1 || moved[to] > m_input.mostLayers[to])
                    continue;
                const double step = of(mapping, moved, speeds);
                if (step >= best * (1.0 - kLeastGainOfALayer))
                    continue;
                best = step;
                next = moved;
                isBetter = true;
            }
        }
        *split = next;
    }
    return split;
}

std::vector<GroupLoad> groupLoads(const layout::Layout& layout, const layout::TrafficModel& model) {
    // Ranks of a stage exchange as much as each other.
    std::map<int, std::map<std::string, double>> byStage;
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        const int stage = layout.grid.position(rank).pipeline;
        if (byStage.contains(stage))
            continue;
        const auto traffic = trafficOf(layout, model, rank);
        if (!traffic.hasValue())
            return {};
        for (const auto& group : traffic.value())
            byStage[stage][group.group] += group.bytes;
    }
    std::vector<GroupLoad> loads;
    for (const auto& info : layout::communicatorKinds()) {
        if (staysInside(info.kind))
            continue;
        for (auto& ranks : layout.grid.groups(info.kind)) {
            double most = 0.0;
            for (const int rank : ranks) {
                const auto& own = byStage[layout.grid.position(rank).pipeline];
                const auto found = own.find(std::string(info.key));
                if (found != own.end())
                    most = std::max(most, found->second);
            }
            if (ranks.size() > 1 && most > 0.0)
                loads.push_back({std::move(ranks), most});
        }
    }
    return loads;
}

} // namespace trainscope::analysis
