// A metric over one iteration: read iteration by iteration as a window of columns, and folded.
#include "core/analysis/comparison/Spread.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/Means.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/timeline/LaneLoad.h"

#include <fmt/ranges.h>

namespace trainscope::figures {
using namespace plot;

namespace {

// Folds: the iterations of each run that are laid over each other as a curve, and the words for
// them.

// Iterations of one run that are laid over each other.
struct Fold {
    std::size_t run = 0;
    std::vector<Iteration> iterations;
    std::size_t outOf = 0; // iterations that there are
    double seconds = 0.0; // median length
    double offset = 0.0; // moved to the right
    bool isIteration = true; // else a stretch of time without them
};

struct Folds {
    std::vector<Fold> runs; // those that have the metric's iterations
    plot::ComparisonAlignment alignment = plot::ComparisonAlignment::Folded;
};

// Most GPUs × iterations laid over each other; more iterations are thinned out evenly, so that
// memory stays small.
constexpr std::size_t kMostTogether = 16'384;
constexpr std::size_t kLeastFolded = 16;
constexpr std::size_t kMostFolded = 256;

std::vector<Iteration> thinned(std::vector<Iteration> all, int gpus) {
    const std::size_t most = std::clamp(
        kMostTogether / static_cast<std::size_t>(std::max(gpus, 1)), kLeastFolded, kMostFolded);
    if (all.size() <= most)
        return all;
    std::vector<Iteration> kept;
    for (std::size_t i = 0; i < most; ++i)
        kept.push_back(all[i * (all.size() - 1) / (most - 1)]);
    return kept;
}

double medianSeconds(const std::vector<Iteration>& iterations) {
    std::vector<double> lengths;
    for (const auto& iteration : iterations)
        lengths.push_back(iteration.range.length().seconds());
    return analysis::medianOf(std::move(lengths));
}

double movedOf(const ComparisonQuery& query, std::size_t run) {
    return run < query.moved.size() ? query.moved[run].seconds() : 0.0;
}

// The iterations that a run's measures speak for; `one` alone where given, also one that does not
// count. In order of time.
Result<std::vector<Iteration>> iterationsFor(
    const ComparisonContext& context, std::size_t run, std::optional<std::int64_t> one) {
    const auto& measured = *context.measured[run];
    std::vector<Iteration> found;
    for (const auto& figures : measured.iterations) {
        if (!one || figures.iteration.index == *one)
            found.push_back(figures.iteration);
    }
    if (!one || !found.empty() || !measured.capture.empty())
        return found;
    // One that does not count: warm-up, or before the temperatures have settled.
    ASSIGN_OR_RETURN(const auto all, analysis::iterationsOf(context.studies.of(measured.run)));
    for (const auto& iteration : all.iterations) {
        if (iteration.index == *one)
            found.push_back(iteration);
    }
    return found;
}

Result<Fold> foldOf(
    const ComparisonContext& context, std::size_t run, ComparisonAlignment alignment) {
    Fold fold{run, {}, 0, 0.0, movedOf(context.query, run), true};
    if (alignment == ComparisonAlignment::Start) {
        const auto& measured = *context.measured[run];
        const TimeRange range
            = measured.capture.empty() ? measured.run.range : measured.window.window;
        if (!range.isEmpty())
            fold.iterations.push_back({0, range, -1, false});
    } else {
        const bool one = alignment == ComparisonAlignment::Iteration;
        ASSIGN_OR_RETURN(auto iterations,
            iterationsFor(
                context, run, one ? std::optional(context.query.iteration) : std::nullopt));
        fold.outOf = iterations.size();
        fold.iterations = thinned(std::move(iterations), context.measured[run]->run.gpuCount);
    }
    if (!fold.iterations.empty())
        fold.seconds = medianSeconds(fold.iterations);
    return fold;
}

// A run without iterations: from the begin of its window, as long as the longest of the others.
Fold stretchOfTime(const ComparisonContext& context, std::size_t run, double seconds) {
    const auto& measured = *context.measured[run];
    Fold fold{run, {}, 0, 0.0, movedOf(context.query, run), false};
    const TimeRange window
        = measured.window.window.isEmpty() ? measured.run.range : measured.window.window;
    const TimeNs end = window.begin + DurationNs{std::llround(seconds * 1e9)};
    const TimeRange range{window.begin, std::min(end, window.end)};
    if (!range.isEmpty()) {
        fold.iterations.push_back({0, range, -1, false});
        fold.seconds = range.length().seconds();
    }
    return fold;
}

Result<Folds> foldsBy(const ComparisonContext& context, ComparisonAlignment alignment) {
    Folds folds{{}, alignment};
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        ASSIGN_OR_RETURN(auto fold, foldOf(context, run, alignment));
        folds.runs.push_back(std::move(fold));
    }
    return folds;
}

// "8, 32 of 400"
std::string foldedText(const std::vector<Fold>& folds) {
    std::vector<std::string> counts;
    std::vector<std::size_t> sizes;
    for (const auto& fold : folds) {
        if (!fold.isIteration)
            continue;
        const std::size_t count = fold.iterations.size();
        sizes.push_back(count);
        counts.push_back(fold.outOf > count ? fmt::format("{} of {}", count, fold.outOf)
                                            : fmt::format("{}", count));
    }
    const bool isSame
        = std::ranges::all_of(counts, [&](const auto& one) { return one == counts.front(); });
    if (isSame && !counts.empty())
        counts.resize(1);
    if (counts.size() > kFewRuns) {
        const auto [fewest, most] = std::ranges::minmax_element(sizes);
        return fmt::format("{} to {}", *fewest, *most);
    }
    return fmt::format("{}{}", isSame && folds.size() > 1 ? "each " : "", fmt::join(counts, ", "));
}

// All runs are shown whole, from their starts, if none has such iterations. If only some lack
// them, those are shown from the begin of their windows (folded) or left out (one iteration). Notes
// say so.
Result<Folds> foldsOf(const ComparisonContext& context, std::vector<RunsNote>& notes) {
    auto folds = foldsBy(context, context.query.alignment);
    if (!folds.hasValue() || context.query.alignment == ComparisonAlignment::Start)
        return folds;
    const bool isOne = context.query.alignment == ComparisonAlignment::Iteration;
    const std::string what = isOne ? fmt::format("no iteration {}", context.query.iteration)
                                   : std::string("no iterations");
    double longest = 0.0;
    for (const auto& fold : folds.value().runs)
        longest = std::max(longest, fold.seconds);
    if (longest <= 0.0) {
        for (std::size_t run = 0; run < context.measured.size(); ++run)
            addNote(notes, run, what + "; curves show the runs whole, from their starts.");
        return foldsBy(context, ComparisonAlignment::Start);
    }
    for (auto& fold : folds.value().runs) {
        if (!fold.iterations.empty())
            continue;
        addNote(notes, fold.run,
            isOne ? what + ", so there is no curve."
                  : what + "; its curve begins where its window does, and has no spread.");
        if (!isOne)
            fold = stretchOfTime(context, fold.run, longest);
    }
    std::erase_if(folds.value().runs, [](const Fold& fold) { return fold.iterations.empty(); });
    return folds;
}

// "mean and 5–95 % band of GPUs and iterations, aligned at the start of each iteration (each 8 …"
std::string foldWording(const Folds& folds, bool stretched) {
    const std::string length = stretched ? ", stretched to one length" : ", to their median length";
    if (folds.alignment == ComparisonAlignment::Start)
        return "mean of the GPUs and 5–95 % band, aligned at the start"
            + (stretched ? length : std::string());
    if (folds.alignment == ComparisonAlignment::Iteration)
        return "mean of the GPUs and 5–95 % band, aligned at the start of the iteration"
            + (stretched ? length : std::string());
    return fmt::format(
        "mean and 5–95 % band of GPUs and iterations, aligned at the start of each iteration ({} "
        "laid over each other){}",
        foldedText(folds.runs), length);
}

constexpr int kColumns = 240;

// Values of all subjects and iterations by column, and the means of each iteration.
struct Columnwise {
    std::vector<std::vector<float>> values; // by column
    std::vector<std::vector<double>> means; // by column, in order of the iterations
};

class CurveReader {
public:
    CurveReader(const ComparisonContext& context, const ComparisonCurves& curves, const Fold& fold)
        : m_context(context)
        , m_curves(curves)
        , m_fold(fold) { }

