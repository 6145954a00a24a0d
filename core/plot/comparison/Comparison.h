#pragma once
// Runs side by side: the verdict, cards and bars of what was compared, where a step's time goes,
// metrics of one iteration on one axis. A query is loaded into
// plain numbers (ComparisonData), which picture and CSV are made from.
//
// All numbers are SI; a number that the data cannot give is absent. core/figures/comparison reads
// the data, as core/analysis/comparison defines it.

#include "core/analysis/comparison/Comparison.h"
#include "core/plot/figures/Figure.h"

namespace trainscope::plot {

// Up to so many runs stand beside each other as cards and curves; more are rows of tables and
// strips.
inline constexpr std::size_t kFewRuns = 6;

// Panels of a comparison's board, in its order.
enum class ComparisonPanel {
    Verdict,
    Cards,
    Breakdown,
    Curves,
    Reasons, // those beyond the verdict's first
    Configuration,
    Operators, // those that differ most
    Kernels,
    Bars,
};
constexpr auto namesOf(ComparisonPanel) {
    return enumNames("verdict", "cards", "breakdown", "curves", "reasons", "configuration",
        "operators", "kernels", "bars");
}
inline constexpr auto kComparisonPanels = allValues<ComparisonPanel>();

// The moment at 0 of the time axis.
enum class ComparisonAlignment {
    Folded, // the begin of every steady iteration, laid over each other
    Iteration, // the begin of one iteration
    Start, // the begin of the run
};
constexpr auto namesOf(ComparisonAlignment) {
    return enumNames("folded", "iteration", "start");
}

// No value, in columns of time.
inline constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// A question for a comparison; a plain value.
struct ComparisonQuery {
    // Two or more, each once, a run with several captures once for each of them; the first is what
    // the others are compared with.
    std::vector<RunId> runs;
    std::vector<std::string> captures; // by run: its capture of that name alone; may be shorter
    // The others by that quantity, as normalised, the best first (the greatest where neither is
    // better), those without it last; empty: as given.
    std::string sortedBy;
    bool wholeRun = false; // else warm-up and unsettled time are left out where they are known
    analysis::Normalisation normalisation = analysis::Normalisation::Absolute;
    std::vector<std::string> quantities; // keys for cards and bars; empty: the usual
    std::string curveMetric = metric::kGpuPower;
    ComparisonAlignment alignment = ComparisonAlignment::Folded;
    std::int64_t iteration = 0; // for Iteration
    bool stretched = false; // all iterations to one length: the axis is their share, 0 to 1
    std::vector<DurationNs> moved; // to the right, by hand, by run; may be shorter
    // Panels that cost a reading of their own are read only where they are shown.
    bool withCurves = true;
    bool withOperators = true;

    // Empty: the whole run.
    [[nodiscard]] std::string captureOf(std::size_t run) const {
        return run < captures.size() ? captures[run] : std::string();
    }
    bool operator==(const ComparisonQuery&) const = default;
};

struct ComparedRun {
    FigureRun named; // a capture: "run · capture"
    std::string mark; // as from runMark()
    std::size_t color = 0; // index into seriesColor
    std::string capture = {}; // its key; empty: a whole run
    std::optional<TimeRange> stretch = {}; // time range of the capture
};

// Said of those runs.
struct RunsNote {
    std::string text;
    std::vector<std::size_t> runs; // ascending
};
// The same text of several runs is one note.
void addNote(std::vector<RunsNote>& notes, std::size_t run, std::string text);
// "B, D–F: no trace."
std::string noteText(const RunsNote& note);

// One compared quantity, as normalised.
struct ComparisonQuantity {
    std::size_t index = 0; // into analysis::comparedQuantities()
    FigureAxis axis; // title, unit; its range begins at 0 and holds all values with their spread
    bool isCard = false; // among the cards
    std::vector<std::optional<analysis::Measure>> measures; // by run
    std::vector<analysis::Difference> changes; // by run, against the first; its own is empty
    std::vector<std::string> whyAbsent; // by run

