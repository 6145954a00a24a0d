#include "core/predict/search/Search.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/SearchParts.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace trainscope::predict {

namespace {

Status checkRequest(const SearchRequest& request) {
    if (request.model.layers < 1 || request.model.heads < 1)
        return usageError("A search needs the shape of the model.");
    RETURN_IF_ERROR(checkCluster(request.cluster));
    RETURN_IF_ERROR(checkNumbers(1, request.globalBatch, request.sequence));
    if (request.memoryShare <= 0.0 || request.memoryShare > 1.0)
        return usageError(fmt::format(
            "The share of the memory that may be used is above 0 and at most 1, not {:g}.",
            request.memoryShare));
    if (request.powerLimitW && *request.powerLimitW <= 0.0)
        return usageError("The power limit has to be above 0 W.");
    return {};
}

// Each GPU may draw its part of what all of them may.
SearchRequest withCaps(SearchRequest request) {
    if (!request.powerLimitW)
        return request;
    const double each = *request.powerLimitW / request.cluster.gpus();
    const double own = request.cluster.powerLimitW.value_or(gpuPowerOf(request.cluster.gpu).limitW);
    if (each < own)
        request.cluster.powerLimitW = each;
    return request;
}

// Some job of the work, with a ZeRO stage: constants are the same for all such.
Result<Job> exampleOf(SearchRequest request, int zeroStage) {
    LayoutChoice choice;
    choice.zeroStage = zeroStage;
    request.globalBatch = request.cluster.gpus();
    return jobOf(request, choice);
}

void keepFirst(std::vector<RankedLayout>& ranked, std::size_t count) {
    ranked.erase(
        ranked.begin() + static_cast<std::ptrdiff_t>(std::min(ranked.size(), count)), ranked.end());
}

class Searcher {
public:
    Searcher(const SearchRequest& request, const Predictor& predictor, const Progress& progress)
        : m_request(withCaps(request))
        , m_predictor(predictor)
        , m_progress(progress)
        , m_space(m_request) {
        m_result.objective = request.objective;
    }

    Result<SearchResult> search() {
        RETURN_IF_ERROR(searchParts());
        dropSlow();
        if (!m_found.empty()) {
            m_result.nearest.reset();
            RETURN_IF_ERROR(addPower());
        }
        if (m_result.feasible.empty())
            return std::move(m_result);
        m_result.leastPowerW.reset();
        rank();
        RETURN_IF_ERROR(predictBest());
        return std::move(m_result);
    }

private:
    // False where the search is to be given up.
    bool goesOn(std::size_t done, std::size_t all) {
        if (!m_isCancelled && m_progress && !m_progress({"Searching layouts", done, all}))
            m_isCancelled = true;
        return !m_isCancelled;
    }

    Status searchParts() {
        const bool isInference = m_request.workload == Workload::Inference;
        ASSIGN_OR_RETURN(const auto job, exampleOf(m_request, isInference ? 0 : 1));
        ASSIGN_OR_RETURN(auto costs, m_predictor.costsOf(job));
        ASSIGN_OR_RETURN(const auto shardedJob, exampleOf(m_request, isInference ? 0 : 3));
        ASSIGN_OR_RETURN(auto shardedCosts, m_predictor.costsOf(shardedJob));
        const auto memory = m_request.cluster.gpu.memoryBytes;
        const SearchBasis basis{m_request, m_space, std::move(costs), std::move(shardedCosts),
            memory ? *memory * m_request.memoryShare : std::numeric_limits<double>::infinity(),
            m_fastest, [this] { return m_isCancelled.load(); }};
        const std::vector<LayoutChoice> parts = m_space.parts();
        std::size_t done = 0;
        OrderedJobs<PartResult> jobs(WorkerPool::shared(), 0, [&](PartResult&& part) {
            take(std::move(part));
            goesOn(++done, parts.size());
        });
        for (const LayoutChoice& part : parts) {
            jobs.submit([&basis, part] { return searchPart(basis, part); });
            if (m_isCancelled)
                break;
        }
        if (!m_isCancelled)
            jobs.finish();
        jobs.abandon();
        return m_isCancelled ? Status(cancelled()) : Status{};
    }

