#include "core/predict/profile/TracedTimings.h"

#include "core/model/Try.h"
#include "core/work/TracedWork.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Gather.h"

#include <tuple>

namespace trainscope::predict {

namespace {

using work::Formula;
using work::TracedShape;

std::optional<Precision> precisionOf(work::ElementType type) {
    if (type == work::ElementType::BFloat16)
        return Precision::Bf16;
    return type == work::ElementType::Float16 ? std::optional(Precision::Fp16) : std::nullopt;
}

// Rows and columns of a tensor whose last dimension is gone over.
void takeRows(const work::Tensor& tensor, Operator& made) {
    made.n = tensor.dims.empty() ? 1.0 : static_cast<double>(tensor.dims.back());
    made.m = made.n > 0.0 ? tensor.elements() / made.n : 0.0;
}

// Scores of attention: the last two dimensions are the tokens'.
bool takeScores(const work::Tensor& tensor, Operator& made) {
    if (tensor.dims.size() < 3)
        return false;
    made.n = static_cast<double>(tensor.dims.back());
    made.m = static_cast<double>(tensor.dims[tensor.dims.size() - 2]);
    made.batch = made.m * made.n > 0.0 ? tensor.elements() / (made.m * made.n) : 0.0;
    return true;
}

// Products in batches are those of attention that is written out: of queries with keys, of scores
// with values.
std::optional<Operator> productOf(const work::ProductSize& size) {
    Operator made{.batch = size.batch, .m = size.m, .n = size.n, .k = size.k};
    if (size.batch == 1.0)
        made.kind = OperatorKind::Gemm;
    else if (size.m == size.n && size.k < size.m)
        made.kind = OperatorKind::AttentionScores;
    else if (size.m == size.k && size.n < size.m)
        made.kind = OperatorKind::AttentionValues;
    else
        return std::nullopt;
    return made;
}

// As samples are kept: causal over as many keys as queries, keys and values of one width.
std::optional<Operator> attentionOf(const work::TracedAttention& traced) {
    const work::AttentionSize& size = traced.size;
    if (traced.mask == work::Mask::None || traced.window || size.queries != size.keys
        || size.keyWidth != size.valueWidth)
        return std::nullopt;
    return Operator{.kind = OperatorKind::FlashAttention,
        .batch = size.batch * size.heads,
        .m = size.queries,
        .n = size.keyWidth,
        .k = size.keys};
}

struct NamedKind {
    std::string_view name;
    OperatorKind kind;
    bool isBackward;
};
constexpr std::array<NamedKind, 4> kElementwiseKinds{
    NamedKind{"aten::gelu", OperatorKind::Gelu, false},
    NamedKind{"aten::gelu_backward", OperatorKind::Gelu, true},
    NamedKind{"aten::native_dropout", OperatorKind::Dropout, false},
    NamedKind{"aten::native_dropout_backward", OperatorKind::Dropout, true},
};

// The operator between products that a kernel's name tells; none where the name tells nothing.
std::optional<TracedOperator> namedOperator(
    std::string_view name, const TracedShape& shape, const work::OperatorSignature& signature) {
    TracedOperator made;
    takeRows(*shape.tensor, made.work);
    for (const NamedKind& known : kElementwiseKinds) {
        if (known.name != name)
            continue;
        made.work.kind = known.kind;
        made.isBackward = known.isBackward;
        return made;
    }
    const work::Tensor* const other = signature.tensor(1);
    if (name != "aten::add" || other == nullptr || other->dims != shape.tensor->dims
        || shape.tensor->dims.size() < 2 || signature.at(1)->type != shape.type)
        return std::nullopt;
    made.work.kind = OperatorKind::Residual;
    return made;
}

std::optional<TracedOperator> tensorOperator(
    std::string_view name, const TracedShape& shape, const work::OperatorSignature& signature) {
    const bool isRms = name.find("rms_norm") != std::string_view::npos;
    const bool isLayer = name.find("layer_norm") != std::string_view::npos;
    TracedOperator made;
    switch (shape.formula) {
    case Formula::Norm:
    case Formula::NormBackward:
        if (!isRms && !isLayer)
            return std::nullopt;
        made.work.kind = isRms ? OperatorKind::RmsNorm : OperatorKind::LayerNorm;
        made.isBackward = shape.formula == Formula::NormBackward;
        takeRows(*shape.tensor, made.work);
        return made;
    case Formula::Softmax:
    case Formula::SoftmaxBackward:
        made.work.kind = OperatorKind::Softmax;
        made.isBackward = shape.formula == Formula::SoftmaxBackward;
        return takeScores(*shape.tensor, made.work) ? std::optional(made) : std::nullopt;
    case Formula::Embedding:
        if (name != "aten::embedding")
            return std::nullopt;
        made.work.kind = OperatorKind::Embedding;
        takeRows(*shape.tensor, made.work);
        made.work.k = shape.tableRows;
        return made;
    case Formula::Elementwise:
        return namedOperator(name, shape, signature);
    default:
        return std::nullopt;
    }
}

std::optional<TracedOperator> shapedOperator(
    std::string_view name, const TracedShape& shape, const work::OperatorSignature& signature) {
    if (shape.product) {
        const auto product = productOf(*shape.product);
        return product ? std::optional(TracedOperator{*product, false}) : std::nullopt;
    }
    if (shape.attention) {
        const auto attention = attentionOf(*shape.attention);
        const bool isBackward = shape.formula == Formula::AttentionBackward;
        return attention ? std::optional(TracedOperator{*attention, isBackward}) : std::nullopt;
    }
    return shape.tensor ? tensorOperator(name, shape, signature) : std::nullopt;
}

} // namespace

std::optional<TracedOperator> tracedOperator(std::string_view name, std::string_view detail) {
    const auto signature = work::parseSignature(detail);
    const auto shape = signature ? work::shapeOf(name, *signature) : std::nullopt;
    const auto precision = shape ? precisionOf(shape->type) : std::nullopt;
    auto made = precision ? shapedOperator(name, *shape, *signature) : std::nullopt;
    if (!made)
        return std::nullopt;
    made->work.precision = *precision;
    const Operator& work = made->work;
    const bool hasSize = work.batch > 0.0 && work.m > 0.0 && work.n > 0.0 && work.k > 0.0;
    return hasSize ? made : std::nullopt;
}

namespace {

// Times of one shape, over the calls of all ranks and names that have it.
struct ShapeTimes {
    Operator work;
    double seconds[2] = {0.0, 0.0}; // forward, backward
    double calls[2] = {0.0, 0.0};

