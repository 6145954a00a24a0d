#include "core/report/ReportTables.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/plot/Ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace trainscope::report {

namespace {

constexpr const char* kNone = "–";

std::string text(const std::optional<double>& value, const char* unit, const char* metric = "",
    double scale = 1) {
    return value ? plot::quantityText(metric, unit, *value * scale) : kNone;
}
std::string percent(const std::optional<double>& fraction) {
    return fraction ? fmt::format("{:.1f} %", *fraction * 100.0) : kNone;
}
std::string number(const std::optional<double>& value) {
    constexpr double kWhole = 1000.0; // from here on without decimals
    if (!value)
        return kNone;
    return std::abs(*value) >= kWhole ? fmt::format("{:.0f}", *value)
                                      : fmt::format("{:.4g}", *value);
}

const analysis::SubjectStatistics* find(
    const analysis::RunSummary& summary, const std::string& metric) {
    const auto found = summary.metrics.find(metric);
    return found == summary.metrics.end() ? nullptr : &found->second.all;
}

std::string meanOf(const analysis::RunSummary& summary, const char* metric, const char* unit) {
    const auto* all = find(summary, metric);
    return all == nullptr ? kNone : text(all->mean, unit, metric);
}
std::string peakOf(const analysis::RunSummary& summary, const char* metric, const char* unit) {
    const auto* all = find(summary, metric);
    return all == nullptr ? kNone : text(all->max, unit, metric);
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
        {"run", "status", "model", "layout", "optimisation", "micro-batch", "cluster", "duration"},
        {}, {}};
    for (const Run& run : runs) {
        const plot::FigureRun named = figures::nameOf(run);
        table.rows.push_back(
            {run.name, std::string(toString(run.status)), named.model.empty() ? kNone : named.model,
                named.layout, named.optimisation.empty() ? kNone : named.optimisation,
                named.microBatch ? fmt::format("{}", *named.microBatch) : kNone, named.cluster,
                plot::quantityText({}, "s", run.range.length().seconds())});
    }
    return table;
}

Result<Table> summaryTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Power, heat and clocks",
        {"run", "power, mean", "power, peak", "temperature, mean", "temperature, peak",
            "SM clock, mean", "utilisation", "energy", "coverage"},
        {}, {}};
    std::map<std::string, int> reasons;
    for (const Run& run : runs) {
        const auto steady = analysis::steadyStateOf(store, run, progress);
        if (!steady.hasValue())
            return steady.error();
        const TimeRange window = steady.value().isWholeRun ? kAllTime : steady.value().window;
        const auto summary = analysis::summarise(store, run,
            {window, {"gpu_power", "gpu_temperature", "sm_clock", "gpu_utilization"}}, progress);
        if (!summary.hasValue())
            return summary.error();
        const auto& s = summary.value();
        table.rows.push_back({run.name, meanOf(s, "gpu_power", "W"), peakOf(s, "gpu_power", "W"),
            meanOf(s, "gpu_temperature", "°C"), peakOf(s, "gpu_temperature", "°C"),
            meanOf(s, "sm_clock", "Hz"), meanOf(s, "gpu_utilization", "1"),
            s.energy ? text(s.energy->joules, "J") : kNone,
            s.energy ? percent(s.energy->coverage) : kNone});
        ++reasons[(runs.size() == 1 ? "" : run.name + ": ") + steady.value().wording + "."];
    }
    table.notes.push_back("Means are weighted by time and taken over all GPUs; energy and coverage "
                          "are those of the window. What the windows are:");
    addReasons(reasons, table);
    return table;
}