    void take(PartResult&& part) {
        m_result.searched += part.searched;
        for (std::size_t i = 0; i < kRefusals; ++i)
            m_result.refused[i] += part.refused[i];
        m_found.insert(m_found.end(), part.found.begin(), part.found.end());
        auto& nearest = m_result.nearest;
        if (part.nearest && (!nearest || part.nearest->memoryB < nearest->memoryB))
            nearest = part.nearest;
    }

    void refuse(Refusal reason, std::size_t combinations) {
        m_result.refused[static_cast<std::size_t>(reason)]
            += static_cast<std::int64_t>(combinations);
    }

    // Those that were found before the fastest was.
    void dropSlow() {
        refuse(Refusal::Slow, std::erase_if(m_found, [this](const FoundLayout& one) {
            return one.seconds > kSlowest * m_fastest;
        }));
    }

    // Estimates the power of all layouts, at the temperature that the fastest settles at.
    Status addPower() {
        const auto fastest = std::min_element(m_found.begin(), m_found.end(),
            [](const FoundLayout& a, const FoundLayout& b) { return a.seconds < b.seconds; });
        ASSIGN_OR_RETURN(const auto job, jobOf(m_request, fastest->choice));
        const EstimatePower power = quickPower(
            job, fastest->activities, m_predictor.powerOf(job), m_predictor.slowingOf(job));
        const double gpus = m_request.cluster.gpus();
        m_result.feasible.reserve(m_found.size());
        for (const FoundLayout& found : m_found) {
            const EstimatedPower estimate = power(found.activities, found.balance);
            if (!estimate.isKept) {
                refuse(Refusal::Power, 1);
                const double least = estimate.lowestW * gpus;
                m_result.leastPowerW = std::min(m_result.leastPowerW.value_or(least), least);
                continue;
            }
            const double seconds = found.seconds * estimate.slowdown;
            m_result.feasible.push_back({found.choice, seconds, found.memoryB,
                estimate.meanW * seconds * gpus, estimate.busyW * gpus,
                found.least * estimate.leastSlowdown, estimate.leastBusyW * gpus});
        }
        return {};
    }

    void rank() {
        std::ranges::stable_sort(m_result.feasible, {}, [this](const LayoutEstimate& one) {
            return rankedCost(m_request.objective, one.seconds, one.energyJ, one.peakW);
        });
    }

    Status predictBest() {
        std::vector<LayoutEstimate> perhaps;
        std::vector<LayoutEstimate> sure;
        for (const LayoutEstimate& one : m_result.feasible)
            (fitsSurely(m_request, one.choice, one.memoryB) ? sure : perhaps).push_back(one);
        m_result.sure = std::ssize(sure);
        const std::vector<LayoutEstimate>& first = sure.empty() ? perhaps : sure;
        ASSIGN_OR_RETURN(auto best, predictBestFirst(m_request, m_predictor, first, m_progress));
        m_result.isProven = best.isProven;
        m_result.top = std::move(best.ranked);
        ASSIGN_OR_RETURN(m_result.apart,
            layoutsApart(
                m_result.top, first, m_request.objective, [this](const LayoutChoice& choice) {
                    return predictWhole(m_request, m_predictor, choice);
                }));
        keepFirst(m_result.top, m_request.top);
        if (sure.empty() || perhaps.empty() || m_request.top < kMostPerhaps)
            return {};
        SearchRequest few = m_request;
        few.top = kMostPerhaps;
        ASSIGN_OR_RETURN(best, predictBestFirst(few, m_predictor, perhaps, m_progress));
        m_result.perhaps = std::move(best.ranked);
        keepFirst(m_result.perhaps, kMostPerhaps);
        return {};
    }

