#pragma once
// BestFirst: predicts estimated layouts whole, in the order of what each costs at least, until none
// of the others can be among the best. Their schedules are not kept. Used by one thread;
// predictions are made on the shared pool.

#include "core/predict/search/Search.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace trainscope::predict {

// The cost that layouts are ranked by, and the one that decides between equals.
using RankedCost = std::pair<double, double>;
RankedCost rankedCost(SearchObjective objective, double seconds, double energyJ, double peakW);

// Without its schedule.
Result<RankedLayout> predictWhole(
    const SearchRequest& request, const Predictor& predictor, const LayoutChoice& choice);

class BestFirst {
public:
    // All outlive it.
    BestFirst(const SearchRequest& request, const Predictor& predictor,
        const std::vector<LayoutEstimate>& estimates, const Progress& progress)
        : m_request(request)
        , m_predictor(predictor)
        , m_estimates(estimates)
        , m_progress(progress) { }

    // Until the best are known, or too many were predicted.
    Status findBest();

    [[nodiscard]] bool isProven() const { return m_isProven; }
    // All that were predicted, the best first.
    std::vector<RankedLayout> takeRanked() &&;

private:
    struct Waiting {
        RankedCost least;
        std::size_t place = 0;
        bool isCorrected = false; // by what its own job is calibrated by

        bool operator>(const Waiting& other) const { return least > other.least; }
    };
    Status predictAt(const std::set<std::size_t>& places);
    [[nodiscard]] RankedCost leastCost(const LayoutEstimate& estimate, double correction) const;
    [[nodiscard]] RankedCost costOf(const RankedLayout& one) const;
    [[nodiscard]] RankedCost worstOfBest() const;

    const SearchRequest& m_request;
    const Predictor& m_predictor;
    const std::vector<LayoutEstimate>& m_estimates;
    const Progress& m_progress;
    std::map<std::size_t, RankedLayout> m_predicted; // by place
    bool m_isProven = true;
};

} // namespace trainscope::predict
