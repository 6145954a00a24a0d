#include "core/analysis/comparison/RunMeasures.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

constexpr const char* kAsked = "the whole run, as asked for";

int nodesOf(const Run& run) {
    return std::max(run.nodeCount, run.launch.nodes.value_or(0));
}

std::vector<IterationFigures> counted(std::vector<IterationFigures> all) {
    const auto isWarmup = [](const IterationFigures& one) { return one.iteration.warmup; };
    std::erase_if(all, [](const IterationFigures& one) { return one.iteration.range.isEmpty(); });
    if (!std::ranges::all_of(all, isWarmup))
        std::erase_if(all, isWarmup);
    return all;
}

// Samples of a micro-batch that every stage has room for. The recording does not name the stage
// that it is from.
double mostSamples(
    const std::vector<MemoryNeed>& needs, const MemoryHeadroom& memory, double microBatch) {
    double most = std::numeric_limits<double>::max();
    for (const MemoryNeed& one : needs) {
        const double free
            = memory.isUsedEstimated ? memory.capacity - one.total(microBatch) : memory.free();
        if (one.perSample > 0.0)
            most = std::min(most, microBatch + free / one.perSample);
    }
    return most;
}

// The largest divisor of a replica's batch that is no more than that.
std::optional<int> largestFitting(const RunMeasures& run, double most) {
    if (!run.layout || !run.run.launch.globalBatch)
        return std::nullopt;
    const int batch = *run.run.launch.globalBatch / run.layout->grid.degrees().data;
    for (int size = std::min(batch, static_cast<int>(std::min(most, 1e6))); size >= 1; --size) {
        if (batch % size == 0)
            return size;
    }
    return std::nullopt;
}

} // namespace

std::string partName(const std::string& run, const std::string& capture) {
    return capture.empty() ? run : run + " · " + capture;
}

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

std::optional<double> RunMeasures::stepsOfWindow() const {
    if (window.basis == SteadyBasis::Iterations && window.iterations > 0)
        return static_cast<double>(window.iterations);
    const std::optional<double> step = value("step_time_s");
    const double seconds = summary.duration.seconds();
    return step && *step > 0.0 && seconds > 0.0 ? std::optional(seconds / *step) : std::nullopt;
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
    const auto steps = stepsOfWindow();
    return steps ? std::optional(*tokensPerStep * *steps) : std::nullopt;
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

Result<RunMeasures> measuresOf(const RunStudy& study, const MeasureScope& scope) {
    RunMeasures made;
    made.run = study.run;
    made.gpu = gpuFactsOf(study.run);
    made.nodes = nodesOf(study.run);
    if (study.run.launch.globalBatch && study.run.launch.sequenceLength)
        made.tokensPerStep
            = double{1} * *study.run.launch.globalBatch * *study.run.launch.sequenceLength;
    ASSIGN_OR_RETURN(auto fitting, fittingLayout(study));
    if (fitting) {
        made.layout = std::move(fitting->layout);
        made.layoutWording = fitting->told.wording;
    }
    ASSIGN_OR_RETURN(auto iterations, iterationsOf(study));
    made.window.window = study.run.range;
    made.window.wording = kAsked;
    std::optional<CaptureWindows> capture;
    std::optional<CaptureIterations> captured;
    if (!scope.capture.empty()) {
        ASSIGN_OR_RETURN(capture, captureWindows(study, scope.capture));
        ASSIGN_OR_RETURN(captured, captureIterations(study, *capture));
        iterations = captured->iterations;
        made.window = captured->state;
    } else if (!scope.wholeRun) {
        ASSIGN_OR_RETURN(made.window, steadyStateOf(study));
    }
    made.basis = iterations.basis;
    made.iterationOrigin = iterations.origin;
    made.wording = made.window.wording;
    const TimeRange window = made.window.isWholeRun ? kAllTime : made.window.window;
    ASSIGN_OR_RETURN(made.summary, summarise(study, window));
    ASSIGN_OR_RETURN(made.goodput, goodputOf(study));
    ASSIGN_OR_RETURN(const auto efficiency,
        captured ? efficiencyOf(study, *captured) : efficiencyOf(study, window));
    made.gpus = efficiency.gpus;
    made.cluster = catalogue::gpusText(made.gpus, made.gpu.name);
    ASSIGN_OR_RETURN(
        const auto detail, detailOf(study, iterations, {.window = window, .withSettling = false}));
    if (study.run.status != RunStatus::Oom)
        made.iterations = counted(detail.iterationFigures);
    ASSIGN_OR_RETURN(made.traced,
        traceMeasures(study,
            {window, iterations, efficiency.stepTimeS, made.layout ? &*made.layout : nullptr,
                capture ? &*capture : nullptr}));
    made.capture = scope.capture;
    made.run.name = made.summary.run.name = partName(study.run.name, scope.capture);
    fillValues(made, efficiency, detail);
    return made;
}

std::optional<MemoryHeadroom> memoryHeadroomOf(const RunMeasures& run) {
    if (!run.gpu.memoryBytes)
        return std::nullopt;
    MemoryHeadroom out;
    out.capacity = *run.gpu.memoryBytes;
    const bool hasRun = run.run.status != RunStatus::Oom;
    const double microBatch = run.run.launch.microBatch.value_or(1);
    std::vector<MemoryNeed> needs;
    if (run.layout)
        needs = memoryNeedsOf(
            run.run.launch, *run.layout, hasRun ? std::optional(out.capacity) : std::nullopt);
    if (!needs.empty())
        out.need = *std::ranges::max_element(needs, [&](const MemoryNeed& a, const MemoryNeed& b) {
            return a.total(microBatch) < b.total(microBatch);
        });
    const auto recorded = run.value("peak_memory_used_b");
    if (recorded && hasRun) {
        out.used = *recorded;
    } else if (out.need) {
        out.used = out.need->total(microBatch);
        out.isUsedEstimated = true;
    } else {
        return std::nullopt;
    }
    if (!needs.empty() && run.run.launch.microBatch && out.free() >= 0.0)
        out.microBatch = largestFitting(run, mostSamples(needs, out, microBatch));
    return out;
}

} // namespace trainscope::analysis
