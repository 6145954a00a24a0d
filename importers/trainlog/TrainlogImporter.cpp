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

Confidence sniffPart(std::string_view part) {
    return probePart(part).steps > 0 ? kByPart : 0;
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
        sniff, plan, import, nullptr, nullptr, sniffPart, workOf};
    return kImporter;
}

} // namespace trainscope::importers::trainlog
