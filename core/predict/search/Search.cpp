#include "core/predict/search/Search.h"

#include "core/model/EnumNames.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/search/Pareto.h"
#include "core/predict/search/PartSearch.h"
#include "core/predict/search/UsualPower.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr auto kObjectiveNames = enumNames<SearchObjective>({{SearchObjective::Time, "time"},
    {SearchObjective::Energy, "energy"}, {SearchObjective::PeakPower, "peak-power"}});
constexpr auto kRefusalNames = enumNames<Refusal>(
    {{Refusal::Ranks, "ranks"}, {Refusal::Heads, "heads"}, {Refusal::Sequence, "sequence"},
        {Refusal::Experts, "experts"}, {Refusal::Layers, "layers"}, {Refusal::Batch, "batch"},
        {Refusal::Schedule, "schedule"}, {Refusal::Memory, "memory"}, {Refusal::Power, "power"}});

// Beyond those asked for, since the schedule's closed form may order neighbours otherwise than the
// schedule itself.
constexpr std::size_t kSpare = 14;
constexpr std::size_t kMostOfFront = 12;
constexpr double kSlowest = 4.0; // times the fastest step, what a front is worth looking at up to

std::pair<double, double> costOf(
    SearchObjective objective, double seconds, double energyJ, double peakW) {
    switch (objective) {
    case SearchObjective::Time:
        return {seconds, energyJ};
    case SearchObjective::Energy:
        return {energyJ, seconds};
    case SearchObjective::PeakPower:
        break;
    }
    return {peakW, seconds};
}

