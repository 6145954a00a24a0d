#include "core/predict/search/SearchParts.h"

#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

#include <cmath>
#include <queue>

namespace trainscope::predict {

namespace {

constexpr std::size_t kAtOnce = 8;
constexpr std::size_t kMostPredicted = 256;
// Mean power of an estimate over that of a prediction, at most; tried on whole searches.
constexpr double kPowerSlack = 0.03;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class BestFirst {
public:
    // All outlive it.
    BestFirst(const SearchRequest& request, const Predictor& predictor,
        const std::vector<LayoutEstimate>& estimates, const Progress& progress)
        : m_request(request)
        , m_predictor(predictor)
        , m_estimates(estimates)
        , m_progress(progress) { }

    Result<BestLayouts> find() {
        RETURN_IF_ERROR(findBest());
        BestLayouts best{{}, m_isProven};
        for (auto& [place, one] : m_predicted)
            best.ranked.push_back(std::move(one));
        std::ranges::stable_sort(
            best.ranked, {}, [this](const RankedLayout& one) { return costOf(one); });
        return best;
    }

private:
    struct Waiting {
        RankedCost least;
        std::size_t place = 0;
        bool isCorrected = false; // by what its own job is calibrated by

        bool operator>(const Waiting& other) const { return least > other.least; }
    };

    [[nodiscard]] RankedCost leastCost(const LayoutEstimate& estimate, double correction) const {
        const double factor = std::exp(correction);
        const double seconds = estimate.leastSeconds * factor;
        const double energyJ = estimate.energyJ * factor * (1.0 - kPowerSlack)
            * estimate.leastSeconds / estimate.seconds;
        const double peakW = estimate.leastPeakW;
        return rankedCost(m_request.objective, seconds, energyJ, peakW);
    }

    [[nodiscard]] RankedCost costOf(const RankedLayout& one) const {
        return rankedCost(
            m_request.objective, one.prediction.seconds, one.prediction.energyJ, one.peakW);
    }

    [[nodiscard]] RankedCost worstOfBest() const {
        std::vector<RankedCost> costs;
        for (const auto& [place, one] : m_predicted)
            costs.push_back(costOf(one));
        if (m_request.top == 0 || costs.size() < m_request.top)
            return {kInfinite, kInfinite};
        const auto last = costs.begin() + static_cast<std::ptrdiff_t>(m_request.top) - 1;
        std::nth_element(costs.begin(), last, costs.end());
        return *last;
    }

    Status predictAt(const std::set<std::size_t>& places) {
        std::optional<Error> problem;
        const std::vector<std::size_t> wanted
            = thoseOf(places, [&](std::size_t place) { return !m_predicted.contains(place); });
        std::size_t done = 0;
        OrderedJobs<Result<RankedLayout>> jobs(
            WorkerPool::shared(), 0, [&](Result<RankedLayout>&& ranked) {
                if (ranked.hasValue())
                    m_predicted.emplace(wanted[done], std::move(ranked).value());
                else
                    problem = ranked.error();
                ++done;
                if (!problem && m_progress
                    && !m_progress({"Predicting the best", m_predicted.size(), kMostPredicted}))
                    problem = cancelled();
            });
        for (const std::size_t place : wanted) {
            const LayoutChoice choice = m_estimates[place].choice;
            jobs.submit([this, choice] { return predictWhole(m_request, m_predictor, choice); });
            if (problem)
                break;
        }
        if (!problem)
            jobs.finish();
        jobs.abandon();
        return problem ? Status(*problem) : Status{};
    }

    // Until the best are known, or too many were predicted.
    Status findBest() {
        std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
        ASSIGN_OR_RETURN(const auto first, jobOf(m_request, m_estimates.front().choice));
        const double correction = m_predictor.leastCorrectionOf(first);
        const bool isCorrected = correction == 0.0;
        for (std::size_t place = 0; place < m_estimates.size(); ++place)
            waiting.push({leastCost(m_estimates[place], correction), place, isCorrected});
        while (true) {
            const RankedCost worst = worstOfBest();
            std::set<std::size_t> next;
            while (!waiting.empty() && waiting.top().least < worst && next.size() < kAtOnce) {
                const Waiting one = waiting.top();
                waiting.pop();
                const LayoutEstimate& estimate = m_estimates[one.place];
                if (one.isCorrected) {
                    if (!m_predicted.contains(one.place))
                        next.insert(one.place);
                    continue;
                }
                ASSIGN_OR_RETURN(const auto job, jobOf(m_request, estimate.choice));
                waiting.push({leastCost(estimate, m_predictor.correctionOf(job)), one.place, true});
            }
            if (next.empty())
                return {};
            if (m_predicted.size() >= kMostPredicted + m_request.top) {
                m_isProven = false;
                return {};
            }
            RETURN_IF_ERROR(predictAt(next));
        }
    }

    const SearchRequest& m_request;
    const Predictor& m_predictor;
    const std::vector<LayoutEstimate>& m_estimates;
    const Progress& m_progress;
    std::map<std::size_t, RankedLayout> m_predicted; // by place
    bool m_isProven = true;
};

} // namespace

RankedCost rankedCost(SearchObjective objective, double seconds, double energyJ, double peakW) {
    // Clocks are found to a limit's watt, not to its last digit.
    return {rankedValue(objective, seconds, energyJ, std::round(peakW)),
        objective == SearchObjective::Time ? energyJ : seconds};
}

bool fitsSurely(const SearchRequest& request, const LayoutChoice& choice, double memoryB) {
    const auto& gpuB = request.cluster.gpu.memoryBytes;
    const double spread = memorySpreadOf(choice.pipeline, request.model.experts);
    return !gpuB || intervalOf(memoryB, spread).high <= *gpuB * request.memoryShare;
}

Result<RankedLayout> predictWhole(
    const SearchRequest& request, const Predictor& predictor, const LayoutChoice& choice) {
    ASSIGN_OR_RETURN(auto job, jobOf(request, choice));
    ASSIGN_OR_RETURN(auto prediction, predictor.predict(job));
    prediction.step.schedule = {};
    const double peakW = prediction.outlook.peakW * job.gpus();
    const bool isSure = fitsSurely(request, choice, prediction.memoryB);
    return RankedLayout{choice, std::move(job), std::move(prediction), peakW, isSure};
}

Result<BestLayouts> predictBestFirst(const SearchRequest& request, const Predictor& predictor,
    const std::vector<LayoutEstimate>& estimates, const Progress& progress) {
    return BestFirst(request, predictor, estimates, progress).find();
}

} // namespace trainscope::predict
