#pragma once
// The places of the program that show numbers of a run, each as a function that collects what it
// shows by key, so that numbers of one key, subject and window can be set beside each other.
//
// Keys: those of `summary --json` and `compare --json`, "METRIC.STATISTIC" for the statistics of a
// metric; quantities of traces in seconds and as shares, "busy_s" and "busy_fraction".

#include "app/viewmodels/workspace/Workspace.h"
#include "app/whole/support/ShownNumber.h"
#include "core/analysis/RunStudy.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <string>
#include <vector>

namespace trainscope::test {

struct AskedRun {
    const std::string& database;
    const analysis::RunStudies& studies;
    const Run& run;
    std::string steps = {}; // the iterations that a step of the run is told of: "iterations 3 to 9"
    std::string settled = {}; // the window of comparisons and of the table of runs
};
AskedRun askedRun(const std::string& database, const analysis::RunStudies& studies, const Run& run);

struct Place {
    const char* name;
    void (*collect)(const AskedRun& asked, PlaceNumbers& numbers);
};
// The command line.
void collectSummary(const AskedRun& asked, PlaceNumbers& numbers);
void collectSteadySummary(const AskedRun& asked, PlaceNumbers& numbers);
void collectKernels(const AskedRun& asked, PlaceNumbers& numbers);
void collectFindings(const AskedRun& asked, PlaceNumbers& numbers);
void collectComparison(const AskedRun& asked, PlaceNumbers& numbers);
void collectSql(const AskedRun& asked, PlaceNumbers& numbers);
// The report and the figures.
void collectOverview(const AskedRun& asked, PlaceNumbers& numbers);
void collectReport(const AskedRun& asked, PlaceNumbers& numbers);
void collectFigures(const AskedRun& asked, PlaceNumbers& numbers);

inline constexpr Place kPlaces[]{{"summary", &collectSummary},
    {"summary --steady", &collectSteadySummary}, {"kernels", &collectKernels},
    {"findings", &collectFindings}, {"compare", &collectComparison}, {"SQL", &collectSql},
    {"overview", &collectOverview}, {"report", &collectReport}, {"figures", &collectFigures}};

// The inspector of the window, whose database is open in the workspace.
void collectInspector(app::Workspace& workspace, const AskedRun& asked, PlaceNumbers& numbers);
// The table of all runs.
void collectRunTable(
    app::Workspace& workspace, const std::vector<AskedRun>& asked, PlaceNumbers& numbers);

// The name of a window by the words of a place: kWholeRun where they name none or all of the run.
std::string windowOf(const std::string& wording);
std::string rankOf(const std::string& run, int rank); // "training, rank 0"
// The key that a quantity of comparedQuantities() and of the table of runs has in the summary, and
// the window that it is of where `measured` is.
std::string keyOfQuantity(const std::string& quantity);
std::string windowOfQuantity(
    const AskedRun& asked, const std::string& measured, const std::string& quantity);

} // namespace trainscope::test