    Result<ComparisonCurves::Curve> read() {
        const auto& run = m_context.measured[m_fold.run]->run;
        const std::vector<ShownRun> shown{{run.id, run.name, run.range.begin, 0, {}}};
        ASSIGN_OR_RETURN(auto catalogue, readCatalogue(m_context.studies.store, shown));
        const auto count = static_cast<std::size_t>(m_curves.columns);
        m_columns.values.resize(count);
        m_columns.means.resize(count);
        for (const auto& iteration : m_fold.iterations) {
            if (m_context.isCancelled("Laying iterations over each other"))
                return cancelled();
            RETURN_IF_ERROR(add(catalogue, run, iteration));
        }
        return finish();
    }
    // The metric's title, unit and axis as lanes have them; empty: the run has none.
    [[nodiscard]] const LaneData& lane() const { return m_lane; }
    [[nodiscard]] Columnwise& columns() { return m_columns; }

private:
    // Columns of the iteration, from the one that its begin lies in.
    [[nodiscard]] std::size_t firstColumn() const {
        const double first
            = m_curves.stretched ? 0.0 : (m_fold.offset - m_curves.from) / m_curves.step;
        return static_cast<std::size_t>(std::max(0.0, std::round(first)));
    }

    Status add(const Catalogue& catalogue, const Run& run, const Iteration& iteration) {
        const double own = iteration.range.length().seconds();
        // A step of the axis, in seconds of this iteration.
        const double step = m_curves.stretched ? m_curves.step * own : m_curves.step;
        const std::size_t first = firstColumn();
        const double wide = m_curves.stretched ? 1.0 : m_fold.seconds;
        const auto wanted = static_cast<std::size_t>(std::ceil(wide / m_curves.step - 1e-9));
        const std::size_t columns
            = std::min(std::max<std::size_t>(wanted, 1), m_columns.values.size() - first);
        const std::vector<ShownRun> shown{{run.id, run.name, iteration.range.begin, 0, {}}};
        const DurationNs length{std::llround(step * 1e9 * static_cast<double>(columns))};
        const auto isCancelled = [this] { return m_context.isCancelled("Reading the metric"); };
        const std::function<bool()> stop = isCancelled;
        const LaneRequest request{m_context.studies.store, catalogue, shown, {{0}, length},
            static_cast<int>(columns), stop, LoadDetail::Drawn};
        LaneSpec spec;
        spec.style = LaneStyle::Heat;
        spec.metric = m_context.query.curveMetric;
        ASSIGN_OR_RETURN(m_lane, loadMetricLane(request, spec));
        for (std::size_t i = 0; i < columns; ++i) {
            if (step * (static_cast<double>(i) + 0.5) < own)
                addColumn(first + i, i);
        }
        return {};
    }