Status checkRequest(const SearchRequest& request) {
    if (request.model.layers < 1 || request.model.heads < 1)
        return usageError("A search needs the shape of the model.");
    if (request.globalBatch < 1 || request.sequence < 1 || request.cluster.gpus() < 1)
        return usageError("A search needs GPUs, a global batch and a sequence above 0.");
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

class Searcher {
public:
    Searcher(const SearchRequest& request, const Predictor& predictor, const Progress& progress)
        : m_request(withCaps(request))
        , m_predictor(predictor)
        , m_progress(progress)
        , m_space(m_request) { }

    Result<SearchResult> search() {
        RETURN_IF_ERROR(searchParts());
        if (!m_found.empty())
            RETURN_IF_ERROR(addPower());
        if (m_result.feasible.empty())
            return std::move(m_result);
        rank();
        RETURN_IF_ERROR(predictBest());
        return std::move(m_result);
    }

private:
    // False where the search is to be given up.
    bool goesOn(std::string_view phase, std::size_t done, std::size_t all) {
        if (m_progress && !m_progress({phase, done, all}))
            m_isCancelled = true;
        return !m_isCancelled;
    }

    Status searchParts() {
        const double share = m_request.memoryShare;
        const auto memory = m_request.cluster.gpu.memoryBytes;
        const SearchBasis basis{m_request, m_space, m_predictor,
            memory ? *memory * share : std::numeric_limits<double>::infinity(),
            [this] { return m_isCancelled.load(); }};
        const std::vector<SearchPart> parts = m_space.parts();
        std::optional<Error> problem;
        std::size_t done = 0;
        OrderedJobs<Result<PartResult>> jobs(
            WorkerPool::shared(), 0, [&](Result<PartResult>&& part) {
                if (part.hasValue())
                    take(std::move(part).value());
                else
                    problem = part.error();
                goesOn("Searching layouts", ++done, parts.size());
            });
        for (const SearchPart& part : parts) {
            jobs.submit([&basis, part] { return searchPart(basis, part); });
            if (m_isCancelled || problem)
                break;
        }
        if (!m_isCancelled && !problem)
            jobs.finish();
        jobs.abandon();
        if (problem)
            return *problem;
        return m_isCancelled ? Status(cancelled()) : Status{};
    }

    void take(PartResult&& part) {
        m_result.searched += part.searched;
        for (std::size_t i = 0; i < kRefusals; ++i)
            m_result.refused[i] += part.refused[i];
        m_found.insert(m_found.end(), part.found.begin(), part.found.end());
    }

    // Of all at what the fastest settles at.
    Status addPower() {
        const auto fastest = std::min_element(m_found.begin(), m_found.end(),
            [](const FoundLayout& a, const FoundLayout& b) { return a.seconds < b.seconds; });
        ASSIGN_OR_RETURN(const auto job, jobOf(m_request, fastest->choice));
        const UsualPower power(job, fastest->activities, m_predictor.isSlowed(job));
        const double gpus = m_request.cluster.gpus();
        m_result.feasible.reserve(m_found.size());
        for (const FoundLayout& found : m_found) {
            const PowerEstimate estimate = power.of(found.activities, found.balance);
            if (!estimate.isKept) {
                ++m_result.refused[static_cast<std::size_t>(Refusal::Power)];
                continue;
            }
            const double seconds = found.seconds * estimate.slowdown;
            m_result.feasible.push_back({found.choice, seconds, found.memoryB,
                estimate.meanW * seconds * gpus, estimate.busyW * gpus});
        }
        return {};
    }

    void rank() {
        const SearchObjective objective = m_request.objective;
        std::stable_sort(m_result.feasible.begin(), m_result.feasible.end(),
            [objective](const LayoutEstimate& a, const LayoutEstimate& b) {
                return costOf(objective, a.seconds, a.energyJ, a.peakW)
                    < costOf(objective, b.seconds, b.energyJ, b.peakW);
            });
    }

    // Places of estimates that no other is better than in both, thinned evenly.
    template <typename Second>
    [[nodiscard]] std::vector<std::size_t> frontOf(const Second& second) const {
        std::vector<Costs> costs;
        costs.reserve(m_result.feasible.size());
        for (const LayoutEstimate& one : m_result.feasible)
            costs.push_back({one.seconds, second(one)});
        auto front = paretoFront(costs);
        const double most = kSlowest * costs[front.front()].first;
        std::erase_if(front, [&](std::size_t at) { return costs[at].first > most; });
        if (front.size() <= kMostOfFront)
            return front;
        std::vector<std::size_t> thinned;
        for (std::size_t i = 0; i < kMostOfFront; ++i)
            thinned.push_back(front[i * (front.size() - 1) / (kMostOfFront - 1)]);
        return thinned;
    }

    Status predictBest() {
        std::set<std::size_t> places;
        const std::size_t best = std::min(m_result.feasible.size(), m_request.top + kSpare);
        for (std::size_t i = 0; i < best; ++i)
            places.insert(i);
        for (const std::size_t at : frontOf([](const LayoutEstimate& one) { return one.energyJ; }))
            places.insert(at);
        for (const std::size_t at : frontOf([](const LayoutEstimate& one) { return one.peakW; }))
            places.insert(at);
        ASSIGN_OR_RETURN(auto all, predictAll(places));
        takeFronts(all);
        const SearchObjective objective = m_request.objective;
        std::stable_sort(
            all.begin(), all.end(), [objective](const RankedLayout& a, const RankedLayout& b) {
                return costOf(objective, a.prediction.seconds, a.prediction.energyJ, a.peakW)
                    < costOf(objective, b.prediction.seconds, b.prediction.energyJ, b.peakW);
            });
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), m_request.top)),
            all.end());
        m_result.top = std::move(all);
        return {};
    }

    Result<std::vector<RankedLayout>> predictAll(const std::set<std::size_t>& places) {
        std::optional<Error> problem;
        std::vector<RankedLayout> all;
        std::size_t done = 0;
        OrderedJobs<Result<RankedLayout>> jobs(
            WorkerPool::shared(), 0, [&](Result<RankedLayout>&& ranked) {
                if (ranked.hasValue())
                    all.push_back(std::move(ranked).value());
                else
                    problem = ranked.error();
                goesOn("Predicting the best", ++done, places.size());
            });
        for (const std::size_t place : places) {
            const LayoutChoice choice = m_result.feasible[place].choice;
            jobs.submit([this, choice] { return predictChoice(choice); });
            if (m_isCancelled || problem)
                break;
        }
        if (!m_isCancelled && !problem)
            jobs.finish();
        jobs.abandon();
        if (problem)
            return *problem;
        if (m_isCancelled)
            return cancelled();
        return all;
    }

    [[nodiscard]] Result<RankedLayout> predictChoice(const LayoutChoice& choice) const {
        ASSIGN_OR_RETURN(auto job, jobOf(m_request, choice));
        ASSIGN_OR_RETURN(auto prediction, m_predictor.predict(job));
        const double peakW = prediction.outlook.peakW * job.gpus();
        return RankedLayout{choice, std::move(job), std::move(prediction), peakW};
    }

    void takeFronts(std::vector<RankedLayout>& all) {
        std::vector<Costs> energy;
        std::vector<Costs> power;
        for (const RankedLayout& one : all) {
            energy.push_back({one.prediction.seconds, one.prediction.energyJ});
            // Clocks are found to a limit's watt, not to its last digit.
            power.push_back({one.prediction.seconds, std::round(one.peakW)});
        }
        const auto energyFront = paretoFront(energy);
        const auto powerFront = paretoFront(power);
        for (const std::size_t at : energyFront)
            all[at].isPareto = true;
        for (const std::size_t at : powerFront)
            all[at].isPowerPareto = true;
        for (const std::size_t at : energyFront)
            m_result.energyFront.push_back(all[at]);
        for (const std::size_t at : powerFront)
            m_result.powerFront.push_back(all[at]);
    }

    SearchRequest m_request;
    const Predictor& m_predictor;
    const Progress& m_progress;
    SearchSpace m_space;
    SearchResult m_result;
    std::vector<FoundLayout> m_found;
    std::atomic<bool> m_isCancelled = false;
};

} // namespace

