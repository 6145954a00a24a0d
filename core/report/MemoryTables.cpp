#include "core/report/MemoryTables.h"

namespace trainscope::report {

namespace {

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
