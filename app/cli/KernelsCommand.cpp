#include "app/cli/Command.h"
#include "app/cli/Json.h"
#include "app/cli/Quantity.h"
#include "app/cli/RunSelection.h"
#include "app/cli/TextTable.h"
#include "core/analysis/TraceBreakdown.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::DeviceBreakdown;

constexpr std::size_t kTopKernels = 15;
constexpr std::size_t kNameWidth = 80;

struct Options {
    std::string database;
    std::string run;
    bool json = false;
};

Json countJson(const CategoryTime& time) {
    return {{"count", time.count}, {"time_us", microseconds(time.time)}};
}

Json deviceJson(const DeviceBreakdown& device) {
    Json json{{"rank", device.rank}, {"device", device.device},
        {"window_us", microseconds(device.window.length())}, {"kernel_count", device.kernelCount},
        {"kernel_time_us", microseconds(device.kernelTime)}, {"busy_us", microseconds(device.busy)},
        {"compute_us", microseconds(device.compute)},
        {"communication_us", microseconds(device.communication)},
        {"exposed_communication_us", microseconds(device.exposedCommunication)},
        {"overlap_us", microseconds(device.overlap)}, {"idle_us", microseconds(device.idle)},
        {"copies", countJson(device.copies)}, {"memsets", countJson(device.sets)}};
    json["categories"] = Json::object();
    for (const auto& [category, time] : device.categories)
        json["categories"][category] = countJson(time);
    json["kernels"] = Json::array();
    for (const auto& kernel : device.kernels) {
        json["kernels"].push_back({{"name", kernel.name}, {"count", kernel.count},
            {"time_us", microseconds(kernel.time)}, {"category", kernel.category}});
    }
    return json;
}

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

void printKernels(const DeviceBreakdown& device, std::ostream& out) {
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
    printKernels(device, out);
}

ExitStatus printBreakdown(const Options& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto run = selectRunOrOnly(store.value(), options.run);
    if (!run.hasValue())
        return console.fail(run.error());
    const auto devices = analysis::traceBreakdown(store.value(), run.value());
    if (!devices.hasValue())
        return console.fail(devices.error());
    if (devices.value().empty())
        console.warn("The run '" + run.value().name
            + "' has no kernels; import its Kineto traces to see some.");
    if (options.json) {
        Json json{{"run", run.value().name}, {"ranks", Json::array()}};
        for (const auto& device : devices.value())
            json["ranks"].push_back(deviceJson(device));
        printJson(console.out(), json);
        return ExitStatus::Done;
    }
    for (std::size_t i = 0; i < devices.value().size(); ++i) {
        console.out() << (i == 0 ? "" : "\n");
        printDevice(devices.value()[i], console.out());
    }
    return ExitStatus::Done;
}

} // namespace

void addKernelsCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "kernels", "Kernels, categories, and busy, overlapped and idle time per rank");
    auto options = std::make_shared<Options>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->run, "The run; may be left out where there is only one")
        ->type_name("N");
    command->add_flag("--json", options->json, "Print one JSON object with all kernels");
    command->footer(
        R"(Times are unions over all streams of a device, exact to the nanosecond; kernel time is
the sum. Communication are the kernels of NCCL, RCCL and MSCCL.

Examples:
  trainscope-cli kernels traces.trainscope
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --json)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printBreakdown(*options, context.console); };
    });
}

} // namespace trainscope::cli