    [[nodiscard]] const analysis::QuantityInfo& info() const;
    [[nodiscard]] std::optional<double> value(std::size_t run) const;
    // Standard deviation over iterations, where these are enough to tell it.
    [[nodiscard]] std::optional<double> spread(std::size_t run) const;
    [[nodiscard]] std::size_t known() const; // runs with a value
};

// The verdict shows so many reasons, the most telling; the others have a panel of their own.
inline constexpr std::size_t kFirstReasons = 4;
struct ComparisonVerdict {
    std::string headline; // "B takes 9.7 % more time per step"
    bool isDecided = false;
    std::vector<std::string> statements;
};

// A stack of parts that sum up to a step.
struct ComparisonStack {
    struct Part {
        std::string category; // key of a kernel category, or "idle"
        std::string title; // "AllReduce exposed"
        double seconds = 0.0;
    };
    std::size_t run = 0;
    std::optional<int> stage; // absent: the whole run
    double seconds = 0.0;
    std::vector<Part> parts;
};

// A kernel's time in one step, mean over ranks.
struct ComparisonKernel {
    std::string name;
    std::string category;
    std::vector<std::optional<double>> seconds; // by run
};

// A metric over one iteration (or the run): what the GPUs show in each column of time.
struct ComparisonCurves {
    struct Curve {
        std::size_t run = 0;
        double offset = 0.0; // moved to the right, seconds
        double seconds = 0.0; // length of the iteration
        std::int64_t iterations = 0; // laid over each other
        int subjects = 0; // GPUs, nodes or links
        std::vector<float> mean; // by column, NaN where nothing is known
        std::vector<float> low; // 5 % of all GPUs and iterations
        std::vector<float> high; // 95 %
        std::vector<float> spread; // standard deviation over the iterations of their means
        TimeRange range; // absolute: the iteration, or the middle one of those laid over each other
    };
    struct Difference { // a later run minus the first, on the columns of both
        std::size_t run = 0;
        std::vector<float> values; // NaN where one of them has nothing
        std::vector<std::uint8_t> beyond; // 1: exceeds the spread over iterations
    };
    FigureAxis axis;
    FigureAxis differenceAxis;
    bool stretched = false; // from and step are shares of the iterations, not seconds
    double from = 0.0; // seconds, of the first column's begin
    double step = 0.0; // seconds, of a column
    int columns = 0;
    ComparisonAlignment alignment = ComparisonAlignment::Folded; // as drawn, if not as asked
    bool isFolded = false; // over iterations, so that there is a spread
    std::string wording; // "mean of GPUs and 5–95 % band over iterations 3 to 11"
    std::vector<Curve> curves;
    std::vector<Difference> differences;
    std::vector<RunsNote> notes;

    [[nodiscard]] const Difference* differenceOf(std::size_t run) const; // nullptr: none
};

// The title says what the runs have in common, the caption which part of them is compared and how
// numbers were normalised; notes have the marks of the runs.
struct ComparisonData : SheetTexts {
    ComparisonQuery query;
    std::vector<std::shared_ptr<const analysis::RunMeasures>> measured; // by run
    std::vector<ComparedRun> runs;
    std::optional<ComparisonVerdict> verdict;
    std::vector<ComparisonQuantity> quantities;
    std::vector<ComparisonStack> stacks; // runs first, then their stages
    std::vector<ComparisonKernel> kernels; // by their longest time
    std::vector<analysis::StepOperator> operators; // those that differ most
    std::vector<analysis::ConfigDifference> configuration;
    std::optional<ComparisonCurves> curves;

    [[nodiscard]] bool isEmpty() const { return !emptyText.empty(); }
    [[nodiscard]] bool isMany() const { return runs.size() > kFewRuns; }
    [[nodiscard]] bool has(ComparisonPanel panel) const;
};

// Panels of a comparison to draw, and their form.
struct BoardChoice {
    std::vector<ComparisonPanel> panels = {}; // empty: all
    bool stacked = false; // curves below each other instead of over each other
    bool perStage = false; // the step of each pipeline stage beside that of the run
    bool bare = false; // without title and notes: the text around it tells them
};
// Those of the choice that have data, in the order of the board.
std::vector<ComparisonPanel> shownPanels(const ComparisonData& data, const BoardChoice& choice);
// Areas are the panels; those without data are left away. As tall as it wants at least. Pure; any
// thread.
Picture buildComparison(
    const ComparisonData& data, const FigureStyle& style, const BoardChoice& choice);

// "Where the step goes"; "seconds per step, exposed time only".
struct PanelTexts {
    std::string title;
    std::string subtitle;
};
PanelTexts textsOf(const ComparisonData& data, ComparisonPanel panel);

// The numbers of those panels, full precision, SI units; blocks one below the other, each with its
// header, divided by empty lines.
std::string comparisonCsv(const ComparisonData& data, const std::vector<ComparisonPanel>& panels);

} // namespace trainscope::plot
