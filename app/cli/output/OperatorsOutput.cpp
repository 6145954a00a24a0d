#include "app/cli/output/OperatorsOutput.h"

#include "app/cli/output/EnergyOutput.h"
#include "core/analysis/operators/FrameNames.h"
#include "core/model/JsonDepth.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/report/RunTables.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace trainscope::cli {

namespace {

using analysis::OperatorEntry;
using analysis::OperatorGrouping;

constexpr std::size_t kShownRows = 25;
constexpr std::size_t kShownIterations = 8;
constexpr std::ptrdiff_t kEnergyColumn = 3; // behind the times

std::optional<double> inUnits(const std::optional<double>& value, double unit) {
    return value ? std::optional(*value / unit) : std::nullopt;
}

// A list of an operator's detail, as it was recorded.
std::optional<Json> recorded(const Json& detail, const char* key) {
    const auto found = detail.find(key);
    return found == detail.end() ? std::nullopt : std::optional<Json>(*found);
}

Json operatorJson(const OperatorEntry& row, const analysis::PartEnergy& energy, bool isOfHost) {
    Json read;
    if (!isNestedTooDeep(row.signature))
        read = Json::parse(row.signature, nullptr, false);
    const Json detail = read.is_object() ? read : Json::object();
    const analysis::WorkEfficiency& work = row.efficiency;
    const auto fused = analysis::fusedOperators(row.name);
    Json json = object({{"name", row.name}, {"fused_operators", when(!fused.empty(), Json(fused))},
        {"input_dims", recorded(detail, "Input Dims")},
        {"input_types", recorded(detail, "Input type")},
        {"input_strides", recorded(detail, "Input Strides")},
        {"concrete_inputs", recorded(detail, "Concrete Inputs")}, {"count", row.sums.calls},
        {"kernel_count", when(!isOfHost, row.sums.works)},
        {"kernel_time_us", when(!isOfHost, microseconds(row.time))},
        {"busy_us", when(!isOfHost, microseconds(row.busy))},
        {"host_self_time_us", when(isOfHost, microseconds(row.time))}, {"flop", work.flop},
        {"bytes", work.bytes}, {"tflops", inUnits(work.flopPerSecond, 1e12)},
        {"gb_per_s", inUnits(work.bytesPerSecond, 1e9)}, {"flop_per_byte", work.intensity},
        {"roofline_fraction", work.rooflineFraction}, {"savable_us", inUnits(work.savable, 1e-6)},
        {"known_fraction", when(work.flop.has_value(), work.knownShare)},
        {"type_assumed", when(work.isTypeAssumed, true)}});
    add(json, energyRow(energy));
    return json;
}

Json operatorsJson(const OperatorsReport::OfRank& one) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < one.table.rows.size(); ++i)
        rows.push_back(operatorJson(one.table.rows[i],
            i < one.energies.size() ? one.energies[i] : analysis::PartEnergy(), one.isOfHost));
    return rows;
}

std::optional<double> formulaMfuOf(
    const OperatorsReport& report, const analysis::IterationMfu& iteration) {
    return report.formulaMfuOfOneSecond
        ? std::optional(*report.formulaMfuOfOneSecond / seconds(iteration.duration))
        : std::nullopt;
}

Json iterationsJson(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    return listOf(one.iterations, [&](const analysis::IterationMfu& iteration) {
        return object({{"iteration", iteration.iteration},
            {"duration_s", seconds(iteration.duration)}, {"mfu", iteration.mfu.mfu},
            {"hfu", iteration.mfu.hfu}, {"mfu_by_formula", formulaMfuOf(report, iteration)}});
    });
}

std::string titleOf(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    if (one.isOfHost)
        return fmt::format("rank {}: host only, {} of self time in {}", one.rank,
            text::duration(one.all.time), text::counted(one.all.works, "call"));
    return fmt::format("rank {}: {} launched, {} busy{}", one.rank,
        text::counted(one.all.works, "kernel or copy", "kernels and copies"),
        text::duration(one.all.busy),
        report.gpu == nullptr ? std::string() : ", roofline of " + report.gpu->name);
}

