#pragma once
// Which runs of a plan were recorded of one machine at one time: telemetry and traces of the same
// GPUs, as their UUIDs, models, numbers and stamps tell.

#include "importers/common/Importer.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// A unit with the tree that its files lie in.
struct PlannedUnit {
    const SourceTree* tree = nullptr;
    ImportUnit* unit = nullptr;
};

// What units show of their machines. Logs of GPUs of up to 16 MiB are read for it, each once and
// only when it is asked for; of traces what the plan knows is taken.
class MachineEvidence {
public:
    explicit MachineEvidence(std::vector<PlannedUnit> units);
    ~MachineEvidence();

    // They cannot be of one run: GPUs of two vendors or models, other UUIDs, or times that do not
    // touch.
    [[nodiscard]] bool contradict(const ImportUnit& a, const ImportUnit& b);

private:
    friend class MachineJoining;
    struct Seen;
    const Seen& of(const ImportUnit& unit);
    static bool contradict(const Seen& a, const Seen& b);

    std::vector<PlannedUnit> m_units;
    std::map<const ImportUnit*, std::unique_ptr<Seen>> m_seen;
};

// Makes one run of those whose telemetry and traces share GPUs and time; each unit that gets
// another run says so in a note. Runs are joined where
//  - UUIDs are the same; or
//  - a trace begins while telemetry was recorded that has as many GPUs of its model, and no other
//    telemetry could be meant; or
//  - two logs in one folder, or in folders of which one holds the other, are of one time, have as
//    many GPUs and read alike, unless their names differ in numbers only, as those of nodes do. Two
//    logs of the same metrics by one program are one only where a trace is of both.
// What contradicts is never joined, and clocks without a zone count as UTC.
void joinOneMachine(std::vector<PlannedUnit> units);

} // namespace trainscope::importers
