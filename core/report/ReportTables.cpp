#include "core/report/ReportTables.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/plot/Ticks.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace trainscope::report {

namespace {

std::string number(const std::optional<double>& value) {
    constexpr double kWhole = 1000.0; // from here on without decimals
    if (!value)
        return text::kMissing;
    return std::abs(*value) >= kWhole ? fmt::format("{:.0f}", *value)
                                      : fmt::format("{:.4g}", *value);
}

std::optional<double> of(const analysis::RunSummary& summary, const std::string& metric,
    std::optional<double> analysis::SubjectStatistics::*field) {
    const auto found = summary.metrics.find(metric);
    return found == summary.metrics.end() ? std::nullopt : found->second.all.*field;
}

// Each reason once, with how many runs it holds for.
void addReasons(const std::map<std::string, int>& reasons, Table& table) {
    for (const auto& [reason, count] : reasons)
        table.notes.push_back(count == 1 ? reason : fmt::format("{} ({} runs)", reason, count));
}

std::string phaseTitle(analysis::Phase phase) {
    std::string title(toString(phase));
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

} // namespace

Table runTable(const std::vector<Run>& runs) {
    Table table{"Runs",
        {{"run"}, {"status"}, {"model"}, {"layout"}, {"optimisation"}, {"micro-batch"}, {"cluster"},
            text::inUnit("duration", "s")},
        {}, {}};
    for (const Run& run : runs) {
        const plot::FigureRun named = figures::nameOf(run);
        table.add({run.name, std::string(toString(run.status)),
            named.model.empty() ? text::kMissing : named.model, named.layout,
            named.optimisation.empty() ? text::kMissing : named.optimisation,
            named.microBatch ? fmt::format("{}", *named.microBatch) : text::kMissing, named.cluster,
            run.range.length().seconds()});
    }
    return table;
}

Result<Table> summaryTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Power, heat and clocks",
        {{"run"}, text::inUnit("power, mean", "W"), text::inUnit("power, peak", "W"),
            text::inUnit("temperature, mean", "°C"), text::inUnit("temperature, peak", "°C"),
            text::inUnit("SM clock, mean", "Hz"), text::inUnit("utilisation", "%"),
            text::inUnit("energy", "J"), {"coverage"}},
        {}, {}};
    std::map<std::string, int> reasons;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf(store, run, progress));
        const TimeRange window = steady.isWholeRun ? kAllTime : steady.window;
        const auto summary = analysis::summarise(store, run,
            {window,
                {metric::kGpuPower, metric::kGpuTemperature, metric::kSmClock,
                    metric::kGpuUtilization}},
            progress);
        if (!summary.hasValue())
            return summary.error();
        const auto& s = summary.value();
        using S = analysis::SubjectStatistics;
        table.add({run.name, of(s, metric::kGpuPower, &S::mean), of(s, metric::kGpuPower, &S::max),
            of(s, metric::kGpuTemperature, &S::mean), of(s, metric::kGpuTemperature, &S::max),
            of(s, metric::kSmClock, &S::mean), of(s, metric::kGpuUtilization, &S::mean),
            s.energy ? std::optional(s.energy->joules) : std::nullopt,
            s.energy ? text::percent(s.energy->coverage) : text::kMissing});
        ++reasons[(runs.size() == 1 ? "" : run.name + ": ") + steady.wording + "."];
    }
    table.notes.push_back("Means are weighted by time and taken over all GPUs; energy and coverage "
                          "are those of the window. What the windows are:");
    addReasons(reasons, table);
    return table;
}

Result<Table> efficiencyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Efficiency",
        {{"run"}, text::inUnit("step time", "s"), {"samples/s"}, {"tokens/s"}, {"tokens/s per GPU"},
            {"tokens/J"}, {"samples/(s·MJ)"}, {"TFLOP/s per GPU"}, {"MFU"}},
        {}, {}};
    std::map<std::string, int> reasons;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(
            const auto efficiency, analysis::efficiencyOf(store, run, kAllTime, progress));
        const auto& e = efficiency;
        const auto tera = e.flopsPerGpu ? std::optional(*e.flopsPerGpu * 1e-12) : std::nullopt;
        table.add({run.name, e.stepTimeS, number(e.samplesPerS), number(e.tokensPerS),
            number(e.tokensPerSPerGpu), number(e.tokensPerJ), number(e.samplesPerSPerMj),
            number(tera), text::percent(e.mfu)});
        std::set<std::string> own;
        for (const auto& [key, why] : e.missing)
            own.insert(why);
        for (const auto& why : own)
            ++reasons[why];
        if (!e.formula.empty() && e.mfu)
            ++reasons["FLOP: " + e.formula];
    }
    addReasons(reasons, table);
    return table;
}

