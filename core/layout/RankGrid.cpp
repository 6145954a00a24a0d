#include "core/layout/RankGrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainscope::layout {

namespace {

constexpr std::size_t indexOf(Dimension dimension) {
    return static_cast<std::size_t>(dimension);
}

std::vector<std::string_view> splitAtDashes(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto dash = text.find('-');
        parts.push_back(text.substr(0, dash));
        text = dash == std::string_view::npos ? std::string_view{} : text.substr(dash + 1);
    }
    return parts;
}

} // namespace

std::string_view toString(Dimension dimension) {
    constexpr std::array<std::string_view, kDimensions> names{"tp", "cp", "ep", "dp", "pp"};
    return names[indexOf(dimension)];
}

Result<RankOrder> rankOrderFromString(std::string_view text) {
    std::vector<Dimension> order;
    for (const auto part : splitAtDashes(text)) {
        const auto named = std::find_if(kMegatronOrder.begin(), kMegatronOrder.end(),
            [part](Dimension dimension) { return toString(dimension) == part; });
        if (named == kMegatronOrder.end()
            || std::find(order.begin(), order.end(), *named) != order.end())
            return Error{ErrorCode::Usage,
                fmt::format(
                    "\"{}\" is no rank order: name tp, cp, ep, dp and pp once each, fastest first.",
                    text),
                {}};
        order.push_back(*named);
    }
    for (const auto dimension : kMegatronOrder) {
        if (std::find(order.begin(), order.end(), dimension) == order.end())
            order.push_back(dimension);
    }
    RankOrder result{};
    std::copy(order.begin(), order.end(), result.begin());
    return result;
}

std::array<int, kDimensions> RankGrid::Radix::digits(int rank) const {
    std::array<int, kDimensions> result{};
    for (const auto dimension : order) {
        result[indexOf(dimension)] = rank % size[indexOf(dimension)];
        rank /= size[indexOf(dimension)];
    }
    return result;
}

int RankGrid::Radix::total() const {
    int product = 1;
    for (const int one : size)
        product *= one;
    return product;
}

std::vector<std::vector<int>> RankGrid::Radix::groups(Dimension dimension) const {
    std::map<int, std::vector<int>> byFirst; // a group is known by its lowest rank
    int stride = 1;
    for (const auto one : order) {
        if (one == dimension)
            break;
        stride *= size[indexOf(one)];
    }
    for (int rank = 0; rank < total(); ++rank)
        byFirst[rank - digits(rank)[indexOf(dimension)] * stride].push_back(rank);
    std::vector<std::vector<int>> result;
    for (auto& [first, ranks] : byFirst)
        result.push_back(std::move(ranks));
    return result;
}

RankGrid::RankGrid(Radix dense, Radix expert)
    : m_dense(dense)
    , m_expert(expert) { }

Result<RankGrid> RankGrid::make(const Degrees& degrees, const RankOrder& order) {
    const int expertTensor = degrees.expertTensor == 0 ? degrees.tensor : degrees.expertTensor;
    for (const int degree : {degrees.tensor, degrees.context, degrees.expert, expertTensor,
             degrees.data, degrees.pipeline}) {
        if (degree < 1)
            return Error{ErrorCode::Usage, "Every parallel degree must be at least 1.", {}};
    }
    const int perStage = degrees.tensor * degrees.context * degrees.data;
    const int expertRanks = degrees.expert * expertTensor;
    if (perStage % expertRanks != 0)
        return Error{ErrorCode::Usage,
            fmt::format(
                "EP {} × ETP {} does not divide the {} ranks of a pipeline stage (TP × CP × DP).",
                degrees.expert, expertTensor, perStage),
            {}};
    const Radix dense{{degrees.tensor, degrees.context, 1, degrees.data, degrees.pipeline}, order};
    const Radix expert{
        {expertTensor, 1, degrees.expert, perStage / expertRanks, degrees.pipeline}, order};
    return RankGrid(dense, expert);
}

Result<RankGrid> RankGrid::fromLaunch(const LaunchConfig& launch, int worldSize) {
    if (!launch.tensorParallel && !launch.pipelineParallel)
        return Error{ErrorCode::NotFound, "The launch configuration names no parallel layout.",
            launch.origin};
    Degrees degrees;
    degrees.tensor = launch.tensorParallel.value_or(1);
    degrees.context = launch.contextParallel.value_or(1);
    degrees.expert = launch.expertParallel.value_or(1);
    degrees.pipeline = launch.pipelineParallel.value_or(1);
    const int others = degrees.tensor * degrees.context * degrees.pipeline;
    if (others < 1 || worldSize < others || worldSize % others != 0)
        return Error{ErrorCode::Usage,
            fmt::format("TP {} × CP {} × PP {} does not divide {} ranks.", degrees.tensor,
                degrees.context, degrees.pipeline, worldSize),
            launch.origin};
    degrees.data = worldSize / others;
    degrees.expertTensor = launch.expertTensorParallel.value_or(0);
    // Expert parallelism folds into the ranks of a stage with ETP 1 where TP × EP does not fit.
    const int perStage = degrees.tensor * degrees.context * degrees.data;
    if (!launch.expertTensorParallel && degrees.expert >= 1
        && perStage % (degrees.expert * degrees.tensor) != 0)
        degrees.expertTensor = 1;
    if (!launch.rankOrder)
        return make(degrees);
    const auto order = rankOrderFromString(*launch.rankOrder);
    if (!order.hasValue())
        return order.error();
    return make(degrees, order.value());
}

int RankGrid::worldSize() const {
    return m_dense.total();
}

RankPosition RankGrid::position(int rank) const {
    const auto dense = m_dense.digits(rank);
    const auto expert = m_expert.digits(rank);
    return {dense[indexOf(Dimension::Tensor)], dense[indexOf(Dimension::Context)],
        expert[indexOf(Dimension::Expert)], dense[indexOf(Dimension::Data)],
        dense[indexOf(Dimension::Pipeline)]};
}

std::vector<std::vector<int>> RankGrid::groups(Dimension dimension) const {
    return dimension == Dimension::Expert ? m_expert.groups(dimension) : m_dense.groups(dimension);
}

} // namespace trainscope::layout