Result<Table> efficiencyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Efficiency",
        {"run", "step time", "samples/s", "tokens/s", "tokens/s per GPU", "tokens/J",
            "samples/(s·MJ)", "TFLOP/s per GPU", "MFU"},
        {}, {}};
    std::map<std::string, int> reasons;
    for (const Run& run : runs) {
        const auto efficiency = analysis::efficiencyOf(store, run, kAllTime, progress);
        if (!efficiency.hasValue())
            return efficiency.error();
        const auto& e = efficiency.value();
        const auto tera = e.flopsPerGpu ? std::optional(*e.flopsPerGpu * 1e-12) : std::nullopt;
        table.rows.push_back({run.name, text(e.stepTimeS, "s"), number(e.samplesPerS),
            number(e.tokensPerS), number(e.tokensPerSPerGpu), number(e.tokensPerJ),
            number(e.samplesPerSPerMj), number(tera), percent(e.mfu)});
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
        {"run", "share of GPU time", "lost", "episodes", "thermal", "power", "other"}, {}, {}};
    const std::function<bool()> keepGoing = [&progress] {
        return !progress || progress({"Looking for throttling", 0, 0});
    };
    for (const Run& run : runs) {
        const auto series = store.series(run.id);
        if (!series.hasValue())
            return series.error();
        std::vector<std::string> warnings;
        std::map<int, analysis::GpuSeries> gpus;
        for (auto& [metric, group] : analysis::seriesByMetric(series.value(), warnings)) {
            for (auto& one : group) {
                if (one.description.subject.kind == SubjectKind::Gpu)
                    gpus[one.description.subject.rank].emplace(metric, one);
            }
        }
        const auto found
            = analysis::scanThrottling(store, run, gpus, kAllTime, run.range.length(), keepGoing);
        if (!found.hasValue())
            return found.error();
        if (!found.value()) {
            table.rows.push_back({run.name, kNone, kNone, kNone, kNone, kNone, kNone});
            continue;
        }
        std::map<analysis::ThrottleCause, int> causes;
        for (const auto& episode : found.value()->episodes)
            ++causes[episode.episode.cause];
        const auto count
            = [&causes](analysis::ThrottleCause cause) { return fmt::format("{}", causes[cause]); };
        table.rows.push_back({run.name, percent(found.value()->fraction),
            fmt::format("{:.3g} GPU·s", found.value()->lostGpuSeconds),
            fmt::format("{}", found.value()->episodes.size()),
            count(analysis::ThrottleCause::Thermal), count(analysis::ThrottleCause::Power),
            count(analysis::ThrottleCause::Other)});
    }
    return table;
}

Result<Table> traceTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Time of the traced GPUs",
        {"run", "ranks", "window, mean", "busy", "compute", "communication", "exposed", "idle"}, {},
        {"Shares of each rank's window, from its first kernel to the end of its last, by unions of "
         "intervals over all streams; means over the ranks."}};
    for (const Run& run : runs) {
        const auto devices = analysis::traceBreakdown(
            store, run, analysis::KernelCategories::builtIn(), kAllTime, {}, progress);
        if (!devices.hasValue())
            return devices.error();
        double ranks = 0.0;
        double window = 0.0;
        std::map<std::string, double> shares;
        for (const auto& device : devices.value()) {
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
        std::vector<std::string> row{
            run.name, fmt::format("{:.0f}", ranks), plot::quantityText({}, "s", window / ranks)};
        for (const char* key : {"busy", "compute", "communication", "exposed", "idle"})
            row.push_back(percent(shares[key] / ranks));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Result<Table> energyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress) {
    Table table{"Energy of the traced GPUs by phase", {"run", "GPUs"}, {},
        {"Power integrated over what ran at the time; the bound beside each figure is what the "
         "sensor's averaging and its period leave open."}};
    for (const auto phase : analysis::kAllPhases)
        table.columns.emplace_back(phaseTitle(phase));
    for (const Run& run : runs) {
        const auto energy = analysis::energyByPhase(store, run, {}, progress);
        if (!energy.hasValue())
            return energy.error();
        if (energy.value().gpus.empty())
            continue;
        std::vector<std::string> row{run.name, fmt::format("{}", energy.value().gpus.size())};
        for (const auto phase : analysis::kAllPhases) {
            const auto& part = energy.value().sum.phases[phase];
            row.push_back(part.joules > 0.0 ? plot::quantityText({}, "J", part.joules) + " ± "
                        + plot::quantityText({}, "J", part.bound)
                                            : kNone);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Result<Table> sourceTable(
    const store::Store& store, const std::vector<Run>& runs, std::vector<std::string>& hashes) {
    constexpr std::size_t kMostListed = 200;
    Table table{"Sources", {"path", "importer", "samples", "spans", "hash"}, {}, {}};
    const auto sources = store.sources();
    if (!sources.hasValue())
        return sources.error();
    std::size_t left = 0;
    for (const auto& source : sources.value()) {
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
        table.rows.push_back(
            {source.path, source.report.importer, fmt::format("{}", source.report.samples),
                fmt::format("{}", source.report.spans), source.hash});
    }
    if (left > 0)
        table.notes.push_back(fmt::format("And {} more; `trainscope-cli info` lists all.", left));
    return table;
}

} // namespace trainscope::report
