#include "core/work/Call.h"

namespace trainscope::work {

namespace {

int inputsOf(const Call& call) {
    return static_cast<int>(std::clamp<std::int64_t>(call.whole("inputs").value_or(1), 1, 16));
}

double flopEachOf(const Call& call) {
    return static_cast<double>(call.whole("flop").value_or(1));
}

// The shape that shapes broadcast to; false where they do not fit.
bool broadcast(std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& other) {
    if (other.size() > shape.size())
        shape.insert(shape.begin(), other.size() - shape.size(), 1);
    const std::size_t offset = shape.size() - other.size();
    for (std::size_t i = 0; i < other.size(); ++i) {
        std::int64_t& size = shape[offset + i];
        if (size != other[i] && size != 1 && other[i] != 1)
            return false;
        if (size == 1)
            size = other[i];
    }
    return true;
}

struct Inputs {
    Tensor shape; // broadcast over all inputs
    double bytes = 0.0;
    ElementType type = ElementType::Unknown;
    ElementType ofNumbers = ElementType::Unknown; // promoted over tensors without dimensions
    int tensors = 0;
};

std::optional<Inputs> readInputs(const Call& call) {
    Inputs inputs;
    for (int i = 0; i < inputsOf(call); ++i) {
        const Tensor* const tensor = call.signature().tensor(i);
        if (tensor == nullptr) // a number, or nothing
            continue;
        const ElementType type = call.signature().at(i)->type;
        const auto each = bytesOf(type);
        if (!each || !broadcast(inputs.shape.dims, tensor->dims))
            return std::nullopt;
        inputs.bytes += *each * tensor->stored();
        ElementType& all = tensor->dims.empty() ? inputs.ofNumbers : inputs.type;
        all = promoted(all, type);
        ++inputs.tensors;
    }
    if (inputs.type == ElementType::Unknown)
        inputs.type = inputs.ofNumbers;
    return inputs.tensors > 0 ? std::optional(inputs) : std::nullopt;
}

// Type of the written tensor: the first argument in place, a tensor that follows the inputs and has
// their shape, or a new one.
ElementType writtenType(const Call& call, const Inputs& inputs) {
    if (call.isInPlace() && call.signature().tensor(0) != nullptr)
        return call.signature().at(0)->type;
    const Tensor* const given = call.signature().tensor(inputsOf(call));
    if (given != nullptr && given->dims == inputs.shape.dims && !given->dims.empty())
        return call.signature().at(inputsOf(call))->type;
    const ElementType named = elementTypeFrom(call.text("result"));
    return named != ElementType::Unknown ? named : inputs.type;
}

std::optional<double> listBytes(const Argument& list) {
    const auto each = bytesOf(list.type);
    return each && !list.tensors.empty() ? std::optional(*each * list.stored()) : std::nullopt;
}

constexpr ElementType kAssumedType = ElementType::Float32;

bool isList(const Argument* argument) {
    return argument != nullptr && argument->kind == Argument::Kind::List
        && !argument->tensors.empty();
}

struct Lists {
    double bytesRead = 0.0;
    double bytesFirst = 0.0; // the first list alone
    ElementType type = ElementType::Unknown;
    bool isTypeAssumed = false;

