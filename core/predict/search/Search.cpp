#include "core/predict/search/Search.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/predict/search/SearchParts.h"
#include "core/predict/search/Ties.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

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
        ASSIGN_OR_RETURN(
            auto best, predictBestFirst(m_request, m_predictor, m_result.feasible, m_progress));
        m_result.isProven = best.isProven;
        std::vector<RankedLayout> all = std::move(best.ranked);
        ASSIGN_OR_RETURN(m_result.apart,
            layoutsApart(
                all, m_result.feasible, m_request.objective, [this](const LayoutChoice& choice) {
                    return predictWhole(m_request, m_predictor, choice);
                }));
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), m_request.top)),
            all.end());
        m_result.top = std::move(all);
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

} // namespace trainscope::predict
