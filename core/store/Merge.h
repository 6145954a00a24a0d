#pragma once
// Merging run databases: what every source of one wrote is written into another, under the same
// names of runs, so that parts of one job become one run. A source that is there already in those
// runs, by its contents or as it was merged before, is replaced; one that only has the same path is
// kept beside it, with a remark. Nodes of a job that nothing numbers are ordered by host, and a
// remark says so. All or nothing; but a source that is damaged in the other database is left out,
// with a remark.

#include "core/store/Store.h"

namespace trainscope::store {

struct MergeOutcome {
    int sources = 0;
    int lost = 0; // sources that are damaged and were left out
    std::int64_t samples = 0;
    std::int64_t spans = 0;
    std::vector<std::string> runs; // names in `into`, in the order of their first source
    std::vector<std::string> remarks; // for people
};

// `nameOf` says which run of `into` a run of `from` joins. The words of people come along: tags,
// notes (behind those that are there), saved comparisons (under another name where theirs is
// taken); layout, machine and airflow where `into` has none. A copy of `into` is merged as any
// other; Usage where both are the same file. Refused as in Writing.h.
Result<MergeOutcome> mergeInto(Store& into, const Store& from,
    const std::function<std::string(const Run&)>& nameOf, const Progress& progress);

// Runs join those of `into` that a recorder says to be of the same job and that overlap them in
// time, whatever their names; else they keep their own.
Result<std::function<std::string(const Run&)>> joinByJob(const Store& into, const Store& from);

} // namespace trainscope::store