    SearchRequest m_request;
    const Predictor& m_predictor;
    const Progress& m_progress;
    SearchSpace m_space;
    SearchResult m_result;
    std::vector<FoundLayout> m_found;
    std::atomic<double> m_fastest = std::numeric_limits<double>::infinity(); // s
    std::atomic<bool> m_isCancelled = false;
};

constexpr int kMostTried = 24; // layouts that are predicted for one that differs
constexpr double kFartherEach = 0.01; // for each that was a tie after all

double valueOf(const RankedLayout& one, SearchObjective objective) {
    return rankedValue(objective, one.prediction.seconds, one.prediction.energyJ, one.peakW);
}

// Standard deviation of the logarithm of their ratio. The constants of power are those of one kind
// of GPU; what is left counts as far as the jobs are unlike.
double ratioSpread(const RankedLayout& a, const RankedLayout& b, SearchObjective objective) {
    const double likeness = Residuals::likeness(a.job, b.job);
    const double step = spreadOfRatio(a.prediction.spread, b.prediction.spread, likeness);
    if (objective == SearchObjective::Time)
        return step;
    const PowerBasis& power = a.prediction.power;
    const bool isHeld = a.prediction.outlook.limit == ClockLimit::Power
        && b.prediction.outlook.limit == ClockLimit::Power;
    const bool isPeak = objective == SearchObjective::PeakPower;
    const double watts = isPeak && isHeld ? power.spread.held : power.spread.watts;
    const double left = watts * std::sqrt(2.0 * (1.0 - likeness));
    const double meanW = std::min(a.prediction.outlook.meanW, b.prediction.outlook.meanW);
    return isPeak ? left : std::hypot(left, lastingShare(power, meanW, isHeld) * step);
}

bool divideAlike(const LayoutChoice& a, const LayoutChoice& b) {
    return a.tensor == b.tensor && a.context == b.context && a.expert == b.expert
        && a.pipeline == b.pipeline && a.data == b.data;
}

class ApartSearch {
public:
    ApartSearch(const std::vector<RankedLayout>& ranked,
        const std::vector<LayoutEstimate>& feasible, SearchObjective objective,
        const PredictChoice& predict)
        : m_ranked(ranked)
        , m_feasible(feasible)
        , m_objective(objective)
        , m_predict(predict) { }

    Result<std::vector<RankedLayout>> find() {
        if (m_ranked.empty())
            return std::move(m_apart);
        m_apart.push_back(m_ranked.front());
        RETURN_IF_ERROR(add(true));
        RETURN_IF_ERROR(add(false));
        std::sort(m_apart.begin(), m_apart.end(), [this](const auto& a, const auto& b) {
            return valueOf(a, m_objective) < valueOf(b, m_objective);
        });
        return std::move(m_apart);
    }

private:
    // `isDivided`: others than those that divide alike.
    Status add(bool isDivided) {
        int tried = 0;
        for (const LayoutEstimate& one : m_feasible) {
            if (m_apart.size() >= kMostApart || tried >= kMostTried)
                break;
            if (!isPossible(one, isDivided, 1.0 + kFartherEach * tried))
                continue;
            ASSIGN_OR_RETURN(auto whole, wholeOf(one.choice));
            const bool isTied = std::any_of(m_apart.begin(), m_apart.end(),
                [&](const RankedLayout& other) { return areTied(whole, other, m_objective); });
            tried = isTied ? tried + 1 : 0;
            if (!isTied)
                m_apart.push_back(std::move(whole));
        }
        return {};
    }

    // By its estimate, which is a few per cent off.
    [[nodiscard]] bool isPossible(const LayoutEstimate& one, bool isDivided, double beyond) const {
        const double value = rankedValue(m_objective, one.seconds, one.energyJ, one.peakW);
        return std::none_of(m_apart.begin(), m_apart.end(), [&](const RankedLayout& other) {
            const bool isAlike
                = isDivided ? divideAlike(other.choice, one.choice) : other.choice == one.choice;
            const double known = valueOf(other, m_objective);
            return isAlike || (known <= beyond * value && value <= beyond * known);
        });
    }

    [[nodiscard]] Result<RankedLayout> wholeOf(const LayoutChoice& choice) const {
        const auto found = std::find_if(m_ranked.begin(), m_ranked.end(),
            [&](const RankedLayout& one) { return one.choice == choice; });
        return found != m_ranked.end() ? Result<RankedLayout>(*found) : m_predict(choice);
    }

    const std::vector<RankedLayout>& m_ranked;
    const std::vector<LayoutEstimate>& m_feasible;
    SearchObjective m_objective;
    const PredictChoice& m_predict;
    std::vector<RankedLayout> m_apart;
};

} // namespace

double rankedValue(SearchObjective objective, double seconds, double energyJ, double peakW) {
    switch (objective) {
    case SearchObjective::Time:
        return seconds;
    case SearchObjective::Energy:
        return energyJ;
    case SearchObjective::PeakPower:
        break;
    }
    return peakW;
}

