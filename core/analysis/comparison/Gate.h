#pragma once
// Gates: limits that a run keeps against the run before it, as a training's tests ask for them.
//
// QUANTITY<=LIMIT or QUANTITY>=LIMIT, the quantity by namedQuantity(). A limit with a sign is one
// on the change from the base: "step_time<=+2%" relative to it, "gpu_temperature.max<=+3" in SI
// units. A limit without one is on the value itself: "goodput>=90%", "peak_temperature_c<=85".
//
// A gate passes where the value keeps the limit by more than the margin, fails where it breaks it
// by more, and between cannot tell. The margin is that of Welch's interval over the iterations at
// kConfidence (Spread.h), of value − factor × base. One figure a run is taken as it is: its noise
// is not known, and the text says so. Not comparable are another model, batch, sequence length or
// machine where both state it, a run that ran out of memory, and one without a single value.

#include "core/analysis/comparison/RunMeasures.h"

namespace trainscope::analysis {

struct Gate {
    std::string text; // as it was given
    std::size_t quantity = 0; // place in comparedQuantities()
    bool isUpper = true; // <=
    double factor = 0.0; // × base; 1.02 for +2 %, 0 for a limit on the value
    double shift = 0.0; // SI
};
// Usage for what is no gate, names no quantity or asks for a ratio of degrees. Pure.
Result<Gate> gateOf(std::string_view text);

enum class GateResult { Passed, CannotTell, Failed, NotComparable }; // the worse, the later
constexpr auto namesOf(GateResult) {
    return enumNames("passed", "cannot_tell", "failed", "not_comparable");
}

struct GateOutcome {
    Gate gate;
    std::string base; // names of the runs
    std::string run;
    GateResult result = GateResult::CannotTell;
    std::optional<double> a; // the base's value
    std::optional<double> b;
    std::optional<double> margin; // ± of b at the limit, in the quantity's unit
    std::string text; // "2.00 s to 2.01 s, +0.5 % ± 0.2 %", or the reason for no answer
};
// b against the base a. Pure.
GateOutcome outcomeOf(const Gate& gate, const RunMeasures& a, const RunMeasures& b);

} // namespace trainscope::analysis
