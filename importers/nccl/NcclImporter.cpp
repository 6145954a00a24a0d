// Logs of NCCL (NcclLog.h) as sources: the ranks' nodes and devices, communicators as process
// groups, and facts. They have no times and no samples. Proposed as part of the run that lies
// beside them.

#include "importers/common/Formats.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/FileLines.h"
#include "importers/common/RunFolders.h"
#include "importers/nccl/NcclLog.h"

namespace trainscope::importers::nccl {

namespace {

constexpr Confidence kManyLines = 70;
constexpr Confidence kByPart = 65;
constexpr int kEnoughLines = 3;
constexpr std::uint64_t kReadWhole = std::uint64_t{32} << 20; // bytes of a file that is read on
constexpr std::uint64_t kLookedParts = 64; // in a larger one, beside its begin
constexpr std::size_t kLookedPart = std::size_t{64} << 10;
constexpr std::size_t kLookedHead = std::size_t{1} << 20;

// A source, a list in JSON and a quotation hold lines of a log and are none.
bool isQuoted(std::string_view part, std::size_t mark) {
    const std::string_view before = part.substr(0, mark);
    const std::string_view line = trimmed(before.substr(before.rfind('\n') + 1));
    return line.starts_with('>')
        || (!line.starts_with('{') && line.find_first_of("\"'`|") != line.npos);
}

// Before a fence ("```"), which begins the quotations of a report.
int countLines(std::string_view part) {
    part = part.substr(0, part.starts_with("```") ? 0 : part.find("\n```"));
    int count = 0;
    for (const std::string_view mark : {" NCCL INFO ", " NCCL WARN ", "# nThread "}) {
        for (auto at = part.find(mark); at != std::string_view::npos && count < kEnoughLines;
             at = part.find(mark, at + 1))
            count += isQuoted(part, at) ? 0 : 1;
    }
    return count;
}

// The columns of nccl-tests are named, and a row of them is there.
bool hasTestTable(std::string_view part) {
    if (part.find("busbw") == std::string_view::npos
        || part.find("redop") == std::string_view::npos)
        return false;
    NcclLog log;
    while (!part.empty() && log.rows().empty()) {
        const std::size_t end = std::min(part.find('\n'), part.size());
        log.take(part.substr(0, end), 0);
        part.remove_prefix(std::min(end + 1, part.size()));
    }
    return !log.rows().empty();
}

bool isOfNccl(std::string_view part) {
    return countLines(part) >= kEnoughLines || hasTestTable(part);
}

// Lines of the library stand where its communicators are made, which may be anywhere: behind what
// the program says of itself, or where it starts again.
bool within(const SourceTree& tree, const SourceFile& file) {
    const std::size_t head
        = file.size <= kReadWhole ? static_cast<std::size_t>(kReadWhole) : kLookedHead;
    if (isOfNccl(readHead(tree, file.path, head).valueOr(std::string())))
        return true;
    if (file.size <= kReadWhole)
        return false;
    for (std::uint64_t i = 0; i < kLookedParts; ++i) {
        const std::uint64_t beforeEnd = file.size * i / kLookedParts + kLookedPart;
        if (isOfNccl(readBeforeEnd(tree, file.path, beforeEnd, kLookedPart)))
            return true;
    }
    return false;
}

Confidence sniffPart(std::string_view part) {
    return isOfNccl(part) ? kByPart : 0;
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isOfNccl(head) ? kManyLines : 0;
}

std::vector<ImportUnit> plan(const SourceTree& /*tree*/, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& source : mine) {
        ImportUnit unit = unitOfFile(source);
        unit.clock = ClockKind::None;
        unit.runName = withoutSuffixes(source.path);
        unit.summary = "NCCL log: communicators, rings and connections";
        units.push_back(std::move(unit));
    }
    return units;
}

void fillReport(const NcclLog& log, const ImportUnit& unit, ImportReport& report) {
    report.importer = "nccl 1";
    report.facts = log.facts();
    report.facts["clock"] = "none: the log has no times";
    // Ranks of a program that prints besides break each other's lines.
    report.skipped = unit.part.empty() ? log.notUnderstood() : 0;
    if (log.notUnderstood() > 0 && !unit.part.empty())
        report.counts["lines of NCCL not understood"] = log.notUnderstood();
    report.counts["lines of NCCL"] = log.lines();
    if (log.brokenRows() > 0) {
        report.counts["nccl-tests rows that break off"] = log.brokenRows();
        report.skipped += log.brokenRows();
        report.lost(unit.path, 0,
            text::counted(log.brokenRows(), "row")
                + " of the table of nccl-tests are cut by lines of the log and are not whole: left "
                  "out.");
    }
    report.counts["communicators"] = static_cast<std::int64_t>(log.communicators().size());
    for (const auto& [way, count] : log.ways())
        report.counts["connections: " + way] = count;
    if (log.warningCount() > 0)
        report.counts["NCCL warnings"] = log.warningCount();
    if (!log.rows().empty())
        report.counts["nccl-tests sizes"] = static_cast<std::int64_t>(log.rows().size());
    if (auto text = layout::processGroupsText(log.groups()); !text.empty())
        report.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
    for (const auto& [line, text] : log.warnings())
        report.warn(unit.path, line, "NCCL: " + text);
    const Communicator* all = log.world();
    if (all == nullptr) {
        for (const Gpu& gpu : log.testedGpus())
            report.ranksFound.push_back(gpu.rank);
        return;
    }
    report.ranksExpected = all->size;
    for (const auto& [rank, member] : all->members)
        report.ranksFound.push_back(rank);
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    NcclLog log;
    ImportReport report;
    RETURN_IF_ERROR(readLines(tree, unit.path, "Reading the NCCL log", progress, report,
        [&](std::string_view line, std::int64_t number) {
            report.rows += log.take(line, number) ? 1 : 0;
            return Status();
        }));
    if (log.isEmpty())
        return Error{ErrorCode::Unrecognised,
            "There is no line of NCCL in this file; they come with NCCL_DEBUG=INFO.",
            tree.displayPath(unit.path)};
    Run run;
    run.name = unit.runName;
    const auto gpus = log.testedGpus();
    const Communicator* all = log.world();
    run.worldSize = all == nullptr ? static_cast<int>(gpus.size()) : all->size;
    if (!gpus.empty())
        run.gpuModel = gpus.front().model;
    ASSIGN_OR_RETURN(const auto id, sink.run(run));
    for (const Gpu& gpu : gpus)
        RETURN_IF_ERROR(sink.gpu(id, gpu));
    fillReport(log, unit, report);
    return report;
}

} // namespace

constinit const Importer kImporter{
    {"nccl", "NCCL log",
        "NCCL logs (NCCL_DEBUG=INFO) and nccl-tests results, beside these or alone",
        Joins::RunBeside, LaunchSettings::None, {}, "NCCL log", "NCCL logs"},
    sniff, plan, import, nullptr, nullptr, sniffPart, nullptr, within};

} // namespace trainscope::importers::nccl
