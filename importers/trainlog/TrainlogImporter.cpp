#include "importers/trainlog/TrainlogImporter.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/RunFolders.h"
#include "importers/trainlog/LogImport.h"
#include "importers/trainlog/LogProbe.h"
#include "importers/trainlog/LogSettings.h"

#include <algorithm>
#include <map>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kNamesWithin = std::size_t{64} << 10;
constexpr std::size_t kLookedHead = std::size_t{64} << 10; // of a file that has more
constexpr std::size_t kLookedTail = std::size_t{64} << 10;
constexpr std::size_t kLookedPacked = std::size_t{4} << 20;
constexpr std::uint64_t kLookedParts = 16;
constexpr std::size_t kLookedPart = std::size_t{4} << 10;
constexpr Confidence kByBegin = 80;
constexpr Confidence kByPart = 75;

void note(ImportUnit& unit) {
    switch (unit.clock) {
    case ClockKind::Local:
        unit.notes.emplace_back(
            "Stamps are local time without zone. Where its run has telemetry the zone is found by "
            "the edges of the power, else they are taken as UTC.");
        break;
    case ClockKind::None:
        unit.notes.emplace_back(
            "The log has no dates. Where its run has telemetry it is placed by the edges of the "
            "power, else it counts from its own start.");
        break;
    case ClockKind::Utc:
        break;
    }
}

ImportUnit unitOf(const SourceTree& tree, const SourceFile& file) {
    ImportUnit unit;
    unit.path = file.path;
    unit.files = {file.path};
    unit.bytes = file.size;
    const LogProbe probe = probeFile(tree, file.path);
    unit.clock = probe.clock;
    unit.start = probe.firstStamp;
    unit.summary = "training log"
        + (probe.dialect == nullptr ? "" : ": " + std::string(probe.dialect->name));
    const auto head = readHead(tree, file.path, kNamesWithin);
    unit.gpuModel = gpuNamedIn(head.valueOr(std::string()));
    note(unit);
    return unit;
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    const LogProbe probe = probePart(head);
    return probe.steps > 0 || probe.marks > 0 ? kByBegin : 0;
}

// Logs often begin with long texts of another kind: of a large text parts are looked at. Of a
// compressed one the end is not at hand.
Confidence look(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    const bool isObject = first != std::string_view::npos && head[first] == '{';
    if (head.size() < kLookedHead || isObject || head.find('\0') != std::string_view::npos)
        return 0;
    const std::string tail = readTail(tree, file.path, kLookedTail);
    if (tail.empty()) {
        const auto more = readHead(tree, file.path, kLookedPacked);
        return probePart(more.valueOr(std::string())).steps > 0 ? kByPart : 0;
    }
    if (probePart(tail).steps > 0)
        return kByPart;
    for (std::uint64_t i = 1; i < kLookedParts; ++i) {
        const std::uint64_t beforeEnd = file.size * (kLookedParts - i) / kLookedParts;
        if (probePart(readBeforeEnd(tree, file.path, beforeEnd, kLookedPart)).steps > 0)
            return kByPart;
    }
    return 0;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string_view, int> stems;
    for (const SourceFile& file : mine)
        ++stems[namePart(withoutSuffixes(file.path))];
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        const std::string_view path = withoutSuffixes(file.path);
        units.push_back(unitOf(tree, file));
        units.back().runName = stems[namePart(path)] > 1 ? path : namePart(path);
    }
    return units;
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return importLog(tree, unit, sink, progress);
}

} // namespace

const Importer& importer() {
    static constexpr Importer kImporter{
        {"trainlog", "training log",
            "training logs of Megatron-LM, DeepSpeed, GPT-NeoX, NeMo, torchtitan, torchtune, "
            "MaxText, "
            "Composer, verl, nanochat, nanoGPT, Hugging Face and MLPerf, JSON lines and tables",
            Joins::RunBeside, LaunchSettings::Beside, {}, "training log", "training logs", true},
        sniff, plan, import, nullptr, look, workOf};
    return kImporter;
}

} // namespace trainscope::importers::trainlog
