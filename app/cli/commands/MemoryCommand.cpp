#include "app/cli/commands/Command.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/report/RunTables.h"

namespace trainscope::cli {

namespace {

using analysis::DeviceMemory;
using analysis::LiveAllocations;
using analysis::MemoryUse;
using analysis::OutOfMemory;
using analysis::StepAllocations;

constexpr std::size_t kLiveShown = 20;
constexpr std::size_t kStepsShown = 10;
constexpr std::size_t kCallsWidth = 120;

std::optional<double> unallocatedOf(const DeviceMemory& device) {
    return device.reservedThen ? std::optional(*device.reservedThen - device.peakAllocated)
                               : std::nullopt;
}

// In JSON whole bytes.
Quantity bytesOf(std::string_view key, std::string title, const std::optional<double>& bytes) {
    const auto whole = bytes ? std::optional<std::int64_t>(std::llround(*bytes)) : std::nullopt;
    return {key, whole, inUnit(std::move(title), "B"), bytes};
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
    return {{"bytes", one.bytes()}, {"count", one.count}, {"size_b", one.size},
        {"category", std::string(toString(one.use))}, {"frames", one.calls}};
}

// The device at its peak.
Row peakRow(const DeviceMemory& device, TimeNs start) {
    const auto& record = device.record;
    const auto time = record ? record->peak.time : std::optional(device.peakTime);
    const bool isTold = !record || record->events > 0;
    return {bytesOf("allocated_b", "most allocated", device.peakAllocated),
        {"time_ns", isTold ? time : std::nullopt, {"at"},
            when(time.has_value(), device.peakTime - start)},
        bytesOf("reserved_b", "reserved then", device.reservedThen),
        bytesOf("reserved_unallocated_b", "not allocated", unallocatedOf(device))};
}

Json peakJson(const DeviceMemory& device, TimeNs start) {
    Json json = rowJson(peakRow(device, start));
    if (!device.record)
        return json;
    const analysis::MemoryPeak& peak = device.record->peak;
    json["blocks"] = peak.count;
    json["categories"] = objectOf(peak.byUse,
        [](const auto& one) { return Member(std::string(toString(one.first)), one.second); });
    json["sizes"] = listOf(bySize(peak.largest), [](const auto& one) {
        return Json{{"size_b", one.first}, {"count", one.second}};
    });
    json["stacks"] = listOf(peak.largest, liveJson);
    return json;
}

Json outOfMemoryJson(const OutOfMemory& one, TimeNs start) {
    return object({{"time_ns", one.time}, {"requested_b", one.requested},
        {"device_free_b", one.deviceFree}, {"reserved_b", one.reserved},
        {"allocated_b", one.allocated}, {"reserved_unallocated_b", one.unallocated()},
        {"free_pieces", one.freePieces}, {"largest_free_b", one.largestFree}, {"frames", one.calls},
        {"text", outOfMemoryText(one, start)}, {"reason", outOfMemoryReason(one)}});
}

Json stepJson(const StepAllocations& step) {
    return object({{"index", step.index}, {"start_ns", step.range.begin},
        {"allocations", step.count}, bytesOf("allocated_b", "", step.bytes).member,
        bytesOf("peak_b", "", step.peak).member});
}

Json deviceJson(const DeviceMemory& device, TimeNs start) {
    Json json = object(
        {{"rank", device.rank}, {"device", given(device.device)}, {"peak", peakJson(device, start)},
            bytesOf("peak_reserved_b", "", device.peakReserved).member,
            {"steps", listOf(device.steps, stepJson)}});
    if (device.record)
        json["out_of_memory"] = listOf(device.record->outOfMemory,
            [start](const OutOfMemory& one) { return outOfMemoryJson(one, start); });
    if (device.record && !device.record->settings.empty())
        json["settings"] = device.record->settings;
    if (device.predicted) {
        json["predicted"] = object({{"total_b", device.predicted->total()}});
        for (const MemoryUse use : allValues<MemoryUse>())
            add(json["predicted"],
                {{std::string(toString(use)) + "_b", predictedOf(*device.predicted, use)}});
    }
    return json;
}

std::string nameOf(const DeviceMemory& device) {
    return fmt::format("rank {}{}", device.rank, device.device.empty() ? "" : ", " + device.device);
}

text::Table deviceTable(const std::vector<DeviceMemory>& devices, const Run& run) {
    return tableOf(devices, [&run](const DeviceMemory& device) {
        const auto predicted
            = device.predicted ? std::optional(device.predicted->total()) : std::nullopt;
        Row row = joined(
            {{"", {"rank"}, device.device.empty() ? std::to_string(device.rank) : nameOf(device)}},
            peakRow(device, run.range.begin));
        row.push_back(bytesOf("", "most reserved", device.peakReserved));
        row.push_back(bytesOf("", "predicted", predicted));
        return row;
    });
}

Json memoryJson(const std::vector<DeviceMemory>& devices, const Run& run) {
    const auto ofDevice
        = [&](const DeviceMemory& device) { return deviceJson(device, run.range.begin); };
    return {{"run", run.name}, {"ranks", listOf(devices, ofDevice)}};
}

void printMemory(std::ostream& out, const std::vector<DeviceMemory>& devices, const Run& run) {
    if (devices.empty())
        return;
    printTable(out, deviceTable(devices, run));
    for (const DeviceMemory& device : devices) {
        if (!device.record)
            continue;
        for (const OutOfMemory& one : device.record->outOfMemory)
            out << '\n'
                << nameOf(device) << ": " << outOfMemoryText(one, run.range.begin) << ' '
                << outOfMemoryReason(one) << '\n';
    }
    const std::array runs{report::RunMemory{run.name, run.range.begin, devices}};
    printBelow(out, report::memoryUsesTable(runs));
    auto live = firstOf(report::memoryLiveTable(runs), kLiveShown, "more row");
    for (auto& row : live.rows)
        row.front()
            = text::elidedInMiddle(row.front().inWords({}, text::Digits::Four), kCallsWidth);
    printBelow(out, live);
    printBelow(out, firstOf(report::memoryStepsTable(runs), kStepsShown, "more iteration"));
}

Outcome showMemory(const OneRunOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ASSIGN_OR_RETURN(
        const auto devices, analysis::measuredMemoryOf({store, run, untilCancelled(console)}));
    if (devices.empty())
        console.warn("The run '" + run.name
            + "' has no memory of PyTorch's allocator; import its memory snapshots, or Kineto "
              "traces with profile_memory=True.");
    return show(console, options.json, memoryJson, printMemory, devices, run);
}

} // namespace

void addMemoryCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<OneRunOptions>(app, "memory",
        "Memory of PyTorch's allocator: what lives at the peak, steps, out of memory");
    addJson(*command, options->json);
    runsOnRun(*command, context, options, showMemory);
}

} // namespace trainscope::cli
