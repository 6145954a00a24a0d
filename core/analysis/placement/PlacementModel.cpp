#include "core/analysis/placement/PlacementModel.h"

#include "core/analysis/placement/LayerSplit.h"
#include "core/analysis/placement/PlacementText.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace trainscope::analysis {

namespace {

using Mapping = std::vector<int>; // rank → index of the GPU
using layout::GroupKind;

constexpr double kWorthMoving = 0.003; // of the step, to move ranks beside layers
constexpr double kLeastSpeed = 0.05;
constexpr double kModelError = 0.25; // of a change, for what the model leaves out

struct Mean {
    double sum = 0.0;
    int count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count > 0 ? sum / count : 0.0; }
};

struct Gradient {
    std::optional<double> celsius;
    double noise = 0.0;
};

Gradient gradientOf(const std::vector<GpuPlace>& gpus) {
    std::map<bool, Mean> means;
    for (const GpuPlace& gpu : gpus)
        means[gpu.isRear].add(gpu.temperatureC);
    if (means[false].count == 0 || means[true].count == 0)
        return {};
    double variance = 0.0; // of the difference of the means
    for (const bool rear : {false, true}) {
        const Mean& mean = means[rear];
        double squares = 0.0;
        for (const GpuPlace& gpu : gpus) {
            if (gpu.isRear == rear)
                squares += std::pow(gpu.temperatureC - mean.value(), 2);
        }
        variance += mean.count > 1 ? squares / (mean.count - 1) / mean.count : 0.0;
    }
    constexpr double kSensor = 1.0; // whole degrees
    return {
        means[true].value() - means[false].value(), std::max(kSensor, 2.0 * std::sqrt(variance))};
}

class Model {
public:
    explicit Model(const PlacementInput& input)
        : m_input(input)
        , m_grid(input.layout.grid)
        , m_stages(static_cast<std::size_t>(m_grid.degrees().pipeline))
        , m_gradient(gradientOf(input.gpus)) { }

    Placement run() {
        Mapping stay(m_input.gpus.size());
        std::iota(stay.begin(), stay.end(), 0);
        m_before = stay;
        const auto split = splitFor(stay);
        Mapping mapping = stay;
        auto best = split;
        if (const auto moved = regrouped(); moved && moved != stay) {
            const auto other = splitFor(*moved);
            const bool isBetter = other && split
                && stepOf(*other, speedsOf(*moved, lossesNow()))
                    < (1.0 - kWorthMoving) * stepOf(*split, speedsOf(stay, lossesNow()));
            if (isBetter) {
                mapping = *moved;
                best = other;
            }
        }
        return decide(mapping, best);
    }

private:
    [[nodiscard]] std::vector<double> lossesNow() const {
        std::vector<double> losses;
        for (const GpuPlace& gpu : m_input.gpus)
            losses.push_back(gpu.lost);
        return losses;
    }

    [[nodiscard]] std::size_t stageOf(std::size_t rank) const {
        return static_cast<std::size_t>(m_grid.position(static_cast<int>(rank)).pipeline);
    }

