#include "core/analysis/traces/Phase.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;

// Takes a number off the front of a text.
std::optional<int> takeNumber(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || text.empty() || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view front) {
    if (!text.starts_with(front))
        return false;
    text.remove_prefix(front.size());
    return true;
}

std::optional<TaskKind> kindOf(char letter) {
    switch (letter) {
    case 'F':
        return TaskKind::Forward;
    case 'B':
    case 'I':
        return TaskKind::Backward;
    case 'W':
        return TaskKind::WeightGradient;
    default:
        return std::nullopt;
    }
}

// "F3", "B3.1", "W3.1.0", "W_clear.1.0".
std::optional<PassName> zeroBubbleName(std::string_view text) {
    if (text.empty() || text.front() == 'I')
        return std::nullopt;
    const auto kind = kindOf(text.front());
    if (!kind)
        return std::nullopt;
    PassName name{*kind, std::nullopt, std::nullopt, std::nullopt};
    if (!take(text, "W_clear")) {
        text.remove_prefix(1);
        name.microbatch = takeNumber(text);
        if (!name.microbatch)
            return std::nullopt;
    }
    for (int part = 0; part < 2 && take(text, "."); ++part) {
        const auto number = takeNumber(text);
        if (!number)
            return std::nullopt;
        if (part == 0)
            name.chunk = number;
    }
    return text.empty() && name.isNumbered() ? std::optional(name) : std::nullopt;
}

// "PP:5F3".
std::optional<PassName> pipeliningName(std::string_view text) {
    if (!take(text, "PP:"))
        return std::nullopt;
    const auto piece = takeNumber(text);
    const auto kind = text.empty() ? std::nullopt : kindOf(text.front());
    if (!piece || !kind)
        return std::nullopt;
    text.remove_prefix(1);
    const auto microbatch = takeNumber(text);
    if (!microbatch || !text.empty())
        return std::nullopt;
    return PassName{*kind, microbatch, std::nullopt, piece};
}

// "Forward 3".
std::optional<PassName> countedName(std::string_view text) {
    const bool isForward = take(text, "Forward ");
    if (!isForward && !take(text, "Backward "))
        return std::nullopt;
    const auto microbatch = takeNumber(text);
    if (!microbatch || !text.empty())
        return std::nullopt;
    return PassName{
        isForward ? TaskKind::Forward : TaskKind::Backward, microbatch, std::nullopt, std::nullopt};
}

bool tellsWeights(std::string_view text) {
    const std::string lower = lowered(text);
    const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
    constexpr std::array<std::string_view, 7> weights{"wgrad", "weight_grad", "weight grad",
        "weightgrad", "backward_weight", "backward_dw", "bwd_weight"};
    constexpr std::array<std::string_view, 3> others{"dgrad", "forward", "fwd"};
    return std::ranges::any_of(weights, has) && std::ranges::none_of(others, has);
}

bool hasAny(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool tellsBackward(const std::string& lowerText) {
    return hasAny(lowerText, {"backward", "bwd", "bprop", "dgrad", "wgrad"});
}

} // namespace

std::optional<PassName> passNameOf(std::string_view annotation) {
    for (const auto parse : {zeroBubbleName, pipeliningName, countedName}) {
        if (const auto name = parse(annotation))
            return name;
    }
    if (tellsWeights(annotation))
        return PassName{TaskKind::WeightGradient, std::nullopt, std::nullopt, std::nullopt};
    return std::nullopt;
}

std::string phaseTitle(Phase phase) {
    std::string title(toString(phase));
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

std::optional<Phase> phaseOf(Mark mark) {
    switch (mark) {
    case Mark::Forward:
        return Phase::Forward;
    case Mark::Backward:
        return Phase::Backward;
    case Mark::Optimizer:
        return Phase::Optimizer;
    case Mark::None:
        break;
    }
    return std::nullopt;
}

Mark markOfAnnotation(std::string_view name) {
    if (const auto pass = passNameOf(name))
        return pass->kind == layout::TaskKind::Forward ? Mark::Forward : Mark::Backward;
    const std::string text = lowered(name);
    if (hasAny(text, {"optimizer", "optim.step", "optim_step"}))
        return Mark::Optimizer;
    const bool backward = tellsBackward(text);
    const bool forward = hasAny(text, {"forward", "fwd", "fprop"});
    if (forward == backward)
        return Mark::None;
    return backward ? Mark::Backward : Mark::Forward;
}

Mark markOfOperator(std::string_view name) {
    // Profilers before user_annotation wrote record_function as an operator.
    if (name.find("::") == std::string_view::npos)
        return markOfAnnotation(name);
    if (name.starts_with("autograd::engine::evaluate_function"))
        return Mark::Backward;
    return tellsBackward(lowered(name)) ? Mark::Backward : Mark::None;
}

Mark markOfKernel(std::string_view name, std::string_view category) {
    if (category == "optimizer")
        return Mark::Optimizer;
    const std::string text = lowered(name);
    if (tellsBackward(text))
        return Mark::Backward;
    return hasAny(text, {"fwd", "fprop"}) ? Mark::Forward : Mark::None;
}

} // namespace trainscope::analysis