Result<Table> throttlingTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Throttling",
        {{"run"}, {"share of GPU time"}, {"lost"}, {"episodes"}, {"thermal"}, {"power"}, {"other"}},
        {}, {}};
    const std::function<bool()> keepGoing = [&progress] {
        return !progress || progress({"Looking for throttling", 0, 0});
    };
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto series, store.series(run.id));
        std::vector<std::string> warnings;
        std::map<int, analysis::GpuSeries> gpus;
        for (auto& [metric, group] : analysis::seriesByMetric(series, warnings)) {
            for (auto& one : group) {
                if (one.description.subject.kind == SubjectKind::Gpu)
                    gpus[one.description.subject.rank].emplace(metric, one);
            }
        }
        ASSIGN_OR_RETURN(const auto found,
            analysis::scanThrottling(store, run, gpus, kAllTime, run.range.length(), keepGoing));
        if (!found) {
            table.add({run.name, text::kMissing, text::kMissing, text::kMissing, text::kMissing,
                text::kMissing, text::kMissing});
            continue;
        }
        std::map<analysis::ThrottleCause, int> causes;
        for (const auto& episode : found->episodes)
            ++causes[episode.episode.cause];
        const auto count
            = [&causes](analysis::ThrottleCause cause) { return fmt::format("{}", causes[cause]); };
        table.add({run.name, text::percent(found->fraction),
            fmt::format("{:.3g} GPU·s", found->lostGpuSeconds),
            fmt::format("{}", found->episodes.size()), count(analysis::ThrottleCause::Thermal),
            count(analysis::ThrottleCause::Power), count(analysis::ThrottleCause::Other)});
    }
    return table;
}

Result<Table> traceTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Time of the traced GPUs",
        {{"run"}, {"ranks"}, text::inUnit("window, mean", "s"), {"busy"}, {"compute"},
            {"communication"}, {"exposed"}, {"idle"}},
        {},
        {"Shares of each rank's window, from its first kernel to the end of its last, by unions of "
         "intervals over all streams; means over the ranks."}};
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto devices,
            analysis::traceBreakdown(
                store, run, analysis::KernelCategories::builtIn(), kAllTime, {}, progress));
        double ranks = 0.0;
        double window = 0.0;
        std::map<std::string, double> shares;
        for (const auto& device : devices) {
            const double length = device.window.length().seconds();
            if (!(length > 0.0))
                continue;
            ranks += 1.0;
            window += length;
            shares["busy"] += device.busy.seconds() / length;
            shares["compute"] += device.compute.seconds() / length;
            shares["communication"] += device.communication.seconds() / length;
            shares["exposed"] += device.exposedCommunication.seconds() / length;
            shares["idle"] += device.idle.seconds() / length;
        }
        if (ranks == 0.0)
            continue;
        std::vector<text::Cell> row{run.name, fmt::format("{:.0f}", ranks), window / ranks};
        for (const char* key : {"busy", "compute", "communication", "exposed", "idle"})
            row.push_back(text::percent(shares[key] / ranks));
        table.add(std::move(row));
    }
    return table;
}

Result<Table> energyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Energy of the traced GPUs by phase", {{"run"}, {"GPUs"}}, {},
        {"Power integrated over what ran at the time; the bound beside each figure is what the "
         "sensor's averaging and its period leave open."}};
    for (const auto phase : analysis::kAllPhases)
        table.columns.push_back({phaseTitle(phase)});
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto energy, analysis::energyByPhase(store, run, {}, progress));
        if (energy.gpus.empty())
            continue;
        std::vector<text::Cell> row{run.name, fmt::format("{}", energy.gpus.size())};
        for (const auto phase : analysis::kAllPhases) {
            const auto& part = energy.sum.phases[phase];
            row.push_back(part.joules > 0.0
                    ? text::quantity(part.joules, "J") + " ± " + text::quantity(part.bound, "J")
                    : text::kMissing);
        }
        table.add(std::move(row));
    }
    return table;
}

Result<Table> sourceTable(
    const store::Store& store, const std::vector<Run>& runs, std::vector<std::string>& hashes) {
    constexpr std::size_t kMostListed = 200;
    Table table{"Sources", {{"path"}, {"importer"}, {"samples"}, {"spans"}, {"hash"}}, {}, {}};
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    std::size_t left = 0;
    for (const auto& source : sources) {
        const bool used = std::any_of(source.runs.begin(), source.runs.end(), [&](RunId id) {
            return std::any_of(
                runs.begin(), runs.end(), [id](const Run& run) { return run.id == id; });
        });
        if (!used)
            continue;
        if (!source.hash.empty())
            hashes.push_back(source.hash);
        if (table.rows.size() == kMostListed) {
            ++left;
            continue;
        }
        table.add({source.path, source.report.importer, fmt::format("{}", source.report.samples),
            fmt::format("{}", source.report.spans), source.hash});
    }
    if (left > 0)
        table.notes.push_back(fmt::format("And {} more; `trainscope-cli info` lists all.", left));
    return table;
}

} // namespace trainscope::report
