#include "core/analysis/comparison/RunMeasures.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/model/Result.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr const char* kAsked = "the whole run, as asked for";

int nodesOf(const Run& run) {
    return std::max(run.nodeCount, run.launch.nodes.value_or(0));
}

std::string clusterText(const RunMeasures& measures) {
    if (measures.gpus <= 0)
        return measures.gpu.name.empty() ? "unknown GPUs" : measures.gpu.name;
    if (measures.gpu.name.empty())
        return fmt::format("{} {}", measures.gpus, measures.gpus == 1 ? "GPU" : "GPUs");
    return fmt::format("{} × {}", measures.gpus, measures.gpu.name);
}

std::vector<IterationFigures> counted(std::vector<IterationFigures> all) {
    const auto isWarmup = [](const IterationFigures& one) { return one.iteration.warmup; };
    std::erase_if(all, [](const IterationFigures& one) { return one.iteration.range.isEmpty(); });
    if (!std::all_of(all.begin(), all.end(), isWarmup))
        std::erase_if(all, isWarmup);
    return all;
}

class Measurer {
public:
    Measurer(const store::Store& store, const Run& run, const MeasureScope& scope,
        const Progress& progress)
        : m_store(store)
        , m_scope(scope)
        , m_progress(progress) {
        m_made.run = run;
        m_made.gpu = gpuFactsOf(run);
        m_made.nodes = nodesOf(run);
        const auto& launch = run.launch;
        if (launch.globalBatch && launch.sequenceLength)
            m_made.tokensPerStep = double{1} * *launch.globalBatch * *launch.sequenceLength;
    }

    Result<RunMeasures> measure() {
        for (auto step : {&Measurer::findLayout, &Measurer::findIterations, &Measurer::chooseWindow,
                 &Measurer::addSummary, &Measurer::addEfficiency, &Measurer::addDetail,
                 &Measurer::addTrace}) {
            RETURN_IF_ERROR((this->*step)());
        }
        fillValues(m_made, m_efficiency, m_detail);
        return std::move(m_made);
    }

private:
    Status findLayout() {
        ASSIGN_OR_RETURN(auto found, fittingLayout(m_store, m_made.run, m_progress));
        if (found) {
            m_made.layout = std::move(found->layout);
            m_made.layoutWording = found->told.wording;
        }
        return {};
    }

    Status findIterations() {
        return assign(iterationsOf(m_store, m_made.run, m_progress), m_iterations);
    }

    Status chooseWindow() {
        m_made.window.window = m_made.run.range;
        m_made.window.wording = kAsked;
        if (!m_scope.wholeRun)
            RETURN_IF_ERROR(assign(
                steadyStateOf(m_store, m_made.run, m_iterations, m_progress), m_made.window));
        m_made.wording = m_made.window.wording;
        if (!m_made.window.isWholeRun)
            m_window = m_made.window.window;
        return {};
    }

    Status addSummary() {
        return assign(summarise(m_store, m_made.run, m_window, m_progress), m_made.summary);
    }

    Status addEfficiency() {
        Status status = assign(
            efficiencyOf(m_store, m_made.run, m_iterations, m_window, m_progress), m_efficiency);
        m_made.gpus = m_efficiency.gpus;
        m_made.cluster = clusterText(m_made);
        return status;
    }

    Status addDetail() {
        RETURN_IF_ERROR(assign(detailOf(m_store, m_made.run, m_iterations,
                                   {m_window, std::nullopt, false}, m_progress),
            m_detail));
        m_made.basis = m_detail.iterations.basis;
        m_made.iterationOrigin = m_detail.iterations.origin;
        if (m_made.run.status != RunStatus::Oom)
            m_made.iterations = counted(m_detail.iterationFigures);
        return {};
    }

    Status addTrace() {
        const TraceScope scope{m_window, m_detail.iterations.iterations, m_efficiency.stepTimeS,
            m_made.layout ? &*m_made.layout : nullptr};
        return assign(traceMeasures(m_store, m_made.run, scope, m_progress), m_made.traced);
    }

    const store::Store& m_store;
    MeasureScope m_scope;
    const Progress& m_progress;
    TimeRange m_window = kAllTime;
    RunIterations m_iterations;
    RunMeasures m_made;
    Efficiency m_efficiency;
    RunDetail m_detail;
};

} // namespace

const Measure* RunMeasures::find(std::string_view key) const {
    const auto at = quantityIndex(key);
    return at && *at < values.size() && values[*at] ? &*values[*at] : nullptr;
}

std::optional<double> RunMeasures::value(std::string_view key) const {
    const Measure* measure = find(key);
    return measure == nullptr ? std::nullopt : std::optional(measure->value);
}

std::string RunMeasures::why(std::string_view key) const {
    const auto at = quantityIndex(key);
    return at && *at < absentWhy.size() ? absentWhy[*at] : std::string();
}

bool RunMeasures::speaksForSteps() const {
    return traced && traced->basis != TraceBasis::Trace && traced->all.seconds > 0.0;
}

std::optional<double> RunMeasures::microbatches() const {
    const LaunchConfig& launch = run.launch;
    if (!layout)
        return std::nullopt;
    if (layout->microbatches)
        return *layout->microbatches;
    if (!launch.globalBatch || !launch.microBatch || *launch.microBatch <= 0)
        return std::nullopt;
    const double each = double{1} * layout->grid.degrees().data * *launch.microBatch;
    return *launch.globalBatch >= each ? std::optional(*launch.globalBatch / each) : std::nullopt;
}

std::optional<double> RunMeasures::divisor(const QuantityInfo& quantity, Normalisation by) const {
    if (!isDivided(quantity, by))
        return 1.0;
    if (by == Normalisation::PerGpu)
        return gpus > 0 ? std::optional<double>(gpus) : std::nullopt;
    if (by == Normalisation::PerNode)
        return nodes > 0 ? std::optional<double>(nodes) : std::nullopt;
    if (!tokensPerStep || *tokensPerStep <= 0.0)
        return std::nullopt;
    if (quantity.tokens == TokensOf::Step)
        return tokensPerStep;
    // Of all the window's time, which need not be whole iterations.
    const std::optional<double> step = value("step_time_s");
    const double seconds = summary.duration.seconds();
    return step && *step > 0.0 && seconds > 0.0 ? std::optional(*tokensPerStep * seconds / *step)
                                                : std::nullopt;
}

std::optional<Measure> RunMeasures::normalised(std::size_t quantity, Normalisation by) const {
    const auto& all = comparedQuantities();
    if (quantity >= all.size() || quantity >= values.size() || !values[quantity])
        return std::nullopt;
    const auto shared = divisor(all[quantity], by);
    if (!shared)
        return std::nullopt;
    Measure measure = *values[quantity];
    measure.value /= *shared;
    if (measure.spread)
        measure.spread = measure.spread->dividedBy(*shared);
    return measure;
}

Result<RunMeasures> measuresOf(const store::Store& store, const Run& run, const MeasureScope& scope,
    const Progress& progress) {
    return Measurer(store, run, scope, progress).measure();
}

} // namespace trainscope::analysis
