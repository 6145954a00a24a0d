// A metric over one iteration: read iteration by iteration as a window of columns, and folded.
#include "core/analysis/comparison/Spread.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/plot/comparison/ComparisonLoaders.h"
#include "core/plot/figures/FigureLoaders.h"
#include "core/plot/timeline/LaneLoad.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::plot {

namespace {

constexpr int kColumns = 240;
// More are thinned out evenly: a fold of these is as telling, and memory stays small.
constexpr std::size_t kMostFolded = 16;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// What stands over each other for one run.
struct Fold {
    std::size_t run = 0;
    std::vector<Iteration> iterations;
    double seconds = 0.0; // median length
    double offset = 0.0; // moved to the right
};

std::vector<Iteration> thinned(std::vector<Iteration> all) {
    if (all.size() <= kMostFolded)
        return all;
    std::vector<Iteration> kept;
    for (std::size_t i = 0; i < kMostFolded; ++i)
        kept.push_back(all[i * (all.size() - 1) / (kMostFolded - 1)]);
    return kept;
}

double medianSeconds(const std::vector<Iteration>& iterations) {
    std::vector<double> lengths;
    for (const auto& iteration : iterations)
        lengths.push_back(iteration.range.length().seconds());
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return *middle;
}

double movedOf(const ComparisonQuery& query, std::size_t run) {
    return run < query.moved.size() ? query.moved[run].seconds() : 0.0;
}

Result<Fold> foldOf(
    const ComparisonContext& context, std::size_t run, ComparisonAlignment alignment) {
    Fold fold{run, {}, 0.0, movedOf(context.query, run)};
    if (alignment == ComparisonAlignment::Start) {
        const TimeRange range = context.measured[run]->run.range;
        if (!range.isEmpty())
            fold.iterations.push_back({0, range, -1, false});
    } else {
        const bool one = alignment == ComparisonAlignment::Iteration;
        auto iterations = iterationsFor(
            context, run, one ? std::optional(context.query.iteration) : std::nullopt);
        if (!iterations.hasValue())
            return iterations.error();
        fold.iterations = thinned(std::move(iterations).value());
    }
    if (!fold.iterations.empty())
        fold.seconds = medianSeconds(fold.iterations);
    return fold;
}

struct Folds {
    std::vector<Fold> runs; // those that have the metric's iterations
    ComparisonAlignment alignment = ComparisonAlignment::Folded;
};

// Where a run has no such iteration all are shown whole, from their starts.
Result<Folds> foldsOf(const ComparisonContext& context, ComparisonCurves& curves) {
    Folds folds{{}, context.query.alignment};
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        auto fold = foldOf(context, run, folds.alignment);
        if (!fold.hasValue())
            return fold.error();
        const bool isMissing = fold.value().iterations.empty();
        if (isMissing && folds.alignment != ComparisonAlignment::Start) {
            curves.notes.push_back(
                fmt::format("{} has no {}; curves show the runs whole, from their starts.",
                    static_cast<char>('A' + run),
                    folds.alignment == ComparisonAlignment::Iteration
                        ? fmt::format("iteration {}", context.query.iteration)
                        : std::string("iterations")));
            folds = {{}, ComparisonAlignment::Start};
            run = static_cast<std::size_t>(-1); // from the first again
            continue;
        }
        if (!isMissing)
            folds.runs.push_back(std::move(fold).value());
    }
    return folds;
}

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
        auto catalogue = readCatalogue(m_context.store, shown);
        if (!catalogue.hasValue())
            return catalogue.error();
        const auto count = static_cast<std::size_t>(m_curves.columns);
        m_columns.values.resize(count);
        m_columns.means.resize(count);
        for (const auto& iteration : m_fold.iterations) {
            if (m_context.isCancelled("Laying iterations over each other"))
                return cancelled();
            const Status added = add(catalogue.value(), run, iteration);
            if (!added.hasValue())
                return added.error();
        }
        return finish();
    }
    // The metric's title, unit and axis as lanes have them; empty: the run has none.
    [[nodiscard]] const LaneData& lane() const { return m_lane; }
    [[nodiscard]] Columnwise& columns() { return m_columns; }

