#include "core/analysis/comparison/Gate.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace trainscope::analysis {

namespace {

// Empty where they can be compared.
std::string whyNotComparable(const RunMeasures& a, const RunMeasures& b) {
    constexpr std::string_view ofTheJob[]{
        "model", "global_batch", "sequence_length", "gpu_model", "gpus", "nodes"};
    const RunMeasures* const runs[]{&a, &b};
    for (const RunMeasures* run : runs) {
        if (run->run.status == RunStatus::Oom)
            return run->run.name + " ran out of memory.";
        if (std::ranges::none_of(run->values, [](const auto& one) { return one.has_value(); }))
            return run->run.name + " holds nothing that could be compared.";
    }
    for (const ConfigDifference& one : configDifferences(runs)) {
        if (std::ranges::find(ofTheJob, one.key) != std::end(ofTheJob) && one.values[0]
            && one.values[1])
            return fmt::format(
                "Not the same job: {} {} and {}.", one.title, *one.values[0], *one.values[1]);
    }
    return {};
}

std::string wordsOf(const QuantityInfo& info, double value) {
    return isShare(info) ? text::roundedPercent(value) : text::rounded(value, info.unit);
}

// ± of b at the limit; absent where there are too few iterations.
std::optional<double> marginOf(const Gate& gate, const RunMeasures& a, const RunMeasures& b) {
    const auto& spread = b.values[gate.quantity]->spread;
    if (!spread)
        return 0.0;
    Spread base{kLeastIterations};
    if (gate.factor != 0.0)
        base = *a.values[gate.quantity]->spread;
    base.std *= std::abs(gate.factor);
    const auto difference = differenceOf(base, *spread);
    return difference ? std::optional(difference->margin) : std::nullopt;
}

} // namespace

Result<Gate> gateOf(std::string_view text) {
    const auto noGate = [text](std::string_view why) {
        return usageError(fmt::format("'{}' is no gate: {}. Gates are such as step_time<=+2%, "
                                      "gpu_temperature.max<=+3 or goodput>=90%.",
            text, why));
    };
    const std::size_t sign = std::min(text.find_first_of("<>"), text.size());
    if (text.substr(sign).size() < 2 || text[sign + 1] != '=')
        return noGate("it has neither <= nor >=");
    Gate gate{std::string(text), 0, text[sign] == '<'};
    const std::string_view name = text.substr(0, sign);
    ASSIGN_OR_RETURN(gate.quantity, namedQuantity(name.substr(0, name.find_last_not_of(' ') + 1)));
    const QuantityInfo& info = comparedQuantities()[gate.quantity];
    std::string_view limit = text.substr(sign + 2);
    limit.remove_prefix(std::min(limit.find_first_not_of(' '), limit.size()));
    const bool isChange = limit.starts_with('+') || limit.starts_with('-');
    limit.remove_prefix(limit.starts_with('+') ? 1 : 0);
    double number = 0.0;
    const char* const last = limit.data() + limit.size();
    const auto [end, problem] = std::from_chars(limit.data(), last, number);
    const bool isShared = std::string_view(end, last) == "%";
    if (problem != std::errc() || !std::isfinite(number) || !(end == last || isShared))
        return noGate(fmt::format("'{}' is neither a number in SI units nor one in %", limit));
    if (isChange && isShared && info.unit == "°C")
        return noGate("degrees have no zero that a ratio could be of, so leave the % out");
    if (!isChange && isShared && !isShare(info))
        return noGate("a limit in % without a sign needs a share; changes begin with + or -");
    gate.factor = !isChange ? 0.0 : isShared ? 1.0 + number / 100.0 : 1.0;
    gate.shift = !isShared ? number : isChange ? 0.0 : number / 100.0;
    return gate;
}

GateOutcome outcomeOf(const Gate& gate, const RunMeasures& a, const RunMeasures& b) {
    const QuantityInfo& info = comparedQuantities()[gate.quantity];
    const bool isChange = gate.factor != 0.0;
    const Difference difference = differencesOf(a, b)[gate.quantity];
    GateOutcome out{gate, a.run.name, b.run.name, GateResult::CannotTell, difference.a,
        difference.b, {}, whyNotComparable(a, b)};
    if (!out.text.empty()) {
        out.result = GateResult::NotComparable;
        return out;
    }
    out.text = isChange ? difference.why : b.absentWhy[gate.quantity];
    const bool isOneFigure
        = out.a && out.b && !a.values[gate.quantity]->spread && !b.values[gate.quantity]->spread;
    if (!out.b || (isChange && !isOneFigure && difference.weight == Difference::Weight::Unknown))
        return out;
    out.margin = marginOf(gate, a, b);
    if (!out.margin) {
        out.text = fmt::format("There are fewer than {} iterations.", kLeastIterations);
        return out;
    }
    const double above = *out.b - gate.shift - (isChange ? gate.factor * *out.a : 0.0);
    const double over = gate.isUpper ? above : -above;
    if (std::abs(over) >= *out.margin)
        out.result = over > 0.0 ? GateResult::Failed : GateResult::Passed;
    out.text = (isChange ? wordsOf(info, *out.a) + " to " : "") + wordsOf(info, *out.b);
    if (isChange && isOneFigure)
        out.text += "; one figure a run, so how much it varies is not known";
    else if (isChange && gate.shift == 0.0 && *out.a > 0.0)
        out.text += fmt::format(", {} ± {}", text::signedPercent(*out.b / *out.a - 1.0, 2),
            text::percent(*out.margin / *out.a, 2));
    else if (*out.margin > 0.0)
        out.text += " ± " + wordsOf(info, *out.margin);
    return out;
}

} // namespace trainscope::analysis
