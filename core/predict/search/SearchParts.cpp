#include "core/predict/search/SearchParts.h"

#include "core/layout/InferLayout.h"

namespace trainscope::predict {

namespace {

constexpr int kFullShards = 3; // ZeRO stage

std::vector<int> upTo(std::vector<int> values, int most) {
    std::erase_if(values, [most](int value) { return value > most; });
    return values;
}

std::vector<int> chosen(const std::optional<int>& fixed, const std::vector<int>& free) {
    return fixed ? std::vector<int>{*fixed} : free;
}

std::vector<int> powersOfTwo(int most) {
    std::vector<int> all;
    for (std::int64_t power = 1; power <= most; power *= 2)
        all.push_back(static_cast<int>(power));
    return all;
}

int linkDomainOf(const ClusterRequest& cluster) {
    return std::max(cluster.gpusPerNode, cluster.gpu.linkDomain.value_or(0));
}

constexpr int kPoints = 48;
// Largest error of an estimate of power that was seen against whole predictions.
constexpr double kSlack = 0.03;
// Share of an estimated slowdown that is sure: a stage with less of it than the slowest may be the
// one to wait for.
constexpr double kSurelySlowed = 0.8;

class QuickPower {
public:
    QuickPower(
        const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing)
        : m_gpu(basis.gpu)
        , m_limitW(job.machine.powerLimitW.value_or(m_gpu.limitW))
        , m_ownLimitW(m_gpu.limitW)
        , m_isLimited(job.machine.powerLimitW.has_value())
        , m_slowing(slowing)
        , m_isBrief(job.gpus() == 1)
        , m_lowest(std::min(1.0, m_gpu.lowestHz / m_gpu.boostHz)) {
        m_air = surroundingsOf(job, basis).airC;
        m_highest = lockedClock(m_gpu, job.machine.clockHz);
        m_celsius = relimited(m_gpu, activities, surroundingsOf(job, basis)).now.celsius;
        for (int i = 0; i <= kPoints; ++i)
            m_points.push_back(pointAt(m_lowest + (1.0 - m_lowest) * i / kPoints));
    }

    [[nodiscard]] EstimatedPower of(const ActivityTimes& activities, double balance) const {
        Seconds seconds;
        double before = 0.0;
        for (const Activity activity : kAllActivities) {
            seconds[activity] = activities[activity].seconds;
            before += seconds[activity];
        }
        EstimatedPower estimate;
        if (before <= seconds[Activity::Waiting])
            return estimate;
        if (m_slowing != Slowing::None)
            slow(seconds);
        const Point point = settled(seconds, true, m_limitW, m_highest);
        const double busy = busyAt(point, seconds, true);
        double after = 0.0;
        for (const Activity activity : kAllActivities)
            after += seconds[activity];
        estimate.slowdown = after / before;
        const double share = m_isBrief ? 1.0 : balance * (1.0 - seconds[Activity::Waiting] / after);
        const double mean = share * busy + (1.0 - share) * point.watts[Activity::Waiting];
        // A colder chip leaks less.
        const double celsius = m_air + m_gpu.thermal.resistance * mean;
        const double leaked
            = idlePower(m_gpu, point.clock, kReferenceC) * m_gpu.leakage * (celsius - m_celsius);
        estimate.meanW = mean + leaked;
        estimate.busyW = std::min(busy + leaked, m_limitW);
        estimate.lowestW = busyAt(m_points.front(), seconds, true);
        estimate.isKept = !m_isLimited || estimate.lowestW <= m_limitW;
        const bool isHeld = busyAt(pointAt(m_highest), seconds, true) > (1.0 + kSlack) * m_limitW;
        estimate.leastBusyW = isHeld ? m_limitW : (1.0 - kSlack) * estimate.busyW;
        estimate.leastSlowdown = 1.0 + (estimate.slowdown - 1.0) * kSurelySlowed;
        return estimate;
    }

private:
    struct Point {
        double clock = 1.0; // fraction of the highest
        ByActivity<double> watts;
        ByActivity<double> rates; // rates of work, 1 at the highest clock
    };
    using Seconds = ByActivity<double>;

    [[nodiscard]] Point pointAt(double clock) const {
        Point point{clock, {}, {}};
        for (const Activity activity : kAllActivities) {
            const double bound = m_gpu.clockBound[activity];
            const bool isWaiting = activity == Activity::Waiting;
            const double active = isWaiting && m_isBrief ? 0.0 : m_gpu.activeW[activity];
            point.watts[activity]
                = powerOf(m_gpu, {1.0, active, bound, isWaiting}, clock, m_celsius);
            point.rates[activity] = rateAt(bound, clock);
        }
        return point;
    }

