#pragma once
// Evidence of the machines that sources were recorded on, and of the times: it tells telemetry and
// traces of one machine from those of two.

#include "core/analysis/traces/KernelPower.h"
#include "core/catalogue/GpuModel.h"
#include "importers/common/Importer.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers {

// Mean of a GPU's gauge, SI.
struct MeanReading {
    double sum = 0.0;
    double count = 0.0;
    [[nodiscard]] double value() const { return sum / count; }
};
using MeanReadings = std::map<std::pair<std::string, int>, MeanReading>; // by metric and rank

using PowerByRank = std::map<int, analysis::PowerReadings>;

struct MachineSeen {
    bool isTelemetry = false; // readings of GPUs; else a trace, or a log of something else
    catalogue::Vendor vendor = catalogue::Vendor::Unknown;
    const catalogue::GpuModel* model = nullptr;
    std::set<std::string> uuids;
    std::set<int> ranks;
    MeanReadings means;
    std::optional<TimeRange> range; // UTC
    bool isEndKnown = false;

    [[nodiscard]] bool overlaps(const MachineSeen& other) const;
    [[nodiscard]] std::optional<double> powerLimit() const;
};

// A run of a database, as a source of a plan.
struct KnownMachine {
    MachineSeen seen;
    std::function<PowerByRank(TimeRange)> power; // of telemetry
    std::function<analysis::TracedWork()> work; // of a trace
};

// A unit with the tree that its files lie in; of a run of a database its name, its rank and what is
// known of it, and no tree.
struct PlannedUnit {
    const SourceTree* tree = nullptr;
    ImportUnit* unit = nullptr;
    const KnownMachine* known = nullptr;
    bool isThere = false; // in the database that the import is for: its run keeps its name
};

// Each source is read for it once, when it is first asked for, and what was read stays with its
// unit (ImportUnit::reading). Of logs of more than 16 MiB the begin, the middle and the end are
// read. Traces are read for their kernels, up to 64 MiB of them on disk.
class MachineEvidence {
public:
    explicit MachineEvidence(std::vector<PlannedUnit> units, Progress progress = {});
    ~MachineEvidence();

    [[nodiscard]] const std::vector<PlannedUnit>& units() const { return m_units; }
    const MachineSeen& of(const ImportUnit& unit);
    // The power of its GPUs about that time.
    PowerByRank powerOf(const ImportUnit& unit, TimeRange around);
    // Nothing where the trace is too large to be looked at.
    const analysis::TracedWork& workOf(const ImportUnit& unit);
    // The index that a trace gives its GPU among those that its process saw.
    std::optional<int> deviceOf(const ImportUnit& unit);

    // They cannot be of one run: GPUs of two vendors or models, other UUIDs, other power at the
    // same time, times that do not touch, or a trace whose kernels the power of no GPU follows.
    [[nodiscard]] bool contradict(const ImportUnit& a, const ImportUnit& b);
    // The power of a GPU of the log follows the kernels of the trace, or it alone drew power then.
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
    std::uint64_t m_traceBytesLeft;
    std::uint64_t m_keptBytesLeft;
};

// Imports a log by what was read of it for the plan, so that it is read once. Absent where that was
// not all of it, or what was said of the unit, or its files, changed since.
std::optional<Result<ImportReport>> importKept(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

bool hasGpuReadings(const ImportUnit& unit);
// Unless the unit has that note.
void addNote(ImportUnit& unit, const std::string& note);

} // namespace trainscope::importers
