#include "core/report/RunTables.h"

#include "core/figures/runs/FigureRuns.h"
#include "core/text/RunState.h"

#include <fmt/format.h>

namespace trainscope::report {
namespace {

using analysis::ThrottleCause;
using text::Cell;
using text::inUnit;
using text::Table;
using enum text::Align;

Cell given(const std::string& text) {
    return text.empty() ? Cell() : Cell(text);
}

// "TP8-PP4-DP1"; else what the name says: "layout 3".
Cell layoutCell(const Run& run, const std::string& named) {
    std::string text;
    const auto append = [&text](const char* name, const std::optional<int>& degree) {
        if (degree)
            text += (text.empty() ? "" : "-") + std::string(name) + std::to_string(*degree);
    };
    const LaunchConfig& launch = run.launch;
    append("TP", launch.tensorParallel);
    append("PP", launch.pipelineParallel);
    append("VPP", launch.virtualPipeline);
    append("CP", launch.contextParallel);
    append("EP", launch.expertParallel);
    append("DP", launch.dataParallel);
    return given(text.empty() && named.starts_with("layout ") ? named : text);
}

// Recorded ones, of a run that says it has more: "1 of 8".
Cell gpusCell(const Run& run) {
    if (run.gpuCount == 0 && run.worldSize == 0)
        return {}; // not said
    return run.worldSize > run.gpuCount ? Cell(fmt::format("{} of {}", run.gpuCount, run.worldSize))
                                        : Cell(run.gpuCount);
}

// So many digits behind the whole ones as four in all leave.
Cell plain(const std::optional<double>& value) {
    return value ? Cell(text::number(*value, 4)) : Cell();
}

std::string causeText(const analysis::Throttling& throttling, ThrottleCause cause) {
    const auto found = throttling.causes.find(cause);
    if (found == throttling.causes.end())
        return "0";
    const auto& sum = found->second;
    return fmt::format("{}: {} GPU·s, clock lost {}", sum.episodes, text::number(sum.gpuSeconds, 4),
        text::number(sum.lostGpuSeconds, 4));
}

// "; a step takes 181 J at 678 W, 71 J more lie between steps"; empty where that is not known.
std::string stepEnergyText(const analysis::Efficiency& made) {
    if (!made.energyPerStepJ || !made.stepPowerW)
        return {};
    std::string text = fmt::format("; a step takes {} at {}",
        text::rounded(*made.energyPerStepJ, "J"), text::rounded(*made.stepPowerW, "W"));
    if (made.energyBetweenStepsJ)
        text += fmt::format(
            ", {} more lie between steps", text::rounded(*made.energyBetweenStepsJ, "J"));
    return text;
}

using analysis::DeviceMemory;
using analysis::LiveAllocations;
using analysis::MemoryUse;

bool areSeveral(std::span<const RunMemory> runs) {
    std::size_t devices = 0;
    for (const RunMemory& run : runs)
        devices += run.devices.size();
    return devices > 1;
}

text::Cell ownerOf(std::span<const RunMemory> runs, const RunMemory& run, const DeviceMemory& one) {
    std::string name = runs.size() > 1 ? run.run + ' ' : std::string();
    name += std::to_string(one.rank);
    if (!one.device.empty())
        name += ", " + one.device;
    return name;
}

// Columns behind the one that says whose a row is, where there are several.
std::vector<text::Column> columnsOf(
    std::span<const RunMemory> runs, std::vector<text::Column> columns) {
    if (areSeveral(runs))
        columns.insert(columns.begin() + 1, text::Column{"rank"});
    return columns;
}

void addRow(text::Table& table, std::span<const RunMemory> runs, const RunMemory& run,
    const DeviceMemory& device, std::vector<text::Cell> cells) {
    if (areSeveral(runs))
        cells.insert(cells.begin() + 1, ownerOf(runs, run, device));
    table.add(std::move(cells));
}

template <typename Visit>
void eachDevice(std::span<const RunMemory> runs, const Visit& visit) {
    for (const RunMemory& run : runs) {
        for (const DeviceMemory& device : run.devices)
            visit(run, device);
    }
}

} // namespace

void addReasons(const std::map<std::string, int>& reasons, Table& table) {
    for (const auto& [reason, count] : reasons)
        table.notes.push_back(
            count == 1 ? reason : fmt::format("{} ({})", reason, text::counted(count, "run")));
}

Table runTable(const std::vector<Run>& runs, TimeNs now) {
    Table table{"Runs",
        {{"run", Left}, {"kind", Left}, {"status", Left}, {"layout", Left}, {"model", Left},
            {"optimisation", Left}, {"micro-batch"}, {"GPUs"}, {"nodes"}, {"GPU", Left},
            {"start", Left}, {"duration"}}};
    for (const Run& run : runs) {
        const plot::FigureRun named = figures::nameOf(run);
        const bool isEmpty = run.range.isEmpty();
        table.add({run.name, run.simulated ? "simulated" : toString(run.kind),
            text::runState(run, now), layoutCell(run, named.layout), given(named.model),
            given(named.optimisation), named.microBatch, gpusCell(run), run.nodeCount,
            given(run.gpuModel), isEmpty ? Cell() : Cell(text::moment(run.range.begin)),
            isEmpty ? Cell() : Cell(text::runLength(run))});
    }
    return table;
}

Table telemetryTable(std::string title, std::vector<text::Column> columns) {
    for (auto& column :
        {inUnit("power, mean", "W"), inUnit("power, peak", "W"), inUnit("temperature, mean", "°C"),
            inUnit("temperature, peak", "°C"), inUnit("SM clock, mean", "Hz"),
            inUnit("utilisation", "%"), inUnit("energy", "J"), inUnit("coverage", "%")})
        columns.push_back(column);
    return {std::move(title), std::move(columns)};
}

void addTelemetry(Table& table, std::vector<Cell> cells, const FindStatistics& find,
    const std::optional<analysis::Energy>& energy) {
    using S = analysis::SubjectStatistics;
    const std::array<std::pair<const char*, std::optional<double> S::*>, 6> figures{
        {{metric::kGpuPower, &S::mean}, {metric::kGpuPower, &S::max},
            {metric::kGpuTemperature, &S::mean}, {metric::kGpuTemperature, &S::max},
            {metric::kSmClock, &S::mean}, {metric::kGpuUtilization, &S::mean}}};
    for (const auto& [name, field] : figures) {
        const S* found = find(name);
        cells.push_back(found == nullptr ? Cell() : Cell(found->*field));
    }
    cells.push_back(energy ? Cell(energy->joules) : Cell());
    cells.push_back(energy ? Cell(energy->coverage) : Cell());
    table.add(std::move(cells));
}

Table efficiencyTable(const ByRun<analysis::Efficiency>& runs) {
    Table table{"Efficiency",
        {{"run", Left}, inUnit("step time", "s"), {"samples/s"}, {"tokens/s"}, {"tokens/s per GPU"},
            {"tokens/J"}, {"samples/(s·MJ)"}, inUnit("per GPU", "FLOP/s"), inUnit("MFU", "%")}};
    std::map<std::string, int> reasons;
    for (const auto& [name, made] : runs) {
        table.add({name, made.stepTimeS, plain(made.samplesPerS), plain(made.tokensPerS),
            plain(made.tokensPerSPerGpu), plain(made.tokensPerJ), plain(made.samplesPerSPerMj),
            made.flopsPerGpu, made.mfu});
        std::set<std::string> own;
        for (const auto& [key, why] : made.missing)
            own.insert("Not known: " + why);
        if (made.stepTimeS && !made.stepWindow.empty())
            own.insert("Step time" + (runs.size() > 1 ? " of " + name : std::string()) + ": "
                + made.stepWindow + stepEnergyText(made) + ".");
        if (!made.formula.empty() && made.mfu)
            own.insert("Model: " + (made.modelOrigin.empty() ? "" : made.modelOrigin + "; ")
                + made.formula);
        if (analysis::isImplausibleMfu(made.mfu))
            own.insert(analysis::implausibleMfuText(text::alignedPercent(*made.mfu)));
        for (const auto& why : own)
            ++reasons[why];
    }
    addReasons(reasons, table);
    return table;
}

Table throttlingTable(const ByRun<std::optional<analysis::Throttling>>& runs) {
    Table table{"Throttling",
        {{"run", Left}, {"throttled"}, {"told by", Left}, {"clock lost"}, {"episodes"}, {"thermal"},
            {"power"}, {"other"}}};
    std::map<std::string, int> reasons;
    for (const auto& [name, found] : runs) {
        table.add({name});
        auto& cells = table.rows.back();
        cells.resize(table.columns.size());
        if (!found) {
            ++reasons["Not known: no GPU recorded reasons of throttling, nor both its SM clock and "
                      "its utilisation."];
            continue;
        }
        const auto& lost = found->clockLost;
        cells = {name, text::percent(found->fraction, 2), toString(found->basis),
            lost ? fmt::format(
                "{}, {} GPU·s", text::percent(lost->fraction, 2), text::number(lost->gpuSeconds, 4))
                 : std::string(text::kMissing),
            found->episodes.size(), causeText(*found, ThrottleCause::Thermal),
            causeText(*found, ThrottleCause::Power), causeText(*found, ThrottleCause::Other)};
        if (found->basis == analysis::ThrottleBasis::Reasons)
            continue;
        for (const std::string& sentence : found->evidence)
            ++reasons["Causes are inferred: " + sentence];
        if (!found->slowdownTemperatureC)
            ++reasons
                ["Only recorded reasons can say thermal: the GPUs' slowdown temperature is not "
                 "known."];
        if (!found->powerLimitW)
            ++reasons["Only recorded reasons can say power: the GPUs' power limit is not known."];
    }
    addReasons(reasons, table);
    return table;
}

Table sourceTable(const std::vector<store::Source>& sources) {
    Table table{"Sources", {{"path", Left}, {"read", Left}, {"hash", Left}}};
    for (const auto& source : sources)
        table.add({source.path, readText(source.report), source.hash});
    return table;
}

std::string readText(const ImportReport& report) {
    std::string text = report.importer + ": " + text::counted(report.rows, "row");
    struct Count {
        std::int64_t count;
        const char* one;
        const char* many;
    };
    const std::array<Count, 6> counts{
        {{report.skipped, "skipped", "skipped"}, {report.samples, "sample", "samples"},
            {report.missing, "missing", "missing"}, {report.spans, "span", "spans"},
            {report.counterFalls, "counter fall", "counter falls"}, {report.gaps, "gap", "gaps"}}};
    for (const Count& one : counts)
        text += one.count > 0 ? ", " + text::counted(one.count, one.one, one.many) : "";
    const auto found = static_cast<int>(report.ranksFound.size());
    // A source of one rank says nothing about the others of its run.
    if (found != 1 && report.ranksExpected > 0 && report.ranksExpected != found)
        text += fmt::format(", {} of {}", found, text::counted(report.ranksExpected, "rank"));
    return text;
}

std::optional<double> shareOf(DurationNs part, DurationNs whole) {
    if (whole.ns == 0)
        return std::nullopt;
    return static_cast<double>(part.ns) / static_cast<double>(whole.ns);
}

std::string energyText(const analysis::PartEnergy& energy) {
    if (energy.known)
        return text::withInterval(energy.known->joules, energy.known->low, energy.known->high, "J",
            text::Digits::Aligned);
    return energy.unknown ? "not known: " + std::string(reasonOf(*energy.unknown))
                          : std::string(text::kMissing);
}

text::Table memoryDevicesTable(std::span<const RunMemory> runs) {
    text::Table table{.title = "Most that PyTorch's allocator held",
        .columns = {{"rank", text::Align::Left}, text::inUnit("allocated", "B"), {"at"},
            text::inUnit("reserved", "B"), text::inUnit("predicted", "B")}};
    eachDevice(runs, [&](const RunMemory& run, const DeviceMemory& device) {
        text::Cell time;
        if (!device.record || device.record->peak.time)
            time = device.peakTime - run.start;
        text::Cell predicted;
        if (device.predicted)
            predicted = device.predicted->total();
        table.add({ownerOf(runs, run, device), device.peakAllocated, time, device.reservedThen,
            predicted});
        if (!device.record)
            return;
        for (const analysis::OutOfMemory& one : device.record->outOfMemory)
            table.notes.push_back("Rank " + std::to_string(device.rank) + ": "
                + outOfMemoryText(one, run.start) + ' ' + outOfMemoryReason(one));
    });
    return table;
}

text::Table memoryUsesTable(std::span<const RunMemory> runs) {
    text::Table table{.title = "Lived at the peak, by use",
        .columns = columnsOf(runs,
            {{"use", text::Align::Left}, text::inUnit("allocated", "B"), text::inUnit("share", "%"),
                text::inUnit("predicted", "B")})};
    eachDevice(runs, [&](const RunMemory& run, const DeviceMemory& device) {
        std::map<MemoryUse, std::int64_t> bytes;
        if (device.record)
            bytes.insert(device.record->peak.byUse.begin(), device.record->peak.byUse.end());
        for (const MemoryUse use : allValues<MemoryUse>()) {
            const auto found = bytes.find(use);
            text::Cell predicted;
            if (device.predicted)
                predicted = predictedOf(*device.predicted, use);
            if (found == bytes.end() && predicted.isMissing())
                continue;
            text::Cell allocated;
            text::Cell share;
            if (found != bytes.end()) {
                const auto size = static_cast<double>(found->second);
                allocated = size;
                if (device.peakAllocated > 0.0)
                    share = size / device.peakAllocated;
            }
            addRow(table, runs, run, device, {titleOf(use), allocated, share, predicted});
        }
    });
    return table;
}

text::Table memoryLiveTable(std::span<const RunMemory> runs) {
    text::Table table{.title = "Lived at the peak, by calls",
        .columns = columnsOf(runs,
            {{"called by", text::Align::Left}, text::inUnit("bytes", "B"), {"count"},
                text::inUnit("of", "B"), {"use", text::Align::Left}})};
    std::vector<std::pair<double, std::vector<text::Cell>>> rows;
    eachDevice(runs, [&](const RunMemory& run, const DeviceMemory& device) {
        if (!device.record)
            return;
        for (const LiveAllocations& one : device.record->peak.largest) {
            std::string calls;
            for (const std::string& call : one.calls)
                calls += (calls.empty() ? "" : " < ") + call;
            const auto bytes = static_cast<double>(one.bytes());
            text::Table row;
            addRow(row, runs, run, device,
                {calls.empty() ? text::Cell("calls not recorded") : text::Cell(calls), bytes,
                    one.count, static_cast<double>(one.size), titleOf(one.use)});
            rows.emplace_back(bytes, std::move(row.rows.front()));
        }
    });
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [bytes, cells] : rows)
        table.add(std::move(cells));
    return table;
}

text::Table memoryStepsTable(std::span<const RunMemory> runs) {
    text::Table table{.title = "Allocated in iterations",
        .columns = columnsOf(runs,
            {{"iteration", text::Align::Left}, {"allocations"}, text::inUnit("allocated", "B"),
                text::inUnit("most at a time", "B")})};
    eachDevice(runs, [&](const RunMemory& run, const DeviceMemory& device) {
        for (const analysis::StepAllocations& step : device.steps)
            addRow(table, runs, run, device, {step.index, step.count, step.bytes, step.peak});
    });
    return table;
}

} // namespace trainscope::report
