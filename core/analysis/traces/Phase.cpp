#include "core/analysis/traces/Phase.h"

#include "core/analysis/traces/PassName.h"
#include "core/model/AsciiText.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace trainscope::analysis {

namespace {

bool hasAny(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
        [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool tellsBackward(const std::string& lowerText) {
    return hasAny(lowerText, {"backward", "bwd", "bprop", "dgrad", "wgrad"});
}

} // namespace

std::string_view toString(Phase phase) {
    switch (phase) {
    case Phase::Forward:
        return "forward";
    case Phase::Backward:
        return "backward";
    case Phase::Optimizer:
        return "optimizer";
    case Phase::Compute:
        return "compute";
    case Phase::CommunicationExposed:
        return "communication_exposed";
    case Phase::CommunicationHidden:
        return "communication_hidden";
    case Phase::Idle:
        return "idle";
    }
    return "";
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