    void addColumn(std::size_t to, std::size_t from) {
        double sum = 0.0;
        std::size_t count = 0;
        for (const auto& series : m_lane.series) {
            const float value = from < series.means.size() ? series.means[from] : kNothing;
            if (std::isnan(value))
                continue;
            m_columns.values[to].push_back(value);
            sum += static_cast<double>(value);
            ++count;
        }
        if (count > 0)
            m_columns.means[to].push_back(sum / static_cast<double>(count));
    }

    ComparisonCurves::Curve finish() {
        ComparisonCurves::Curve curve;
        curve.run = m_fold.run;
        curve.offset = m_curves.stretched ? 0.0 : m_fold.offset;
        curve.seconds = m_fold.seconds;
        curve.iterations
            = m_fold.isIteration ? static_cast<std::int64_t>(m_fold.iterations.size()) : 0;
        curve.subjects = static_cast<int>(m_lane.series.size());
        curve.range = m_fold.iterations[m_fold.iterations.size() / 2].range;
        for (std::size_t i = 0; i < m_columns.values.size(); ++i) {
            const auto spread = analysis::spreadOf(m_columns.means[i]);
            curve.mean.push_back(spread ? static_cast<float>(spread->mean) : kNothing);
            curve.spread.push_back(
                spread && spread->isTold() ? static_cast<float>(spread->std) : kNothing);
            curve.low.push_back(quantile(m_columns.values[i], 0.05));
            curve.high.push_back(quantile(m_columns.values[i], 0.95));
        }
        return curve;
    }

