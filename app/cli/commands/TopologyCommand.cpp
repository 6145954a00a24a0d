#include "app/cli/commands/Command.h"
#include "importers/topology/TopologyFile.h"

namespace trainscope::cli {

namespace {

using importers::topology::TopologyFile;
using layout::DeviceKind;
using layout::PathKind;
using layout::Topology;
using layout::TopologyDevice;
using layout::TopologyPath;

struct TopologyOptions {
    std::string file;
    bool json = false;
};

Json topologyDeviceJson(const TopologyDevice& device) {
    return object({{"kind", device.kind == DeviceKind::Gpu ? "gpu" : "nic"},
        {"index", device.index}, {"name", device.name}, {"bus_id", given(device.busId)},
        {"numa", device.numa}, {"bandwidth_b_per_s", device.bandwidth}});
}

Json pathJson(const Topology& topology, std::size_t a, std::size_t b) {
    const TopologyPath& path = topology.path(a, b);
    return object({{"a", topology.devices()[a].name}, {"b", topology.devices()[b].name},
        {"kind", toString(path.kind)}, {"links", when(path.links > 0, path.links)},
        {"switched", when(path.isSwitched, true)}, {"bandwidth_b_per_s", path.bandwidth}});
}

Json topologyJson(const TopologyFile& file) {
    const Topology& topology = file.topology;
    const auto& devices = topology.devices();
    Json json{{"format", file.format}, {"gpus", topology.gpuCount()},
        {"devices", listOf(devices, topologyDeviceJson)}, {"paths", Json::array()},
        {"nearest_nic", Json::object()}};
    for (std::size_t a = 0; a < devices.size(); ++a) {
        for (std::size_t b = a + 1; b < devices.size(); ++b)
            json["paths"].push_back(pathJson(topology, a, b));
    }
    for (std::size_t gpu = 0; gpu < topology.gpuCount(); ++gpu) {
        if (const auto nic = topology.nearestNic(gpu))
            json["nearest_nic"][devices[gpu].name] = devices[*nic].name;
    }
    return json;
}

std::string pathText(const TopologyPath& path) {
    if (path.kind == PathKind::Self)
        return ".";
    std::string text(toString(path.kind));
    if (path.links > 0)
        text += " " + std::to_string(path.links);
    return text;
}

void printTopology(std::ostream& out, const TopologyFile& file) {
    const Topology& topology = file.topology;
    out << file.format << ": "
        << text::counted(static_cast<std::int64_t>(topology.gpuCount()), "GPU") << ", "
        << text::counted(static_cast<std::int64_t>(topology.devices().size() - topology.gpuCount()),
               "network card")
        << "\n\n";
    printTable(out, tableOf(topology.devices(), [&](const TopologyDevice& device, std::size_t at) {
        Row row{{"", {"", Left}, device.name}};
        for (std::size_t gpu = 0; gpu < topology.gpuCount(); ++gpu)
            row.push_back(
                {"", {topology.devices()[gpu].name, Left}, pathText(topology.path(at, gpu))});
        const auto nic = device.kind == DeviceKind::Gpu ? topology.nearestNic(at) : std::nullopt;
        row.push_back({"", {"NUMA"}, device.numa});
        row.push_back({"", inUnit("bandwidth", "B/s"), device.bandwidth});
        row.push_back({"", {"nearest network card", Left},
            nic ? topology.devices()[*nic].name : std::string()});
        return row;
    }));
}

Outcome showTopology(const TopologyOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(const auto file, readTopologyFile(options.file));
    for (const auto& warning : file.warnings)
        console.warn(warning);
    show(console, options.json, topologyJson, printTopology, file);
    return file.warnings.empty() ? ExitStatus::Done : ExitStatus::Partly;
}

} // namespace

void addTopologyCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<TopologyOptions>(
        app, "topology", "How the GPUs and network cards of a node hang together, from a file");
    command->add_option("FILE", options->file, "NCCL's or RCCL's XML, or nvidia-smi topo -m")
        ->required();
    addJson(*command, options->json);
    runs(*command, context, options, showTopology);
}

} // namespace trainscope::cli
