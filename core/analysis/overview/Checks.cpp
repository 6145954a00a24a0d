// The checks that an overview tells of, made or not.
#include "core/analysis/findings/Rules.h"
#include "core/analysis/overview/Overview.h"
#include "core/model/Metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

constexpr std::array kGroups{"heat and power", "GPUs and nodes", "time", "operators", "data"};
enum CheckGroup : std::size_t { Heat, Machine, Time, Operators, Data };

// Data that checks want, or a property of the machine without which they mean nothing.
enum class Need {
    Nothing,
    Telemetry,
    Power,
    Limit,
    Counter,
    Clock,
    Temperature,
    Links,
    NodePower,
    Trace,
    Calls,
    RankTraces,
    Stages,
    Steps,
    Model,
    Snapshot,
    FlightRecords,
};
enum class Applies { Always, SeveralGpus, SeveralNodes, SeveralStages };

struct CheckMade {
    const char* name;
    CheckGroup group;
    Need need;
    Applies applies = Applies::Always;
};

// One for each rule of Rules.h, in its order.
constexpr std::array kChecks{
    CheckMade{"how the run ended", Data, Need::Nothing},
    CheckMade{"why memory ran out", Data, Need::Snapshot},
    CheckMade{"missing ranks", Data, Need::Nothing, Applies::SeveralGpus},
    CheckMade{"collectives that never ended", Data, Need::FlightRecords, Applies::SeveralGpus},
    CheckMade{"an MFU that cannot be", Data, Need::Model},
    CheckMade{"power that cannot be", Data, Need::Power},
    CheckMade{"power against the energy counter", Data, Need::Counter},
    CheckMade{"work long before the steps", Data, Need::Trace},
    CheckMade{"work that runs over what follows", Data, Need::Trace},
    CheckMade{"steps without work", Data, Need::Trace},
    CheckMade{"throttling", Heat, Need::Clock},
    CheckMade{"power above its limit", Heat, Need::Limit},
    CheckMade{"exposed communication", Time, Need::Trace, Applies::SeveralGpus},
    CheckMade{"stragglers", Time, Need::RankTraces, Applies::SeveralGpus},
    CheckMade{"pipeline bubbles", Time, Need::Stages, Applies::SeveralStages},
    CheckMade{"idle time", Time, Need::Trace},
    CheckMade{"copies", Time, Need::Trace},
    CheckMade{"waiting for the host", Time, Need::Trace},
    CheckMade{"GPUs that differ", Machine, Need::Telemetry, Applies::SeveralGpus},
    CheckMade{"heat from front to rear", Heat, Need::Temperature, Applies::SeveralGpus},
    CheckMade{"swings of power", Heat, Need::Power},
    CheckMade{"use of the links by collectives", Time, Need::RankTraces, Applies::SeveralGpus},
    CheckMade{"nodes that differ", Machine, Need::Telemetry, Applies::SeveralNodes},
    CheckMade{"nodes whose power differs", Machine, Need::NodePower, Applies::SeveralNodes},
    CheckMade{"what else of a node takes power", Machine, Need::NodePower},
    CheckMade{"power of the stages", Heat, Need::Power, Applies::SeveralStages},
    CheckMade{"PCIe traffic of few GPUs", Machine, Need::Links, Applies::SeveralGpus},
    CheckMade{"links that are full", Machine, Need::Links},
    CheckMade{"temperatures that never settled", Heat, Need::Temperature},
    CheckMade{"coverage of the telemetry", Data, Need::Telemetry},
    CheckMade{"missing samples", Data, Need::Telemetry},
    CheckMade{"clocks of the ranks", Data, Need::RankTraces, Applies::SeveralGpus},
    CheckMade{"sensors that are too slow", Data, Need::Power},
    CheckMade{"warm-up", Time, Need::Steps},
    CheckMade{"operators below the roofline", Operators, Need::Calls},
    CheckMade{"work in small pieces", Operators, Need::Calls},
    CheckMade{"calls that take longer than their work", Operators, Need::Calls},
    CheckMade{"work done again", Operators, Need::Calls},
    CheckMade{"copies and conversions of tensors", Operators, Need::Calls},
};

bool hasMetric(const RunFacts& facts, const char* metric) {
    return facts.whole.metrics.contains(metric);
}

