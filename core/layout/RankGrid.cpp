#include "core/layout/RankGrid.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

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

Status checkSizes(const Degrees& degrees) {
    std::int64_t world = 1;
    for (const int degree : {degrees.tensor, degrees.context, degrees.data, degrees.pipeline,
             degrees.expert, degrees.expertTensor}) {
        if (degree < 1)
            return usageError("Every parallel degree must be at least 1.");
        if (degree > RankGrid::kMaxRanks)
            return usageError(fmt::format("A parallel degree of {} is too large: {} ranks at most.",
                degree, RankGrid::kMaxRanks));
    }
    for (const int degree : {degrees.tensor, degrees.context, degrees.data, degrees.pipeline}) {
        world *= degree;
        if (world > RankGrid::kMaxRanks)
            return usageError(fmt::format(
                "TP {} × CP {} × DP {} × PP {} are too many ranks: {} at most.", degrees.tensor,
                degrees.context, degrees.data, degrees.pipeline, RankGrid::kMaxRanks));
    }
    const std::int64_t experts
        = std::int64_t{degrees.expert} * degrees.expertTensor * degrees.pipeline;
    if (world % experts != 0)
        return usageError(fmt::format("{} ranks are not divisible by ETP {} × EP {} × PP {} = {}.",
            world, degrees.expertTensor, degrees.expert, degrees.pipeline, experts));
    return {};
}

// The larger size of the two decompositions, which are made in the one order.
Sizes largestSizes(const Degrees& degrees) {
    const int expertData
        = degrees.worldSize() / (degrees.expertTensor * degrees.expert * degrees.pipeline);
    return {std::max(degrees.tensor, degrees.expertTensor), degrees.context, degrees.expert,
        std::max(degrees.data, expertData), degrees.pipeline};
}

