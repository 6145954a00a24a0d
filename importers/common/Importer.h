#pragma once
// What every format implements. Detection is by content. A unit is one source of one run, imported
// in one transaction; its fields are what the import sheet shows and lets the user edit.

#include "core/model/Import.h"
#include "importers/common/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// How a source's time stamps relate to UTC.
enum class ClockKind {
    Utc, // unix time or an ISO stamp with zone
    Local, // wall clock without zone: utcOffset says what to subtract
    None, // no time stamps: start time and period are needed
};

// Of a source that describes the machine of runs and makes none itself.
struct MachineUnit {
    std::vector<std::string> runs; // that lie beside it; where the unit's runName is empty
    std::vector<int> gpus; // local indices of a node that it knows, ascending

    bool operator==(const MachineUnit&) const = default;
};

struct ImportUnit {
    std::string importer; // id of the importer
    std::string path; // file, or folder of the run, relative to the tree
    std::vector<std::string> files; // every file that belongs to it
    // Launch configurations that lie beside it, of formats that read none themselves.
    std::vector<std::string> launchFiles;
    std::uint64_t bytes = 0; // on disk
    std::string runName; // editable
    std::optional<int> rank; // editable; of a single-rank source
    int worldSize = 0; // ranks the source expects, 0: not said
    ClockKind clock = ClockKind::Utc;
    std::optional<std::int64_t>
        utcOffsetSeconds; // editable, for ClockKind::Local; absent: taken as UTC
    bool enabled = true; // editable
    std::optional<MachineUnit> machine;
    std::string summary; // one line: "8 GPUs, 12 metrics" or "rank 3 of 8, kernels"
    std::vector<std::string> notes; // what the user should know before importing
};

// The run that a unit joins, or those that it describes: "a, b and 3 more".
std::string runText(const ImportUnit& unit);
// At most `most` of them by name.
std::string listNames(const std::vector<std::string>& names, std::size_t most = 4);

// A file that nobody recognised, with what was found instead.
struct Unrecognised {
    std::string path;
    std::string reason;
};

struct ImportPlan {
    std::vector<ImportUnit> units;
    std::vector<Unrecognised> unrecognised;
};

// 0: not mine; 100: certain. The highest wins, in registry order among equals.
using Confidence = int;

class Importer {
public:
    Importer() = default;
    Importer(const Importer&) = delete;
    Importer& operator=(const Importer&) = delete;
    virtual ~Importer() = default;

    [[nodiscard]] virtual std::string_view id() const = 0; // "kineto"
    [[nodiscard]] virtual std::string_view label() const = 0; // "PyTorch Kineto trace"
    // Judges by the first decompressed bytes (64 KiB at most) and the path.
    [[nodiscard]] virtual Confidence sniff(std::string_view head, std::string_view path) const = 0;
    // Groups the files that sniffed as this format into units with run names relative to the tree's
    // root.
    [[nodiscard]] virtual std::vector<ImportUnit> plan(
        const SourceTree& tree, const std::vector<SourceFile>& mine) const = 0;
    // Reads one unit into the sink. The report's `bytes` and counts are true also where a file is
    // cut short.
    [[nodiscard]] virtual Result<ImportReport> import(const SourceTree& tree,
        const ImportUnit& unit, Sink& sink, const Progress& progress) const = 0;
    // Of units with a machine: what they say of it, JSON of core/layout/Topology.h.
    [[nodiscard]] virtual Result<std::string> machineFacts(
        const SourceTree& tree, const ImportUnit& unit) const;
};

} // namespace trainscope::importers