SearchRequest searchLike(const JobRequest& job) {
    SearchRequest request{job};
    request.layout = {};
    return request;
}

LayoutChoice choiceOf(const Job& job) {
    LayoutChoice choice{job.layout.grid.degrees(), job.layout.virtualStages, 0};
    if (job.model.experts <= 1)
        choice.expertTensor = 0;
    if (const auto& sharding = job.layout.sharding) {
        choice.zeroStage = sharding->zeroStage;
        choice.shard = sharding->replicas > 1 ? sharding->group : 0;
    }
    choice.schedule = job.layout.schedule;
    choice.microBatch = job.microBatch;
    choice.recompute = job.recompute;
    choice.recomputedLayers = job.recomputedLayers;
    return choice;
}

layout::LayoutRequest layoutOf(const LayoutChoice& choice) {
    layout::LayoutRequest asked;
    asked.tensor = choice.tensor;
    asked.context = choice.context;
    asked.expert = choice.expert;
    if (choice.expertTensor > 0)
        asked.expertTensor = choice.expertTensor;
    asked.pipeline = choice.pipeline;
    if (choice.virtualStages > 1)
        asked.virtualStages = choice.virtualStages;
    if (choice.zeroStage > 0)
        asked.zeroStage = choice.zeroStage;
    if (choice.shard > 0)
        asked.shardSize = choice.shard;
    if (layout::splitsBackward(choice.schedule))
        asked.schedule = choice.schedule;
    return asked;
}

Result<Job> jobOf(const SearchRequest& request, const LayoutChoice& choice) {
    JobRequest asked = request;
    asked.layout = layoutOf(choice);
    asked.microBatch = choice.microBatch;
    asked.recompute = choice.recompute;
    asked.recomputedLayers = choice.recomputedLayers;
    return jobOf(asked);
}

Result<SearchResult> searchLayouts(
    const SearchRequest& request, const Predictor& predictor, const Progress& progress) {
    RETURN_IF_ERROR(checkRequest(request));
    return Searcher(request, predictor, progress).search();
}

bool areTied(const RankedLayout& a, const RankedLayout& b, SearchObjective objective) {
    const double ratio = valueOf(a, objective) / valueOf(b, objective);
    return std::abs(std::log(ratio)) <= kNinetyPercent * ratioSpread(a, b, objective);
}

Result<std::vector<RankedLayout>> layoutsApart(const std::vector<RankedLayout>& ranked,
    const std::vector<LayoutEstimate>& feasible, SearchObjective objective,
    const PredictChoice& predict) {
    return ApartSearch(ranked, feasible, objective, predict).find();
}

std::vector<ListedLayout> listedLayouts(const SearchResult& found) {
    std::vector<ListedLayout> listed;
    for (const RankedLayout& one : found.apart) {
        if (listed.size() < found.top.size())
            listed.push_back({&one});
    }
    for (const RankedLayout& one : found.top) {
        const bool isListed = std::any_of(listed.begin(), listed.end(),
            [&](const ListedLayout& other) { return other.layout->choice == one.choice; });
        if (listed.size() < found.top.size() && !isListed)
            listed.push_back({&one});
    }
    std::stable_sort(
        listed.begin(), listed.end(), [&found](const ListedLayout& a, const ListedLayout& b) {
            return valueOf(*a.layout, found.objective) < valueOf(*b.layout, found.objective);
        });
    std::vector<const RankedLayout*> of; // by group: those of `apart`, and what is tied to none
    for (const RankedLayout& one : found.apart)
        of.push_back(&one);
    std::set<std::size_t> seen;
    for (ListedLayout& one : listed) {
        const auto same = std::find_if(of.begin(), of.end(), [&](const RankedLayout* other) {
            return areTied(*other, *one.layout, found.objective);
        });
        one.group = static_cast<std::size_t>(same - of.begin()) + 1;
        one.isFirst = seen.insert(one.group).second;
        if (same == of.end())
            of.push_back(one.layout);
    }
    for (const RankedLayout& one : found.perhaps)
        listed.push_back({&one});
    return listed;
}

} // namespace trainscope::predict