    static float quantile(std::vector<float>& values, double share) {
        return values.empty() ? kNothing : analysis::nearestQuantile(values, share);
    }

    const ComparisonContext& m_context;
    const ComparisonCurves& m_curves;
    const Fold& m_fold;
    LaneData m_lane;
    Columnwise m_columns;
};

ComparisonCurves::Difference differenceOf(const ComparisonCurves::Curve& curve,
    const std::vector<std::vector<double>>& base, const std::vector<std::vector<double>>& other) {
    ComparisonCurves::Difference difference;
    difference.run = curve.run;
    for (std::size_t i = 0; i < base.size(); ++i) {
        const auto a = analysis::spreadOf(base[i]);
        const auto b = analysis::spreadOf(other[i]);
        difference.values.push_back(a && b ? static_cast<float>(b->mean - a->mean) : kNothing);
        const auto judged = a && b ? analysis::differenceOf(*a, *b) : std::nullopt;
        difference.beyond.push_back(judged && judged->isBeyond() ? 1 : 0);
    }
    return difference;
}

void setAxes(const LaneData& lane, const std::string& metric, ComparisonCurves& curves) {
    std::vector<double> values;
    for (const auto& curve : curves.curves) {
        for (const auto* side : {&curve.low, &curve.high}) {
            for (const float value : *side) {
                if (!std::isnan(value))
                    values.push_back(static_cast<double>(value));
            }
        }
    }
    std::vector<double> differences{0.0};
    for (const auto& difference : curves.differences) {
        for (const float value : difference.values) {
            if (!std::isnan(value))
                differences.push_back(static_cast<double>(value));
        }
    }
    const bool zeroBased = lane.unit != "°C" && !lane.unit.ends_with("Hz");
    const Metric* known = findMetric(metric);
    std::string unit = known == nullptr ? std::string("1") : known->unit;
    if (known != nullptr && known->kind == MetricKind::Counter)
        unit += "/s";
    curves.axis = axisOf(metricTitle(metric), metric, unit, values, zeroBased);
    curves.differenceAxis = axisOf("Difference", metric, unit, differences, false);
    curves.differenceAxis.unit = curves.axis.unit;
}

void setWindow(const std::vector<Fold>& folds, ComparisonCurves& curves) {
    double from = 0.0;
    double to = 0.0;
    for (const auto& fold : folds) {
        from = std::min(from, fold.offset);
        to = std::max(to, fold.offset + fold.seconds);
    }
    curves.columns = kColumns;
    curves.from = curves.stretched ? 0.0 : from;
    curves.step = (curves.stretched && to > from ? 1.0 : to - from) / kColumns;
}

} // namespace

Status addCurves(const ComparisonContext& context, ComparisonData& data) {
    ComparisonCurves curves;
    ASSIGN_OR_RETURN(const auto folds, foldsOf(context, curves.notes));
    curves.alignment = folds.alignment;
    curves.isFolded = curves.alignment == ComparisonAlignment::Folded;
    curves.stretched = context.query.stretched;
    setWindow(folds.runs, curves);
    if (!(curves.step > 0.0))
        return {};
    LaneData lane;
    std::vector<std::vector<double>> base;
    for (const auto& fold : folds.runs) {
        CurveReader reader(context, curves, fold);
        ASSIGN_OR_RETURN(auto curve, reader.read());
        if (reader.lane().series.empty()) {
            addNote(curves.notes, fold.run,
                fmt::format("no {} was recorded.", metricTitle(context.query.curveMetric)));
            continue;
        }
        lane = reader.lane();
        curves.curves.push_back(std::move(curve));
        if (fold.run == 0)
            base = std::move(reader.columns().means);
        else if (!base.empty())
            curves.differences.push_back(
                differenceOf(curves.curves.back(), base, reader.columns().means));
    }
    if (curves.curves.empty())
        return {};
    setAxes(lane, context.query.curveMetric, curves);
    curves.wording = foldWording(folds, curves.stretched);
    data.curves = std::move(curves);
    return {};
}

} // namespace trainscope::figures
