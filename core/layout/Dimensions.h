#pragma once
// The dimensions of a parallel layout, the order in which consecutive ranks count through them, and
// the communicators they make, by the dimensions in which their ranks differ. Names and composition
// of these: Megatron-LM, megatron/core/parallel_state.py, initialize_model_parallel.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <initializer_list>
#include <span>

namespace trainscope::layout {

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

} // namespace trainscope::layout
