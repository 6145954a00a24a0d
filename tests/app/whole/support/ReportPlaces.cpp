// Overview, tables of the report and numbers of the figures.
#include "app/whole/support/Places.h"
#include "core/analysis/overview/Overview.h"
#include "core/analysis/traces/Phase.h"
#include "core/figures/Kinds.h"
#include "core/report/RunTables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace trainscope::test {

namespace {

using analysis::Topic;

struct Told {
    std::string window;
    std::string key;
};
// By the topic of the sentence and the name of its value.
const std::map<std::pair<Topic, std::string>, Told>& overviewKeys(const AskedRun& asked) {
    static std::map<std::pair<Topic, std::string>, Told> keys;
    keys = {{{Topic::Time, "traced_s"}, {kTraced, "traced_s"}},
        {{Topic::Time, "busy_s"}, {kTraced, "busy_s"}},
        {{Topic::Time, "idle_s"}, {kTraced, "idle_s"}},
        {{Topic::Time, "exposed_communication_s"}, {kTraced, "exposed_communication_s"}},
        {{Topic::Time, "copy_s"}, {kTraced, "copy_s"}},
        {{Topic::Time, "busy_share"}, {kTraced, "busy_fraction"}},
        {{Topic::Time, "utilization"}, {kWholeRun, "gpu_utilization.mean"}},
        {{Topic::Time, "step_time_s"}, {asked.steps, "step_time_s"}},
        {{Topic::Energy, "energy_j"}, {kWholeRun, "energy_j"}},
        {{Topic::Energy, "mean_power_w"}, {kWholeRun, "gpu_power.mean"}},
        {{Topic::Energy, "energy_per_step_j"}, {asked.steps, "energy_per_step_j"}},
        {{Topic::Energy, "traced_energy_j"}, {kTraced, "traced_energy_j"}},
        {{Topic::Heat, "peak_temperature_c"}, {kWholeRun, "gpu_temperature.max"}},
        {{Topic::Heat, "throttled_share"}, {kWholeRun, "throttled_fraction"}},
        {{Topic::Limit, "limit_w"}, {kWholeRun, "above_limit.limit_w"}},
        {{Topic::Limit, "seconds"}, {kWholeRun, "above_limit.seconds"}},
        {{Topic::Limit, "share"}, {kWholeRun, "above_limit.share"}},
        {{Topic::Limit, "highest_w"}, {kWholeRun, "above_limit.highest_w"}},
        {{Topic::Change, "step_time_s"}, {asked.steps, "step_time_s"}},
        {{Topic::Change, "mean_power_w"}, {kWholeRun, "gpu_power.mean"}}};
    return keys;
}

// A column of a table, told of the run in a window.
struct ReportColumn {
    const char* title;
    const char* key;
    const char* unit; // SI
};

void collectTable(const text::Table& table, const std::vector<ReportColumn>& columns,
    const std::string& subject, const std::string& window, PlaceNumbers& numbers) {
    for (const auto& row : table.inWords()) {
        for (const ReportColumn& wanted : columns) {
            const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                [&wanted](const text::Column& one) { return one.title == wanted.title; });
            if (column != table.columns.end())
                numbers.read(subject, window, wanted.key,
                    row[static_cast<std::size_t>(column - table.columns.begin())], wanted.unit);
        }
    }
}

const std::vector<ReportColumn>& telemetryColumns() {
    static const std::vector<ReportColumn> kColumns{{"power, mean", "gpu_power.mean", "W"},
        {"power, peak", "gpu_power.max", "W"}, {"temperature, mean", "gpu_temperature.mean", "°C"},
        {"temperature, peak", "gpu_temperature.max", "°C"},
        {"SM clock, mean", "sm_clock.mean", "Hz"}, {"utilisation", "gpu_utilization.mean", "1"},
        {"energy", "energy_j", "J"}, {"coverage", "energy_coverage", "1"}};
    return kColumns;
}
const std::vector<ReportColumn>& efficiencyColumns() {
    static const std::vector<ReportColumn> kColumns{{"step time", "step_time_s", "s"},
        {"samples/s", "samples_per_s", "1"}, {"tokens/s", "tokens_per_s", "1"},
        {"tokens/s per GPU", "tokens_per_s_per_gpu", "1"}, {"tokens/J", "tokens_per_j", "1"},
        {"per GPU", "flops_per_gpu", "FLOP/s"}, {"MFU", "mfu", "1"}};
    return kColumns;
}
const std::vector<ReportColumn>& limitColumns() {
    static const std::vector<ReportColumn> kColumns{{"limit", "above_limit.limit_w", "W"},
        {"time above, GPUs summed", "above_limit.seconds", "s"},
        {"share", "above_limit.share", "1"}, {"highest", "above_limit.highest_w", "W"},
        {"energy then", "above_limit.energy_j", "J"}};
    return kColumns;
}
const std::vector<ReportColumn>& traceColumns() {
    static const std::vector<ReportColumn> kColumns{{"busy", "busy_fraction", "1"},
        {"compute", "compute_fraction", "1"}, {"communication", "communication_fraction", "1"},
        {"exposed communication", "exposed_communication_fraction", "1"},
        {"overlap", "overlap_fraction", "1"}, {"copy", "copy_fraction", "1"},
        {"idle", "idle_fraction", "1"}};
    return kColumns;
}

