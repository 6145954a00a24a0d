// The first step of an import: what is in this folder?
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/text/Times.h"
#include "importers/common/ArchiveReader.h"
#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TextCleaning.h"
#include "importers/registry/FileKind.h"
#include "importers/registry/MachineEvidence.h"
#include "importers/registry/PlanSteps.h"
#include "importers/registry/Registry.h"
#include "importers/registry/RunNames.h"
#include "importers/registry/TracedGpus.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trainscope::importers {
namespace {

// The zone of clocks that do not say theirs, from another source of the same run or folder that
// knows its machine's: traces keep their start in UTC and in local time.

bool knowsZone(const ImportUnit& unit) {
    return unit.clock == ClockKind::Utc && unit.utcOffsetSeconds && unit.start;
}

bool areTogether(const ImportUnit& a, const ImportUnit& b) {
    return a.runName == b.runName
        || (!a.files.empty() && !b.files.empty()
            && folderPart(a.files.front()) == folderPart(b.files.front()));
}

bool beginTogether(const ImportUnit& local, const ImportUnit& other) {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    const DurationNs offset{*other.utcOffsetSeconds * 1'000'000'000};
    return std::abs((*local.start - offset - *other.start).ns) < kHour;
}

// Fills utcOffsetSeconds of units with ClockKind::Local that have none, where a unit in UTC says
// its machine's, and the two then begin within an hour of each other. Each gets a note that says
// so.
void findLocalClocks(std::vector<ImportUnit>& units) {
    for (ImportUnit& unit : units) {
        if (unit.clock != ClockKind::Local || unit.utcOffsetSeconds || !unit.start)
            continue;
        for (const ImportUnit& other : units) {
            if (!knowsZone(other) || !areTogether(unit, other) || !beginTogether(unit, other))
                continue;
            unit.utcOffsetSeconds = other.utcOffsetSeconds;
            unit.notes.push_back("Its clock is taken as " + text::zone(*other.utcOffsetSeconds)
                + ", which " + std::string(namePart(other.path)) + " says of its machine.");
            break;
        }
    }
}

constexpr std::size_t kFirstLook = std::size_t{4} << 10; // most formats show there
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kFilesPerJob = 32;
constexpr std::size_t kTailBytes = std::size_t{64} << 10;
constexpr std::size_t kPackedBytes = std::size_t{4} << 20;
constexpr std::uint64_t kParts = 16; // a long text is looked at in
constexpr std::size_t kPartBytes = std::size_t{4} << 10;
// One large member may stand before what tells a JSON format; more where the user names the format.
constexpr std::size_t kDeepHead = std::size_t{16} << 20;
constexpr std::size_t kDeepHeadOfFormat = std::size_t{32} << 20;
// Below it files are looked into: a log of training may begin as one of NCCL.
constexpr Confidence kLikely = 75;
constexpr Confidence kSure = 90; // no more of the file is needed
constexpr Confidence kMost = 99; // no format says more

// Owner of a file, or else the file's kind.
struct Verdict {
    const Importer* owner = nullptr;
    Confidence confidence = 0;
    std::string reason;
    std::vector<const Importer*> within = {}; // others whose lines stand in it too
};

Confidence confidenceOf(const Importer& importer, std::string_view head, std::string_view path) {
    try {
        return importer.sniff(head, path);
    } catch (const std::exception&) {
        return 0; // a file that breaks the judge is none of its own; it is listed as unrecognised
    }
}

Verdict judgeHead(std::string_view head, std::string_view path, std::string_view onlyFormat) {
    Verdict best;
    const bool isBytes = !isText(head);
    const bool isQuoting = onlyFormat.empty() && isWritten(path);
    for (const Importer* importer : registry()) {
        if ((!onlyFormat.empty() && importer->format.id != onlyFormat)
            || ((isBytes || isQuoting) && !importer->format.readsBytes))
            continue;
        const Confidence confidence = confidenceOf(*importer, head, path);
        if (confidence > best.confidence)
            best = {importer, confidence, {}};
        if (best.confidence >= kMost)
            break;
    }
    return best;
}

bool startsAnObject(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return first != std::string_view::npos && head[first] == '{';
}

Verdict judgePart(std::string_view part, std::string_view onlyFormat) {
    Verdict best;
    for (const Importer* importer : registry()) {
        if (importer->sniffPart == nullptr
            || (!onlyFormat.empty() && importer->format.id != onlyFormat))
            continue;
        const Confidence confidence = importer->sniffPart(part);
        if (confidence > best.confidence)
            best = {importer, confidence, {}};
    }
    return best;
}

// Logs often begin with long texts of another kind: of a large one the end is looked at, and parts
// between; of a compressed one, whose end is not at hand, more of the begin.
Verdict lookAtParts(const SourceTree& tree, const SourceFile& file, std::string_view head,
    std::string_view onlyFormat) {
    Verdict best;
    if (head.size() < kHeadBytes || startsAnObject(head)
        || head.find('\0') != std::string_view::npos)
        return best;
    const std::string tail = readTail(tree, file.path, kTailBytes);
    if (tail.empty())
        return judgePart(
            readHead(tree, file.path, kPackedBytes).valueOr(std::string()), onlyFormat);
    best = judgePart(tail, onlyFormat);
    for (std::uint64_t i = 1; i < kParts && best.confidence < kLikely; ++i) {
        const std::uint64_t beforeEnd = file.size * (kParts - i) / kParts;
        Verdict part = judgePart(readBeforeEnd(tree, file.path, beforeEnd, kPartBytes), onlyFormat);
        if (part.confidence > best.confidence)
            best = std::move(part);
    }
    return best;
}

Verdict lookInto(const SourceTree& tree, const SourceFile& file, std::string_view head,
    std::string_view onlyFormat) {
    Verdict best = lookAtParts(tree, file, head, onlyFormat);
    for (const Importer* importer : registry()) {
        if (importer->look == nullptr || (!onlyFormat.empty() && importer->format.id != onlyFormat))
            continue;
        const Confidence confidence = importer->look(tree, file, head);
        if (confidence > best.confidence)
            best = {importer, confidence, {}};
    }
    return best;
}

// True where reading on may tell. The end of a compressed file is not at hand.
bool mayShowDeeper(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    if (!startsAnObject(head))
        return false;
    const auto isMarked = [](const std::string& part) {
        return std::ranges::any_of(registry(), [&](const Importer* importer) {
            const std::string_view mark = importer->format.deepMark;
            return !mark.empty() && part.find(mark) != std::string::npos;
        });
    };
    const std::string tail = readTail(tree, file.path, kTailBytes);
    // Large members may stand at both ends.
    return tail.empty() || isMarked(tail)
        || isMarked(readBeforeEnd(tree, file.path, file.size / 2, kTailBytes));
}

// Formats whose lines stand in what a program printed.
std::vector<const Importer*> formatsWithin(const SourceTree& tree, const SourceFile& file) {
    std::vector<const Importer*> found;
    std::ranges::copy_if(registry(), std::back_inserter(found), [&](const Importer* importer) {
        return importer->within != nullptr && importer->within(tree, file);
    });
    return found;
}

Verdict judgeFile(const SourceTree& tree, const SourceFile& file, std::string_view onlyFormat) {
    if (!file.problem.empty())
        return {nullptr, 0, file.problem};
    const auto stream = tree.open(file.path);
    if (!stream.hasValue())
        return {nullptr, 0, stream.error().message};
    std::string head;
    Status read = readUpTo(*stream.value(), kFirstLook, head);
    // Archives are folders of the tree; this one is none, and may hold what looks like a log.
    if (archiveKindOf(head) != ArchiveKind::None)
        return {nullptr, 0,
            tree.allowanceOf(file.path) ? "archive inside an archive: unpack it first"
                                        : describeFile(tree, file, head)};
    Verdict verdict = judgeHead(head, file.path, onlyFormat);
    if (verdict.confidence < kSure && head.size() == kFirstLook) {
        read = readUpTo(*stream.value(), kHeadBytes, head);
        verdict = judgeHead(head, file.path, onlyFormat);
    }
    if (verdict.owner == nullptr && head.size() == kHeadBytes && mayShowDeeper(tree, file, head)) {
        static std::mutex one; // however many threads judge, one such head is in memory
        const std::lock_guard alone(one);
        read = readUpTo(*stream.value(), onlyFormat.empty() ? kDeepHead : kDeepHeadOfFormat, head);
        verdict = judgeHead(head, file.path, onlyFormat);
        head.resize(kHeadBytes); // enough for a reason
        head.shrink_to_fit();
    }
    if (!read.hasValue())
        return {nullptr, 0, read.error().message};
    if (verdict.confidence < kLikely && !(onlyFormat.empty() && isWritten(file.path))) {
        Verdict inside = lookInto(tree, file, head, onlyFormat);
        if (inside.confidence > verdict.confidence)
            verdict = std::move(inside);
    }
    if (verdict.owner == nullptr)
        verdict.reason = describeFile(tree, file, head);
    else if (verdict.owner->format.isOutput && onlyFormat.empty())
        verdict.within = formatsWithin(tree, file);
    return verdict;
}

class Planner {
public:
    Planner(const SourceTree& tree, const Progress& progress, std::string_view onlyFormat)
        : m_tree(tree)
        , m_progress(progress)
        , m_onlyFormat(onlyFormat) { }

    Result<ImportPlan> run() {
        for (const SourceFile& file : m_tree.files())
            m_bytesTotal += file.size;
        if (!judgeFiles())
            return cancelled();
        for (const Importer* importer : registry())
            planWith(*importer);
        joinStructure(m_tree, m_plan.units);
        findAttempts(m_tree, m_plan);
        if (!leaveOutCopies(m_tree, m_plan, m_progress) || !joinUnits())
            return cancelled();
        addParts();
        attachLaunchFiles(m_tree, m_plan.units);
        joinMachinesToRuns(m_tree, m_plan.units);
        nameRuns(m_tree, m_plan.units);
        forgetUsed();
        std::move(m_failed.begin(), m_failed.end(), std::back_inserter(m_plan.unrecognised));
        std::ranges::sort(m_plan.unrecognised, {}, &Unrecognised::path);
        return std::move(m_plan);
    }

private:
    void leaveOut(const SourceFile& file, std::string reason) {
        m_plan.unrecognised.push_back({file.path, std::move(reason)});
    }

    // A launch configuration is no telemetry of its own, but belongs to the run that reads it.
    void forgetUsed() {
        std::set<std::string> used;
        for (const ImportUnit& unit : m_plan.units) {
            used.insert(unit.files.begin(), unit.files.end());
            used.insert(unit.launchFiles.begin(), unit.launchFiles.end());
        }
        std::erase_if(m_plan.unrecognised,
            [&used](const Unrecognised& one) { return used.contains(one.path); });
    }

    // False when it was stopped.
    bool judgeFiles() {
        const std::span files = m_tree.files();
        bool goesOn = true;
        auto file = files.begin();
        OrderedJobs<std::vector<Verdict>> jobs(
            WorkerPool::shared(), 0, [&](std::vector<Verdict>&& verdicts) {
                for (Verdict& verdict : verdicts)
                    sort(*file++, std::move(verdict));
                goesOn = goesOn
                    && (!m_progress || m_progress({"Looking at files", m_bytesDone, m_bytesTotal}));
            });
        for (std::size_t at = 0; at < files.size() && goesOn; at += kFilesPerJob) {
            const auto part = files.subspan(at, std::min(kFilesPerJob, files.size() - at));
            jobs.submit([this, part] {
                return vectorOf(part,
                    [&](const SourceFile& one) { return judgeFile(m_tree, one, m_onlyFormat); });
            });
        }
        if (!goesOn)
            jobs.abandon();
        jobs.finish();
        return goesOn;
    }

    void sort(const SourceFile& file, Verdict verdict) {
        m_bytesDone += file.size;
        for (const Importer* within : verdict.within)
            m_within[within].push_back(file);
        if (verdict.owner != nullptr)
            m_mine[verdict.owner].push_back(file);
        else
            leaveOut(file, std::move(verdict.reason));
    }

    // Absent where the importer fails, which its files say.
    std::optional<std::vector<ImportUnit>> unitsOf(
        const Importer& importer, const std::vector<SourceFile>& files) {
        try {
            auto units = importer.plan(m_tree, files);
            for (ImportUnit& unit : units)
                unit.importer = importer.format.id;
            return units;
        } catch (const std::exception& problem) {
            for (const SourceFile& file : files)
                m_failed.push_back({file.path,
                    fmt::format(
                        "cannot be planned as {}: {}", importer.format.name, problem.what())});
            return std::nullopt;
        }
    }

    void planWith(const Importer& importer) {
        const auto mine = m_mine.find(&importer);
        if (mine == m_mine.end())
            return;
        auto units = unitsOf(importer, mine->second);
        if (!units)
            return;
        std::set<std::string> used;
        for (ImportUnit& unit : *units) {
            used.insert(unit.files.begin(), unit.files.end());
            m_plan.units.push_back(std::move(unit));
        }
        for (const SourceFile& file : mine->second) {
            if (!used.contains(file.path))
                leaveOut(
                    file, "a " + std::string(importer.format.name) + " that belongs to no run");
        }
    }

    // False when it was stopped.
    bool joinUnits() {
        bool goesOn = true;
        std::vector<PlannedUnit> planned;
        for (ImportUnit& unit : m_plan.units)
            planned.push_back({&m_tree, &unit});
        MachineEvidence evidence(std::move(planned), [&](const ProgressState& state) {
            goesOn = goesOn
                && (!m_progress
                    || m_progress({"Comparing sources", state.bytesDone, state.bytesTotal}));
            return goesOn;
        });
        findZonesByPower(evidence);
        joinRunsOfFolders(evidence);
        findLocalClocks(m_plan.units);
        joinOneMachine(evidence);
        joinRunsOfFolders(evidence);
        return goesOn;
    }

    // Units that read a part of another's file belong to its run.
    void addParts() {
        std::map<std::string, const ImportUnit*> ownerOf; // by file
        for (const ImportUnit& unit : m_plan.units) {
            for (const std::string& file : unit.files)
                ownerOf[file] = &unit;
        }
        std::vector<ImportUnit> parts;
        for (const Importer* importer : registry()) {
            const auto files = m_within.find(importer);
            auto units = files == m_within.end() ? std::nullopt : unitsOf(*importer, files->second);
            if (!units)
                continue;
            for (ImportUnit& unit : *units) {
                const auto owner = ownerOf.find(unit.path);
                if (owner == ownerOf.end() || !owner->second->copyOf.empty())
                    continue;
                unit.part = importer->format.name;
                unit.runName = owner->second->runName;
                parts.push_back(std::move(unit));
            }
        }
        std::ranges::move(parts, std::back_inserter(m_plan.units));
    }

    const SourceTree& m_tree;
    const Progress& m_progress;
    std::string_view m_onlyFormat;
    std::map<const Importer*, std::vector<SourceFile>> m_mine;
    std::map<const Importer*, std::vector<SourceFile>> m_within; // another owns them
    ImportPlan m_plan;
    std::vector<Unrecognised> m_failed; // by their importer; others may read them
    std::uint64_t m_bytesDone = 0;
    std::uint64_t m_bytesTotal = 0;
};

} // namespace

Status checkFormat(std::string_view format) {
    if (format.empty() || findImporter(format) != nullptr)
        return {};
    return Error{ErrorCode::Usage,
        "There is no format \"" + std::string(format) + "\"; known ones are "
            + formatList(&Format::id) + ".",
        {}};
}

Result<ImportPlan> planImport(
    const SourceTree& tree, const Progress& progress, std::string_view onlyFormat) {
    RETURN_IF_ERROR(checkFormat(onlyFormat));
    return Planner(tree, progress, onlyFormat).run();
}

} // namespace trainscope::importers
