#pragma once
// The communicator groups that a layout makes: which dimensions the ranks of a group differ in.
// Names and composition: Megatron-LM, megatron/core/parallel_state.py, initialize_model_parallel.

#include "core/layout/RankOrder.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace trainscope::layout {

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

enum class GroupKind {
    Tensor,
    Context,
    Expert,
    Data,
    Pipeline,
    DataContext, // of the gradients and of the sharded optimizer
    Model, // one replica of a model without experts
    TensorContext,
    TensorData,
    TensorDataContext,
    ExpertTensor,
    TensorExpert,
    TensorExpertPipeline,
    ExpertData, // of the experts' gradients
};

struct GroupKindInfo {
    GroupKind kind;
    std::string_view key; // "dp_cp"
    std::string_view description; // Megatron-LM's group_desc
    Decomposition decomposition;
    Dimensions dimensions;
};

std::span<const GroupKindInfo> groupKinds(); // all, in the order of GroupKind
const GroupKindInfo& infoOf(GroupKind kind);
std::string_view toString(GroupKind kind); // the key

} // namespace trainscope::layout
