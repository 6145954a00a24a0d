#pragma once
// The interface of a format: what an importer says of itself, the units it plans and the reports it
// gives. A unit is one source of one run, imported in one transaction; its fields are what the
// import sheet shows and lets the user edit.

#include "core/analysis/iterations/LogPlacement.h"
#include "core/catalogue/GpuModel.h"
#include "importers/common/SaidColumns.h"
#include "importers/common/Source.h"
#include "importers/common/Stamp.h"

namespace trainscope::importers {

// Machine of runs that a unit describes; the unit makes no run itself.
struct MachineUnit {
    std::vector<int> gpus; // local indices of a node that it knows, ascending
    catalogue::Vendor vendor = catalogue::Vendor::Unknown; // its GPUs'
    bool hasSpeeds = false; // it knows how fast links are, which is more than their kinds
    std::vector<std::string> runs; // those beside it, if the unit's runName is empty
    bool isFromElsewhere = false; // those lie in other folders: it is a guess that they are its

    bool operator==(const MachineUnit&) const = default;
};

// Place of a source's GPUs in its run, which has others before them: to be added to the source's
// own numbers.
struct PlaceInRun {
    int rank = 0;
    int node = 0;
    int local = 0;

    bool operator==(const PlaceInRun&) const = default;
};

struct UnitReading; // all that was read of a source to plan it (registry)

struct ImportUnit {
    std::string importer; // id of the importer, filled in by the registry
    std::string path; // file, or folder of the run, relative to the tree
    // The part that the unit reads of a file that another unit reads as well, "NCCL log"; empty:
    // all of it.
    std::string part;
    std::vector<std::string> files; // every file that belongs to it
    std::vector<std::string> launchFiles; // see LaunchSettings::Beside
    // Partner of a Kineto trace: the execution trace of its process; and the other way round.
    std::string partner;
    std::uint64_t bytes = 0; // on disk
    std::string runName; // editable
    std::optional<int> rank; // editable; of a single-rank source
    int worldSize = 0; // ranks the source expects, 0: not said
    PlaceInRun place;
    std::string process; // host and process that recorded a trace, as far as known; may be empty
    ClockKind clock = ClockKind::Utc;
    std::optional<std::int64_t>
        utcOffsetSeconds; // editable, for ClockKind::Local; absent: taken as UTC
    // Editable, for ClockKind::None: when the recording began, and how far apart its readings are
    // where it has no stamps at all. Absent: the epoch, and 1 s.
    std::optional<TimeNs> saidStart;
    std::optional<DurationNs> saidPeriod;
    bool hasNoStamps = false; // its readings are saidPeriod apart
    // Editable, where its dates can be read with the day or with the month first (asksDates).
    DateOrder saidDates = DateOrder::Unknown;
    bool asksDates = false;
    // Editable, of a table whose columns have names of their own: what they are (SaidColumns.h).
    SaidColumns saidColumns;
    std::string columns; // as they were understood, a sentence; empty: they cannot be said
    std::string heads; // the table's, the same for all files like it
    // Place of a source with ClockKind::None: where telemetry of its run shows that it lies, or as
    // saidStart says.
    std::optional<analysis::LogPlacement> placement;
    // Offset of a source with ClockKind::Local for which nobody stated one, from telemetry of its
    // run; utcOffsetSeconds is that.
    std::optional<analysis::LogOffset> foundOffset;
    // Nothing places it beside other sources until its start is said: it is joined with none.
    bool isUndated = false;
    bool enabled = true; // editable
    std::string copyOf; // path of the unit whose readings it repeats, and is switched off for
    std::optional<MachineUnit> machine;
    // Facts in the source's first bytes, if any.
    std::optional<TimeNs> start; // its first stamp; of a local clock as if that were UTC
    std::string gpuModel; // as recorded
    std::string saidGpuModel; // editable; of its GPUs, where they are others than their run's
    int gpusPerNode = 0; // 0: not said
    std::string summary; // one line: "8 GPUs, 12 metrics" or "rank 3 of 8, kernels"
    std::vector<std::string> notes; // facts that the user should know before importing
    std::shared_ptr<const UnitReading> reading; // nullptr: nothing yet
};

// The GPU that a source worked on most, as it says itself.
struct UsedGpu {
    int ordinal = -1; // among those that its process saw; -1: it used none
    std::string uuid; // may be empty
    std::string pciAddress; // likewise
    int visible = 0; // GPUs that its process saw; 0: not said
    int used = 0; // those among them that it worked on
};

ImportUnit unitOfFile(const SourceFile& file); // all of it, and nothing else
// The run that a unit joins, or those that it describes: "a, b and 3 more".
std::string runText(const ImportUnit& unit);
// At most `most` of them by name.
std::string listNames(const std::vector<std::string>& names, std::size_t most = 4);

// A file that nobody recognised, with what was found instead.
struct Unrecognised {
    std::string path;
    std::string reason;
    bool isAttempt = false; // a job's; its log has no reading
    std::string error = {}; // the attempt's end, if its log says one
    std::string copyOf = {}; // the attempt whose log it repeats
};

// Runs that could be one, as their names, folders and times are alike; nothing says that they are.
struct JoinSuggestion {
    std::vector<std::string> runs;
    std::string why; // "their names differ in numbers alone, and they begin within 12 s"
};

struct ImportPlan {
    std::vector<ImportUnit> units;
    std::vector<Unrecognised> unrecognised;
    std::vector<JoinSuggestion> suggestions = {};
};

// 0: not mine; 100: certain. The highest wins, in registry order among equals.
using Confidence = int;

// The way that units of a format come to their run.
enum class Joins {
    OwnRun, // they are runs or ranks of runs, and say which
    RunBeside, // they name no run: each is proposed as part of the only one that lies beside it
    MachineOfRuns, // they have a `machine`, and belong to the runs that lie beside them
};

// The place of the launch configuration of a unit's run.
enum class LaunchSettings {
    Beside, // in the run's folder or above; the registry finds the files and adds what they state
    OwnFiles, // among the unit's files: the importer finds and reads them
    None,
};

// Description of a format by its importer. Nothing else is known of a format outside its folder.
struct Format {
    std::string_view id; // "kineto": for --format, and kept with the source
    std::string_view name; // one source's: "PyTorch Kineto trace"
    std::string_view description; // its files, for people who look for theirs
    Joins joins = Joins::OwnRun;
    LaunchSettings launch = LaunchSettings::Beside;
    // Near the end of a file that a large first member keeps from showing what it is; only where it
    // stands there is the file read on. Empty: the first bytes always tell.
    std::string_view deepMark = {};
    // Its files as they are counted: "1 Kineto trace", "8 Kineto traces".
    std::string_view oneFile = "file";
    std::string_view manyFiles = "files";
    // All that a program printed, in which lines of other formats may stand (Importer::within).
    bool isOutput = false;
    bool readsGpus = false; // readings of GPUs, which tell whose they are
    bool readsBytes = false; // its `sniff` knows files that are no text
    bool tellsSteps = false; // a training's, as output does: for two of a run one is enough
};

// A format as a row of the registry; thread-safe: functions without state.
struct Importer {
    Format format;
    // Judges by the first decompressed bytes (64 KiB at most) and the path.
    Confidence (*sniff)(std::string_view head, std::string_view path);
    // Groups the files that sniffed as this format into units with run names relative to the tree's
    // root.
    std::vector<ImportUnit> (*plan)(const SourceTree& tree, const std::vector<SourceFile>& mine);
    // Reads one unit into the sink. The report's `bytes` and counts are true also where a file is
    // cut short.
    Result<ImportReport> (*import)(
        const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);
    // Facts of a unit with a machine, JSON of core/layout/Topology.h; nullptr: the format makes no
    // such units.
    Result<std::string> (*machineFacts)(const SourceTree& tree, const ImportUnit& unit) = nullptr;
    // Judges a file that nobody knew by its first bytes, of which `head` has some, by looking into
    // it: databases show what they are by their tables. nullptr: the first bytes always tell.
    Confidence (*look)(const SourceTree& tree, const SourceFile& file, std::string_view head)
        = nullptr;
    // Judges a part of a long text that nobody knew by its first bytes; lines are whole but the
    // first and last. nullptr: the first bytes always tell.
    Confidence (*sniffPart)(std::string_view part) = nullptr;
    // Times at which a unit's machine worked, so that one without dates or without a time zone can
    // be placed in telemetry; nullptr: the format does not tell them.
    Result<analysis::LoggedWork> (*work)(
        const SourceTree& tree, const ImportUnit& unit, const Progress& progress)
        = nullptr;
    // True where a file of a format that isOutput holds lines of this one too, which then get a
    // unit of their own in the same run. nullptr: never.
    bool (*within)(const SourceTree& tree, const SourceFile& file) = nullptr;
    // The GPU of a unit of a single rank; reads all of it. nullptr: the format does not say.
    Result<UsedGpu> (*usedGpu)(
        const SourceTree& tree, const ImportUnit& unit, const Progress& progress)
        = nullptr;
};

// Throws of `read`, for want of memory, become errors of the unit.
Result<ImportReport> caught(const SourceTree& tree, const ImportUnit& unit,
    const std::function<Result<ImportReport>()>& read);
// Importer::import by an object of that type, which lives for one unit.
template <typename Import>
Result<ImportReport> importBy(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return caught(tree, unit, [&] { return Import(tree, unit, sink).run(progress); });
}

} // namespace trainscope::importers
