#include "core/analysis/comparison/Comparison.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace trainscope::analysis {
namespace {

constexpr double kWorthTelling = 0.001; // share of the step

// From the first iteration that the traces cover to the last one.
Result<TimeRange> coveredWindow(const RunStudy& study, const RunMeasures& run) {
    const auto& covered = run.traced->iterations;
    const auto isCovered = [&covered](const Iteration& one) {
        return std::ranges::find(covered, one.index) != covered.end();
    };
    TimeRange window = kNoTime;
    if (!run.capture.empty()) { // other captures count from the same number
        for (const IterationFigures& one : run.iterations)
            window = isCovered(one.iteration) ? spanned(window, one.iteration.range) : window;
        return window.isEmpty() ? run.window.window : window;
    }
    ASSIGN_OR_RETURN(const auto all, iterationsOf(study));
    for (const Iteration& one : all.iterations)
        window = isCovered(one) ? spanned(window, one.range) : window;
    return window.isEmpty() ? kAllTime : window;
}

// Seconds of a step by operator; nothing where the trace names none.
Result<std::map<std::string, double>> operatorSeconds(
    const RunStudy& study, const RunMeasures& run) {
    std::map<std::string, double> seconds;
    if (!run.speaksForSteps())
        return seconds;
    ASSIGN_OR_RETURN(const auto window, coveredWindow(study, run));
    ASSIGN_OR_RETURN(auto clocks, differingClocks(study));
    ASSIGN_OR_RETURN(const auto tree, callTree(study, ownWindows(std::move(clocks), window)));
    if (!tree.hasHost || tree.rankTime.ns <= 0)
        return seconds;
    const TraceMeasures& traced = *run.traced;
    const double scale = traced.basis == TraceBasis::Iterations
        ? traced.toStep / static_cast<double>(traced.iterations.size())
            / std::max(traced.devices, 1)
        : traced.all.seconds / tree.rankTime.seconds();
    for (const OperatorEntry& row : operatorTable(tree, OperatorGrouping::Operator, nullptr).rows)
        seconds[row.name] += row.time.seconds() * scale;
    return seconds;
}

std::string whyAbsent(const RunMeasures& a, const RunMeasures& b, std::size_t quantity) {
    for (const RunMeasures* run : {&a, &b}) {
        if (!run->values[quantity])
            return run->run.name + ": "
                + (run->absentWhy[quantity].empty() ? "not known." : run->absentWhy[quantity]);
    }
    return "What it is divided by is not known.";
}

// Figures of windows that hold different amounts of work are not comparable.
bool dependsOnWindow(const QuantityInfo& quantity) {
    return quantity.key == "samples_per_s_per_mj"
        || (quantity.tokens == TokensOf::Window && quantity.key == "energy_j");
}

// A driver's flag and low clocks are different measures of throttling.
bool dependsOnBasis(const QuantityInfo& quantity) {
    return quantity.key.ends_with("throttled_fraction");
}

std::string whyNoSpread(const RunMeasures& a, const RunMeasures& b) {
    for (const RunMeasures* run : {&a, &b}) {
        if (run->run.kind == RunKind::Predicted)
            return run->run.name + " is predicted: how much it would vary is not known.";
    }
    return "One figure a run: how much it varies is not known.";
}

void weigh(Difference& out, const Measure& a, const Measure& b) {
    const auto difference = differenceOf(*a.spread, *b.spread);
    if (!difference) {
        out.why = fmt::format("{} and {} iterations are too few to tell; {} of each are needed.",
            a.spread->count, b.spread->count, kLeastIterations);
        return;
    }
    out.weight = difference->isBeyond() ? Difference::Weight::Beyond : Difference::Weight::Within;
    out.why = fmt::format("{} and {} iterations, Welch's t at {}", a.spread->count, b.spread->count,
        text::percent(kConfidence, 0));
}

Difference differenceIn(
    std::size_t quantity, const RunMeasures& a, const RunMeasures& b, Normalisation by) {
    Difference out;
    out.quantity = quantity;
    const auto first = a.normalised(quantity, by);
    const auto second = b.normalised(quantity, by);
    if (first)
        out.a = first->value;
    if (second)
        out.b = second->value;
    if (!first || !second) {
        out.why = whyAbsent(a, b, quantity);
        return out;
    }
    const QuantityInfo& info = comparedQuantities()[quantity];
    if (by == Normalisation::Absolute && dependsOnWindow(info)
        && a.iterations.size() != b.iterations.size()) {
        out.why = fmt::format("The windows hold {} and {} iterations, on which it depends.",
            a.iterations.size(), b.iterations.size());
        return out;
    }
    if (dependsOnBasis(info) && a.throttleBasis != b.throttleBasis) {
        out.why = "Throttling is told by the driver's reasons in one run and from clocks in the "
                  "other.";
        return out;
    }
    // Degrees have no zero that a ratio could be of.
    if (first->value > 0.0 && second->value >= 0.0 && info.unit != "°C")
        out.ratio = second->value / first->value;
    if (first->spread && second->spread)
        weigh(out, *first, *second);
    else
        out.why = whyNoSpread(a, b);
    return out;
}

using Value = std::optional<std::string>;

std::string text(const std::string& value) {
    return value;
}
std::string text(int value) {
    return std::to_string(value);
}
std::string text(bool value) {
    return value ? "on" : "off";
}
std::string text(Workload value) {
    return std::string(toString(value));
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTitles{
    {{"gpus_per_node", "GPUs per node"}, {"kv_heads", "KV heads"}, {"ffn_size", "FFN size"},
        {"gated_mlp", "Gated MLP"}, {"fsdp", "FSDP"}, {"zero_stage", "ZeRO stage"},
        {"micro_batch", "Micro-batch"}, {"overlap", "Compute-communication overlap"},
        {"power_limit_w", "Power limit (W)"}, {"locked_clock_mhz", "Locked clock (MHz)"}}};

// "tensor_parallel" → "Tensor parallel"
std::string titleOf(std::string_view key) {
    for (const auto& [known, title] : kTitles) {
        if (known == key)
            return std::string(title);
    }
    std::string title(key);
    std::replace(title.begin(), title.end(), '_', ' ');
    return capitalised(title);
}

void addWhereDifferent(std::vector<ConfigDifference>& out, std::string key, std::string title,
    std::vector<Value> values) {
    const bool isEqual
        = std::ranges::all_of(values, [&](const Value& one) { return one == values.front(); });
    if (!isEqual)
        out.push_back({std::move(key), std::move(title), std::move(values)});
}

Value count(int number) {
    return number > 0 ? Value(std::to_string(number)) : std::nullopt;
}

// A degree of the layout, where the launch configuration states none.
Value degreeOf(const RunMeasures& run, std::string_view key) {
    if (!run.layout)
        return std::nullopt;
    const layout::Degrees& degrees = run.layout->grid.degrees();
    const std::array<std::pair<std::string_view, int>, 6> known{
        {{"tensor_parallel", degrees.tensor}, {"pipeline_parallel", degrees.pipeline},
            {"context_parallel", degrees.context}, {"expert_parallel", degrees.expert},
            {"data_parallel", degrees.data}, {"virtual_pipeline", run.layout->virtualStages}}};
    const auto found
        = std::ranges::find_if(known, [key](const auto& one) { return one.first == key; });
    return found == known.end() ? std::nullopt : Value(text(found->second));
}

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

double StepOperator::difference() const {
    double least = 0.0;
    double most = 0.0;
    for (std::size_t run = 0; run < seconds.size(); ++run) {
        const double own = seconds[run].value_or(0.0);
        least = run == 0 ? own : std::min(least, own);
        most = std::max(most, own);
    }
    return most - least;
}

Result<std::vector<StepOperator>> stepOperators(
    const RunStudies& studies, std::span<const RunMeasures* const> runs, std::size_t most) {
    std::map<std::string, StepOperator> byName;
    std::size_t known = 0;
    double step = 0.0;
    for (std::size_t at = 0; at < runs.size(); ++at) {
        ASSIGN_OR_RETURN(const auto seconds, operatorSeconds(studies.of(runs[at]->run), *runs[at]));
        known += seconds.empty() ? 0U : 1U;
        step = seconds.empty() ? step : std::max(step, runs[at]->traced->all.seconds);
        for (const auto& [name, own] : seconds) {
            StepOperator& one = byName[name];
            one.name = name;
            one.seconds.resize(runs.size());
            one.seconds[at] = own;
        }
    }
    std::vector<StepOperator> found;
    for (auto& [name, one] : byName) {
        if (known > 1 && one.difference() >= kWorthTelling * step)
            found.push_back(std::move(one));
    }
    std::ranges::stable_sort(found, std::greater<>(), &StepOperator::difference);
    found.resize(std::min(found.size(), most));
    return found;
}

std::vector<Difference> differencesOf(
    const RunMeasures& a, const RunMeasures& b, Normalisation by) {
    std::vector<Difference> out;
    for (std::size_t i = 0; i < comparedQuantities().size(); ++i)
        out.push_back(differenceIn(i, a, b, by));
    return out;
}

bool comesBefore(
    const RunMeasures& a, const RunMeasures& b, std::size_t quantity, Normalisation by) {
    const auto left = a.normalised(quantity, by);
    const auto right = b.normalised(quantity, by);
    if (!left || !right)
        return left.has_value() && !right.has_value();
    return comparedQuantities()[quantity].better == Better::Lower ? left->value < right->value
                                                                  : left->value > right->value;
}

Comparison comparisonOf(std::vector<RunMeasures> runs) {
    Comparison out;
    std::vector<const RunMeasures*> all;
    for (const RunMeasures& run : runs)
        all.push_back(&run);
    out.configuration = configDifferences(all);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        out.differences.push_back(differencesOf(runs.front(), runs[i]));
        out.verdicts.push_back(verdictOf(runs.front(), runs[i]));
    }
    out.runs = std::move(runs);
    return out;
}

Result<Comparison> compareRuns(const store::Store& store, std::span<const ComparedRun> runs,
    const Progress& progress, std::optional<std::size_t> sortedBy, Normalisation by) {
    if (runs.size() < 2)
        return Error{ErrorCode::Usage, "A comparison needs two runs.", store.path().string()};
    const RunStudies studies(store, progress);
    std::vector<RunMeasures> measured;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Run& run = runs[i].run;
        const MeasureScope& scope = runs[i].scope;
        const bool isTwice = std::any_of(runs.begin(),
            runs.begin() + static_cast<std::ptrdiff_t>(i), [&](const ComparedRun& other) {
                return other.run.id == run.id && other.scope.capture == scope.capture;
            });
        if (isTwice)
            return Error{ErrorCode::Usage,
                (scope.capture.empty() ? "The run '" + run.name
                                       : "The capture '" + scope.capture + "' of '" + run.name)
                    + "' was given twice; choose another to compare with.",
                store.path().string()};
        ASSIGN_OR_RETURN(auto measures, measuresOf(studies.of(run), scope));
        measured.push_back(std::move(measures));
    }
    if (sortedBy)
        std::stable_sort(
            measured.begin() + 1, measured.end(), [&](const RunMeasures& a, const RunMeasures& b) {
                return comesBefore(a, b, *sortedBy, by);
            });
    Comparison made = comparisonOf(std::move(measured));
    std::vector<const RunMeasures*> all;
    for (const RunMeasures& run : made.runs)
        all.push_back(&run);
    ASSIGN_OR_RETURN(made.operators, stepOperators(studies, all));
    return made;
}

