#pragma once
// EarlierPart: what a database holds of a job that is recorded again: after a pre-emption, a
// restart, or a recorder that was killed.

#include "core/model/Import.h"
#include "core/model/Time.h"
#include "core/store/Store.h"
#include "importers/record/JobDescription.h"

#include <optional>
#include <string>

namespace trainscope::record {

// Which process writes, in the report of a recording.
inline constexpr const char* kRecorderFact = "recorder";
std::string recorderWords(const std::string& host); // of this process

struct EarlierPart {
    std::string path; // of the source
    ImportReport report;
    TimeNs end; // of its samples
    bool isUnfinished = false;
};

// Of the run of that name: a recording of the same job, node and command. Absent where there is
// none, where no launcher names the job, and where it ends later than now.
Result<std::optional<EarlierPart>> earlierPart(
    const store::Store& store, const std::string& run, const JobDescription& job);

// Refused: it is still being written, as far as can be known: by a process of this host that is
// there, or by another host within the last seconds.
Status requireEnded(const EarlierPart& part, const JobDescription& job);

// What the part had counted and warned of goes on in `report`, which says that it does.
void takeOver(ImportReport part, DurationNs hole, ImportReport& report);

} // namespace trainscope::record
