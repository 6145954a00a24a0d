#include "core/predict/search/Ties.h"

#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr int kMostTried = 24; // layouts that are predicted for one that differs
constexpr double kFartherEach = 0.005; // for each that was a tie after all

struct RankedValue {
    double value = 0.0;
    Interval interval;

    [[nodiscard]] bool holds(double other) const {
        return interval.low <= other && other <= interval.high;
    }
};

RankedValue rankedValueOf(const RankedLayout& one, SearchObjective objective) {
    const Prediction& made = one.prediction;
    const Interval& peakW = made.intervals.peakW;
    switch (objective) {
    case SearchObjective::Time:
        return {made.seconds, {made.low, made.high}};
    case SearchObjective::Energy:
        return {made.energyJ, made.intervals.energyJ};
    case SearchObjective::PeakPower:
        break;
    }
    const double gpus = one.job.gpus();
    return {one.peakW, {peakW.low * gpus, peakW.high * gpus}};
}

double estimatedValueOf(const LayoutEstimate& one, SearchObjective objective) {
    switch (objective) {
    case SearchObjective::Time:
        return one.seconds;
    case SearchObjective::Energy:
        return one.energyJ;
    case SearchObjective::PeakPower:
        break;
    }
    return one.peakW;
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
            return rankedValueOf(a, m_objective).value < rankedValueOf(b, m_objective).value;
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
        const double value = estimatedValueOf(one, m_objective);
        return std::none_of(m_apart.begin(), m_apart.end(), [&](const RankedLayout& other) {
            const bool isAlike
                = isDivided ? divideAlike(other.choice, one.choice) : other.choice == one.choice;
            const Interval known = rankedValueOf(other, m_objective).interval;
            return isAlike || (known.low <= beyond * value && value <= beyond * known.high);
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

bool areTied(const RankedLayout& a, const RankedLayout& b, SearchObjective objective) {
    const RankedValue one = rankedValueOf(a, objective);
    const RankedValue other = rankedValueOf(b, objective);
    return one.holds(other.value) && other.holds(one.value);
}

Result<std::vector<RankedLayout>> layoutsApart(const std::vector<RankedLayout>& ranked,
    const std::vector<LayoutEstimate>& feasible, SearchObjective objective,
    const PredictChoice& predict) {
    return ApartSearch(ranked, feasible, objective, predict).find();
}

std::size_t groupOf(const SearchResult& found, const RankedLayout& one) {
    const auto& apart = found.apart;
    auto at = std::find_if(apart.begin(), apart.end(),
        [&](const RankedLayout& other) { return other.choice == one.choice; });
    if (at == apart.end())
        at = std::find_if(apart.begin(), apart.end(),
            [&](const RankedLayout& other) { return areTied(one, other, found.objective); });
    return at == apart.end() ? 0 : static_cast<std::size_t>(at - apart.begin()) + 1;
}

std::vector<ListedLayout> listedLayouts(const SearchResult& found) {
    std::vector<ListedLayout> listed;
    for (const RankedLayout& one : found.apart) {
        if (listed.size() < found.top.size())
            listed.push_back({&one, listed.size() + 1, true});
    }
    for (const RankedLayout& one : found.top) {
        if (listed.size() >= found.top.size())
            break;
        const auto same = std::find_if(found.apart.begin(), found.apart.end(),
            [&](const RankedLayout& other) { return other.choice == one.choice; });
        if (same == found.apart.end())
            listed.push_back({&one, groupOf(found, one), false});
    }
    return listed;
}

} // namespace trainscope::predict
