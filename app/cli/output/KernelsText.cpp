#include "app/cli/output/KernelsOutput.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/report/RunTables.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::DeviceBreakdown;

constexpr std::size_t kTopKernels = 15;
constexpr std::size_t kTracedIterationsShown = 20;
constexpr std::size_t kNameWidth = 80;

using report::shareOf;

// Behind the other cells, where the energy of the rank is known.
void addEnergyCell(const analysis::PartEnergy& energy, std::vector<text::Cell>& cells) {
    cells.emplace_back(energy.known ? report::energyText(energy) : text::kMissing);
}

void printCategories(
    const DeviceBreakdown& device, const analysis::AttributedEnergy* energy, std::ostream& out) {
    text::Table table{.columns = {{"category", text::Align::Left}, {"count"}, {"time"},
                          text::inUnit("of kernel time", "%")}};
    if (energy != nullptr)
        table.columns.push_back({"energy (90 %)", text::Align::Left});
    std::vector<std::pair<std::string, CategoryTime>> rows(
        device.categories.begin(), device.categories.end());
    std::stable_sort(rows.begin(), rows.end(),
        [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    for (const auto& [category, time] : rows) {
        std::vector<text::Cell> cells{analysis::KernelCategories::label(category), time.count,
            time.time, shareOf(time.time, device.kernelTime)};
        if (energy != nullptr) {
            const auto found = energy->categories.find(category);
            addEnergyCell(
                found == energy->categories.end() ? analysis::PartEnergy() : found->second, cells);
        }
        table.add(std::move(cells));
    }
    text::print(out, table, "  ");
}

void printNames(
    const DeviceBreakdown& device, const analysis::AttributedEnergy* energy, std::ostream& out) {
    text::Table table{.columns = {{"count"}, {"time"}, text::inUnit("of kernel time", "%")}};
    if (energy != nullptr)
        table.columns.push_back({"energy (90 %)", text::Align::Left});
    table.columns.push_back({"kernel", text::Align::Left});
    const std::size_t count = std::min(kTopKernels, device.kernels.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& kernel = device.kernels[i];
        std::vector<text::Cell> cells{
            kernel.count, kernel.time, shareOf(kernel.time, device.kernelTime)};
        if (energy != nullptr)
            addEnergyCell(analysis::energyOfName(energy->kernels, kernel.name).energy, cells);
        cells.emplace_back(text::elided(kernel.name, kNameWidth));
        table.add(std::move(cells));
    }
    text::print(out, table, "  ");
    if (device.kernels.size() > count)
        out << "  ... and "
            << text::counted(
                   static_cast<std::int64_t>(device.kernels.size() - count), "more kernel")
            << "; --json lists all\n";
}

void printIterations(const DeviceBreakdown& device, std::ostream& out) {
    if (device.iterations.empty())
        return;
    text::Table table{.columns = {{"iteration"}, {"time"}, {"compute"}, {"communication"},
                          {"exposed"}, {"overlap"}, {"copy"}, {"idle"}, {"", text::Align::Left}}};
    const std::size_t count = std::min(kTracedIterationsShown, device.iterations.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& one = device.iterations[i];
        table.add({one.index, one.traced, one.compute, one.communication, one.exposedCommunication,
            one.overlap, one.copy, one.idle, one.warmup ? "warm-up" : ""});
    }
    out << '\n';
    text::print(out, table, "  ");
    if (device.iterations.size() > count)
        out << "  ... and "
            << text::counted(
                   static_cast<std::int64_t>(device.iterations.size() - count), "more iteration")
            << "; --json lists all\n";
}

void printPhases(const analysis::WindowPhases& phases, std::ostream& out) {
    text::Table table{
        .columns = {{"phase", text::Align::Left}, {"time"}, text::inUnit("of traced time", "%")}};
    for (const analysis::Phase phase : analysis::kAllPhases) {
        if (phases.time[phase].ns > 0)
            table.add({analysis::phaseTitle(phase), phases.time[phase],
                shareOf(phases.time[phase], phases.traced)});
    }
    out << '\n';
    text::print(out, table, "  ");
}

DurationNs wholeNs(double ns) {
    return {static_cast<std::int64_t>(std::llround(ns))};
}

void printLaunches(
    const analysis::LaunchStatistics& launches, DurationNs window, std::ostream& out) {
    if (!launches.delay)
        return;
    out << "\n  launched " << launches.joined << " of "
        << text::counted(launches.joined + launches.unjoined, "kernel") << ": delay median "
        << text::alignedDuration(wholeNs(launches.delay->medianNs)) << ", p99 "
        << text::alignedDuration(wholeNs(launches.delay->p99Ns)) << ", max "
        << text::alignedDuration({launches.delay->maxNs}) << "\n  waited for the host "
        << text::alignedDuration(launches.hostBound) << " ("
        << text::alignedPercent(shareOf(launches.hostBound, window)) << ")\n";
    for (const auto& queue : launches.queues) {
        out << fmt::format("  queue of stream {}: {:.3g} deep on average, at most {}\n",
            queue.stream, queue.meanDepth, queue.maxDepth);
    }
}

void printCopies(const analysis::CopyStatistics& copies, std::ostream& out) {
    for (const auto& [name, kind] : copies) {
        out << "  copies " << name << ": " << kind.count << ", "
            << text::alignedDuration(kind.time);
        if (kind.withBytes > 0)
            out << ", " << text::aligned(static_cast<double>(kind.bytes), "B");
        if (const auto bandwidth = kind.bandwidth())
            out << " at " << text::aligned(*bandwidth, "B/s");
        out << '\n';
    }
}

void printDevice(const KernelsReport& report, const DeviceBreakdown& device, std::ostream& out) {
    const DurationNs window = device.traced;
    out << "rank " << device.rank << ", device " << device.device << ": "
        << text::counted(device.kernelCount, "kernel") << ", "
        << text::alignedDuration(device.kernelTime) << " in all, in a window of "
        << text::alignedDuration(window) << '\n';
    text::Table table{
        .columns = {{"", text::Align::Left}, {"time"}, text::inUnit("of traced time", "%")}};
    for (const auto& one : report::kTracedTimes)
        table.add({one.title, device.*one.time, shareOf(device.*one.time, window)});
    text::print(out, table, "  ");
    out << "  summed: " << text::counted(device.copies.count, "copy", "copies") << ", "
        << text::alignedDuration(device.copies.time) << "; "
        << text::counted(device.sets.count, "memset") << ", "
        << text::alignedDuration(device.sets.time) << '\n';
    if (const auto* activity = activityOf(report, device); activity != nullptr) {
        printCopies(activity->copies, out);
        printPhases(activity->phases, out);
        printLaunches(activity->launches, activity->phases.traced, out);
    }
    out << '\n';
    const analysis::AttributedEnergy* const energy = energyOf(report, device);
    printCategories(device, energy, out);
    out << '\n';
    printNames(device, energy, out);
    printIterations(device, out);
}

void printPipeline(const analysis::Pipeline& pipeline, std::ostream& out) {
    out << fmt::format("pipeline of {}: bubbles {} of the {}",
        text::counted(pipeline.stageCount, "stage"), text::percent(pipeline.bubbleFraction),
        pipeline.isOfIterations ? "iterations" : "time from the first kernel to the last");
    if (pipeline.idealBubbleFraction) {
        out << fmt::format(", ideally {} ({}", text::percent(*pipeline.idealBubbleFraction),
            text::counted(*pipeline.microbatches, "micro-batch", "micro-batches"));
        if (pipeline.virtualStages > 1)
            out << ", " << text::counted(pipeline.virtualStages, "virtual stage");
        out << ')';
    }
    out << '\n';
    text::Table table{
        .columns = {{"stage"}, {"ranks traced"}, {"compute"}, {"exposed communication"}, {"copy"},
            {"idle"}, {"bubbles"}, text::inUnit("of time", "%")}};
    for (const auto& stage : pipeline.stages) {
        table.add({stage.stage, stage.ranks.size(), wholeNs(stage.computeNs),
            wholeNs(stage.exposedNs), wholeNs(stage.copyNs), wholeNs(stage.idleNs),
            wholeNs(stage.bubbleNs), stage.bubbleFraction()});
    }
    text::print(out, table, "  ");
    out << '\n';
}

} // namespace

void printKernels(const KernelsReport& report, std::ostream& out) {
    if (!report.windowText.empty())
        out << report.windowText << "\n\n";
    if (report.pipeline)
        printPipeline(*report.pipeline, out);
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
        out << (i == 0 ? "" : "\n");
        printDevice(report, report.devices[i], out);
    }
}

} // namespace trainscope::cli
