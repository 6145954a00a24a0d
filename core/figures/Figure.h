#pragma once
// A figure of any kind: the options it takes, its reading from the store into plain values, and
// from these its picture, what lies where in it, and its numbers. Command line, window, report and
// export know this and the list of kinds (Kinds.h), and no kind by itself.

#include "core/analysis/RunStudy.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/model/Time.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/figures/FigureGeometry.h"
#include "core/store/Store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::figures {

class RemoteLanes;

// An option that a kind takes, as the command line spells it.
struct Option {
    std::string_view name; // "metric"
    std::string_view value; // what it takes, "M"; empty: it is a switch
    std::string_view help;
    bool isList = false; // may be given several times
    std::string_view words = {}; // that a shell offers for it: "run stage rank"
};

// Options that were given, by name.
class OptionValues {
public:
    void add(std::string_view name, std::string value = {});

    [[nodiscard]] bool has(std::string_view name) const { return m_values.contains(name); }
    // The last one; empty where none is given.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
    // Usage for what is no number, and for infinite ones.
    [[nodiscard]] Result<std::optional<double>> number(std::string_view name) const;
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view name) const;
    // A number of seconds. Usage for one that nanoseconds cannot count.
    [[nodiscard]] Result<std::optional<DurationNs>> seconds(std::string_view name) const;
    // The number of a rank. Usage for one that no run can have.
    [[nodiscard]] Result<std::optional<int>> rank(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, std::vector<std::string>, std::less<>> m_values;
};

// A board of compared runs, as the database keeps it under a name.
struct ComparisonBoard {
    std::string title;
    ComparisonQuery query;
    std::vector<ComparisonPanel> panels; // that are drawn
    bool stacked = false;
    bool perStage = false;
    std::vector<std::string> notes; // what has become of its runs
};

// A wish for one figure: its runs, options and size.
struct Request {
    std::vector<Run> runs; // as the kind's RunsShown says
    bool areRunsNamed = false; // by the user
    OptionValues options;
    // The size of the picture, for kinds that read a value for each of its columns.
    FigureStyle style;
    double density = 1.0; // columns in a unit of its width
    std::optional<int> columns; // as many instead
    bool picture = true; // will be drawn
    bool numbers = true; // will be asked for
    // Finds a comparison that the database keeps by its name.
    std::function<Result<ComparisonBoard>(const std::string& name)> savedBoard;
    std::shared_ptr<RemoteLanes> remote; // of linked runs; nullptr: none
};

// Place of a run, or of a GPU of it, in a picture.
struct Place {
    Point at;
    bool isOwn = true; // else something of it, which stands for no GPU or run
};

struct Picture {
    PlotScene scene;
    double preferredHeight = 0.0; // below this, texts are thinned out
    std::vector<std::string> warnings; // for the user
    std::function<std::optional<FigureHit>(Point at)> hitAt; // what lies there
    // The likeliest first; without a rank those of the run.
    std::function<std::vector<Place>(RunId run, std::optional<int> rank)> placesOf = {};
    std::vector<Rect> targets = {}; // that keys go to; of a grid of cells its first one
};

// A figure that has been read: a value that refers to no store. Any thread.
struct Figure {
    std::string_view kind; // its key
    std::string title;
    std::string emptyText; // what is missing; empty: there is something to draw
    std::vector<std::pair<RunId, std::string>> runs; // that it shows
    std::vector<std::string> sources; // hashes of what these were imported from
    std::function<Picture(const FigureStyle& style)> draw; // absent: it has numbers alone
    std::function<std::string()> csv; // full precision, SI units in the header
};

// Hashes of the sources of those runs, each once, sorted.
std::vector<std::string> sourcesOf(
    const store::Store& store, const std::vector<std::pair<RunId, std::string>>& runs);

enum class RunsShown {
    Named, // those that are named; without, the kind chooses among all
    NamedOrAll,
    NamedOrOnly, // without a name the only one of the database
    One,
};

struct Kind {
    std::string_view key; // "heatmap"
    RunsShown runs = RunsShown::Named;
    std::vector<Option> options;
    std::function<Result<Figure>(const analysis::RunStudies& studies, const Request& request)> load;
    bool writesNumbers = true; // beside the picture, without being asked
    // Its options in a report of so many runs, where it belongs into one; absent: into none.
    std::function<std::optional<OptionValues>(std::size_t runs)> inReport = {};
    // Figures of each run in a report of few runs, besides the one above, read together. Empty
    // where the run lacks the data; absent: none of any run.
    std::function<Result<std::vector<Figure>>(const analysis::RunStudy& study)> ofRunInReport = {};
};

Error usage(std::string message);
// "There is no statistic 'best'; there are mean, peak, …."
Error unknownChoice(std::string_view what, std::string_view given, std::string_view known);
Result<FigureStatistic> statisticNamed(const std::string& name);
// Usage where the metric has no such statistic, as a gauge has no total.
Status checkStatistic(FigureStatistic statistic, const std::string& metric);

} // namespace trainscope::figures