    [[nodiscard]] std::vector<double> speedsOf(
        const Mapping& mapping, const std::vector<double>& losses) const {
        std::vector<double> speeds(m_stages, 1.0);
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
            double& speed = speeds[stageOf(rank)];
            const double lost = losses[static_cast<std::size_t>(mapping[rank])];
            speed = std::min(speed, std::max(kLeastSpeed, 1.0 - lost));
        }
        return speeds;
    }

    [[nodiscard]] std::optional<std::vector<int>> splitFor(const Mapping& mapping) const {
        return bestSplit(
            {m_input.layers, speedsOf(mapping, lossesNow()), m_input.extra, m_input.mostLayers});
    }

    // Of the pipeline alone, in forward passes of a layer on a GPU that is not throttled.
    [[nodiscard]] double stepOf(
        const std::vector<int>& split, const std::vector<double>& speeds) const {
        const SplitRequest request{m_input.layers, speeds, m_input.extra, {}};
        layout::ScheduleRequest schedule{layout::ScheduleKind::OneForwardOneBackward,
            static_cast<int>(m_stages), m_input.layout.microbatches.value_or(0), 1, {}, 0.0};
        for (std::size_t stage = 0; stage < m_stages; ++stage) {
            const double each = (split[stage] + m_input.extra[stage]) / speeds[stage];
            schedule.times.push_back({each, each, each});
        }
        const auto made = layout::makeSchedule(schedule);
        return made.hasValue() ? made.value().makespan : 3.0 * slowestStage(request, split);
    }

    // The GPUs of each node in blocks of a tensor group, from front to rear, the coolest blocks to
    // the stages with most to do. Absent where tensor groups are no such blocks.
    [[nodiscard]] std::optional<Mapping> regrouped() const {
        const auto groups = m_grid.groups(GroupKind::TensorContext);
        const auto size = groups.front().size();
        std::map<int, std::vector<int>> nodes;
        for (std::size_t i = 0; i < m_input.gpus.size(); ++i)
            nodes[m_input.gpus[i].node].push_back(static_cast<int>(i));
        std::vector<std::vector<int>> blocks;
        for (auto& [node, gpus] : nodes) {
            if (gpus.size() % size != 0)
                return std::nullopt;
            std::sort(
                gpus.begin(), gpus.end(), [&](int a, int b) { return at(a).slot < at(b).slot; });
            for (auto from = gpus.begin(); from != gpus.end(); from += static_cast<long>(size))
                blocks.emplace_back(from, from + static_cast<long>(size));
        }
        std::stable_sort(blocks.begin(), blocks.end(),
            [&](const auto& a, const auto& b) { return heatOf(a) < heatOf(b); });
        Mapping mapping(m_input.gpus.size(), 0);
        std::size_t block = 0;
        for (const std::size_t stage : heaviestFirst()) {
            for (const auto& group : groups) {
                if (stageOf(static_cast<std::size_t>(group.front())) != stage)
                    continue;
                for (std::size_t k = 0; k < size; ++k)
                    mapping[static_cast<std::size_t>(group[k])] = blocks[block][k];
                ++block;
            }
        }
        return mapping;
    }

    [[nodiscard]] const GpuPlace& at(int gpu) const {
        return m_input.gpus[static_cast<std::size_t>(gpu)];
    }

    // Differences within the noise do not decide.
    [[nodiscard]] std::tuple<long, long> heatOf(const std::vector<int>& gpus) const {
        double lost = 0.0;
        Mean temperature;
        for (const int gpu : gpus) {
            lost = std::max(lost, at(gpu).lost);
            temperature.add(at(gpu).temperatureC);
        }
        const double step = std::max(1.0, m_gradient.noise);
        return {std::lround(lost / kLeastLoss), std::lround(temperature.value() / step)};
    }

    [[nodiscard]] std::vector<std::size_t> heaviestFirst() const {
        std::vector<std::size_t> order(m_stages);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return m_input.extra[a] > m_input.extra[b]; });
        return order;
    }

    // Temperatures after the change, by GPU.
    [[nodiscard]] std::vector<double> temperatures(const Mapping& mapping,
        const std::vector<int>& split, double stepRatio, double resistance) const {
        const ThermalFacts& thermal = *m_input.thermal;
        std::vector<double> more(m_input.gpus.size(), 0.0); // watts
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
            const auto gpu = static_cast<std::size_t>(mapping[rank]);
            const std::size_t was = stageOf(gpu); // rank before the change is the GPU's index
            const std::size_t is = stageOf(rank);
            const double ratio = (split[is] + m_input.extra[is])
                / (m_input.layersBefore[was] + m_input.extra[was]) / stepRatio;
            more[gpu] = std::max(0.0, m_input.gpus[gpu].watts - thermal.idleWatts) * (ratio - 1.0);
        }
        Mean frontWatts;
        Mean rearWatts;
        std::map<int, Mean> moreInFront; // by node
        for (std::size_t gpu = 0; gpu < m_input.gpus.size(); ++gpu) {
            const GpuPlace& place = m_input.gpus[gpu];
            (place.isRear ? rearWatts : frontWatts).add(place.watts);
            if (!place.isRear)
                moreInFront[place.node].add(more[gpu]);
        }
        double preheat = 0.0;
        if (m_gradient.celsius && frontWatts.value() > 0.0)
            preheat = std::max(0.0,
                (*m_gradient.celsius - resistance * (rearWatts.value() - frontWatts.value()))
                    / frontWatts.value());
        std::vector<double> result;
        for (std::size_t gpu = 0; gpu < m_input.gpus.size(); ++gpu) {
            const GpuPlace& place = m_input.gpus[gpu];
            result.push_back(place.temperatureC + resistance * more[gpu]
                + (place.isRear ? preheat * moreInFront[place.node].value() : 0.0));
        }
        return result;
    }

    [[nodiscard]] std::vector<double> lossesAt(const std::vector<double>& temperatures) const {
        std::vector<double> losses = lossesNow();
        const ThermalFacts& thermal = *m_input.thermal;
        if (!thermal.lossPerC)
            return losses;
        const double worst = *std::max_element(losses.begin(), losses.end());
        for (std::size_t gpu = 0; gpu < losses.size(); ++gpu) {
            const double now = temperatures[gpu];
            const double was = m_input.gpus[gpu].temperatureC;
            const double above = std::max(0.0, now - thermal.lossFromC);
            const double change = losses[gpu] > 0.0 ? now - was : above;
            losses[gpu] = std::clamp(losses[gpu] + *thermal.lossPerC * change, 0.0, worst);
        }
        return losses;
    }

    static Estimate estimateOf(const std::vector<double>& values, double expected) {
        const double margin = kModelError * std::abs(expected);
        return {expected, *std::min_element(values.begin(), values.end()) - margin,
            *std::max_element(values.begin(), values.end()) + margin};
    }

    Placement decide(const Mapping& mapping, const std::optional<std::vector<int>>& split) {
        Placement placement;
        placement.gradientC = m_input.knowsAir ? m_gradient.celsius : std::nullopt;
        placement.gradientNoiseC = m_gradient.noise;
        const auto losses = lossesNow();
        placement.lostShare = std::accumulate(losses.begin(), losses.end(), 0.0)
            / static_cast<double>(std::max<std::size_t>(1, losses.size()));
        const double worst = losses.empty() ? 0.0 : *std::max_element(losses.begin(), losses.end());
        const bool isThrottled = worst >= kLeastLoss;
        const auto chosen = isThrottled && split ? *split : m_input.layersBefore;
        const Mapping& used = isThrottled && split ? mapping : m_before;
        expect(used, chosen, placement);
        placement.helps = isThrottled && split && placement.stepTime->value <= -kLeastGain;
        const bool keeps = !placement.helps;
        take(keeps ? m_before : used, keeps ? m_input.layersBefore : chosen, placement);
        if (keeps && isThrottled)
            m_tooSmall = placement.stepTime;
        if (keeps) {
            placement.stepTime.reset();
            placement.gradientChangeC.reset();
            placement.lostChange.reset();
        }
        explain(placement, {worst, split.has_value(), m_tooSmall, spansHalves()});
        return placement;
    }

    void expect(const Mapping& mapping, const std::vector<int>& split, Placement& placement) const {
        const double before = stepOf(m_input.layersBefore, speedsOf(m_before, lossesNow()));
        const double held = stepOf(split, speedsOf(mapping, lossesNow()));
        std::vector<double> steps{held / before - 1.0};
        std::vector<double> gradients;
        std::vector<double> lost;
        double expectedStep = steps.front();
        double expectedGradient = 0.0;
        double expectedLost = 0.0;
        if (m_input.thermal) {
            const ThermalFacts& thermal = *m_input.thermal;
            for (const double resistance : {thermal.resistance, thermal.low, thermal.high}) {
                const auto celsius = temperatures(mapping, split, held / before, resistance);
                const auto losses = lossesAt(celsius);
                steps.push_back(stepOf(split, speedsOf(mapping, losses)) / before - 1.0);
                gradients.push_back(gradientAt(celsius) - m_gradient.celsius.value_or(0.0));
                lost.push_back(std::accumulate(losses.begin(), losses.end(), 0.0)
                        / static_cast<double>(losses.size())
                    - placement.lostShare);
            }
            expectedStep = (steps[0] + steps[1]) / 2.0;
            expectedGradient = gradients.front();
            expectedLost = lost.front() / 2.0; // halfway, as the step
            lost.push_back(0.0);
        }
        placement.stepTime = estimateOf(steps, expectedStep);
        if (m_input.thermal && placement.gradientC)
            placement.gradientChangeC = estimateOf(gradients, expectedGradient);
        if (m_input.thermal && m_input.thermal->lossPerC)
            placement.lostChange = estimateOf(lost, expectedLost);
    }

    [[nodiscard]] double gradientAt(const std::vector<double>& celsius) const {
        auto gpus = m_input.gpus;
        for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
            gpus[gpu].temperatureC = celsius[gpu];
        return gradientOf(gpus).celsius.value_or(0.0);
    }

    void take(const Mapping& mapping, const std::vector<int>& split, Placement& placement) const {
        const auto speedsBefore = speedsOf(m_before, lossesNow());
        const auto speedsAfter = speedsOf(mapping, lossesNow());
        std::vector<Mean> temperatureOf(m_stages);
        for (std::size_t rank = 0; rank < m_input.gpus.size(); ++rank)
            temperatureOf[stageOf(rank)].add(m_input.gpus[rank].temperatureC);
        for (std::size_t stage = 0; stage < m_stages; ++stage)
            placement.stages.push_back(
                {m_input.layersBefore[stage], split[stage], speedsBefore[stage], speedsAfter[stage],
                    temperatureOf[stage].value(), m_input.mostLayers[stage]});
        placement.gpus = m_input.gpus;
        for (std::size_t rank = 0; rank < mapping.size(); ++rank)
            takeRank(placement.gpus[static_cast<std::size_t>(mapping[rank])], rank);
        placement.movesRanks = mapping != m_before;
        std::stable_sort(
            placement.gpus.begin(), placement.gpus.end(), [](const GpuPlace& a, const GpuPlace& b) {
                return std::pair(a.node, a.slot) < std::pair(b.node, b.slot);
            });
        placement.virtualStages = m_input.layout.virtualStages;
        placement.degrees = m_grid.degrees();
        placement.nodes = m_input.layout.nodes;
        placement.gpusPerNode = m_input.layout.gpusPerNode;
    }

    void takeRank(GpuPlace& gpu, std::size_t rank) const {
        gpu.rankAfter = static_cast<int>(rank);
        gpu.stageAfter = static_cast<int>(stageOf(rank));
        gpu.stageBefore = static_cast<int>(stageOf(static_cast<std::size_t>(gpu.rankBefore)));
    }

    // Tensor groups with front and rear GPUs: these wait for each other in every layer.
    [[nodiscard]] bool spansHalves() const {
        for (const auto& group : m_grid.groups(GroupKind::TensorContext)) {
            bool front = false;
            bool rear = false;
            for (const int rank : group)
                (at(rank).isRear ? rear : front) = true;
            if (front && rear)
                return true;
        }
        return false;
    }

    const PlacementInput& m_input;
    const layout::RankGrid& m_grid;
    std::size_t m_stages;
    Gradient m_gradient;
    Mapping m_before;
    std::optional<Estimate> m_tooSmall;
};

} // namespace

Placement placeStages(const PlacementInput& input) {
    return Model(input).run();
}

void fitLoss(const std::vector<GpuPlace>& gpus, ThermalFacts& facts) {
    Mean temperature;
    Mean loss;
    double least = 1e9;
    for (const GpuPlace& gpu : gpus) {
        if (gpu.lost < kLeastLoss)
            continue;
        temperature.add(gpu.temperatureC);
        loss.add(gpu.lost);
        least = std::min(least, gpu.temperatureC);
    }
    constexpr int kFewest = 3;
    if (temperature.count < kFewest)
        return;
    double products = 0.0;
    double squares = 0.0;
    for (const GpuPlace& gpu : gpus) {
        if (gpu.lost < kLeastLoss)
            continue;
        const double x = gpu.temperatureC - temperature.value();
        products += x * (gpu.lost - loss.value());
        squares += x * x;
    }
    constexpr double kLeastSpread = 0.25; // °C², a sensor's rounding
    if (squares / temperature.count < kLeastSpread || products <= 0.0)
        return;
    facts.lossPerC = products / squares;
    facts.lossFromC = least;
}

} // namespace trainscope::analysis