Status checkNamed(const Degrees& degrees, const RankOrder& order) {
    const Sizes sizes = largestSizes(degrees);
    for (const auto dimension : order.dimensions) {
        if (sizes[indexOf(dimension)] > 1 && !order.names(dimension))
            return usageError(
                fmt::format("The rank order \"{}\" leaves out {}, which has degree {}.",
                    order.text(), toString(dimension), sizes[indexOf(dimension)]));
    }
    return {};
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

RankGrid::Radix::Radix(const Sizes& sizes, const RankOrder& order)
    : size(sizes) {
    int product = 1;
    for (const auto dimension : order.dimensions) {
        stride[indexOf(dimension)] = product;
        product *= size[indexOf(dimension)];
    }
}

int RankGrid::Radix::digit(int rank, Dimension dimension) const {
    return rank / stride[indexOf(dimension)] % size[indexOf(dimension)];
}

int RankGrid::Radix::lowest(int rank, Dimensions dimensions) const {
    int result = rank;
    for (const auto dimension : kMegatronOrder.dimensions) {
        if (dimensions.has(dimension))
            result -= digit(rank, dimension) * stride[indexOf(dimension)];
    }
    return result;
}

std::vector<int> RankGrid::Radix::offsets(Dimensions dimensions, const RankOrder& order) const {
    std::vector<int> result{0};
    for (const auto dimension : order.dimensions) {
        if (!dimensions.has(dimension))
            continue;
        const std::size_t count = result.size();
        for (int i = 1; i < size[indexOf(dimension)]; ++i) {
            for (std::size_t at = 0; at < count; ++at)
                result.push_back(result[at] + i * stride[indexOf(dimension)]);
        }
    }
    return result;
}

RankGrid::RankGrid(const Degrees& degrees, const RankOrder& order)
    : m_degrees(degrees)
    , m_order(order)
    , m_dense({degrees.tensor, degrees.context, 1, degrees.data, degrees.pipeline}, order)
    , m_expert({degrees.expertTensor, 1, degrees.expert,
                   degrees.worldSize() / (degrees.expertTensor * degrees.expert * degrees.pipeline),
                   degrees.pipeline},
          order) { }

Result<RankGrid> RankGrid::make(const Degrees& asked, const RankOrder& order) {
    Degrees degrees = asked;
    degrees.expertTensor = asked.expertTensor == 0 ? asked.tensor : asked.expertTensor;
    RETURN_IF_ERROR(checkSizes(degrees));
    RETURN_IF_ERROR(checkNamed(degrees, order));
    RankGrid grid(degrees, order);
    const auto status = grid.checkPipelines();
    if (status.hasValue())
        return grid;
    // Without experts nothing uses the second decomposition.
    if (degrees.expert > 1 || degrees.expertTensor != degrees.tensor)
        return status.error();
    grid.m_expert = grid.m_dense;
    return grid;
}

Status RankGrid::checkPipelines() const {
    const bool isLast = m_order.dimensions[m_order.named - 1] == Dimension::Pipeline;
    if (m_degrees.pipeline == 1 || isLast)
        return {};
    if (expertData() != m_degrees.data)
        return usageError(fmt::format(
            "In the rank order \"{}\", which does not end in pp, the experts' data parallelism "
            "({}) must be that of the rest ({}).",
            m_order.text(), expertData(), m_degrees.data));
    constexpr auto kStage = indexOf(Dimension::Pipeline);
    if (m_dense.stride[kStage] != m_expert.stride[kStage])
        return usageError(fmt::format(
            "In the rank order \"{}\" the pipeline groups of the experts (every {} ranks) would "
            "not be those of the rest (every {} ranks).",
            m_order.text(), m_expert.stride[kStage], m_dense.stride[kStage]));
    return {};
}

int RankGrid::expertData() const {
    return m_expert.size[indexOf(Dimension::Data)];
}

RankPosition RankGrid::position(int rank) const {
    return {m_dense.digit(rank, Dimension::Tensor), m_dense.digit(rank, Dimension::Context),
        m_expert.digit(rank, Dimension::Expert), m_dense.digit(rank, Dimension::Data),
        m_dense.digit(rank, Dimension::Pipeline), m_expert.digit(rank, Dimension::Tensor),
        m_expert.digit(rank, Dimension::Data)};
}

const RankGrid::Radix& RankGrid::radix(Decomposition decomposition) const {
    return decomposition == Decomposition::Dense ? m_dense : m_expert;
}

RankGroups RankGrid::groups(CommunicatorKind kind) const {
    const auto& info = infoOf(kind);
    const Radix& ranks = radix(info.decomposition);
    const auto offsets = ranks.offsets(info.dimensions, m_order);
    RankGroups result;
    result.reserve(static_cast<std::size_t>(worldSize()) / offsets.size());
    for (int rank = 0; rank < worldSize(); ++rank) {
        if (ranks.lowest(rank, info.dimensions) != rank)
            continue;
        auto& group = result.emplace_back(offsets);
        for (int& member : group)
            member += rank;
    }
    return result;
}

RankGroups RankGrid::groups(Dimension dimension) const {
    for (const auto& info : communicatorKinds()) {
        const bool isDense = info.decomposition == Decomposition::Dense;
        if (info.dimensions == Dimensions{dimension} && isDense == (dimension != Dimension::Expert))
            return groups(info.kind);
    }
    return {};
}

std::vector<int> RankGrid::groupOf(CommunicatorKind kind, int rank) const {
    const auto& info = infoOf(kind);
    const Radix& ranks = radix(info.decomposition);
    auto group = ranks.offsets(info.dimensions, m_order);
    const int lowest = ranks.lowest(rank, info.dimensions);
    for (int& member : group)
        member += lowest;
    return group;
}

int RankGrid::groupSize(CommunicatorKind kind) const {
    const auto& info = infoOf(kind);
    int size = 1;
    for (const auto dimension : kMegatronOrder.dimensions) {
        if (info.dimensions.has(dimension))
            size *= radix(info.decomposition).size[indexOf(dimension)];
    }
    return size;
}

RankGroups RankGrid::embeddingGroups() const {
    RankGroups result = groups(CommunicatorKind::Pipeline);
    for (auto& group : result) {
        if (group.size() > 2)
            group = {group.front(), group.back()};
    }
    return result;
}

} // namespace trainscope::layout
