#pragma once
// Evidence of the machines that sources were recorded on, and of the times: it tells telemetry and
// traces of one machine from those of two.

#include "core/analysis/traces/KernelPower.h"
#include "core/catalogue/GpuModel.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/Importer.h"

#include <set>

namespace trainscope::importers {

using PowerByRank = std::map<int, analysis::PowerReadings>;

struct MachineSeen {
    bool isTelemetry = false; // readings of GPUs; else a trace, or a log of something else
    catalogue::Vendor vendor = catalogue::Vendor::Unknown;
    const catalogue::GpuModel* model = nullptr;
    GpuIds gpus; // by what tells them apart
    std::set<int> ranks;
    std::map<int, double> meanPower; // W, by rank
    int worldSize = 0; // 0: not said
    std::optional<TimeRange> range; // UTC
    bool isLog = false; // a program's: it begins before its first reading
    bool isZoneless = false; // its clock is taken as UTC
    bool isEndKnown = false;

    [[nodiscard]] bool overlaps(const MachineSeen& other) const;
    [[nodiscard]] std::optional<double> powerLimit() const;
};

// A run of a database, as a source of a plan.
struct KnownMachine {
    MachineSeen seen;
    std::function<PowerByRank(TimeRange)> power; // telemetry's
    std::function<analysis::TracedWork()> work; // a trace's
    std::set<std::pair<std::uint64_t, std::string>> contents
        = {}; // bytes and hashes of its sources
};

// A unit with the tree that its files lie in; of a run of a database its name, which it keeps, its
// rank and what is known of it, and no tree.
struct PlannedUnit {
    const SourceTree* tree = nullptr;
    ImportUnit* unit = nullptr;
    const KnownMachine* known = nullptr;
};

// Each log is read for it once, when it is first asked for, and what was read stays with its unit
// (ImportUnit::reading): of power 16 million readings in all. Traces are read for their kernels, up
// to 64 MiB of them on disk.
class MachineEvidence {
public:
    explicit MachineEvidence(std::vector<PlannedUnit> units, Progress progress = {});
    ~MachineEvidence();

    [[nodiscard]] const std::vector<PlannedUnit>& units() const { return m_units; }
    const MachineSeen& of(const ImportUnit& unit);
    // Samples that a log gave when it was read; 0: it was not.
    std::int64_t readingsOf(const ImportUnit& unit);
    // The power of its GPUs about that time.
    PowerByRank powerOf(const ImportUnit& unit, TimeRange around);
    // Nothing where the trace is too large to be looked at.
    const analysis::TracedWork& workOf(const ImportUnit& unit);
    // The index that a trace gives its GPU among those that its process saw.
    std::optional<int> deviceOf(const ImportUnit& unit);

    // They cannot be of one run: GPUs of two vendors or models, other UUIDs, worlds of two sizes,
    // other power at the same time, times that do not touch, or a trace whose kernels the power of
    // no GPU follows. Logs of programs may begin and end minutes before and after, and, where one
    // of two clocks has no zone, hours.
    [[nodiscard]] bool contradict(const ImportUnit& a, const ImportUnit& b);
    // The places in `a` and in `b` of GPUs that both are of, as they state: by UUID; in overlapping
    // time by host and PCI address, or host and index (of a trace whose process saw as many GPUs as
    // the log has); where one of the two names no host, by the address alone if both name one model
    // and, of two logs, read the same power. The identity that tells more decides alone.
    std::vector<std::pair<PlaceInRun, PlaceInRun>> commonGpus(
        const ImportUnit& a, const ImportUnit& b);
    // They read the same power of the same GPUs at the same time.
    [[nodiscard]] bool readAlike(const ImportUnit& a, const ImportUnit& b);
    // The power of a GPU of the log follows the kernels of the trace, or of several GPUs it alone
    // drew power then.
    [[nodiscard]] bool follows(const ImportUnit& log, const ImportUnit& trace);

private:
    struct Known;
    Known& known(const ImportUnit& unit);
    [[nodiscard]] const PlannedUnit* planned(const ImportUnit& unit) const;
    void readLog(const PlannedUnit& planned);
    void readTrace(const PlannedUnit& planned);
    const analysis::GpuByPower& byPower(const ImportUnit& log, const ImportUnit& trace);

    std::vector<PlannedUnit> m_units;
    Progress m_progress;
    std::map<const ImportUnit*, std::size_t> m_places;
    std::map<const ImportUnit*, std::unique_ptr<Known>> m_known;
    using Pair = std::pair<const ImportUnit*, const ImportUnit*>;
    std::map<Pair, bool> m_contradictions;
    std::map<Pair, analysis::GpuByPower> m_byPower; // by log and trace
    std::uint64_t m_powerLeft; // readings
    std::uint64_t m_traceBytesLeft;
};

// A run as it is planned so far.
struct RunSoFar {
    std::string name;
    bool isThere = false; // in the database that the import is for
    std::vector<const PlannedUnit*> units = {};
    std::string folder = {}; // holds all of its files, in its tree
    bool isTelemetry = false; // readings of GPUs, and no traces

    [[nodiscard]] std::string shownFolder() const;
};
// The runs of all units that are imported and have a time of their own.
std::vector<RunSoFar> runsOf(const MachineEvidence& evidence);

using OfTwo = std::function<bool(const PlannedUnit&, const PlannedUnit&)>;
bool anyPair(const RunSoFar& a, const RunSoFar& b, const OfTwo& holds);
bool isTelemetryOf(const PlannedUnit& planned);
bool hasGpuReadings(const ImportUnit& unit);
bool tellsSteps(const ImportUnit& unit); // a training's
// Switches off all of a run's logs but the one that tells most: programs of one job tell the same
// steps. Logs of other times go on.
void keepOneLog(MachineEvidence& evidence, const std::vector<ImportUnit*>& logs);
// Unless the unit has that note.
void addNote(ImportUnit& unit, const std::string& note);

// Joins runs of a plan that were recorded of one machine, or of the machines of one job, as facts
// tell.

// Makes one run of those whose sources state that they are of one job or of the same GPUs; each
// unit that gets another run says so in a note. Runs are joined where
//  - logs of GPUs, nodes or ranks lie beside each other, by words and numbers in their paths; or
//  - traces of sibling folders are the ranks of one world at one time, as of its hosts; or
//  - UUIDs are the same; or
//  - the power of a log follows the kernels of a trace, and that of no other log does.
// Runs of a database (PlannedUnit::known) are joined as if they lay beside each; they keep their
// names, and a source of another machine or time whose run has such a name gets another one.
// Contradictions are never joined, and clocks without a zone count as UTC unless the power tells
// their zone. Traces get the ranks of their GPUs, or logs those of the traces (TracedGpus.h).
void joinOneMachine(MachineEvidence& evidence);

// RunsOfFolders: the sources that one folder holds of one job, its traces, the log of its launcher,
// the readings of its machine. A folder is that of one run where it holds, with all folders below
// it, one source of each kind at most and none of another machine, time or world; several logs of
// the same GPUs count as one. Changes runName of units that state no run (Joins::RunBeside): to the
// run of their folder that others state, else to the folder's path. Each gets a note that says so.
void joinRunsOfFolders(MachineEvidence& evidence);

} // namespace trainscope::importers