private:
    // Columns of the iteration, from the one that its begin lies in.
    [[nodiscard]] std::size_t firstColumn() const {
        const double first = (m_fold.offset - m_curves.from) / m_curves.step;
        return static_cast<std::size_t>(std::max(0.0, std::round(first)));
    }

    Status add(const Catalogue& catalogue, const Run& run, const Iteration& iteration) {
        const std::size_t first = firstColumn();
        const auto wanted
            = static_cast<std::size_t>(std::ceil(m_fold.seconds / m_curves.step - 1e-9));
        const std::size_t columns
            = std::min(std::max<std::size_t>(wanted, 1), m_columns.values.size() - first);
        const std::vector<ShownRun> shown{{run.id, run.name, iteration.range.begin, 0, {}}};
        const DurationNs length{std::llround(m_curves.step * 1e9 * static_cast<double>(columns))};
        const auto isCancelled = [this] { return m_context.isCancelled("Reading the metric"); };
        const std::function<bool()> stop = isCancelled;
        const LaneRequest request{m_context.store, catalogue, shown, {{0}, length},
            static_cast<int>(columns), stop, LoadDetail::Drawn};
        LaneSpec spec;
        spec.style = LaneStyle::Heat;
        spec.metric = m_context.query.curveMetric;
        auto lane = loadMetricLane(request, spec);
        if (!lane.hasValue())
            return lane.error();
        m_lane = std::move(lane).value();
        const double own = iteration.range.length().seconds();
        for (std::size_t i = 0; i < columns; ++i) {
            if (m_curves.step * (static_cast<double>(i) + 0.5) < own)
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
        curve.offset = m_fold.offset;
        curve.seconds = m_fold.seconds;
        curve.iterations = static_cast<std::int64_t>(m_fold.iterations.size());
        curve.subjects = static_cast<int>(m_lane.series.size());
        curve.range = m_fold.iterations[m_fold.iterations.size() / 2].range;
        for (std::size_t i = 0; i < m_columns.values.size(); ++i) {
            const auto spread = analysis::spreadOf(m_columns.means[i]);
            curve.mean.push_back(spread ? static_cast<float>(spread->mean) : kNothing);
            curve.spread.push_back(
                spread && spread->count > 1 ? static_cast<float>(spread->std) : kNothing);
            curve.low.push_back(quantile(m_columns.values[i], 0.05));
            curve.high.push_back(quantile(m_columns.values[i], 0.95));
        }
        return curve;
    }

    // Nearest rank.
    static float quantile(std::vector<float>& values, double share) {
        if (values.empty())
            return kNothing;
        const auto count = static_cast<double>(values.size());
        const auto rank = static_cast<std::ptrdiff_t>(
            std::clamp(std::ceil(share * count) - 1.0, 0.0, count - 1.0));
        std::nth_element(values.begin(), values.begin() + rank, values.end());
        return values[static_cast<std::size_t>(rank)];
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

std::string wordingOf(const ComparisonCurves& curves) {
    if (curves.alignment == ComparisonAlignment::Start)
        return "mean of the GPUs and 5–95 % band, aligned at the start";
    if (curves.alignment == ComparisonAlignment::Iteration)
        return "mean of the GPUs and 5–95 % band, aligned at the iteration's begin";
    std::string counts;
    for (const auto& curve : curves.curves)
        counts += fmt::format("{}{}", counts.empty() ? "" : ", ", curve.iterations);
    return fmt::format(
        "mean and 5–95 % band of GPUs and iterations ({} laid over each other)", counts);
}

void setWindow(const std::vector<Fold>& folds, ComparisonCurves& curves) {
    double from = 0.0;
    double to = 0.0;
    for (const auto& fold : folds) {
        from = std::min(from, fold.offset);
        to = std::max(to, fold.offset + fold.seconds);
    }
    curves.from = from;
    curves.columns = kColumns;
    curves.step = (to - from) / kColumns;
}

} // namespace

Status addCurves(const ComparisonContext& context, ComparisonData& data) {
    ComparisonCurves curves;
    const auto folds = foldsOf(context, curves);
    if (!folds.hasValue())
        return folds.error();
    curves.alignment = folds.value().alignment;
    curves.isFolded = curves.alignment == ComparisonAlignment::Folded;
    setWindow(folds.value().runs, curves);
    if (!(curves.step > 0.0))
        return {};
    LaneData lane;
    std::vector<std::vector<double>> base;
    for (const auto& fold : folds.value().runs) {
        CurveReader reader(context, curves, fold);
        auto curve = reader.read();
        if (!curve.hasValue())
            return curve.error();
        if (reader.lane().series.empty()) {
            curves.notes.push_back(fmt::format(
                "{} has no {}.", data.runs[fold.run].mark, metricTitle(context.query.curveMetric)));
            continue;
        }
        lane = reader.lane();
        curves.curves.push_back(std::move(curve).value());
        if (fold.run == 0)
            base = std::move(reader.columns().means);
        else if (!base.empty())
            curves.differences.push_back(
                differenceOf(curves.curves.back(), base, reader.columns().means));
    }
    if (curves.curves.empty())
        return {};
    setAxes(lane, context.query.curveMetric, curves);
    curves.wording = wordingOf(curves);
    data.curves = std::move(curves);
    return {};
}

Result<std::vector<Iteration>> iterationsFor(
    const ComparisonContext& context, std::size_t run, std::optional<std::int64_t> one) {
    const auto& measured = *context.measured[run];
    std::vector<Iteration> found;
    for (const auto& figures : measured.iterations) {
        if (!one || figures.iteration.index == *one)
            found.push_back(figures.iteration);
    }
    if (!one || !found.empty())
        return found;
    // One that does not count: warm-up, or before the temperatures have settled.
    const auto all = analysis::iterationsOf(context.store, measured.run, context.progress);
    if (!all.hasValue())
        return all.error();
    for (const auto& iteration : all.value().iterations) {
        if (iteration.index == *one)
            found.push_back(iteration);
    }
    return found;
}

} // namespace trainscope::plot
