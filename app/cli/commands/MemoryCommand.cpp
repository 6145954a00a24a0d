#include "app/cli/commands/Command.h"
#include "core/analysis/machine/MeasuredMemory.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::DeviceMemory;
using analysis::LiveAllocations;
using analysis::MemoryUse;
using analysis::OutOfMemory;
using analysis::StepAllocations;

constexpr std::size_t kLiveShown = 20;
constexpr std::size_t kStepsShown = 10;

constexpr std::array kAllUses{MemoryUse::Parameter, MemoryUse::Gradient, MemoryUse::OptimizerState,
    MemoryUse::Activation, MemoryUse::Other, MemoryUse::Unknown};

std::string sizeText(double bytes) {
    return text::aligned(bytes, "B");
}

text::Cell sizeCell(const std::optional<double>& bytes) {
    return bytes ? text::Cell(sizeText(*bytes)) : text::Cell();
}

std::optional<double> unallocatedOf(const DeviceMemory& device) {
    return device.reservedThen ? std::optional(*device.reservedThen - device.peakAllocated)
                               : std::nullopt;
}

std::optional<std::int64_t> nsOf(const std::optional<TimeNs>& time) {
    return time ? std::optional(time->ns) : std::nullopt;
}

std::optional<std::int64_t> wholeOf(const std::optional<double>& bytes) {
    return bytes ? std::optional<std::int64_t>(std::llround(*bytes)) : std::nullopt;
}

// Sizes, most bytes first.
std::vector<std::pair<std::int64_t, std::int64_t>> bySize(
    const std::vector<LiveAllocations>& largest) {
    std::map<std::int64_t, std::int64_t> counts;
    for (const LiveAllocations& one : largest)
        counts[one.size] += one.count;
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes(counts.begin(), counts.end());
    const auto bytes = [](const auto& one) {
        return static_cast<double>(one.first) * static_cast<double>(one.second);
    };
    std::stable_sort(sizes.begin(), sizes.end(),
        [&](const auto& a, const auto& b) { return bytes(a) > bytes(b); });
    return sizes;
}

Json liveJson(const LiveAllocations& one) {
    return object({{"category", toString(one.use)}, {"size_b", one.size}, {"count", one.count},
        {"bytes", one.bytes()}, {"frames", one.calls}});
}

Json peakJson(const DeviceMemory& device) {
    Json json = object({{"allocated_b", std::llround(device.peakAllocated)},
        {"reserved_b", wholeOf(device.reservedThen)},
        {"reserved_unallocated_b", wholeOf(unallocatedOf(device))}});
    if (!device.record || device.record->events > 0)
        add(json,
            {{"time_ns",
                device.record ? nsOf(device.record->peak.time)
                              : std::optional(device.peakTime.ns)}});
    if (!device.record)
        return json;
    const analysis::MemoryPeak& peak = device.record->peak;
    json["blocks"] = peak.count;
    json["categories"] = Json::object();
    for (const auto& [use, bytes] : peak.byUse)
        json["categories"][std::string(toString(use))] = bytes;
    json["sizes"] = listOf(bySize(peak.largest), [](const auto& one) {
        return Json{{"size_b", one.first}, {"count", one.second}};
    });
    json["stacks"] = listOf(peak.largest, liveJson);
    return json;
}

Json outOfMemoryJson(const OutOfMemory& one, TimeNs start) {
    return object({{"time_ns", nsOf(one.time)}, {"requested_b", one.requested},
        {"device_free_b", one.deviceFree}, {"reserved_b", one.reserved},
        {"allocated_b", one.allocated}, {"reserved_unallocated_b", one.unallocated()},
        {"free_pieces", one.freePieces}, {"largest_free_b", one.largestFree}, {"frames", one.calls},
        {"text", outOfMemoryText(one, start)}, {"reason", outOfMemoryReason(one)}});
}

Json stepJson(const StepAllocations& step) {
    return object(
        {{"index", step.index}, {"start_ns", step.range.begin.ns}, {"allocations", step.count},
            {"allocated_b", std::llround(step.bytes)}, {"peak_b", std::llround(step.peak)}});
}

Json deviceJson(const DeviceMemory& device, TimeNs start) {
    Json json = object({{"rank", device.rank}, {"device", given(device.device)},
        {"peak", peakJson(device)}, {"peak_reserved_b", wholeOf(device.peakReserved)},
        {"steps", listOf(device.steps, stepJson)}});
    if (device.record)
        json["out_of_memory"] = listOf(device.record->outOfMemory,
            [start](const OutOfMemory& one) { return outOfMemoryJson(one, start); });
    if (device.record && !device.record->settings.empty())
        json["settings"] = device.record->settings;
    if (device.predicted) {
        json["predicted"] = object({{"total_b", device.predicted->total()}});
        for (const MemoryUse use : kAllUses)
            add(json["predicted"],
                {{std::string(toString(use)) + "_b", predictedOf(*device.predicted, use)}});
    }
    return json;
}

std::string nameOf(const DeviceMemory& device) {
    return fmt::format("rank {}{}", device.rank, device.device.empty() ? "" : ", " + device.device);
}

void printDevices(const std::vector<DeviceMemory>& devices, const Run& run, std::ostream& out) {
    text::Table table{.columns = {{"rank"}, {"most allocated"}, {"at"}, {"reserved then"},
                          {"not allocated"}, {"most reserved"}, {"predicted"}}};
    for (const DeviceMemory& device : devices) {
        text::Cell time;
        if (!device.record || device.record->peak.time)
            time = device.peakTime - run.range.begin;
        table.add({device.device.empty() ? std::to_string(device.rank) : nameOf(device),
            sizeText(device.peakAllocated), time, sizeCell(device.reservedThen),
            sizeCell(unallocatedOf(device)), sizeCell(device.peakReserved),
            sizeCell(device.predicted ? std::optional(device.predicted->total()) : std::nullopt)});
    }
    text::print(out, table, "  ");
}