    void read(const Argument& list) {
        const bool isKnown = list.type != ElementType::Unknown;
        const ElementType assumed = isKnown ? list.type : kAssumedType;
        const double bytes = list.elements() * bytesOf(assumed).value_or(0.0);
        isTypeAssumed = isTypeAssumed || !isKnown;
        if (type == ElementType::Unknown) {
            type = assumed;
            bytesFirst = bytes;
        }
        bytesRead += bytes;
    }
};

} // namespace

std::optional<TracedWork> elementwiseWork(const Call& call) {
    const auto inputs = readInputs(call);
    const auto each = inputs ? bytesOf(writtenType(call, *inputs)) : std::nullopt;
    if (!each)
        return std::nullopt;
    const double results = inputs->shape.elements();
    Work sum = elementwise(results, flopEachOf(call), *each);
    sum.bytes += inputs->bytes;
    if (call.truth("writes_mask").value_or(false))
        sum.bytes += results;
    return TracedWork{sum, inputs->type, Units::Vector};
}

std::optional<TracedWork> copyWork(const Call& call) {
    const Tensor* const from = call.tensor("from");
    const auto read = call.storedBytes("from");
    if (from == nullptr || !read)
        return std::nullopt;
    ElementType type = call.typeOf("from");
    double results = from->elements();
    if (const Tensor* const into = call.tensor("to")) {
        type = call.typeOf("to");
        results = into->elements();
    } else if (const auto number = call.whole("to_type"); number && *number >= 0 && *number < 100) {
        type = elementTypeFrom(static_cast<int>(*number));
    }
    const auto each = bytesOf(type);
    if (!each)
        return std::nullopt;
    return TracedWork{{0.0, *read + *each * results}, call.typeOf("from"), Units::Vector};
}

std::optional<TracedWork> fillWork(const Call& call) {
    const Tensor* const into = call.signature().tensor(0);
    const auto each = into != nullptr ? bytesOf(call.signature().at(0)->type) : std::nullopt;
    if (!each)
        return std::nullopt;
    return TracedWork{
        elementwise(into->elements(), 0.0, *each), call.signature().at(0)->type, Units::Vector};
}

std::optional<TracedWork> concatenationWork(const Call& call) {
    const Argument* const list = call.signature().at(0);
    if (list == nullptr || list->kind != Argument::Kind::List)
        return std::nullopt;
    const auto read = listBytes(*list);
    const auto each = bytesOf(list->type);
    if (!read || !each)
        return std::nullopt;
    return TracedWork{{0.0, *read + *each * list->elements()}, list->type, Units::Vector};
}

namespace {

// Number of elements that are left of a shape when it is summed over some dimensions, or over all
// where none are named. Absent where the trace did not record which.
std::optional<double> leftOf(const Call& call, const Tensor& input) {
    if (call.argument("dimensions") == nullptr)
        return 1.0;
    if (!call.signature().hasValues)
        return std::nullopt;
    const std::string_view text = call.text("dimensions");
    auto dimensions = call.wholes("dimensions");
    if (const auto one = call.whole("dimensions"))
        dimensions = std::vector<std::int64_t>{*one};
    if (text.empty() || (dimensions && dimensions->empty()))
        return 1.0;
    if (!dimensions)
        return std::nullopt;
    const auto rank = static_cast<std::int64_t>(input.dims.size());
    double left = input.elements();
    for (const std::int64_t dimension : *dimensions) {
        const std::int64_t place = dimension < 0 ? dimension + rank : dimension;
        if (place < 0 || place >= rank)
            return rank == 0 ? std::optional(1.0) : std::nullopt;
        const auto size = static_cast<double>(input.dims[static_cast<std::size_t>(place)]);
        left = size > 0.0 ? left / size : 0.0;
    }
    return left;
}

} // namespace

std::optional<TracedWork> reductionWork(const Call& call) {
    const Tensor* const input = call.signature().tensor(0);
    const auto each = input != nullptr ? bytesOf(call.signature().at(0)->type) : std::nullopt;
    const auto left = each ? leftOf(call, *input) : std::nullopt;
    if (!left)
        return std::nullopt;
    const auto named = bytesOf(elementTypeFrom(call.text("result")));
    Work sum = elementwise(input->elements(), flopEachOf(call), 0.0);
    sum.bytes = *each * input->stored() + named.value_or(*each) * *left;
    if (call.argument("dimensions") != nullptr && call.truth("with_indices").value_or(false))
        sum.bytes += 8.0 * *left;
    return TracedWork{sum, call.signature().at(0)->type, Units::Vector};
}

std::optional<TracedWork> scatterWork(const Call& call) {
    const Tensor* const source = call.tensor("source");
    const auto each = bytesOf(call.typeOf("source"));
    const auto places = call.storedBytes("indices");
    if (source == nullptr || !each || !places)
        return std::nullopt;
    // The places that are added to are read and written.
    Work sum = elementwise(source->elements(), flopEachOf(call), 3.0 * *each);
    sum.bytes += *places;
    return TracedWork{sum, call.typeOf("source"), Units::Vector};
}

std::optional<TracedWork> optimizerWork(const Call& call) {
    const Argument* const parameters = call.argument("parameters");
    const Argument* const gradients = call.argument("gradients");
    auto kind = fromString<OptimizerKind>(call.text("kind"));
    if (!isList(parameters) || !isList(gradients) || !kind)
        return std::nullopt;
    Lists lists;
    lists.read(*parameters);
    lists.read(*gradients);
    const double gradientBytes = lists.bytesRead - lists.bytesFirst;
    bool hasState = false;
    for (const char* const part : {"state_1", "state_2", "state_3"}) {
        // A number for each tensor is no state of its elements.
        const Argument* const state = call.argument(part);
        if (isList(state) && state->elements() == parameters->elements()) {
            lists.read(*state);
            hasState = true;
        }
    }
    if (*kind == OptimizerKind::Sgd && hasState)
        kind = OptimizerKind::MomentumSgd;
    Work sum{optimizerFlop(*kind, parameters->elements()), 2.0 * lists.bytesRead - gradientBytes};
    return TracedWork{sum, lists.type, Units::Vector, Formula::Optimizer, lists.isTypeAssumed};
}

std::optional<TracedWork> foreachWork(const Call& call) {
    const Argument* const first = call.signature().at(0);
    if (!isList(first))
        return std::nullopt;
    const bool isReduced = call.truth("reduces").value_or(false);
    const bool isOnlyWritten = call.truth("only_writes").value_or(false);
    const bool isOverwritten = call.truth("overwrites").value_or(false);
    Lists lists;
    lists.read(*first);
    if (isOnlyWritten || isOverwritten)
        lists.bytesRead = 0.0;
    for (int i = 1; i < 3 && !isOnlyWritten; ++i) {
        const Argument* const other = call.signature().at(i);
        if (!isList(other))
            continue;
        if (other->elements() != first->elements())
            return std::nullopt;
        lists.read(*other);
    }
    const auto flop = static_cast<double>(call.whole("flop").value_or(1));
    Work sum{first->elements() * flop, lists.bytesRead + (isReduced ? 0.0 : lists.bytesFirst)};
    return TracedWork{sum, lists.type, Units::Vector, Formula::Foreach, lists.isTypeAssumed};
}

} // namespace trainscope::work
