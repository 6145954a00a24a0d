#pragma once
// A figure of any kind: the options it takes, its reading from the store into plain values, and
// from these its picture and its numbers. Command line, window, report and export know this and the
// list of kinds (Kinds.h), and no kind by itself.

#include "core/figures/Option.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/timeline/TimelineMark.h"

namespace trainscope::figures {

class RemoteLanes;

// A board of compared runs, as the database keeps it under a name.
struct ComparisonBoard {
    std::string title;
    plot::ComparisonQuery query;
    std::vector<plot::ComparisonPanel> panels; // the ones that are drawn
    bool stacked = false;
    bool perStage = false;
    std::vector<std::string> notes; // sentences: runs gone, renamed or imported anew
};

// A wish for one figure: its runs, options and size.
struct Request {
    std::vector<Run> runs; // as the kind's RunsShown says
    bool areRunsNamed = false; // by the user
    OptionValues options;
    // The size of the picture, for kinds that read a value for each of its columns.
    plot::FigureStyle style;
    double density = 1.0; // columns in a unit of its width
    std::optional<int> columns; // as many instead
    bool picture = true; // will be drawn
    bool numbers = true; // will be asked for
    // Finds a comparison that the database keeps by its name.
    std::function<Result<ComparisonBoard>(const std::string& name)> savedBoard;
    std::shared_ptr<RemoteLanes> remote; // lanes of linked runs; nullptr: none
    std::vector<plot::TimelineMark> marks = {}; // the user's, on timelines
};

// A figure that has been read: a value that refers to no store. Any thread.
struct Figure {
    std::string_view kind; // its key
    std::string title;
    std::string emptyText; // says which data is missing; empty: there is something to draw
    std::vector<std::pair<RunId, std::string>> runs; // every run that it shows
    std::vector<std::string> sources; // hashes of what these were imported from
    std::function<plot::Picture(const plot::FigureStyle& style)>
        draw; // absent: it has numbers alone
    std::function<std::string()> csv; // full precision, SI units in the header
    // On pages of the style's size; a higher one where a part does not fit. Absent: one picture.
    std::function<std::vector<plot::Picture>(const plot::FigureStyle& page)> pages = {};
    bool isOfOne = false; // it would set things beside each other, and there is one
    std::string caption = {}; // the words below it, where the picture has them of its own data
};

// The name of a file of a view or kind of figure with those runs, without suffix: letters, digits
// and "._+-" alone. "timeline-llama3-70b-h100", "heatmap-12-runs".
std::string fileNameOf(
    std::string_view view, const std::vector<std::pair<RunId, std::string>>& runs);

// Draws data, which the picture keeps for its words.
template <typename Data, typename Build>
std::function<plot::Picture(const plot::FigureStyle& style)> drawing(
    std::shared_ptr<const Data> data, Build build) {
    return [data = std::move(data), build = std::move(build)](const plot::FigureStyle& style) {
        plot::Picture picture = build(*data, style);
        picture.data = data;
        return picture;
    };
}

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

// A kind whose options are read into settings before it is loaded.
template <typename Settings, typename Load>
Kind kindWith(std::string_view key, RunsShown runs, const Options<Settings>& options, Load load,
    Settings usual = {}) {
    return {key, runs, options.described(),
        [options, load = std::move(load), usual = std::move(usual)](
            const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            Settings settings = usual;
            RETURN_IF_ERROR(options.apply(request.options, settings));
            return load(studies, request, settings);
        }};
}

} // namespace trainscope::figures