    [[nodiscard]] double mean(std::size_t direction) const {
        return calls[direction] > 0.0 ? seconds[direction] / calls[direction] : kNotTimed;
    }
};

using ShapeKey = std::tuple<OperatorKind, double, double, double, double>;

ShapeKey keyOf(const Operator& work) {
    return {work.kind, work.batch, work.m, work.n, work.k};
}

} // namespace

void addTracedOperators(const analysis::CallTree& tree, std::string_view gpu,
    std::string_view source, Timings& timings) {
    std::map<ShapeKey, ShapeTimes> shapes;
    for (const analysis::CallTotal& total : tree.totals) {
        if (total.of != analysis::CallTotal::Of::Shape || total.sums.calls <= 0)
            continue;
        const auto traced
            = tracedOperator(tree.names[total.name], tree.signatures[total.signature]);
        if (!traced)
            continue;
        ShapeTimes& times = shapes[keyOf(traced->work)];
        times.work = traced->work;
        const std::size_t direction = traced->isBackward ? 1 : 0;
        times.seconds[direction] += total.sums.busy.seconds();
        times.calls[direction] += static_cast<double>(total.sums.calls);
    }
    std::map<OperatorKind, OperatorTimings> kinds;
    for (const auto& [key, times] : shapes) {
        OperatorTimings& kind = kinds[times.work.kind];
        kind.rows.push_back({times.work, times.mean(0), times.mean(1)});
    }
    for (auto& [kind, rows] : kinds) {
        rows.gpu = gpu;
        rows.family = toString(kind);
        rows.name = rows.family + " (" + std::string(source) + ")";
        timings.operators.push_back(std::move(rows));
    }
}

namespace {

// Nodes of its ranks, where all are known and hold as many of them; absent else.
std::optional<std::pair<int, int>> arrangementOf(
    const analysis::Collective& one, const std::map<int, int>& nodes) {
    std::map<int, int> ranksOf;
    for (const analysis::CollectiveRank& rank : one.ranks) {
        const auto node = nodes.find(rank.rank);
        if (node == nodes.end())
            return std::nullopt;
        ++ranksOf[node->second];
    }
    std::set<int> sizes = setOf(ranksOf, [](const auto& node) { return node.second; });
    if (sizes.size() != 1)
        return std::nullopt;
    return std::pair{static_cast<int>(ranksOf.size()), *sizes.begin()};
}

Status addCollectives(
    const analysis::RunStudy& study, const std::string& fabric, Timings& timings) {
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    std::map<int, int> nodes;
    for (const Gpu& gpu : gpus)
        nodes[gpu.rank] = gpu.node;
    ASSIGN_OR_RETURN(const auto clocks, analysis::alignRanks(study));
    std::map<std::tuple<CollectiveKind, int, int>, std::vector<TimedExchange>> exchanges;
    const auto take = [&](const analysis::Collective& one) {
        const auto arrangement
            = one.kind <= CollectiveKind::SendRecv ? arrangementOf(one, nodes) : std::nullopt;
        const bool isWhole
            = one.isComplete && static_cast<int>(one.ranks.size()) == one.ranksInGroup;
        if (arrangement && isWhole && one.bytes && *one.bytes > 0.0 && one.transfer.ns > 0)
            exchanges[{one.kind, arrangement->first, arrangement->second}].push_back(
                {*one.bytes, one.transfer.seconds()});
        return true;
    };
    ASSIGN_OR_RETURN(const auto scan, analysis::forEachCollective(study, clocks, take));
    (void)scan; // calls without a match are no samples
    for (auto& [key, rows] : exchanges) {
        const auto& [kind, nodeCount, perNode] = key;
        timings.collectives.push_back({study.run.gpuModel, fabric, std::string(toString(kind)),
            kind, nodeCount, perNode, std::move(rows), std::nullopt, {}});
    }
    return {};
}

// Means over the GPUs in the traced time.
Result<TimingConditions> conditionsIn(const analysis::RunStudy& study, TimeRange window) {
    const analysis::SummaryScope scope{window, {"gpu_power", "sm_clock"}};
    ASSIGN_OR_RETURN(const auto summary, analysis::summarise(study, scope));
    const auto meanOf = [&](const char* metric) -> std::optional<double> {
        const auto found = summary.metrics.find(metric);
        return found == summary.metrics.end() ? std::nullopt : found->second.all.mean;
    };
    return TimingConditions{meanOf("sm_clock"), meanOf("gpu_power")};
}

} // namespace

Status addTracedTimings(
    const analysis::RunStudy& study, const std::string& fabric, Timings& timings) {
    ASSIGN_OR_RETURN(const auto ranks, analysis::tracedRanks(study));
    if (ranks.empty() || study.run.kind != RunKind::Measured)
        return {};
    ASSIGN_OR_RETURN(const auto tree, analysis::callTree(study, kAllTime));
    if (tree.isOfHost)
        return {}; // times of a host say nothing of a GPU
    const std::size_t operators = timings.operators.size();
    const std::size_t collectives = timings.collectives.size();
    addTracedOperators(tree, study.run.gpuModel, study.run.name, timings);
    if (ranks.size() > 1)
        RETURN_IF_ERROR(addCollectives(study, fabric, timings));
    ASSIGN_OR_RETURN(const auto conditions, conditionsIn(study, tree.window));
    for (std::size_t i = operators; i < timings.operators.size(); ++i)
        timings.operators[i].conditions = conditions;
    for (std::size_t i = collectives; i < timings.collectives.size(); ++i)
        timings.collectives[i].conditions = conditions;
    return {};
}

} // namespace trainscope::predict
