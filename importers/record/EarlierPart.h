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

// Fact in the report of a recording that names the process that writes.
inline constexpr const char* kRecorderFact = "recorder";
std::string recorderWords(const std::string& host); // of this process

struct EarlierPart {
    std::string path; // of the source
    ImportReport report;
    TimeNs end; // of its samples
    bool isUnfinished = false;
};

// Finds the earlier part of a run: a recording of that name, of the same job, node and command.
// Absent where there is none, where no launcher names the job, and where it ends later than now.
Result<std::optional<EarlierPart>> earlierPart(
    const store::Store& store, const std::string& run, const JobDescription& job);

// Refused: it is still being written, as far as can be known: by a process of this host that is
// there, or by another host within the last seconds.
Status requireEnded(const EarlierPart& part, const JobDescription& job);

// Takes counts and warnings of the part over into `report`, which says so.
void takeOver(ImportReport part, DurationNs hole, ImportReport& report);

} // namespace trainscope::record
