#include "core/predict/search/Ties.h"

#include "core/model/Try.h"
#include "core/predict/prediction/Intervals.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

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

bool areTied(const RankedLayout& a, const RankedLayout& b, SearchObjective objective) {
    const double ratio = valueOf(a, objective) / valueOf(b, objective);
    return std::abs(std::log(ratio)) <= kNinetyPercent * ratioSpread(a, b, objective);
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
    std::stable_sort(
        listed.begin(), listed.end(), [&found](const ListedLayout& a, const ListedLayout& b) {
            return valueOf(*a.layout, found.objective) < valueOf(*b.layout, found.objective);
        });
    return listed;
}

} // namespace trainscope::predict
