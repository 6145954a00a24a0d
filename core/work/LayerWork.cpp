#include "core/work/Call.h"

namespace trainscope::work {

std::optional<TracedWork> softmaxWork(const Call& call) {
    const Tensor* const input = call.tensor("input");
    const auto each = bytesOf(call.typeOf("input"));
    if (input == nullptr || !each)
        return std::nullopt;
    const double written = call.truth("to_float").value_or(false) ? 4.0 : *each;
    Work sum = elementwise(input->elements(), 0.0, *each + written);
    sum.flop = softmaxFlop(input->elements());
    return TracedWork{sum, call.typeOf("input"), Units::Vector};
}

std::optional<TracedWork> softmaxBackwardWork(const Call& call) {
    const Tensor* const gradient = call.tensor("gradient");
    const auto each = bytesOf(call.typeOf("gradient"));
    const auto result = call.storedBytes("output");
    if (gradient == nullptr || call.tensor("output") == nullptr || !each || !result)
        return std::nullopt;
    Work sum = elementwise(gradient->elements(), 0.0, 2.0 * *each);
    sum.flop = softmaxBackwardFlop(gradient->elements());
    sum.bytes += *result;
    return TracedWork{sum, call.typeOf("gradient"), Units::Vector};
}

std::optional<TracedWork> lossWork(const Call& call, Formula formula) {
    const Tensor* const input = call.tensor("input");
    const Tensor* const target = call.tensor("target");
    const auto each = bytesOf(call.typeOf("input"));
    const auto labels = call.storedBytes("target");
    if (input == nullptr || target == nullptr || !each || !labels)
        return std::nullopt;
    const double rows = target->elements();
    Work sum{rows, *labels};
    if (formula == Formula::NllLossBackward) { // zeros, and one of each row
        sum.bytes += *each * input->elements();
    } else {
        sum.bytes += *each * rows;
        if (formula == Formula::CrossEntropy) {
            sum += elementwise(input->elements(), 0.0, 2.0 * *each);
            sum.flop += softmaxFlop(input->elements());
        }
    }
    return TracedWork{sum, call.typeOf("input"), Units::Vector};
}

std::optional<TracedWork> embeddingWork(const Call& call) {
    const Tensor* const table = call.tensor("weight");
    const Tensor* const indices = call.tensor("indices");
    const auto each = bytesOf(call.typeOf("weight"));
    const auto asked = call.storedBytes("indices");
    if (table == nullptr || indices == nullptr || !each || !asked)
        return std::nullopt;
    double width = 1.0; // elements behind one index
    if (!call.truth("single").value_or(false)) {
        const auto rank = static_cast<std::int64_t>(table->dims.size());
        std::int64_t dimension = 0;
        if (call.has("dimension")) {
            const auto chosen = call.whole("dimension");
            if (!chosen)
                return std::nullopt;
            dimension = *chosen < 0 ? *chosen + rank : *chosen;
        }
        if (dimension < 0 || dimension >= rank)
            return std::nullopt;
        const auto rows = static_cast<double>(table->dims[static_cast<std::size_t>(dimension)]);
        if (rows <= 0.0)
            return std::nullopt;
        width = table->elements() / rows;
    }
    Work sum = gatheredRows(indices->elements() * width, *each);
    sum.bytes += *asked;
    return TracedWork{sum, call.typeOf("weight"), Units::Vector};
}

std::optional<TracedWork> embeddingBackwardWork(const Call& call) {
    const Tensor* const gradient = call.tensor("gradient");
    const auto each = bytesOf(call.typeOf("gradient"));
    const auto asked = call.storedBytes("indices");
    const auto rows = call.whole("rows");
    if (gradient == nullptr || gradient->dims.empty() || !each || !asked || !rows || *rows < 0)
        return std::nullopt;
    const double written = static_cast<double>(*rows) * static_cast<double>(gradient->dims.back());
    Work sum = elementwise(gradient->elements(), 1.0, *each);
    sum.bytes += *asked + *each * written;
    return TracedWork{sum, call.typeOf("gradient"), Units::Vector};
}

} // namespace trainscope::work