std::vector<ConfigDifference> configDifferences(std::span<const RunMeasures* const> runs) {
    std::vector<ConfigDifference> out;
    if (runs.empty())
        return out;
    const auto add = [&](std::string key, std::string title, auto&& valueOf) {
        std::vector<Value> values;
        for (const RunMeasures* one : runs)
            values.push_back(valueOf(*one));
        addWhereDifferent(out, std::move(key), std::move(title), std::move(values));
    };
    add("kind", "Kind", [](const RunMeasures& one) { return Value(toString(one.run.kind)); });
    add("gpu_model", "GPU", [](const RunMeasures& one) {
        return one.gpu.name.empty() ? std::nullopt : Value(one.gpu.name);
    });
    add("gpus", "GPUs", [](const RunMeasures& one) { return count(one.gpus); });
    add("nodes", "Nodes", [](const RunMeasures& one) { return count(one.nodes); });
    forEachLaunchField([&](const char* name, auto member) {
        if (std::string_view(name) == "nodes")
            return; // nodes are listed above already
        add(name, titleOf(name), [name, member](const RunMeasures& one) {
            const auto& value = one.run.launch.*member;
            return value ? Value(text(*value)) : degreeOf(one, name);
        });
    });
    return out;
}

std::string runMark(std::size_t place) {
    constexpr std::size_t letters = 26;
    std::string mark;
    for (std::size_t rest = place + 1; rest > 0; rest = (rest - 1) / letters)
        mark += static_cast<char>('A' + static_cast<int>((rest - 1) % letters));
    std::reverse(mark.begin(), mark.end());
    return mark;
}

std::string runMarks(std::span<const std::size_t> places) {
    std::string text;
    for (std::size_t i = 0; i < places.size();) {
        std::size_t last = i;
        while (last + 1 < places.size() && places[last + 1] == places[last] + 1)
            ++last;
        text += (text.empty() ? "" : ", ") + runMark(places[i]);
        if (last > i)
            text += (last > i + 1 ? "–" : ", ") + runMark(places[last]);
        i = last + 1;
    }
    return text;
}

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