    // The mean of what is no waiting, or briefly.
    [[nodiscard]] double busyAt(const Point& point, const Seconds& seconds, bool isPlayed) const {
        double joules = 0.0;
        double sum = 0.0;
        for (const Activity activity : kAllActivities) {
            if (activity == Activity::Waiting && !m_isBrief)
                continue;
            const double each = seconds[activity] / (isPlayed ? 1.0 : point.rates[activity]);
            joules += each * point.watts[activity];
            sum += each;
        }
        return sum > 0.0 ? joules / sum : point.watts[Activity::Waiting];
    }

    [[nodiscard]] Point settled(
        const Seconds& seconds, bool isPlayed, double limitW, double highest) const {
        const auto exceeds = [&](const Point& point) {
            return point.clock > highest || busyAt(point, seconds, isPlayed) > limitW;
        };
        const auto above = std::partition_point(m_points.begin(), m_points.end(),
            [&exceeds](const Point& point) { return !exceeds(point); });
        if (above == m_points.begin() || above == m_points.end())
            return above == m_points.begin() ? m_points.front() : m_points.back();
        const Point& below = *(above - 1);
        const double low = busyAt(below, seconds, isPlayed);
        const double high = busyAt(*above, seconds, isPlayed);
        const double part = high > limitW ? (limitW - low) / (high - low) : 1.0;
        return pointAt(std::min(highest, below.clock + part * (above->clock - below.clock)));
    }

    // Operators to what they take under the job's limits; exchanges take what they take, and the
    // waits for other stages grow with the work.
    void slow(Seconds& seconds) const {
        Seconds full = seconds;
        if (m_slowing == Slowing::FromUsual) {
            const Point usual = settled(seconds, true, m_ownLimitW, 1.0);
            for (const Activity activity : kAllActivities)
                full[activity] *= usual.rates[activity];
        }
        const Point now = settled(full, false, m_limitW, m_highest);
        double before = 0.0;
        double after = 0.0;
        for (const Activity activity : kAllActivities) {
            if (activity == Activity::Waiting)
                continue;
            before += seconds[activity];
            if (activity != Activity::Communication)
                seconds[activity] = full[activity] / now.rates[activity];
            after += seconds[activity];
        }
        if (!m_isBrief)
            seconds[Activity::Waiting] *= after / before;
    }

