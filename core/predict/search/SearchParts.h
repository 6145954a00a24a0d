#pragma once
// Parts of a search: the values of its dimensions, a part of it by one thread, the power of what
// was found, and the best of these predicted whole.

#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/Search.h"

#include <atomic>

namespace trainscope::predict {

inline constexpr int kLeastChunk = 128; // tokens, the rows of a block of flash attention

// The values that each dimension of a search takes, as Search.h states them. Pure; any thread.
class SearchSpace {
public:
    explicit SearchSpace(const SearchRequest& request);

    [[nodiscard]] const std::vector<int>& pipelines() const { return m_pipelines; }
    [[nodiscard]] const std::vector<int>& microBatches() const { return m_microBatches; }
    // A part of the search that one thread does has TP, CP, EP and ETP. Each of the others makes
    // one dimension more of a choice: virtual stages with a schedule; sharding, those of one ZeRO
    // stage behind each other, that of all ranks first, and one where there is nothing to shard
    // over; recomputation.
    [[nodiscard]] std::vector<LayoutChoice> parts() const;
    [[nodiscard]] std::vector<LayoutChoice> flows(const LayoutChoice& choice) const;
    [[nodiscard]] std::vector<LayoutChoice> shardings(const LayoutChoice& choice) const;
    [[nodiscard]] std::vector<LayoutChoice> recomputations(const LayoutChoice& choice) const;
    // Combinations of a part with its number of stages, and with all of them.
    [[nodiscard]] std::int64_t combinations(const LayoutChoice& choice) const;
    [[nodiscard]] std::int64_t allCombinations(LayoutChoice part) const;

private:
    [[nodiscard]] int largestStage(int pipeline) const;
    [[nodiscard]] bool goesBothWays() const;
    [[nodiscard]] std::vector<int> expertTensors(int tensor) const;

    const SearchRequest& m_request;
    std::vector<int> m_tensors;
    std::vector<int> m_contexts;
    std::vector<int> m_experts;
    std::vector<int> m_pipelines;
    std::vector<int> m_microBatches;
};

// A layout with its estimate at the usual clock.
struct FoundLayout {
    LayoutChoice choice;
    double seconds = 0.0;
    double least = 0.0; // see Step
    double memoryB = 0.0;
    ActivityTimes activities; // the slowest stage's, in a step
    double balance = 1.0; // see Step
};

struct PartResult {
    std::int64_t searched = 0;
    std::array<std::int64_t, kRefusals> refused{};
    std::vector<FoundLayout> found;
    std::optional<NearestLayout> nearest; // among those that memory refuses
};

// Inputs that all parts of a search share.
struct SearchBasis {
    const SearchRequest& request;
    const SearchSpace& space;
    JobCosts costs; // for layouts up to ZeRO 1
    JobCosts shardedCosts; // from ZeRO 2 on
    double memoryB = 0.0; // usable on a GPU; infinite where it is not known
    std::atomic<double>& fastest; // s, of all parts so far
    std::function<bool()> isCancelled; // asked often, answers at once
};

// One part of a search, by one thread: TP, CP, EP and ETP are chosen, the rest is gone through.
// Costs of layers are made once for all schedules and shardings; memory once for all shard groups,
// which differ in what they hold of weights, gradients and optimizer alone.
PartResult searchPart(const SearchBasis& basis, const LayoutChoice& part);

// Power of one GPU.
struct EstimatedPower {
    double meanW = 0.0; // over stages
    double busyW = 0.0; // the slowest stage's while it is not waiting, at its limit at most
    double slowdown = 1.0; // on the seconds that it was asked with
    // Bounds that whole predictions stay above: factor on the seconds, and W of a busy GPU, its
    // limit where the work would draw well more.
    double leastSlowdown = 1.0;
    double leastBusyW = 0.0;
    double lowestW = 0.0; // busy, at the lowest clock
    bool isKept = true; // its limit can be, at the lowest clock
};

// Watts of steps, each at the clock that its own work settles at, at the temperature that one of
// them settles at. Near enough to rank layouts of one cluster by, and hundreds of times faster than
// settling each of them: watts are tabulated over the clock. Any thread.
//
// Estimate for the slowest stage. balance: mean work of a stage over the slowest's.
using EstimatePower
    = std::function<EstimatedPower(const ActivityTimes& activities, double balance)>;
// activities: of one of the steps. slowing: what is not in the seconds yet.
EstimatePower quickPower(
    const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing);

// The cost that layouts are ranked by, and the one that decides between equals.
using RankedCost = std::pair<double, double>;
RankedCost rankedCost(SearchObjective objective, double seconds, double energyJ, double peakW);

// The upper bound of that need of memory is within what may be used of a GPU's.
bool fitsSurely(const SearchRequest& request, const LayoutChoice& choice, double memoryB);

// Without its schedule.
Result<RankedLayout> predictWhole(
    const SearchRequest& request, const Predictor& predictor, const LayoutChoice& choice);

struct BestLayouts {
    std::vector<RankedLayout> ranked; // all that were predicted, the best first
    bool isProven = true; // no other can be among the best; else too many were predicted
};
// Predicts estimated layouts whole, in the order of what each costs at least, until none of the
// others can be among the best. Their schedules are not kept. Predictions are made on the shared
// pool.
Result<BestLayouts> predictBestFirst(const SearchRequest& request, const Predictor& predictor,
    const std::vector<LayoutEstimate>& estimates, const Progress& progress);

} // namespace trainscope::predict
