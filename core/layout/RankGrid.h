#pragma once
// Rank arithmetic of a parallel layout: Megatron-LM's decomposition of global ranks into tensor,
// context, expert, data and pipeline coordinates, fastest-varying dimension
// first (megatron/core/parallel_state.py, RankGenerator and initialize_model_parallel; what those
// refuse is refused here). Dense groups come from TP × CP × DP × PP, expert groups from a second
// decomposition of the same ranks, ETP × EP × EDP × PP. Plain values, thread-safe.

#include "core/model/LaunchConfig.h"
#include "core/model/Result.h"

#include <initializer_list>
#include <span>
#include <vector>

namespace trainscope::layout {

// The dimensions of a parallel layout, the order in which consecutive ranks count through them, and
// the communicators they make, by the dimensions in which their ranks differ. Names and composition
// of these: Megatron-LM, megatron/core/parallel_state.py, initialize_model_parallel.

enum class Dimension { Tensor, Context, Expert, Data, Pipeline };
constexpr auto namesOf(Dimension) {
    return enumNames("tp", "cp", "ep", "dp", "pp");
}
inline constexpr std::size_t kDimensions = 5;
using Sizes = std::array<int, kDimensions>; // by dimension

constexpr std::size_t indexOf(Dimension dimension) {
    return static_cast<std::size_t>(dimension);
}

// Fastest first. The first `named` of the dimensions were named; the others follow and must have
// degree 1, as in Megatron-LM.
struct RankOrder {
    std::array<Dimension, kDimensions> dimensions{Dimension::Tensor, Dimension::Context,
        Dimension::Expert, Dimension::Data, Dimension::Pipeline};
    std::size_t named = kDimensions;

    [[nodiscard]] bool names(Dimension dimension) const;
    [[nodiscard]] std::string text() const; // "tp-pp-dp": what was named
    bool operator==(const RankOrder&) const = default;
};

inline constexpr RankOrder kMegatronOrder{};

// "tp-cp-ep-dp-pp", "TP-PP-DP", "tp,pp,dp". Usage error for unknown or repeated names.
Result<RankOrder> rankOrderFromString(std::string_view text);

// A set of dimensions.
class Dimensions {
public:
    constexpr Dimensions(std::initializer_list<Dimension> members) {
        for (const Dimension member : members)
            m_bits |= 1U << indexOf(member);
    }
    [[nodiscard]] constexpr bool has(Dimension dimension) const {
        return (m_bits >> indexOf(dimension) & 1U) != 0;
    }
    constexpr bool operator==(const Dimensions&) const = default;

private:
    unsigned m_bits = 0;
};

// The same ranks are divided twice: TP × CP × DP × PP for the dense part of a model, and
// ETP × EP × EDP × PP for its experts, where `Tensor` and `Data` are ETP and EDP.
enum class Decomposition { Dense, Expert };

enum class CommunicatorKind {
    Tensor,
    Context,
    Expert,
    Data,
    Pipeline,
    DataContext, // exchange of gradients, shards of the optimizer
    Model, // one replica of a model without experts
    TensorContext,
    TensorData,
    TensorDataContext,
    ExpertTensor,
    TensorExpert,
    TensorExpertPipeline,
    ExpertData, // exchange of the experts' gradients
};

struct CommunicatorInfo {
    CommunicatorKind kind;
    std::string_view key; // "dp_cp"
    std::string_view description; // Megatron-LM's group_desc
    Decomposition decomposition;
    Dimensions dimensions;
};

std::span<const CommunicatorInfo> communicatorKinds(); // all, in the order of CommunicatorKind
const CommunicatorInfo& infoOf(CommunicatorKind kind);

struct Degrees {
    int tensor = 1;
    int context = 1;
    int expert = 1;
    int expertTensor = 0; // 0: as tensor
    int data = 1;
    int pipeline = 1;

    [[nodiscard]] int worldSize() const { return tensor * context * data * pipeline; }
    bool operator==(const Degrees&) const = default;
};

// Coordinates of one rank. `expert`, `expertTensor` and `expertData` count in the expert
// decomposition, the others in the dense one.
struct RankPosition {
    int tensor = 0;
    int context = 0;
    int expert = 0;
    int data = 0;
    int pipeline = 0;
    int expertTensor = 0;
    int expertData = 0;

    bool operator==(const RankPosition&) const = default;
};

using RankGroups = std::vector<std::vector<int>>;

class RankGrid {
public:
    static constexpr int kMaxRanks = kMostGpus;

    // Usage error when a degree is below 1 or the ranks are more than kMaxRanks; when EP × ETP × PP
    // does not divide them; when the order leaves out a dimension that has a degree above 1; and
    // when the pipeline groups of the two decompositions differ (orders that do not end in pp). A
    // model without experts (EP 1, ETP = TP) is not refused for the last of these.
    static Result<RankGrid> make(const Degrees& degrees, const RankOrder& order = kMegatronOrder);

    [[nodiscard]] int worldSize() const { return m_degrees.worldSize(); }
    [[nodiscard]] const Degrees& degrees() const { return m_degrees; } // expertTensor filled in
    [[nodiscard]] int expertData() const; // EDP
    [[nodiscard]] const RankOrder& order() const { return m_order; }
    [[nodiscard]] RankPosition position(int rank) const; // 0 <= rank < worldSize()

    // Ranks that differ in the kind's dimensions alone, ascending; one group per combination of the
    // others, by lowest rank.
    [[nodiscard]] RankGroups groups(CommunicatorKind kind) const;
    // The same for one dimension; Expert in the experts' decomposition.
    [[nodiscard]] RankGroups groups(Dimension dimension) const;
    [[nodiscard]] std::vector<int> groupOf(CommunicatorKind kind, int rank) const;
    [[nodiscard]] int groupSize(CommunicatorKind kind) const;
    // First and last stage of each pipeline group, where the embeddings lie; one rank without a
    // pipeline.
    [[nodiscard]] RankGroups embeddingGroups() const;

private:
    // Sizes by dimension; a rank is a number in this mixed radix.
    struct Radix {
        Sizes size{};
        Sizes stride{};

        Radix(const Sizes& sizes, const RankOrder& order);
        [[nodiscard]] int digit(int rank, Dimension dimension) const;
        [[nodiscard]] int lowest(int rank, Dimensions dimensions) const;
        [[nodiscard]] std::vector<int> offsets(Dimensions dimensions, const RankOrder& order) const;
    };
    RankGrid(const Degrees& degrees, const RankOrder& order);
    [[nodiscard]] Status checkPipelines() const;
    [[nodiscard]] const Radix& radix(Decomposition decomposition) const;

    Degrees m_degrees;
    RankOrder m_order;
    Radix m_dense;
    Radix m_expert;
};

} // namespace trainscope::layout
