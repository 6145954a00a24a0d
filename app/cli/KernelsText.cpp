#include "app/cli/KernelsJson.h"
#include "app/cli/Quantity.h"
#include "app/cli/TextTable.h"

#include <algorithm>
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

void printDevice(const DeviceBreakdown& device, std::ostream& out) {
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
        << durationText(device.sets.time) << "\n\n";
    printCategories(device, out);
    out << '\n';
    printNames(device, out);
    printIterations(device, out);
}

} // namespace

void printKernels(const KernelsReport& report, std::ostream& out) {
    if (!report.windowText.empty())
        out << report.windowText << "\n\n";
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
        out << (i == 0 ? "" : "\n");
        printDevice(report.devices[i], out);
    }
}

} // namespace trainscope::cli
