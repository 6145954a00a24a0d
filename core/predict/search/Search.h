#pragma once
// Search: the layouts that a model can be trained with on a cluster, by what a step of each takes.
// Every combination of TP, CP, EP, ETP, PP, schedule, virtual stages, sharding, micro-batch and
// recomputation is looked at: what cannot be is counted by reason, what can be is estimated (the
// schedule by its closed form), and the best are predicted whole.
//
// Ranges    TP: divisors of the GPUs up to the domain of scale-up links. CP: divisors whose chunks,
//           of which a rank has two, have kLeastChunk tokens. EP: divisors of the experts. ETP: 1
//           and TP. PP: divisors of the GPUs. Virtual stages: divisors of the layers of the largest
//           stage. Schedule: 1F1B, interleaved where stages are divided, of training zero-bubble
//           (ZB-H1), and of mixtures of experts DualPipe, unless the software is another than
//           DeepSeek's; GPipe takes as long as 1F1B and more memory. Micro-batch: powers of two.
//           Sharding: ZeRO 1, 2 and 3, and ZeRO 3 within groups of every size (hybrid).
//           Recomputation: none, full, full of a quarter, half and three quarters of a stage's
//           layers, selective where attention is unfused (it frees nothing else), and per operator
//           with ZeRO 3. Inference has no virtual stages, no recomputation, and weights on
//           every replica.
// Limits    Memory: a share of each GPU's; a layout fits surely where the upper bound of its need
//           does, and those that fit perhaps stand behind those. Power: all GPUs' together, kept by
//           capping each. Time: kSlowest times the fastest; slower layouts are counted and not
//           ranked.
// Best      Layouts are predicted whole in the order of what they take at least, until no other can
//           be among the best. The least seconds follow from the schedule (Step::least), the
//           least energy and power from the estimate and how far it was seen to be off.
//
// Any thread; both cores are used through the shared pool.

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

enum class SearchObjective { Time, Energy, PeakPower };
constexpr auto namesOf(SearchObjective) {
    return enumNames("time", "energy", "peak-power");
}
constexpr auto titlesOf(SearchObjective) {
    return enumNames("step time", "energy", "peak power");
}
using trainscope::titleOf;
inline constexpr auto kAllObjectives = allValues<SearchObjective>();
// The value that layouts are ranked by; the least is the best.
double rankedValue(SearchObjective objective, double seconds, double energyJ, double peakW);

inline constexpr double kSlowest = 3.0; // times the fastest step
inline constexpr std::size_t kMostPerhaps = 3;

// A degree of the layout that has a value is not searched; neither are micro-batch and
// recomputation that are fixed.
struct SearchRequest : JobRequest {
    bool isMicroBatchFixed = false;
    bool isRecomputeFixed = false;
    double memoryShare = 1.0; // usable share of a GPU's memory
    std::optional<double> powerLimitW = {}; // all GPUs together
    SearchObjective objective = SearchObjective::Time;
    std::size_t top = 10; // to be predicted whole
};

struct LayoutChoice : layout::Degrees { // expertTensor 0: no experts
    int virtualStages = 1;
    int zeroStage = 1; // 0: nothing said
    int shard = 0; // ranks of a shard group; 0: all
    layout::ScheduleKind schedule = layout::ScheduleKind::OneForwardOneBackward;
    int microBatch = 1;
    Recompute recompute = Recompute::None;
    int recomputedLayers = 0; // layers of each stage; 0: all

    bool operator==(const LayoutChoice&) const = default;
};
// The choice that a job's layout is, and the layout that is asked for by it.
LayoutChoice choiceOf(const Job& job);
layout::LayoutRequest layoutOf(const LayoutChoice& choice);

struct LayoutEstimate {
    LayoutChoice choice;
    double seconds = 0.0; // a step's
    double memoryB = 0.0; // the fullest GPU's
    double energyJ = 0.0; // a step's, all GPUs
    double peakW = 0.0; // all GPUs
    double leastSeconds = 0.0; // no prediction is below, see Step::least
    double leastPeakW = 0.0;
};

// The layout that lacks the least memory, where none fits.
struct NearestLayout {
    LayoutChoice choice;
    double memoryB = 0.0; // the fullest GPU's
    double lacksB = 0.0; // over what may be used
};

struct RankedLayout {
    LayoutChoice choice;
    Job job;
    Prediction prediction; // without its schedule
    double peakW = 0.0; // all GPUs
    bool isSure = true; // the upper bound of its memory fits
};

