#include "core/layout/Dimensions.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

namespace trainscope::layout {

namespace {

constexpr auto kTp = Dimension::Tensor;
constexpr auto kCp = Dimension::Context;
constexpr auto kEp = Dimension::Expert;
constexpr auto kDp = Dimension::Data;
constexpr auto kPp = Dimension::Pipeline;
constexpr auto kDense = Decomposition::Dense;
constexpr auto kExpert = Decomposition::Expert;

constexpr std::array<CommunicatorInfo, 14> kKinds{{
    {CommunicatorKind::Tensor, "tp", "TENSOR_MODEL_PARALLEL_GROUP", kDense, {kTp}},
    {CommunicatorKind::Context, "cp", "CONTEXT_PARALLEL_GROUP", kDense, {kCp}},
    {CommunicatorKind::Expert, "ep", "EXPERT_MODEL_PARALLEL_GROUP", kExpert, {kEp}},
    {CommunicatorKind::Data, "dp", "DATA_PARALLEL_GROUP", kDense, {kDp}},
    {CommunicatorKind::Pipeline, "pp", "PIPELINE_MODEL_PARALLEL_GROUP", kDense, {kPp}},
    {CommunicatorKind::DataContext, "dp_cp", "DATA_PARALLEL_GROUP_WITH_CP", kDense, {kDp, kCp}},
    {CommunicatorKind::Model, "tp_pp", "MODEL_PARALLEL_GROUP", kDense, {kTp, kPp}},
    {CommunicatorKind::TensorContext, "tp_cp", "TENSOR_AND_CONTEXT_PARALLEL_GROUP", kDense,
        {kTp, kCp}},
    {CommunicatorKind::TensorData, "tp_dp", "TENSOR_AND_DATA_PARALLEL_GROUP", kDense, {kTp, kDp}},
    {CommunicatorKind::TensorDataContext, "tp_dp_cp", "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP",
        kDense, {kTp, kDp, kCp}},
    {CommunicatorKind::ExpertTensor, "etp", "EXPERT_TENSOR_PARALLEL_GROUP", kExpert, {kTp}},
    {CommunicatorKind::TensorExpert, "tp_ep", "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", kExpert,
        {kTp, kEp}},
    {CommunicatorKind::TensorExpertPipeline, "tp_ep_pp",
        "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", kExpert, {kTp, kEp, kPp}},
    {CommunicatorKind::ExpertData, "edp", "EXPERT_DATA_PARALLEL_GROUP", kExpert, {kDp}},
}};

std::vector<std::string> namesIn(std::string_view text) {
    std::vector<std::string> names(1);
    for (const char c : text) {
        if (c == '-' || c == ',')
            names.emplace_back();
        else if (c != ' ')
            names.back() += lowerChar(c);
    }
    return names;
}

} // namespace

bool RankOrder::names(Dimension dimension) const {
    const auto end = dimensions.begin() + static_cast<std::ptrdiff_t>(named);
    return std::find(dimensions.begin(), end, dimension) != end;
}

std::string RankOrder::text() const {
    std::string result;
    for (std::size_t i = 0; i < named; ++i)
        result.append(i == 0 ? "" : "-").append(toString(dimensions[i]));
    return result;
}

Result<RankOrder> rankOrderFromString(std::string_view text) {
    std::vector<Dimension> order;
    for (const auto& name : namesIn(text)) {
        const auto named = fromString<Dimension>(name);
        if (!named || std::find(order.begin(), order.end(), *named) != order.end())
            return Error{ErrorCode::Usage,
                fmt::format("\"{}\" is no rank order: name each of tp, cp, ep, dp and pp at most "
                            "once, fastest first.",
                    text),
                {}};
        order.push_back(*named);
    }
    RankOrder result;
    result.named = order.size();
    for (const auto dimension : kMegatronOrder.dimensions) {
        if (std::find(order.begin(), order.end(), dimension) == order.end())
            order.push_back(dimension);
    }
    std::copy(order.begin(), order.end(), result.dimensions.begin());
    return result;
}

std::span<const CommunicatorInfo> communicatorKinds() {
    return kKinds;
}

const CommunicatorInfo& infoOf(CommunicatorKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

} // namespace trainscope::layout
