// Topologies of a node (TopologyFile.h) as sources: each describes the machine of runs that other
// sources make, of those that lie beside it or are named. One unit per file, of no run yet; import
// is of the runs in unit.machine, or runName, each of which must be there already. No clock.

#include "importers/common/Formats.h"

#include "core/layout/Cluster.h"
#include "core/layout/Topology.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/RunFolders.h"
#include "importers/topology/TopologyFile.h"

#include <fmt/format.h>

namespace trainscope::importers::topology {

namespace {

constexpr std::size_t kLargest = std::size_t{16} << 20;
constexpr std::string_view kVersion = "topology 1";
constexpr Confidence kCertain = 95;
constexpr Confidence kInside = 40; // a log that holds a matrix may be of another format

// The first element of an XML text, behind its prologue and comments.
std::string_view firstElement(std::string_view text) {
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
        const std::string_view rest = text.substr(at);
        std::size_t end = std::string_view::npos;
        if (rest.starts_with("<!--"))
            end = rest.find("-->");
        else if (rest.starts_with("<?") || rest.starts_with("<!"))
            end = rest.find('>');
        else
            return rest.substr(1, rest.find_first_of(" \t\r\n>/") - 1);
        if (end == std::string_view::npos)
            return {};
        at += end;
    }
    return {};
}

bool startsWithMarkup(std::string_view head) {
    const auto first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    return first != std::string_view::npos && head[first] == '<';
}

Result<TopologyFile> readFile(const SourceTree& tree, const std::string& path) {
    ASSIGN_OR_RETURN(const auto text, readHead(tree, path, kLargest));
    return readTopology(text, tree.displayPath(path));
}

std::string summaryOf(const TopologyFile& file) {
    const auto& topology = file.topology;
    const auto gpus = static_cast<std::int64_t>(topology.gpuCount());
    const auto cards = static_cast<std::int64_t>(topology.devices().size()) - gpus;
    std::string text = fmt::format("{}: {}, {}", file.format, text::counted(gpus, "GPU"),
        cards == 0 ? "no network cards" : text::counted(cards, "network card"));
    const auto link = layout::scaleUpOf(topology);
    return link.name.empty() ? text : text + ", " + link.name;
}

ImportUnit unitOf(const SourceTree& tree, const SourceFile& source) {
    ImportUnit unit = unitOfFile(source);
    unit.clock = ClockKind::None;
    unit.machine = MachineUnit{};
    const auto file = readFile(tree, source.path);
    if (!file.hasValue()) {
        unit.notes.push_back(file.error().message);
        return unit;
    }
    unit.summary = summaryOf(file.value());
    unit.machine->gpus = layout::gpuIndices(file.value().topology);
    unit.machine->vendor = file.value().vendor;
    unit.machine->hasSpeeds = file.value().hasSpeeds;
    return unit;
}

ImportReport reportOf(const TopologyFile& file, const std::string& where, std::uint64_t bytes) {
    const auto& topology = file.topology;
    ImportReport report;
    report.importer = kVersion;
    report.bytes = bytes;
    report.rows = static_cast<std::int64_t>(topology.devices().size());
    report.counts["gpus"] = static_cast<std::int64_t>(topology.gpuCount());
    report.counts["network cards"]
        = static_cast<std::int64_t>(topology.devices().size() - topology.gpuCount());
    report.facts["format"] = file.format;
    for (const auto& warning : file.warnings)
        report.warn(where, 0, warning);
    return report;
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    if (startsWithMarkup(head)) {
        const bool isNccl = firstElement(head) == "system"
            && (head.find("<cpu") != std::string_view::npos
                || head.find("<pci") != std::string_view::npos);
        return isNccl ? kCertain : 0;
    }
    if (head.find("GPU0") == std::string_view::npos || !readSmiMatrix(head, {}).hasValue())
        return 0;
    // Alone it begins with its heading: blanks, colours, then the first device.
    const auto heading = head.find("GPU0");
    return head.substr(0, heading).find('\n') == std::string_view::npos ? kCertain : kInside;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    return vectorOf(mine, [&](const SourceFile& source) { return unitOf(tree, source); });
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    if (progress && !progress({"Reading the topology", 0, unit.bytes}))
        return cancelled();
    ASSIGN_OR_RETURN(const auto file, readFile(tree, unit.path));
    std::vector<std::string> names{unit.runName};
    if (unit.runName.empty() && unit.machine)
        names = unit.machine->runs;
    for (const std::string& name : names) {
        Run run;
        run.name = name;
        RETURN_IF_ERROR(sink.run(run));
    }
    return reportOf(file, tree.displayPath(unit.path), unit.bytes);
}

Result<std::string> machineFacts(const SourceTree& tree, const ImportUnit& unit) {
    ASSIGN_OR_RETURN(auto file, readFile(tree, unit.path));
    layout::MachineFacts facts;
    const std::string where = tree.displayPath(unit.path);
    facts.topologyFrom = fmt::format("{}, {}", file.format, namePart(where));
    facts.topology = std::move(file.topology);
    return layout::machineToJson(facts);
}

} // namespace

constinit const Importer kImporter{
    {"topology", "node topology",
        "NCCL topology XML and nvidia-smi topo -m, beside these or dropped on a run",
        Joins::MachineOfRuns, LaunchSettings::None, {}, "topology", "topologies"},
    sniff, plan, import, machineFacts};

} // namespace trainscope::importers::topology
