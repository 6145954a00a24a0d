// Training logs: Megatron-LM, Megatron-DeepSpeed, GPT-NeoX, NeMo and Lightning, torchtitan,
// nanochat, nanoGPT and their descendants, torchtune, MaxText, Composer, verl, DeepSpeed-Chat,
// Hugging Face's Trainer, MLPerf, JSON lines and tables (Dialects.cpp).
//
// Each line of an iteration gives marks on the timeline and samples of the run: loss, gradient
// norm, learning rate, step time, tokens and samples per second, reported throughput, and every
// other value under its own name. The arguments that the program printed become the launch
// configuration.
//
// Clock: stamps without zone are local time and stay as written unless the unit says an offset;
// MLPerf's are unix time. A log without stamps counts from `start`, where that is said or found
// (LoggedWork.h), else from 1970, and says so. Values are written at the end of their iteration.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "importers/common/FileLines.h"
#include "importers/common/Importer.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TextCleaning.h"
#include "importers/trainlog/Dialect.h"
#include "importers/trainlog/LogReader.h"

namespace trainscope::importers::trainlog {
namespace {

// Facts that a few parts of a training log tell before it is imported: its dialect, its clock, the
// GPUs that it names.

struct LogProbe {
    const Dialect* dialect = nullptr; // nullptr: no iteration in these parts
    std::int64_t steps = 0;
    std::int64_t marks = 0; // intervals and evaluations of a log that may have no iteration
    ClockKind clock = ClockKind::None;
    std::optional<TimeNs> firstStamp; // a local clock's as if that were UTC
};

// A part of a log; its first and last line may be cut.
LogProbe probePart(std::string_view part);

constexpr std::size_t kProbedHead = std::size_t{64} << 10;
constexpr std::size_t kProbedPacked = std::size_t{4}
    << 20; // for a compressed file, whose end is far
constexpr std::size_t kProbedPart = std::size_t{32} << 10;
constexpr std::uint64_t kProbedParts = 16;
constexpr std::size_t kFirstStamps = 64;

// The first that is not damaged: not far from the others.
std::optional<TimeNs> firstOf(const std::vector<TimeNs>& stamps) {
    static constexpr DurationNs kFarStamp{std::int64_t{366} * 86'400 * 1'000'000'000};
    if (stamps.empty())
        return std::nullopt;
    auto sorted = stamps;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *std::find_if(stamps.begin(), stamps.end(), [middle](TimeNs stamp) {
        return stamp - *middle <= kFarStamp && *middle - stamp <= kFarStamp;
    });
}

void join(LogProbe& all, const LogProbe& part) {
    if (all.dialect == nullptr)
        all.dialect = part.dialect;
    all.steps += part.steps;
    all.marks += part.marks;
    if (all.clock == ClockKind::None)
        all.clock = part.clock;
    if (!all.firstStamp)
        all.firstStamp = part.firstStamp;
}

// True for a part that is worth reading for iterations; quick.
bool mayHoldSteps(std::string_view part) {
    return part.find("loss") != std::string_view::npos
        || part.find("Loss") != std::string_view::npos
        || part.find("iteration") != std::string_view::npos
        || part.find(":::MLL") != std::string_view::npos
        || part.find("SamplesPerSec=") != std::string_view::npos
        || part.find("step=") != std::string_view::npos
        || part.find("train_time") != std::string_view::npos;
}

LogProbe probePart(std::string_view part) {
    LogProbe probe;
    if (!mayHoldSteps(part))
        return probe;
    std::int64_t stamped = 0;
    std::int64_t dated = 0; // with a zone
    std::vector<TimeNs> stamps;
    std::optional<TimeNs> firstMark;
    bool markIsUtc = false;
    LogReader reader([&](const LoggedStep& step) {
        const bool isMark = step.line.kind != StepLine::Kind::Step;
        probe.marks += isMark ? 1 : 0;
        if (isMark && (probe.steps > 0 || !step.line.stamp))
            return Status();
        if (isMark) {
            markIsUtc = step.line.stamp->isUtc;
            firstMark = firstMark.value_or(step.line.stamp->time);
            return Status();
        }
        const auto& stamp = step.line.stamp ? step.line.stamp : step.nearby;
        ++probe.steps;
        // Stamps before the first step may lie far back.
        if (stamp && (step.line.stamp || probe.steps > 1)) {
            ++stamped;
            dated += stamp->isUtc ? 1 : 0;
        }
        if (stamp && stamps.size() < kFirstStamps)
            stamps.push_back(stamp->time);
        return Status();
    });
    while (!part.empty()) {
        const std::size_t end = std::min(part.find_first_of("\r\n"), part.size());
        std::string_view line = part.substr(0, std::min(end, LineReader::kMaxLine));
        std::string plain;
        if (line.find('\x1b') != std::string_view::npos)
            line = plain = withoutEscapes(line);
        if (!reader.read(line).hasValue())
            break;
        part.remove_prefix(std::min(end + 1, part.size()));
    }
    if (reader.dialect() == nullptr && reader.finish().hasValue() && firstMark) {
        probe.clock = markIsUtc ? ClockKind::Utc : ClockKind::Local;
        probe.firstStamp = firstMark;
        probe.dialect = reader.dialect();
        return probe;
    }
    probe.dialect = reader.dialect();
    probe.firstStamp = firstOf(stamps);
    const bool isDated = stamped > 0 && 2 * stamped >= probe.steps - 1;
    if (isDated)
        probe.clock = dated == stamped ? ClockKind::Utc : ClockKind::Local;
    else
        probe.firstStamp.reset();
    return probe;
}

// The parts of a file that tell most: its begin, its end and some between.
LogProbe probeFile(const SourceTree& tree, const std::string& path) {
    LogProbe all;
    const std::string tail = readTail(tree, path, kProbedHead);
    const auto head = readHead(tree, path, tail.empty() ? kProbedPacked : kProbedHead);
    if (head.hasValue())
        join(all, probePart(head.value()));
    if (tail.empty())
        return all;
    const std::uint64_t size = tree.sizeOf(path);
    for (std::uint64_t i = 1; i < kProbedParts && all.clock == ClockKind::None; ++i)
        join(all,
            probePart(
                readBeforeEnd(tree, path, size * (kProbedParts - i) / kProbedParts, kProbedPart)));
    if (all.clock == ClockKind::None)
        join(all, probePart(tail));
    return all;
}

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
    ImportUnit unit = unitOfFile(file);
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

// A file of settings or results, whose last row could be a log's.
bool isDocument(std::string_view head, std::string_view path) {
    const bool isLine = trimmed(head).find('\n') == std::string_view::npos;
    return (!isLine || path.ends_with(".json") || path.ends_with(".json.gz"))
        && isOneJsonValue(head);
}

Confidence sniff(std::string_view head, std::string_view path) {
    const LogProbe probe = probePart(head);
    if (probe.dialect != nullptr && probe.dialect->reader == jsonLinesReader
        && isDocument(head, path))
        return 0;
    return probe.steps > 0 || probe.marks > 0 ? kByBegin : 0;
}

Confidence sniffPart(std::string_view part) {
    return probePart(part).steps > 0 ? kByPart : 0;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        ImportUnit unit = unitOf(tree, file);
        unit.runName = withoutSuffixes(file.path);
        const auto head = readHead(tree, file.path, kNamesWithin);
        const auto lines = linesOfHead(head.valueOr(std::string()), 1);
        const auto runs = lines.empty() ? std::vector<std::string>{} : runsOfHead(lines.front());
        for (const std::string& run : runs) {
            units.push_back(unit);
            units.back().part = run;
            units.back().runName += " " + run;
        }
        if (runs.empty())
            units.push_back(std::move(unit));
    }
    return units;
}

} // namespace

constinit const Importer kImporter{
    {"trainlog", "training log",
        "training logs of Megatron-LM, DeepSpeed, GPT-NeoX, NeMo, torchtitan, torchtune, "
        "MaxText, "
        "Composer, verl, nanochat, nanoGPT, Hugging Face and MLPerf, JSON lines and tables",
        Joins::RunBeside, LaunchSettings::Beside, {}, "training log", "training logs", true},
    sniff, plan, importLog, nullptr, nullptr, sniffPart, workOf};

} // namespace trainscope::importers::trainlog
