#include "core/analysis/cluster/PlacementModel.h"

#include "core/analysis/statistics/Means.h"
#include "core/model/Gather.h"

#include <numeric>
#include <tuple>

namespace trainscope::analysis {
namespace {

// The heat of a placement: temperatures follow the power of each GPU and of those in front of it,
// throttling follows temperature (Placement.h). Pure; any thread.

struct Gradient {
    std::optional<double> celsius; // rear − front; absent where there are not both
    double noise = 0.0; // two standard errors of it
};

Gradient gradientOf(const std::vector<GpuPlace>& gpus) {
    std::map<bool, std::vector<double>> celsius; // by isRear
    for (const GpuPlace& gpu : gpus)
        celsius[gpu.isRear].push_back(gpu.temperatureC);
    const auto front = meanOf(celsius[false]);
    const auto rear = meanOf(celsius[true]);
    if (!front || !rear)
        return {};
    double variance = 0.0; // variance of the difference of the means
    for (const auto& [isRear, values] : celsius) {
        if (const auto others = static_cast<double>(values.size() - 1); others > 0.0)
            variance += std::pow(*populationStd(values), 2) / others;
    }
    constexpr double kSensor = 1.0; // whole degrees
    return {*rear - *front, std::max(kSensor, 2.0 * std::sqrt(variance))};
}

// By GPU, where each does `work` times as much in a second as before.
std::vector<double> temperaturesAfter(const PlacementInput& input, const Gradient& gradient,
    const std::vector<double>& work, double resistance) {
    std::vector<double> more; // watts
    RunningMean frontWatts;
    RunningMean rearWatts;
    std::map<int, RunningMean> moreInFront; // by node
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
        const GpuPlace& place = input.gpus[gpu];
        more.push_back(std::max(0.0, place.watts - input.thermal->idleWatts) * (work[gpu] - 1.0));
        (place.isRear ? rearWatts : frontWatts).add(place.watts);
        if (!place.isRear)
            moreInFront[place.node].add(more[gpu]);
    }
    double preheat = 0.0;
    if (gradient.celsius && frontWatts.value() > 0.0)
        preheat = std::max(0.0,
            (*gradient.celsius - resistance * (rearWatts.value() - frontWatts.value()))
                / frontWatts.value());
    std::vector<double> result;
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
        const GpuPlace& place = input.gpus[gpu];
        result.push_back(place.temperatureC + resistance * more[gpu]
            + (place.isRear ? preheat * moreInFront[place.node].value() : 0.0));
    }
    return result;
}

// Shares of time lost at these temperatures, by GPU.
std::vector<double> lossesAt(const PlacementInput& input, const std::vector<double>& temperatures) {
    std::vector<double> losses = vectorOf(input.gpus, &GpuPlace::lost);
    const ThermalFacts& thermal = *input.thermal;
    if (!thermal.lossPerC)
        return losses;
    const double worst = *std::max_element(losses.begin(), losses.end());
    for (std::size_t gpu = 0; gpu < losses.size(); ++gpu) {
        const double now = temperatures[gpu];
        const double was = input.gpus[gpu].temperatureC;
        const double above = std::max(0.0, now - thermal.lossFromC);
        const double change = losses[gpu] > 0.0 ? now - was : above;
        losses[gpu] = std::clamp(losses[gpu] + *thermal.lossPerC * change, 0.0, worst);
    }
    return losses;
}

using Mapping = GpuMapping;
using layout::CommunicatorKind;

constexpr double kWorthMoving = 0.003; // share of the step, to move ranks beside layers
constexpr double kModelError = 0.25; // share of a change, for all that the model leaves out

class Model {
public:
    explicit Model(const PlacementInput& input)
        : m_input(input)
        , m_grid(input.layout.grid)
        , m_stages(static_cast<std::size_t>(m_grid.degrees().pipeline))
        , m_gradient(gradientOf(input.gpus))
        , m_steps(input) { }

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
                && stepOf(*moved, *other, lossesNow())
                    < (1.0 - kWorthMoving) * stepOf(stay, *split, lossesNow());
            if (isBetter) {
                mapping = *moved;
                best = other;
            }
        }
        return decide(mapping, best);
    }

private:
    [[nodiscard]] std::vector<double> lossesNow() const {
        return vectorOf(m_input.gpus, &GpuPlace::lost);
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
        return m_steps.bestSplitFor(mapping, speedsOf(mapping, lossesNow()));
    }

    [[nodiscard]] double stepOf(const Mapping& mapping, const std::vector<int>& split,
        const std::vector<double>& losses) const {
        return m_steps.of(mapping, split, speedsOf(mapping, losses));
    }

    // The GPUs of each node in blocks of a tensor group, from front to rear, the coolest blocks to
    // the stages with most to do. Absent where tensor groups are no such blocks.
    [[nodiscard]] std::optional<Mapping> regrouped() const {
        const auto groups = m_grid.groups(CommunicatorKind::TensorContext);
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
        RunningMean temperature;
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

    // Factor on each GPU's work per second.
    [[nodiscard]] std::vector<double> workAfter(
        const Mapping& mapping, const std::vector<int>& split, double stepRatio) const {
        std::vector<double> work(m_input.gpus.size(), 1.0);
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
            const auto gpu = static_cast<std::size_t>(mapping[rank]);
            const std::size_t was = stageOf(gpu); // rank before the change is the GPU's index
            const std::size_t is = stageOf(rank);
            work[gpu] = (split[is] + m_input.extra[is])
                / (m_input.layersBefore[was] + m_input.extra[was]) / stepRatio;
        }
        return work;
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
        const auto cost = placement.movesRanks ? m_steps.movingCost(used) : std::nullopt;
        explain(placement, {worst, split.has_value(), m_tooSmall, spansHalves(), cost});
        return placement;
    }

    void expect(const Mapping& mapping, const std::vector<int>& split, Placement& placement) const {
        const double before = stepOf(m_before, m_input.layersBefore, lossesNow());
        const double held = stepOf(mapping, split, lossesNow());
        std::vector<double> steps{held / before - 1.0};
        std::vector<double> gradients;
        std::vector<double> lost;
        double expectedStep = steps.front();
        double expectedGradient = 0.0;
        double expectedLost = 0.0;
        if (m_input.thermal) {
            const ThermalFacts& thermal = *m_input.thermal;
            const auto work = workAfter(mapping, split, held / before);
            for (const double resistance : {thermal.resistance, thermal.low, thermal.high}) {
                const auto celsius = temperaturesAfter(m_input, m_gradient, work, resistance);
                const auto losses = lossesAt(m_input, celsius);
                steps.push_back(stepOf(mapping, split, losses) / before - 1.0);
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
        std::vector<RunningMean> temperatureOf(m_stages);
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
        placement.schedule = m_input.layout.schedule;
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
        for (const auto& group : m_grid.groups(CommunicatorKind::TensorContext)) {
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
    PlacementSteps m_steps;
    Mapping m_before;
    std::optional<Estimate> m_tooSmall;
};

} // namespace

Placement placeStages(const PlacementInput& input) {
    return Model(input).run();
}

void fitLoss(const std::vector<GpuPlace>& gpus, ThermalFacts& facts) {
    RunningMean temperature;
    RunningMean loss;
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
