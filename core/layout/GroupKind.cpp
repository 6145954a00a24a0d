#include "core/layout/GroupKind.h"

namespace trainscope::layout {

namespace {

constexpr auto kTp = Dimension::Tensor;
constexpr auto kCp = Dimension::Context;
constexpr auto kEp = Dimension::Expert;
constexpr auto kDp = Dimension::Data;
constexpr auto kPp = Dimension::Pipeline;
constexpr auto kDense = Decomposition::Dense;
constexpr auto kExpert = Decomposition::Expert;

constexpr std::array<GroupKindInfo, 14> kKinds{{
    {GroupKind::Tensor, "tp", "TENSOR_MODEL_PARALLEL_GROUP", kDense, {kTp}},
    {GroupKind::Context, "cp", "CONTEXT_PARALLEL_GROUP", kDense, {kCp}},
    {GroupKind::Expert, "ep", "EXPERT_MODEL_PARALLEL_GROUP", kExpert, {kEp}},
    {GroupKind::Data, "dp", "DATA_PARALLEL_GROUP", kDense, {kDp}},
    {GroupKind::Pipeline, "pp", "PIPELINE_MODEL_PARALLEL_GROUP", kDense, {kPp}},
    {GroupKind::DataContext, "dp_cp", "DATA_PARALLEL_GROUP_WITH_CP", kDense, {kDp, kCp}},
    {GroupKind::Model, "tp_pp", "MODEL_PARALLEL_GROUP", kDense, {kTp, kPp}},
    {GroupKind::TensorContext, "tp_cp", "TENSOR_AND_CONTEXT_PARALLEL_GROUP", kDense, {kTp, kCp}},
    {GroupKind::TensorData, "tp_dp", "TENSOR_AND_DATA_PARALLEL_GROUP", kDense, {kTp, kDp}},
    {GroupKind::TensorDataContext, "tp_dp_cp", "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", kDense,
        {kTp, kDp, kCp}},
    {GroupKind::ExpertTensor, "etp", "EXPERT_TENSOR_PARALLEL_GROUP", kExpert, {kTp}},
    {GroupKind::TensorExpert, "tp_ep", "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", kExpert,
        {kTp, kEp}},
    {GroupKind::TensorExpertPipeline, "tp_ep_pp", "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP",
        kExpert, {kTp, kEp, kPp}},
    {GroupKind::ExpertData, "edp", "EXPERT_DATA_PARALLEL_GROUP", kExpert, {kDp}},
}};

} // namespace

std::span<const GroupKindInfo> groupKinds() {
    return kKinds;
}

const GroupKindInfo& infoOf(GroupKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

std::string_view toString(GroupKind kind) {
    return infoOf(kind).key;
}

} // namespace trainscope::layout