std::string_view toString(SearchObjective objective) {
    return kObjectiveNames.nameOf(objective);
}

std::optional<SearchObjective> objectiveFrom(std::string_view text) {
    return kObjectiveNames.find(text);
}

std::string_view toString(Refusal reason) {
    return kRefusalNames.nameOf(reason);
}

SearchRequest searchLike(const Job& job) {
    SearchRequest request;
    request.model = job.model;
    request.cluster.gpu = job.machine.gpu;
    request.cluster.nodes = job.layout.nodes;
    request.cluster.gpusPerNode = job.layout.gpusPerNode;
    request.cluster.linkBandwidth = job.machine.linkBandwidth;
    request.cluster.networkBandwidth = job.machine.networkBandwidth;
    request.cluster.powerLimitW = job.machine.powerLimitW;
    request.cluster.clockHz = job.machine.clockHz;
    request.workload = job.workload;
    request.globalBatch = job.globalBatch;
    request.sequence = job.sequence;
    request.generated = job.generated;
    request.adapters = job.adapters;
    request.precision = job.precision;
    request.attention = job.attention;
    request.stack = job.stack;
    request.site = job.machine.site;
    return request;
}

Result<Job> jobOf(const SearchRequest& request, const LayoutChoice& choice) {
    JobRequest asked;
    asked.model = request.model;
    asked.cluster = request.cluster;
    asked.layout.tensor = choice.tensor;
    asked.layout.context = choice.context;
    asked.layout.expert = choice.expert;
    asked.layout.pipeline = choice.pipeline;
    if (choice.virtualStages > 1)
        asked.layout.virtualStages = choice.virtualStages;
    if (choice.zeroStage > 0)
        asked.layout.zeroStage = choice.zeroStage;
    asked.workload = request.workload;
    asked.microBatch = choice.microBatch;
    asked.globalBatch = request.globalBatch;
    asked.sequence = request.sequence;
    asked.generated = request.generated;
    asked.adapters = request.adapters;
    asked.precision = request.precision;
    asked.recompute = choice.recompute;
    asked.recomputedLayers = choice.recomputedLayers;
    asked.attention = request.attention;
    asked.stack = request.stack;
    auto job = jobOf(asked);
    if (job.hasValue())
        job.value().machine.site = request.site;
    return job;
}

Result<SearchResult> searchLayouts(
    const SearchRequest& request, const Predictor& predictor, const Progress& progress) {
    RETURN_IF_ERROR(checkRequest(request));
    return Searcher(request, predictor, progress).search();
}

} // namespace trainscope::predict