// The reason that a combination is impossible.
enum class Refusal {
    Ranks, // TP · CP · PP does not divide the GPUs, or leaves another DP than asked for; or a shard
           // group does not divide the replicas
    Heads, // TP does not divide them
    Sequence, // CP does not divide it
    Experts, // EP · ETP · PP does not divide the GPUs
    Layers, // more pieces than layers
    Batch, // DP · micro-batch does not divide it
    Schedule, // fewer micro-batches than interleaved stages
    Memory,
    Power, // above the limit at the lowest clock
    Slow, // takes more than kSlowest times the fastest
};
constexpr auto namesOf(Refusal) {
    return enumNames("ranks", "heads", "sequence", "experts", "layers", "batch", "schedule",
        "memory", "power", "slow");
}
inline constexpr auto kAllRefusals = allValues<Refusal>();
inline constexpr std::size_t kRefusals = kAllRefusals.size();

struct SearchResult {
    SearchObjective objective = SearchObjective::Time; // it is ranked by it
    std::int64_t searched = 0;
    std::array<std::int64_t, kRefusals> refused{}; // by reason, the first that was met
    std::vector<LayoutEstimate> feasible; // the best first
    // The best first: those that surely fit, or where none does, those that perhaps do.
    std::vector<RankedLayout> top;
    std::vector<RankedLayout> perhaps; // the best of these beside those, kMostPerhaps at most
    std::int64_t sure = 0; // as many of the feasible ones
    bool isProven = true; // `top` is proven: no other layout can be better
    std::vector<RankedLayout> apart; // the best, and up to two that truly differ, see below
    std::optional<NearestLayout> nearest; // there where memory refuses all that could be
    std::optional<double> leastPowerW; // all GPUs' least limit, where power refuses the layouts

    [[nodiscard]] std::int64_t refusedBy(Refusal reason) const {
        return refused[static_cast<std::size_t>(reason)];
    }
};

// A search for a job, with nothing of its layout fixed.
SearchRequest searchLike(const JobRequest& job);
// The job of a choice; Usage where the choice is impossible.
Result<Job> jobOf(const SearchRequest& request, const LayoutChoice& choice);

// NotFound where nothing is known of the GPU or its precision, Usage for numbers that make no
// sense; stopped by progress, told in parts of the search. No layout that can be is no error.
Result<SearchResult> searchLayouts(const SearchRequest& request,
    const Predictor& predictor = Predictor(), const Progress& progress = {});

// Ties: ranked layouts that a prediction cannot tell apart, and those that truly differ. Two
// layouts are a tie where the 90 % interval of the ratio of what they are ranked by (step time,
// energy of a step, peak power of all GPUs) holds 1. It is narrower than the intervals of their
// own, since all that is unknown of both alike (software, machine, constants that both depend on)
// cancels (spreadOfRatio). Pure; any thread.

inline constexpr std::size_t kMostApart = 3;

// In words: two layouts "are a tie: " …
inline constexpr std::string_view kTieWords = "the 90 % interval of their ratio holds 1";
bool areTied(const RankedLayout& a, const RankedLayout& b, SearchObjective objective);

// Whole prediction of a choice.
using PredictChoice = std::function<Result<RankedLayout>(const LayoutChoice& choice)>;
// The best of `ranked`, and behind it the best that are no tie with it and each other: first those
// that divide the model or the samples otherwise (TP, CP, EP, PP or DP), else any. Some are
// predicted for it from the estimates `feasible`; both lists have their best first.
Result<std::vector<RankedLayout>> layoutsApart(const std::vector<RankedLayout>& ranked,
    const std::vector<LayoutEstimate>& feasible, SearchObjective objective,
    const PredictChoice& predict);

// A layout as it is listed.
struct ListedLayout {
    const RankedLayout* layout = nullptr; // in the result
    std::size_t group = 0; // its ties have the same; from 1, as `apart`; 0: it fits perhaps
    bool isFirst = false; // the best of the group, with which the others are ties

    [[nodiscard]] bool isBest() const { return isFirst && group == 1; }
};
// As many as are ranked, the best first: those of `apart`, and the others of `top` from its first
// on; behind them those that fit perhaps, each by itself. The result outlives the list.
std::vector<ListedLayout> listedLayouts(const SearchResult& found);

} // namespace trainscope::predict