std::vector<std::string> csvCells(const std::string& line) {
    std::vector<std::string> cells(1);
    bool isQuoted = false;
    for (const char c : line) {
        if (c == '"')
            isQuoted = !isQuoted;
        else if (c == ',' && !isQuoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

// Rows of a CSV by the names of its columns.
std::vector<std::map<std::string, std::string>> rowsOf(const std::string& csv) {
    std::vector<std::map<std::string, std::string>> rows;
    std::vector<std::string> names;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        const auto cells = csvCells(line);
        if (names.empty()) {
            names = cells;
            continue;
        }
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
            row[names[i]] = cells[i];
    }
    return rows;
}

std::vector<std::map<std::string, std::string>> figureRows(
    const AskedRun& asked, std::string_view kind) {
    figures::Request request;
    request.runs = {asked.run};
    request.areRunsNamed = true;
    request.picture = false;
    const auto figure = figures::load(*figures::findKind(kind), asked.studies, request);
    return figure.hasValue() && figure.value().emptyText.empty() && figure.value().csv
        ? rowsOf(figure.value().csv())
        : std::vector<std::map<std::string, std::string>>();
}

} // namespace

void collectOverview(const AskedRun& asked, PlaceNumbers& numbers) {
    const auto overview = analysis::overviewOf(asked.studies, asked.run);
    if (!overview.hasValue())
        return;
    const auto& keys = overviewKeys(asked);
    for (const auto& sentence : overview.value().sentences) {
        for (const auto& [name, value] : sentence.values) {
            if (const auto told = keys.find({sentence.topic, name}); told != keys.end())
                numbers.add(asked.run.name, told->second.window, told->second.key, value);
        }
        if (sentence.topic != Topic::Energy)
            continue;
        for (const auto& part : sentence.parts) {
            if (!part.key.empty())
                numbers.add(asked.run.name, kTraced, "energy_by_category." + part.key, part.value);
        }
    }
}

void collectReport(const AskedRun& asked, PlaceNumbers& numbers) {
    const std::vector<Run> runs{asked.run};
    const std::string& name = asked.run.name;
    if (const auto table = report::summaryTable(asked.studies, runs); table.hasValue())
        collectTable(table.value(), telemetryColumns(), name,
            windowOf(table.value().notes.back().substr(0, table.value().notes.back().size() - 1)),
            numbers);
    if (const auto table = report::readEfficiency(asked.studies, runs); table.hasValue()) {
        collectTable(table.value(), efficiencyColumns(), name, asked.steps, numbers);
        collectTable(table.value(), {{"samples/(s·MJ)", "samples_per_s_per_mj", "1"}}, name,
            kWholeRun, numbers);
    }
    if (const auto table = report::readThrottling(asked.studies, runs); table.hasValue())
        collectTable(table.value(),
            {{"share of GPU time", "throttled_fraction", "1"}, {"lost", "lost_gpu_s", "1"}}, name,
            kWholeRun, numbers);
    if (const auto table = report::readAboveLimit(asked.studies, runs); table.hasValue())
        collectTable(table.value(), limitColumns(), name, kWholeRun, numbers);
    if (const auto table = report::traceTable(asked.studies, runs); table.hasValue())
        collectTable(table.value(), traceColumns(), name, kTraced, numbers);
    const auto energy = report::energyTable(asked.studies, runs);
    if (!energy.hasValue())
        return;
    for (const auto& row : energy.value().inWords()) {
        for (const auto phase : analysis::kAllPhases) {
            if (row[0] == analysis::phaseTitle(phase))
                numbers.read(
                    name, kTraced, "energy_by_phase." + std::string(toString(phase)), row[1], "J");
        }
    }
}

// Without the bars of a comparison, which are those of `compare`. Heat maps tell each GPU's mean in
// the settled window.
void collectFigures(const AskedRun& asked, PlaceNumbers& numbers) {
    for (const auto& row : figureRows(asked, "overview")) {
        const auto& name = row.at("name");
        for (const auto& [told, key] : overviewKeys(asked)) {
            if (row.at("about") == toString(told.first) && name == told.second)
                numbers.add(asked.run.name, key.window, key.key, std::stod(row.at("value")));
        }
    }
    for (const auto& row : figureRows(asked, "heatmap")) {
        for (const auto& [column, value] : row) {
            const auto statistic = column.find("_mean");
            if (statistic != std::string::npos && !value.empty() && !row.at("rank").empty())
                numbers.add(rankOf(asked.run.name, std::stoi(row.at("rank"))), asked.settled,
                    column.substr(0, statistic) + ".mean", std::stod(value));
        }
    }
}

} // namespace trainscope::test