bool hasData(Need need, const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    switch (need) {
    case Need::Nothing:
        return true;
    case Need::Telemetry:
        return !facts.whole.gpus.empty() && !facts.whole.metrics.empty();
    case Need::Power:
        return hasMetric(facts, metric::kGpuPower);
    case Need::Limit:
        return !facts.aboveLimit.empty();
    case Need::Counter:
        return hasMetric(facts, metric::kGpuPower) && hasMetric(facts, metric::kGpuEnergy);
    case Need::Clock:
        return facts.throttling.has_value();
    case Need::Temperature:
        return hasMetric(facts, metric::kGpuTemperature);
    case Need::Links:
        return !facts.traffic.empty();
    case Need::NodePower:
        return hasMetric(facts, metric::kNodePower);
    case Need::Trace:
        return !facts.traced.empty();
    case Need::Calls:
        return facts.operators.has_value();
    case Need::RankTraces:
        return facts.communication.has_value();
    case Need::Stages:
        return facts.pipeline.has_value();
    case Need::Steps:
        return facts.iterations.basis != IterationBasis::None;
    case Need::Model:
        return facts.efficiency.mfu.has_value() || hasMetric(facts, "mfu");
    case Need::Snapshot:
        return !facts.allocators.empty();
    case Need::FlightRecords:
        return inputs.hasFlightRecords;
    }
    return false;
}

const char* wordsOf(Need need) {
    switch (need) {
    case Need::Nothing:
        break;
    case Need::Telemetry:
        return "telemetry of the GPUs";
    case Need::Power:
        return "the power of the GPUs";
    case Need::Limit:
        return "power beside a limit";
    case Need::Counter:
        return "an energy counter beside the power";
    case Need::Clock:
        return "reasons of throttling, or clocks beside the utilisation";
    case Need::Temperature:
        return "temperatures";
    case Need::Links:
        return "counters of the links beside the utilisation";
    case Need::NodePower:
        return "the power of the nodes";
    case Need::Trace:
        return "a trace";
    case Need::Calls:
        return "a trace with the calls of the host";
    case Need::RankTraces:
        return "traces of several ranks";
    case Need::Stages:
        return "traces of pipeline stages";
    case Need::Steps:
        return "marked steps";
    case Need::Model:
        return "the model and batch of the job";
    case Need::Snapshot:
        return "a memory snapshot";
    case Need::FlightRecords:
        return "flight recorder dumps";
    }
    return "";
}

bool applies(Applies when, const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    const int gpus = std::max({facts.run.gpuCount, facts.run.worldSize,
        static_cast<int>(facts.whole.gpus.size()), inputs.work.devices});
    const int nodes = std::max(facts.run.nodeCount, static_cast<int>(facts.whole.nodes.size()));
    switch (when) {
    case Applies::Always:
        break;
    case Applies::SeveralGpus:
        return gpus > 1;
    case Applies::SeveralNodes:
        return nodes > 1;
    case Applies::SeveralStages:
        return facts.run.launch.pipelineParallel.value_or(0) > 1
            || std::any_of(facts.stageOf.begin(), facts.stageOf.end(),
                [](const auto& one) { return one.second > 0; });
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
    std::array<int, kGroups.size()> made{};
    for (const CheckMade& check : kChecks) {
        if (!applies(check.applies, inputs))
            continue;
        if (hasData(check.need, inputs)) {
            ++checks.made;
            ++made[check.group];
            continue;
        }
        const std::string data
            = inputs.host && (check.need == Need::Trace || check.need == Need::Calls)
            ? "a trace of the GPUs"
            : wordsOf(check.need);
        auto found = std::find_if(checks.missing.begin(), checks.missing.end(),
            [&data](const MissingData& one) { return one.data == data; });
        if (found == checks.missing.end())
            found = checks.missing.insert(checks.missing.end(), {data, {}});
        found->checks.emplace_back(check.name);
    }
    for (std::size_t group = 0; group < made.size(); ++group) {
        if (made[group] > 0)
            checks.groups.push_back(fmt::format("{} {}", kGroups[group], made[group]));
    }
    std::stable_sort(checks.missing.begin(), checks.missing.end(),
        [](const MissingData& a, const MissingData& b) {
            return a.checks.size() > b.checks.size();
        });
    for (const Finding& finding : applyRules(inputs.facts)) {
        checks.findings.push_back(finding.text);
        checks.serious += finding.severity == Severity::Serious ? 1 : 0;
    }
    return checks;
}

} // namespace trainscope::analysis
