#include "core/store/Merge.h"

#include "core/model/Try.h"
#include "core/text/Times.h"

#include <map>

namespace trainscope::store {

namespace {

// The job that a recorder says a run is of.
Result<std::map<RunId, std::string>> jobsOf(const Store& store) {
    std::map<RunId, std::string> jobs;
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const Source& source : sources) {
        const auto job = source.report.facts.find("job");
        for (const RunId run : source.runs) {
            if (job != source.report.facts.end())
                jobs.try_emplace(run, job->second);
        }
    }
    return jobs;
}

} // namespace

Result<std::function<std::string(const Run&)>> joinByJob(const Store& into, const Store& from) {
    ASSIGN_OR_RETURN(const auto jobsThere, jobsOf(into));
    ASSIGN_OR_RETURN(const auto jobs, jobsOf(from));
    ASSIGN_OR_RETURN(const auto there, into.runs());
    return std::function<std::string(const Run&)>([jobsThere, jobs, there](const Run& run) {
        const auto job = jobs.find(run.id);
        if (job == jobs.end())
            return run.name;
        std::string name = run.name;
        for (const Run& other : there) {
            const auto otherJob = jobsThere.find(other.id);
            if (otherJob == jobsThere.end() || otherJob->second != job->second)
                continue;
            if (other.range.overlaps(run.range))
                return other.name;
            // The job was recorded twice.
            if (other.name == name)
                name += " " + text::moment(run.range.begin);
        }
        return name;
    });
}

} // namespace trainscope::store
