#pragma once
// Answers of commands in a page, as JSON by their names, the runs by their places in the page:
// "overview-0", "kernels-0" and "summary-0" as the commands print them, and "compare-0", the run
// beside each other one.

#include "core/analysis/RunStudy.h"
#include "core/analysis/comparison/RunMeasures.h"

namespace trainscope::cli {

class PageAnswers {
public:
    // The studies outlive this. One thread at a time.
    PageAnswers(const analysis::RunStudies& studies, std::vector<Run> runs);

    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    [[nodiscard]] std::vector<std::string> names() const;
    // {"error": …} where the data allows none. NotFound for a name that there is not; cancelled by
    // the studies' progress.
    Result<std::string> answer(std::string_view name);

private:
    Result<std::string> comparison(std::size_t base);

    const analysis::RunStudies& m_studies;
    std::vector<Run> m_runs;
    std::vector<analysis::RunMeasures> m_measures; // by run; empty: not measured yet
};

} // namespace trainscope::cli
