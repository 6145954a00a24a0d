#include "core/work/Call.h"

namespace trainscope::work {

namespace {

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