// Assumptions behind the shown rows; empty where nothing is assumed.
std::string assumptionText(const analysis::OperatorTable& table, std::size_t mostRows) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(mostRows, table.rows.size()); ++i) {
        const OperatorEntry& row = table.rows[i];
        const bool isNew = std::find(names.begin(), names.end(), row.name) == names.end();
        if (row.efficiency.isTypeAssumed && isNew)
            names.push_back(row.name);
    }
    return names.empty() ? std::string()
                         : fmt::format("traces write no element types of lists of tensors; "
                                       "counted in 32 bits: {}",
                             fmt::join(names, ", "));
}

// "MFU by operators 40.1 % …", a line for each iteration behind it; none where it is not known.
std::vector<std::string> mfuTexts(
    const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    std::vector<std::string> lines;
    if (!one.mfu || !one.mfu->mfu)
        return lines;
    lines.push_back(plot::mfuText(*one.mfu, report.formulaMfu));
    for (const analysis::IterationMfu& iteration : one.iterations) {
        if (!iteration.mfu.mfu || lines.size() > kShownIterations)
            continue;
        std::string line = fmt::format("iteration {}: {} in {}", iteration.iteration,
            plot::sharesText(iteration.mfu),
            text::quantity(seconds(iteration.duration), "s", text::Digits::Three));
        if (const auto formula = formulaMfuOf(report, iteration))
            line += ", by the formula " + text::percent(*formula, 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

text::Cell savableOf(const analysis::WorkEfficiency& work) {
    return work.savable ? text::Cell(DurationNs{std::llround(*work.savable * 1e9)}) : text::Cell();
}

// True where any row of any rank has energy.
bool isEnergyKnown(const OperatorsReport& report) {
    return std::any_of(
        report.ranks.begin(), report.ranks.end(), [](const OperatorsReport::OfRank& one) {
            return std::any_of(one.energies.begin(), one.energies.end(),
                [](const analysis::PartEnergy& energy) { return energy.known.has_value(); });
        });
}

bool isOfHost(const OperatorsReport& report) {
    return !report.ranks.empty() && report.ranks.front().isOfHost;
}

std::vector<text::Column> columnsOf(const OperatorsReport& report) {
    using text::inUnit;
    std::vector<text::Column> columns{inUnit(isOfHost(report) ? "self time" : "time", "s"),
        inUnit("of all", "%"), inUnit("busy", "s"), {"calls"},
        {isOfHost(report) ? "with self time" : "kernels"}, inUnit("FLOP/s", "FLOP/s"),
        inUnit("moved", "B/s"), inUnit("of roofline", "%"), inUnit("savable", "s"),
        {std::string(toString(report.by)), text::Align::Left}};
    if (report.by == OperatorGrouping::Shape)
        columns.push_back({"shapes", text::Align::Left});
    if (isEnergyKnown(report))
        columns.insert(columns.begin() + kEnergyColumn, {"energy (90 %)", text::Align::Left});
    return columns;
}

// Self time of a host that no row of operators holds; empty where they hold nearly all.
std::string outsideText(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    constexpr double kNearlyAll = 0.995;
    const bool isByOperator
        = report.by == OperatorGrouping::Operator || report.by == OperatorGrouping::Shape;
    if (!one.isOfHost || !isByOperator || one.all.time.ns == 0)
        return {};
    DurationNs told;
    for (const OperatorEntry& row : one.table.rows)
        told = told + row.time;
    const double share = told.seconds() / one.all.time.seconds();
    return share >= kNearlyAll ? std::string()
                               : text::roundedPercent(1.0 - share)
            + " is self time of annotations and functions outside of operators; "
              "--by annotation tells those";
}

text::Table tableOf(
    const OperatorsReport& report, const OperatorsReport::OfRank& one, std::size_t mostRows) {
    text::Table table;
    table.title = titleOf(report, one);
    table.columns = columnsOf(report);
    const bool hasEnergy = isEnergyKnown(report);
    std::size_t shown = 0;
    for (const OperatorEntry& row : one.table.rows) {
        if (shown++ == mostRows)
            break;
        const analysis::WorkEfficiency& work = row.efficiency;
        const double share = one.all.time.ns == 0
            ? 0.0
            : static_cast<double>(row.time.ns) / static_cast<double>(one.all.time.ns);
        std::vector<text::Cell> cells{row.time, share, row.busy, row.sums.calls, row.sums.works,
            work.flopPerSecond, work.bytesPerSecond, work.rooflineFraction, savableOf(work),
            row.name};
        if (report.by == OperatorGrouping::Shape)
            cells.emplace_back(analysis::shapeText(row.signature));
        if (hasEnergy) {
            const bool isKnown = shown <= one.energies.size() && one.energies[shown - 1].known;
            cells.insert(cells.begin() + kEnergyColumn,
                text::Cell(isKnown ? report::energyText(one.energies[shown - 1]) : text::kMissing));
        }
        table.add(std::move(cells));
    }
    if (one.bandwidth)
        table.notes.push_back(plot::bandwidthText(*one.bandwidth, *report.gpu->memoryBandwidth));
    for (std::string& line : mfuTexts(report, one))
        table.notes.push_back(std::move(line));
    if (std::string assumed = assumptionText(one.table, mostRows); !assumed.empty())
        table.notes.push_back(std::move(assumed));
    if (std::string rest = outsideText(report, one); !rest.empty())
        table.notes.push_back(std::move(rest));
    if (!report.windowNote.empty())
        table.notes.push_back(report.windowNote);
    if (one.table.rows.size() > mostRows)
        table.notes.push_back(fmt::format("... and {} more; --json lists all",
            text::counted(static_cast<std::int64_t>(one.table.rows.size() - mostRows), "row")));
    return table;
}

} // namespace

std::vector<std::string> warningsOf(const OperatorsReport& report) {
    std::vector<std::string> warnings;
    if (report.ranks.empty())
        warnings.push_back("The run '" + report.run.name
            + "' has no traces; import its Kineto, Nsight or rocprof traces to see operators.");
    const auto any = [&](bool OperatorsReport::OfRank::*has) {
        return std::any_of(
            report.ranks.begin(), report.ranks.end(), [&](const auto& one) { return one.*has; });
    };
    std::string gap = plot::gapText(any(&OperatorsReport::OfRank::hasHost),
        any(&OperatorsReport::OfRank::hasShapes), report.gpu != nullptr || isOfHost(report),
        report.run.gpuModel);
    if (!report.ranks.empty() && !gap.empty())
        warnings.push_back(std::move(gap));
    return warnings;
}

text::Table operatorTable(const OperatorsReport& report) {
    text::Table all;
    all.columns = columnsOf(report);
    all.columns.insert(all.columns.begin(), text::Column{"rank"});
    for (const OperatorsReport::OfRank& one : report.ranks) {
        auto table = tableOf(report, one, one.table.rows.size());
        for (auto& cells : table.rows) {
            cells.insert(cells.begin(), text::Cell(one.rank));
            all.add(std::move(cells));
        }
    }
    return all;
}

void printOperators(const OperatorsReport& report, std::ostream& out) {
    bool isFirst = true;
    for (const OperatorsReport::OfRank& one : report.ranks) {
        if (!std::exchange(isFirst, false))
            out << '\n';
        printTable(out, tableOf(report, one, kShownRows));
    }
}

Json operatorsJson(const OperatorsReport& report) {
    return object({{"run", report.run.name}, {"by", std::string(toString(report.by))},
        {"window", given(report.windowNote)},
        {"gpu", when(report.gpu != nullptr, report.gpu == nullptr ? "" : report.gpu->name)},
        {"mfu_by_formula", report.formulaMfu},
        {"ranks", listOf(report.ranks, [&](const OperatorsReport::OfRank& one) {
             const auto mfu = one.mfu.value_or(analysis::OperatorMfu());
             return object({{"rank", one.rank},
                 {"kernel_time_us", when(!one.isOfHost, microseconds(one.all.time))},
                 {"busy_us", when(!one.isOfHost, microseconds(one.all.busy))},
                 {"host_self_time_us", when(one.isOfHost, microseconds(one.all.time))},
                 {"matrix_flop", when(one.mfu.has_value(), mfu.flop)},
                 {"recomputed_flop", when(one.mfu.has_value(), mfu.recomputedFlop)},
                 {"mfu", mfu.mfu}, {"hfu", mfu.hfu},
                 {"known_time_fraction", when(one.mfu.has_value(), mfu.knownShare)},
                 {"iterations", iterationsJson(report, one)},
                 {"measured_bandwidth_gb_per_s",
                     one.bandwidth ? std::optional(one.bandwidth->bytesPerSecond / 1e9)
                                   : std::nullopt},
                 {"operators", operatorsJson(one)}});
         })}});
}

} // namespace trainscope::cli
