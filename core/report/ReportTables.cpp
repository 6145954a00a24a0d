#include "core/report/RunTables.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/report/Report.h"
#include "core/report/SelectionTables.h"

namespace trainscope::report {

Result<Table> summaryTable(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    Table table = telemetryTable("Power, heat and clocks", {{"run", text::Align::Left}});
    std::map<std::string, int> reasons;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf(studies.of(run)));
        const TimeRange window = steady.isWholeRun ? kAllTime : steady.window;
        ASSIGN_OR_RETURN(const auto summary,
            analysis::summarise(studies.of(run),
                {window,
                    {metric::kGpuPower, metric::kGpuTemperature, metric::kSmClock,
                        metric::kGpuUtilization}}));
        const auto find = [&summary](const std::string& name) {
            const auto found = summary.metrics.find(name);
            return found == summary.metrics.end() ? nullptr : &found->second.all;
        };
        addTelemetry(table, {run.name}, find, summary.energy);
        ++reasons[(runs.size() == 1 ? "" : run.name + ": ") + steady.wording + "."];
    }
    table.notes.push_back("Means are weighted by time and taken over all GPUs; energy and coverage "
                          "are those of the window. What the windows are:");
    addReasons(reasons, table);
    return table;
}

Result<Table> readEfficiency(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    ByRun<analysis::Efficiency> all;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto made, analysis::efficiencyOf(studies.of(run), kAllTime));
        all.emplace_back(run.name, std::move(made));
    }
    return efficiencyTable(all);
}

Result<Table> readThrottling(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    ByRun<std::optional<analysis::Throttling>> all;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto found, analysis::throttlingOf(studies.of(run)));
        all.emplace_back(run.name, std::move(found));
    }
    return throttlingTable(all);
}

Result<Table> readAboveLimit(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    std::vector<std::pair<std::string, std::optional<analysis::LimitShare>>> all;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto gpus,
            analysis::aboveLimits(studies.of(run), kAllTime, analysis::KeepSteps::No));
        all.emplace_back(run.name, analysis::together(gpus));
    }
    return aboveLimitTable(all);
}

Result<Table> traceTable(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    Table table{"Time of the traced GPUs",
        {{"run", text::Align::Left}, {"GPUs"}, text::inUnit("window, mean", "s")}, {},
        {"Shares of the GPUs' windows together, each from its first kernel to the end of its last; "
         "unions of intervals over all streams."}};
    for (const auto& one : kTracedTimes)
        table.columns.push_back({one.title});
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto traced, analysis::allTraced(studies.of(run)));
        std::vector<analysis::TimeBreakdown> devices;
        for (const analysis::DeviceTrace& device : traced.devices) {
            if (device.breakdown.traced.ns > 0)
                devices.push_back(device.breakdown);
        }
        if (devices.empty())
            continue;
        const auto secondsOf = [&devices](DurationNs analysis::TimeBreakdown::*time) {
            DurationNs sum;
            for (const auto& device : devices)
                sum = sum + device.*time;
            return sum.seconds();
        };
        const double tracedS = secondsOf(&analysis::TimeBreakdown::traced);
        table.add({run.name, devices.size(), tracedS / static_cast<double>(devices.size())});
        for (const auto& one : kTracedTimes)
            table.rows.back().push_back(text::percent(secondsOf(one.time) / tracedS));
    }
    return table;
}

namespace {

constexpr std::size_t kMostEnergyColumns = 3; // runs beside each other

struct TracedEnergy {
    std::string run;
    analysis::EnergyByPhase energy;
};

// A column for each run, with what is known of each figure.
Table fewEnergies(const std::vector<TracedEnergy>& runs) {
    Table table{{}, {{"phase"}}, {},
        {"Estimated from all readings at once, with the bounds of the 90 % interval. The whole is "
         "what the energy counter counted, where there is one."}};
    for (const TracedEnergy& one : runs)
        table.columns.push_back({fmt::format("{}, {}", one.run,
            text::counted(static_cast<std::int64_t>(one.energy.gpus.size()), "GPU"))});
    for (const auto phase : analysis::kAllPhases) {
        std::vector<text::Cell> row{phaseTitle(phase)};
        bool isKnown = false;
        for (const TracedEnergy& one : runs) {
            const auto& part = one.energy.sum.phases[phase];
            isKnown |= !part.isNothing();
            row.push_back(energyText(part));
        }
        if (isKnown)
            table.add(std::move(row));
    }
    return table;
}

// A row for each run, of figures alone.
Table manyEnergies(const std::vector<TracedEnergy>& runs) {
    Table table{{}, {{"run"}, {"GPUs"}}, {},
        {"Estimated from all readings at once; a report on single runs gives the intervals."}};
    for (const auto phase : analysis::kAllPhases)
        table.columns.push_back(text::inUnit(phaseTitle(phase), "J"));
    for (const TracedEnergy& one : runs) {
        std::vector<text::Cell> row{one.run, one.energy.gpus.size()};
        for (const auto phase : analysis::kAllPhases) {
            const auto& part = one.energy.sum.phases[phase];
            row.push_back(part.known ? text::Cell(part.known->joules) : text::Cell());
        }
        table.add(std::move(row));
    }
    return table;
}

} // namespace

Result<Table> energyTable(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    std::vector<TracedEnergy> traced;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto all, analysis::allTraced(studies.of(run)));
        if (!all.energy.gpus.empty())
            traced.push_back({run.name, std::move(all.energy)});
    }
    Table table = traced.size() > kMostEnergyColumns ? manyEnergies(traced) : fewEnergies(traced);
    table.title = "Energy of the traced GPUs by phase";
    return table;
}

Result<ReadSources> readSources(const store::Store& store, const std::vector<Run>& runs) {
    constexpr std::size_t kMostListed = 200;
    ASSIGN_OR_RETURN(auto sources, store.sources());
    std::erase_if(sources, [&runs](const store::Source& source) {
        return std::ranges::none_of(runs, [&source](const Run& run) {
            return std::ranges::find(source.runs, run.id) != source.runs.end();
        });
    });
    ReadSources read;
    read.count = sources.size();
    for (const auto& source : sources) {
        if (!source.hash.empty())
            read.hashes.push_back(source.hash);
    }
    const std::size_t listed = std::min(sources.size(), kMostListed);
    const std::size_t left = sources.size() - listed;
    sources.resize(listed);
    read.table = sourceTable(sources);
    if (left > 0)
        read.table.notes.push_back(
            fmt::format("And {} more; `trainscope-cli info` lists all.", left));
    return read;
}

} // namespace trainscope::report
