#include "app/cli/output/KernelsJson.h"
#include "app/cli/text/Quantity.h"
#include "app/cli/text/TextTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::DeviceBreakdown;

constexpr std::size_t kTopKernels = 15;
constexpr std::size_t kIterationsShown = 20;
constexpr std::size_t kNameWidth = 80;

std::string shareText(DurationNs part, DurationNs whole) {
    if (whole.ns == 0)
        return "-";
    return quantityText(
        static_cast<double>(part.ns) / static_cast<double>(whole.ns), "1", "utilization");
}

void printCategories(const DeviceBreakdown& device, std::ostream& out) {
    TextTable table(
        {{"category", TextTable::Align::Left}, {"count"}, {"time"}, {"of kernel time"}});
    std::vector<std::pair<std::string, CategoryTime>> rows(
        device.categories.begin(), device.categories.end());
    std::stable_sort(rows.begin(), rows.end(),
        [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    for (const auto& [category, time] : rows) {
        table.add(
            {std::string(analysis::KernelCategories::label(category)), std::to_string(time.count),
                durationText(time.time), shareText(time.time, device.kernelTime)});
    }
    table.print(out, "  ");
}

void printNames(const DeviceBreakdown& device, std::ostream& out) {
    TextTable table({{"count"}, {"time"}, {"of kernel time"}, {"kernel", TextTable::Align::Left}});
    const std::size_t count = std::min(kTopKernels, device.kernels.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& kernel = device.kernels[i];
        table.add({std::to_string(kernel.count), durationText(kernel.time),
            shareText(kernel.time, device.kernelTime), elided(kernel.name, kNameWidth)});
    }
    table.print(out, "  ");
    if (device.kernels.size() > count)
        out << "  ... and " << device.kernels.size() - count << " more kernels; --json lists all\n";
}

void printIterations(const DeviceBreakdown& device, std::ostream& out) {
    if (device.iterations.empty())
        return;
    TextTable table({{"iteration"}, {"time"}, {"compute"}, {"communication"}, {"exposed"},
        {"overlap"}, {"idle"}, {"", TextTable::Align::Left}});
    const std::size_t count = std::min(kIterationsShown, device.iterations.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& one = device.iterations[i];
        table.add({std::to_string(one.index), durationText(one.window.length()),
            durationText(one.compute), durationText(one.communication),
            durationText(one.exposedCommunication), durationText(one.overlap),
            durationText(one.idle), one.warmup ? "warm-up" : ""});
    }
    out << '\n';
    table.print(out, "  ");
    if (device.iterations.size() > count)
        out << "  ... and " << device.iterations.size() - count
            << " more iterations; --json lists all\n";
}

void printPhases(const analysis::WindowPhases& phases, std::ostream& out) {
    TextTable table({{"phase", TextTable::Align::Left}, {"time"}, {"of window"}});
    for (const analysis::Phase phase : analysis::kAllPhases) {
        std::string name(toString(phase));
        std::replace(name.begin(), name.end(), '_', ' ');
        if (phases.time[phase].ns > 0)
            table.add({std::move(name), durationText(phases.time[phase]),
                shareText(phases.time[phase], phases.window.length())});
    }
    out << '\n';
    table.print(out, "  ");
}

std::string delayText(double ns) {
    return durationText({static_cast<std::int64_t>(std::llround(ns))});
}

void printLaunches(
    const analysis::LaunchStatistics& launches, TimeRange window, std::ostream& out) {
    if (!launches.delay)
        return;
    out << "\n  launched " << launches.joined << " of " << launches.joined + launches.unjoined
        << " kernels: delay median " << delayText(launches.delay->medianNs) << ", p99 "
        << delayText(launches.delay->p99Ns) << ", max " << durationText({launches.delay->maxNs})
        << "\n  waited for the host " << durationText(launches.hostBound) << " ("
        << shareText(launches.hostBound, window.length()) << ")\n";
    for (const auto& queue : launches.queues) {
        out << fmt::format("  queue of stream {}: {:.3g} deep on average, at most {}\n",
            queue.stream, queue.meanDepth, queue.maxDepth);
    }
}

void printCopies(const analysis::CopyStatistics& copies, std::ostream& out) {
    for (const auto& [name, kind] : copies) {
        out << "  copies " << name << ": " << kind.count << ", " << durationText(kind.time);
        if (kind.withBytes > 0)
            out << ", " << bytesText(static_cast<double>(kind.bytes));
        if (const auto bandwidth = kind.bandwidth())
            out << " at " << quantityText(*bandwidth, "B/s");
        out << '\n';
    }
}

void printDevice(const KernelsReport& report, const DeviceBreakdown& device, std::ostream& out) {
    const DurationNs window = device.window.length();
    out << "rank " << device.rank << ", device " << device.device << ": " << device.kernelCount
        << " kernels, " << durationText(device.kernelTime) << " in all, in a window of "
        << durationText(window) << '\n';
    TextTable table({{"", TextTable::Align::Left}, {"time"}, {"of window"}});
    const auto add = [&](const char* name, DurationNs time) {
        table.add({name, durationText(time), shareText(time, window)});
    };
    add("busy", device.busy);
    add("compute", device.compute);
    add("communication", device.communication);
    add("exposed communication", device.exposedCommunication);
    add("overlap", device.overlap);
    add("idle", device.idle);
    table.print(out, "  ");
    out << "  beside them: " << device.copies.count << " copies, "
        << durationText(device.copies.time) << "; " << device.sets.count << " memsets, "
        << durationText(device.sets.time) << '\n';
    if (const auto* activity = activityOf(report, device); activity != nullptr) {
        printCopies(activity->copies, out);
        printPhases(activity->phases, out);
        printLaunches(activity->launches, activity->phases.window, out);
    }
    out << '\n';
    printCategories(device, out);
    out << '\n';
    printNames(device, out);
    printIterations(device, out);
}

void printPipeline(const analysis::Pipeline& pipeline, std::ostream& out) {
    out << fmt::format("pipeline of {} stages: bubbles {:.1f} % of the {}", pipeline.stageCount,
        100.0 * pipeline.bubbleFraction,
        pipeline.isOfIterations ? "iterations" : "time from the first kernel to the last");
    if (pipeline.idealBubbleFraction) {
        out << fmt::format(", ideally {:.1f} % ({} micro-batches",
            100.0 * *pipeline.idealBubbleFraction, *pipeline.microbatches);
        if (pipeline.virtualStages > 1)
            out << ", " << pipeline.virtualStages << " virtual stages";
        out << ')';
    }
    out << '\n';
    TextTable table({{"stage"}, {"ranks traced"}, {"compute"}, {"exposed communication"}, {"idle"},
        {"bubbles"}, {"of time"}});
    const auto text = [](double ns) { return delayText(ns); };
    for (const auto& stage : pipeline.stages) {
        table.add({std::to_string(stage.stage), std::to_string(stage.ranks.size()),
            text(stage.computeNs), text(stage.exposedNs), text(stage.idleNs), text(stage.bubbleNs),
            quantityText(stage.bubbleFraction(), "1", "utilization")});
    }
    table.print(out, "  ");
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
