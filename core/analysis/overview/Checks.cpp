// The checks that an overview tells of, made or not.
#include "core/analysis/findings/Rules.h"
#include "core/analysis/overview/Overview.h"
#include "core/text/Names.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

bool hasMetric(const OverviewInputs& inputs, const char* metric) {
    return inputs.facts.whole.metrics.contains(metric);
}

// In words, and whether it is there.
struct NeededData {
    Need need;
    const char* words;
    bool (*isThere)(const OverviewInputs& inputs);
};
using Inputs = const OverviewInputs&;
constexpr std::array kNeeded{
    NeededData{Need::Nothing, "", [](Inputs) { return true; }},
    NeededData{Need::Telemetry, "telemetry of the GPUs",
        [](Inputs in) { return !in.facts.whole.gpus.empty() && !in.facts.whole.metrics.empty(); }},
    NeededData{Need::Power, "the power of the GPUs",
        [](Inputs in) { return hasMetric(in, metric::kGpuPower); }},
    NeededData{Need::Limit, "power beside a limit",
        [](Inputs in) { return !in.facts.aboveLimit.empty(); }},
    NeededData{Need::Counter, "an energy counter beside the power",
        [](Inputs in) {
            return hasMetric(in, metric::kGpuPower) && hasMetric(in, metric::kGpuEnergy);
        }},
    NeededData{Need::Clock, "reasons of throttling, or clocks beside the utilisation",
        [](Inputs in) { return in.facts.throttling.has_value(); }},
    NeededData{Need::Temperature, "temperatures",
        [](Inputs in) { return hasMetric(in, metric::kGpuTemperature); }},
    NeededData{Need::Links, "counters of the links beside the utilisation",
        [](Inputs in) { return !in.facts.traffic.empty(); }},
    NeededData{Need::NodePower, "the power of the nodes",
        [](Inputs in) { return hasMetric(in, metric::kNodePower); }},
    NeededData{Need::Trace, "a trace", [](Inputs in) { return !in.facts.traced.empty(); }},
    NeededData{Need::Calls, "a trace with the calls of the host",
        [](Inputs in) { return in.facts.operators.has_value(); }},
    NeededData{Need::RankTraces, "traces of several ranks",
        [](Inputs in) { return in.facts.communication.has_value(); }},
    NeededData{Need::Stages, "traces of pipeline stages",
        [](Inputs in) { return in.facts.pipeline.has_value(); }},
    NeededData{Need::Steps, "marked steps",
        [](Inputs in) { return in.facts.iterations.basis != IterationBasis::None; }},
    NeededData{Need::Model, "the model and batch of the job",
        [](Inputs in) { return in.facts.efficiency.mfu.has_value() || hasMetric(in, "mfu"); }},
    NeededData{Need::Snapshot, "a memory snapshot",
        [](Inputs in) { return !in.facts.allocators.empty(); }},
    NeededData{Need::FlightRecords, "flight recorder dumps",
        [](Inputs in) { return in.hasFlightRecords; }},
    NeededData{Need::Past, "three earlier runs of these GPUs with the same model and batch",
        [](Inputs in) { return in.facts.past.has_value(); }},
};

const NeededData& dataOf(Need need) {
    return *std::find_if(
        kNeeded.begin(), kNeeded.end(), [need](const NeededData& one) { return one.need == need; });
}

bool applies(Applies when, const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    const int nodes = std::max(facts.run.nodeCount, static_cast<int>(facts.whole.nodes.size()));
    switch (when) {
    case Applies::Always:
        break;
    case Applies::SeveralGpus:
        return overviewGpus(inputs) > 1;
    case Applies::SeveralNodes:
        return nodes > 1;
    case Applies::SeveralStages:
        return facts.run.launch.pipelineParallel.value_or(0) > 1
            || std::any_of(facts.stageOf.begin(), facts.stageOf.end(),
                [](const auto& one) { return one.second > 0; });
    case Applies::KnownGpus:
        return std::any_of(facts.whole.gpus.begin(), facts.whole.gpus.end(),
            [](const GpuSummary& one) { return !one.gpu.uuid.empty(); });
    }
    return true;
}

} // namespace

int OverviewChecks::notMade() const {
    int count = 0;
    for (const MissingData& one : missing)
        count += static_cast<int>(one.checks.size());
    return count;
}

OverviewChecks checksOf(const OverviewInputs& inputs) {
    OverviewChecks checks;
    for (const Check& check : allChecks()) {
        if (!applies(check.applies, inputs))
            continue;
        const NeededData& needed = dataOf(check.need);
        if (needed.isThere(inputs)) {
            ++checks.made;
            continue;
        }
        const std::string data
            = inputs.host && (check.need == Need::Trace || check.need == Need::Calls)
            ? "a trace of the GPUs"
            : needed.words;
        auto found = std::find_if(checks.missing.begin(), checks.missing.end(),
            [&data](const MissingData& one) { return one.data == data; });
        if (found == checks.missing.end())
            found = checks.missing.insert(checks.missing.end(), {data, {}});
        found->checks.emplace_back(check.name);
    }
    std::stable_sort(checks.missing.begin(), checks.missing.end(),
        [](const MissingData& a, const MissingData& b) {
            return a.checks.size() > b.checks.size();
        });
    for (const Finding& finding : applyRules(inputs.facts))
        checks.findings.push_back(finding.text);
    return checks;
}

std::string checkedText(const OverviewChecks& checks) {
    const std::string made = text::counted(checks.made, "check");
    return checks.findings.empty()
        ? made + ": nothing stands out."
        : fmt::format("{} gave {}:", made, text::counted(std::ssize(checks.findings), "finding"));
}

std::string notCheckedText(const OverviewChecks& checks) {
    std::vector<std::string> wanted;
    for (const MissingData& one : checks.missing)
        wanted.push_back(one.data);
    return fmt::format("{} could not be made, for want of {}.",
        text::counted(checks.notMade(), "check"), text::joined(wanted));
}

} // namespace trainscope::analysis
