#include "core/work/Call.h"

namespace trainscope::work {

namespace {

constexpr double kStatisticBytes = 4.0; // they are kept in 32 bits

NormKind normKindOf(const Call& call) {
    const std::string_view kind = call.text("kind");
    return kind == "batch" ? NormKind::Batch
        : kind == "group"  ? NormKind::Group
        : kind == "rms"    ? NormKind::Rms
                           : NormKind::Layer;
}

double shapeOf(const Call& call) {
    const auto sizes = call.wholes("shape");
    double product = sizes && !sizes->empty() ? 1.0 : 0.0;
    for (const std::int64_t size : sizes.value_or(std::vector<std::int64_t>{}))
        product *= static_cast<double>(size);
    return product;
}

double channelsOf(const Call& call, const Tensor& input, NormKind kind) {
    if (kind == NormKind::Batch || kind == NormKind::Group)
        return input.dims.size() > 1 ? static_cast<double>(input.dims[1]) : 0.0;
    const Tensor* const weight = call.tensor("weight");
    const double listed = weight != nullptr ? weight->elements() : shapeOf(call);
    return listed > 0.0 || input.dims.empty() ? listed : static_cast<double>(input.dims.back());
}

// Means and deviations that a norm keeps for the backward pass, by their number for each row or
// channel.
double statisticsOf(
    const Call& call, const Tensor& input, NormKind kind, double channels, double each) {
    if (kind == NormKind::Batch)
        return each * channels;
    if (kind == NormKind::Group) {
        const auto groups = call.whole("groups");
        return input.dims.empty() || !groups
            ? 0.0
            : each * static_cast<double>(input.dims.front()) * static_cast<double>(*groups);
    }
    return channels > 0.0 ? each * input.elements() / channels : 0.0;
}

double savedEach(const Call& call) {
    const auto number = call.whole("saved");
    return number ? static_cast<double>(*number) : 0.0;
}

} // namespace

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

std::optional<TracedWork> normWork(const Call& call) {
    const Tensor* const input = call.tensor("input");
    const auto each = bytesOf(call.typeOf("input"));
    const auto weight = call.storedBytes("weight");
    const auto bias = call.storedBytes("bias");
    const auto mean = call.storedBytes("running_mean");
    const auto variance = call.storedBytes("running_variance");
    const auto training = call.has("training") ? call.truth("training") : true;
    if (input == nullptr || !each || !weight || !bias || !mean || !variance || !training)
        return std::nullopt;
    const NormKind kind = normKindOf(call);
    const double channels = channelsOf(call, *input, kind);
    const double elements = input->elements();
    Work sum = elementwise(elements, 0.0, 2.0 * *each);
    sum.flop = normFlop(kind, elements, channels, kind == NormKind::Batch && !*training);
    // Running statistics are read, and written anew in training.
    sum.bytes += *weight + *bias + (*mean + *variance) * (*training ? 2.0 : 1.0);
    if (*training)
        sum.bytes += kStatisticBytes * statisticsOf(call, *input, kind, channels, savedEach(call));
    if (const Tensor* const residual = call.tensor("residual")) // added before, and written
        sum += elementwise(residual->elements(), 1.0, 2.0 * *each);
    return TracedWork{sum, call.typeOf("input"), Units::Vector};
}

std::optional<TracedWork> normBackwardWork(const Call& call) {
    const Tensor* const input = call.tensor("input");
    const auto each = bytesOf(call.typeOf("input"));
    const auto gradient = call.storedBytes("gradient");
    const auto weight = call.storedBytes("weight");
    const auto wanted = call.has("gradients") ? truthsFrom(call.text("gradients"))
                                              : std::optional(std::vector<bool>(3, true));
    if (input == nullptr || call.tensor("gradient") == nullptr || !each || !gradient || !weight
        || !wanted || wanted->empty())
        return std::nullopt;
    const NormKind kind = normKindOf(call);
    const double channels = channelsOf(call, *input, kind);
    const bool isInputWanted = wanted->front();
    const auto ofParameters
        = static_cast<double>(std::count(wanted->begin() + 1, wanted->end(), true));
    Work sum;
    sum.flop = normBackwardFlop(kind, input->elements(), isInputWanted);
    sum.bytes = *gradient + *each * input->elements() * (isInputWanted ? 2.0 : 1.0)
        + *weight * (1.0 + ofParameters)
        + kStatisticBytes * statisticsOf(call, *input, kind, channels, savedEach(call));
    return TracedWork{sum, call.typeOf("input"), Units::Vector};
}

} // namespace trainscope::work