void printUses(const DeviceMemory& device, std::ostream& out) {
    text::Table table{.columns
        = {{"use", text::Align::Left}, {"allocated"}, text::inUnit("share", "%"), {"predicted"}}};
    std::map<MemoryUse, std::int64_t> bytes;
    if (device.record)
        bytes.insert(device.record->peak.byUse.begin(), device.record->peak.byUse.end());
    for (const MemoryUse use : kAllUses) {
        const auto predicted
            = device.predicted ? predictedOf(*device.predicted, use) : std::nullopt;
        const auto found = bytes.find(use);
        if (found == bytes.end() && !predicted)
            continue;
        text::Cell share;
        if (found != bytes.end() && device.peakAllocated > 0.0)
            share = static_cast<double>(found->second) / device.peakAllocated;
        table.add({labelOf(use),
            found == bytes.end() ? text::Cell()
                                 : text::Cell(sizeText(static_cast<double>(found->second))),
            share, sizeCell(predicted)});
    }
    if (table.isEmpty())
        return;
    out << "\nAt the most allocated, " << nameOf(device) << ":\n";
    text::print(out, table, "  ");
}

void printLive(const DeviceMemory& device, std::ostream& out) {
    if (!device.record || device.record->peak.largest.empty())
        return;
    text::Table table{.columns = {{"bytes"}, {"count"}, {"of"}, {"use", text::Align::Left},
                          {"called by", text::Align::Left}}};
    const auto& largest = device.record->peak.largest;
    for (std::size_t i = 0; i < std::min(largest.size(), kLiveShown); ++i) {
        const LiveAllocations& one = largest[i];
        constexpr std::size_t kCallsShown = 3;
        constexpr std::size_t kWidth = 120;
        std::string calls;
        for (std::size_t call = 0; call < std::min(one.calls.size(), kCallsShown); ++call)
            calls += (call == 0 ? "" : " < ") + one.calls[call];
        table.add({sizeText(static_cast<double>(one.bytes())), one.count,
            sizeText(static_cast<double>(one.size)), labelOf(one.use),
            calls.empty() ? text::Cell() : text::Cell(text::elidedInMiddle(calls, kWidth))});
    }
    out << '\n';
    text::print(out, table, "  ");
    if (largest.size() > kLiveShown)
        out << "  ... and " << largest.size() - kLiveShown << " more; --json lists them\n";
}

void printSteps(const DeviceMemory& device, std::ostream& out) {
    if (device.steps.empty())
        return;
    text::Table table{
        .columns = {{"iteration"}, {"allocations"}, {"allocated"}, {"most at a time"}}};
    for (std::size_t i = 0; i < std::min(device.steps.size(), kStepsShown); ++i) {
        const StepAllocations& step = device.steps[i];
        table.add({step.index, step.count, sizeText(step.bytes), sizeText(step.peak)});
    }
    out << "\nIn the iterations of " << nameOf(device) << ":\n";
    text::print(out, table, "  ");
    if (device.steps.size() > kStepsShown)
        out << "  ... and " << device.steps.size() - kStepsShown << " more; --json lists them\n";
}

void printMemory(const std::vector<DeviceMemory>& devices, const Run& run, std::ostream& out) {
    printDevices(devices, run, out);
    for (const DeviceMemory& device : devices) {
        if (device.record) {
            for (const OutOfMemory& one : device.record->outOfMemory)
                out << '\n'
                    << nameOf(device) << ": " << outOfMemoryText(one, run.range.begin) << ' '
                    << outOfMemoryReason(one) << '\n';
        }
        printUses(device, out);
        printLive(device, out);
        printSteps(device, out);
    }
}

Outcome showMemory(const OneRunOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ASSIGN_OR_RETURN(
        const auto devices, analysis::measuredMemoryOf({store, run, untilCancelled(console)}));
    if (devices.empty())
        console.warn("The run '" + run.name
            + "' has no memory of PyTorch's allocator; import its memory snapshots, or Kineto "
              "traces with profile_memory=True.");
    return show(
        console, options.json,
        [&] {
            return object({{"run", run.name}, {"ranks", listOf(devices, [&](const auto& device) {
                                                   return deviceJson(device, run.range.begin);
                                               })}});
        },
        [&](std::ostream& out) {
            if (!devices.empty())
                printMemory(devices, run, out);
        });
}

} // namespace

void addMemoryCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "memory", "Memory of PyTorch's allocator: what lives at the peak, steps, out of memory");
    auto options = std::make_shared<OneRunOptions>();
    addOneRun(*command, *options);
    addJson(*command, options->json);
    command->footer(
        R"(Allocated is what tensors asked for, reserved what the allocator took of the device; the rest
is cached, or lies in pieces too small for what is asked for. Uses follow from the calls that
allocated: modules that are built or loaded, optimizers, the backward and the forward pass; where
calls are not recorded or say nothing, the use is not known. Predicted is the need that model,
layout and batch of the run make.

Examples:
  trainscope-cli memory runs.trainscope
  trainscope-cli memory runs.trainscope --run train --json)");
    runsOnRun(*command, context, options, showMemory);
}

} // namespace trainscope::cli