    GpuPower m_gpu;
    double m_limitW = 0.0; // the job's
    double m_ownLimitW = 0.0;
    bool m_isLimited = false;
    Slowing m_slowing = Slowing::None;
    bool m_isBrief = false; // waits are, see ActivityTime
    double m_lowest = 0.0; // clocks
    double m_highest = 1.0;
    double m_air = 0.0; // °C
    double m_celsius = 0.0;
    std::vector<Point> m_points; // points by clock, ascending
};

} // namespace

SearchSpace::SearchSpace(const SearchRequest& request)
    : m_request(request) {
    const std::vector<int> divisors = layout::divisorsOf(request.cluster.gpus());
    const layout::LayoutRequest& fixed = request.layout;
    const int longest = std::max(1, request.sequence / (2 * kLeastChunk));
    m_tensors = chosen(fixed.tensor, upTo(divisors, linkDomainOf(request.cluster)));
    m_contexts = chosen(fixed.context, upTo(divisors, longest));
    const std::vector<int> experts
        = upTo(layout::divisorsOf(std::max(1, request.model.experts)), request.cluster.gpus());
    m_experts = chosen(fixed.expert, experts);
    m_pipelines = chosen(fixed.pipeline, divisors);
    m_microBatches = request.isMicroBatchFixed ? std::vector{request.microBatch}
                                               : powersOfTwo(request.globalBatch);
}

int SearchSpace::largestStage(int pipeline) const {
    const int layers = m_request.model.layers;
    // Embedding and loss then count as a layer each.
    const bool countsEnds = layers % pipeline != 0 && (layers + 2) % pipeline == 0
        && m_request.model.nextTokenLayers == 0;
    return (layers + (countsEnds ? 2 : 0) + pipeline - 1) / pipeline;
}

// DualPipe is made to hide exchanges of experts, by DeepSeek's own software.
bool SearchSpace::goesBothWays() const {
    const std::string& stack = m_request.stack;
    return m_request.model.experts > 1 && (stack.empty() || stack.starts_with("deepseek"));
}

std::vector<LayoutChoice> SearchSpace::flows(const LayoutChoice& choice) const {
    using layout::ScheduleKind;
    const layout::LayoutRequest& fixed = m_request.layout;
    std::vector<LayoutChoice> all;
    const auto add = [&](int virtualStages, ScheduleKind schedule) {
        if (virtualStages != fixed.virtualStages.value_or(virtualStages)
            || schedule != fixed.schedule.value_or(schedule))
            return;
        all.push_back(choice);
        all.back().virtualStages = virtualStages;
        all.back().schedule = schedule;
    };
    add(1, ScheduleKind::OneForwardOneBackward);
    const int pipeline = choice.pipeline;
    const bool isDivided = pipeline > 1 && pipeline <= m_request.model.layers;
    if (isDivided && m_request.workload != Workload::Inference) {
        const bool isTraining = m_request.workload == Workload::Training;
        if (isTraining)
            add(1, ScheduleKind::ZeroBubble);
        for (const int virtualStages : layout::divisorsOf(largestStage(pipeline))) {
            if (virtualStages > 1)
                add(virtualStages, ScheduleKind::Interleaved);
        }
        if (isTraining && pipeline % 2 == 0 && goesBothWays())
            add(1, ScheduleKind::DualPipe);
    }
    return all;
}

std::vector<LayoutChoice> SearchSpace::shardings(const LayoutChoice& choice) const {
    const layout::LayoutRequest& fixed = m_request.layout;
    const bool isTraining = m_request.workload == Workload::Training;
    const std::vector<int> stages = chosen(
        fixed.zeroStage, isTraining ? std::vector<int>{1, 2, kFullShards} : std::vector{0});
    const int ranks
        = std::max(1, m_request.cluster.gpus() / std::max(1, choice.tensor * choice.pipeline));
    std::vector<LayoutChoice> all;
    const auto add = [&](int zeroStage, int group) {
        all.push_back(choice);
        all.back().zeroStage = zeroStage;
        all.back().shard = group;
    };
    for (const int zeroStage : stages) {
        if (ranks == 1 && !all.empty())
            break;
        add(zeroStage, fixed.shardSize.value_or(0));
        if (zeroStage < kFullShards || fixed.shardSize)
            continue;
        for (const int group : layout::divisorsOf(ranks)) {
            if (group > 1 && group < ranks)
                add(zeroStage, group);
        }
    }
    return all;
}

std::vector<LayoutChoice> SearchSpace::recomputations(const LayoutChoice& choice) const {
    std::vector<LayoutChoice> all;
    const auto add = [&](Recompute recompute, int layers) {
        all.push_back(choice);
        all.back().recompute = recompute;
        all.back().recomputedLayers = layers;
    };
    if (m_request.isRecomputeFixed) {
        add(m_request.recompute, m_request.recomputedLayers);
        return all;
    }
    add(Recompute::None, 0);
    if (m_request.workload == Workload::Inference)
        return all;
    if (m_request.attention == AttentionKind::Unfused)
        add(Recompute::Selective, 0);
    if (choice.zeroStage >= kFullShards)
        add(Recompute::PerOperator, 0);
    constexpr int kQuarters = 4;
    int before = 0;
    for (int quarter = 1; quarter < kQuarters; ++quarter) {
        const int layers = largestStage(choice.pipeline) * quarter / kQuarters;
        if (layers > before)
            add(Recompute::Full, layers);
        before = layers;
    }
    add(Recompute::Full, 0);
    return all;
}

std::vector<int> SearchSpace::expertTensors(int tensor) const {
    if (m_request.model.experts <= 1)
        return {0};
    if (m_request.layout.expertTensor)
        return {*m_request.layout.expertTensor};
    return tensor > 1 ? std::vector{1, tensor} : std::vector{1};
}

std::vector<LayoutChoice> SearchSpace::parts() const {
    std::vector<LayoutChoice> all;
    for (const int tensor : m_tensors) {
        for (const int context : m_contexts) {
            for (const int expert : m_experts) {
                for (const int expertTensor : expertTensors(tensor)) {
                    LayoutChoice& part = all.emplace_back();
                    part.tensor = tensor;
                    part.context = context;
                    part.expert = expert;
                    part.expertTensor = expertTensor;
                }
            }
        }
    }
    return all;
}

std::int64_t SearchSpace::combinations(const LayoutChoice& choice) const {
    std::size_t each = 0;
    for (const LayoutChoice& sharding : shardings(choice))
        each += recomputations(sharding).size();
    return static_cast<std::int64_t>(each * flows(choice).size() * m_microBatches.size());
}

std::int64_t SearchSpace::allCombinations(LayoutChoice part) const {
    std::int64_t sum = 0;
    for (const int pipeline : m_pipelines) {
        part.pipeline = pipeline;
        sum += combinations(part);
    }
    return sum;
}

EstimatePower quickPower(
    const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing) {
    return [power = QuickPower(job, activities, basis, slowing)](
               const ActivityTimes& others, double balance) { return power.of(others, balance); };
}

} // namespace trainscope::predict
