#include "core/work/TracedShape.h"

#include "core/work/Call.h"

namespace trainscope::work {

namespace {

void takeTensor(const Call& call, std::string_view part, TracedShape& shape) {
    if (const Tensor* const tensor = call.tensor(part)) {
        shape.tensor = *tensor;
        shape.type = call.typeOf(part);
    }
}

void takeEmbedding(const Call& call, TracedShape& shape) {
    const Tensor* const table = call.tensor("weight");
    const Tensor* const indices = call.tensor("indices");
    if (table == nullptr || indices == nullptr || table->dims.size() != 2)
        return;
    shape.tensor = *indices;
    shape.tensor->dims.push_back(table->dims.back());
    shape.tensor->strides.clear();
    shape.tableRows = static_cast<double>(table->dims.front());
    shape.type = call.typeOf("weight");
}

void takeFirst(const OperatorSignature& signature, TracedShape& shape) {
    if (const Tensor* const tensor = signature.tensor(0)) {
        shape.tensor = *tensor;
        shape.type = signature.at(0)->type;
    }
}

} // namespace

std::optional<TracedShape> shapeOf(
    std::string_view operatorName, const OperatorSignature& signature, const WorkTable& table) {
    const WorkRule* const rule = table.find(operatorName);
    if (rule == nullptr)
        return std::nullopt;
    const Call call(operatorName, *rule, signature);
    TracedShape shape;
    shape.formula = rule->formula;
    switch (rule->formula) {
    case Formula::Product:
        shape.product = productSizeOf(call);
        shape.type = call.typeOf("a");
        break;
    case Formula::Attention:
    case Formula::AttentionBackward:
        shape.attention = tracedAttentionOf(call);
        shape.type = call.typeOf("query");
        break;
    case Formula::Norm:
    case Formula::NormBackward:
    case Formula::Softmax:
    case Formula::CrossEntropy:
        takeTensor(call, "input", shape);
        break;
    case Formula::SoftmaxBackward:
        takeTensor(call, "gradient", shape);
        break;
    case Formula::Embedding:
        takeEmbedding(call, shape);
        break;
    case Formula::Elementwise:
    case Formula::Copy:
        takeFirst(signature, shape);
        break;
    default:
        break;
    }
    const bool isKnown = shape.product || shape.attention || shape.tensor;
    return isKnown ? std::optional(shape) : std::nullopt;
}

} // namespace trainscope::work
