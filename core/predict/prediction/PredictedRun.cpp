#include "core/predict/prediction/PredictedRun.h"

#include "core/catalogue/GpuModel.h"
#include "core/layout/ScheduleOrder.h"
#include "core/model/Try.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/store/Writing.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace trainscope::predict {

namespace {

// The figures of a prediction in words, for the notes of its run.

// "mean power": "612 W (560 to 663)"; and where constants of power and heat come from.
std::map<std::string, std::string> notesOf(const Prediction& prediction) {
    std::map<std::string, std::string> notes;
    for (const PredictedFigure& figure : figuresOf(prediction)) {
        std::string key(figure.key);
        std::replace(key.begin(), key.end(), '_', ' ');
        notes[key] = text::withInterval(
            figure.value, figure.interval.low, figure.interval.high, figure.unit);
    }
    if (!prediction.power.source.empty())
        notes["power and heat from"] = prediction.power.source;
    return notes;
}

constexpr double kLeastSeconds = 60.0; // length of the telemetry
constexpr int kFewestSteps = 3;
constexpr int kMostRepeats = 200;
constexpr double kPeriod = 0.1; // s, of the samples
constexpr double kSamplesOfStep = 50.0; // at least
constexpr std::int64_t kTracedStep = 2; // the second: nothing of it is a beginning
constexpr TimeNs kBegin{0}; // nobody made it: the clock begins with it

// The kernel that stands for a part of a step; of an exchange its communicator, and what NCCL calls
// it. Waits have none.
struct PartKernel {
    StepPart part;
    std::string_view name;
    layout::CommunicatorKind communicator = layout::CommunicatorKind::Model;
    std::string_view collective = {}; // empty: it is no exchange
};
using layout::CommunicatorKind;
constexpr std::array kPartKernels{
    PartKernel{StepPart::Gemm, "predicted gemm"},
    PartKernel{StepPart::Attention, "predicted flash_attention"},
    PartKernel{StepPart::Elementwise, "predicted elementwise"},
    PartKernel{StepPart::Loss, "predicted cross_entropy and its gemm"},
    PartKernel{StepPart::Embedding, "predicted embedding"},
    PartKernel{StepPart::Recomputation, "predicted recomputation, gemm and others"},
    PartKernel{StepPart::TensorParallel, "ncclDevKernel_AllReduce predicted, tensor parallel",
        CommunicatorKind::Tensor, "allreduce"},
    PartKernel{StepPart::ContextParallel, "ncclDevKernel_SendRecv predicted, context parallel",
        CommunicatorKind::Context, "send"},
    PartKernel{StepPart::ExpertParallel, "ncclDevKernel_AllToAll predicted, expert parallel",
        CommunicatorKind::Expert, "all_to_allv"},
    PartKernel{StepPart::Sharding, "ncclDevKernel_AllGather predicted, sharded parameters",
        CommunicatorKind::DataContext, "_allgather_base"},
    PartKernel{StepPart::DataParallel, "ncclDevKernel_ReduceScatter predicted, gradients",
        CommunicatorKind::DataContext, "_reduce_scatter_base"},
    PartKernel{StepPart::Optimizer, "predicted adam"},
};

// nullptr for what is a wait.
const PartKernel* kernelOf(StepPart part) {
    const auto* const found = std::ranges::find(kPartKernels, part, &PartKernel::part);
    return found == kPartKernels.end() ? nullptr : found;
}

class PredictionWriter {
public:
    PredictionWriter(const Job& job, const Prediction& prediction, const RunWriting& writing,
        Sink& sink, ImportReport& report, const Progress& progress)
        : m_job(job)
        , m_prediction(prediction)
        , m_writing(writing)
        , m_sink(sink)
        , m_report(report)
        , m_progress(progress) {
        for (int stage = 0; stage < stages(); ++stage)
            m_timelines.push_back(timelineOf(job, prediction, stage));
        m_steps = std::clamp(static_cast<int>(std::ceil(kLeastSeconds / prediction.seconds)),
            kFewestSteps, kMostRepeats);
    }

    Status write(const std::string& name) {
        ASSIGN_OR_RETURN(m_run, m_sink.run(describe(name)));
        RETURN_IF_ERROR(writeMachine());
        RETURN_IF_ERROR(writeIterations());
        RETURN_IF_ERROR(writeTraces());
        return writeSamples();
    }

private:
    [[nodiscard]] int stages() const { return m_job.layout.grid.degrees().pipeline; }
    [[nodiscard]] int stageOf(int rank) const { return m_job.layout.grid.position(rank).pipeline; }
    [[nodiscard]] TimeNs at(std::int64_t step, double seconds) const {
        const double from
            = m_writing.restSeconds + static_cast<double>(step) * m_prediction.seconds + seconds;
        return kBegin + DurationNs{static_cast<std::int64_t>(from * 1e9)};
    }

    [[nodiscard]] Run describe(const std::string& name) const {
        Run run;
        run.name = name;
        run.kind = m_writing.kind;
        run.status = m_prediction.isOom ? RunStatus::Oom : RunStatus::Ok;
        run.gpuModel = m_job.machine.gpu.name;
        run.worldSize = m_job.gpus();
        run.nodeCount = m_job.layout.nodes;
        run.launch = launchOf(m_job);
        return run;
    }

    Status writeMachine() {
        for (int rank = 0; rank < m_job.gpus(); ++rank)
            RETURN_IF_ERROR(m_sink.gpu(m_run,
                {rank, m_job.layout.nodeOf(rank), m_job.layout.localOf(rank),
                    m_job.machine.gpu.name, {}}));
        return {};
    }

    Status writeIterations() {
        for (std::int64_t step = 0; step < m_steps; ++step)
            RETURN_IF_ERROR(
                m_sink.iteration(m_run, {step + 1, {at(step, 0.0), at(step + 1, 0.0)}, -1, false}));
        return {};
    }

    // One rank of each stage: those of the first pipeline group.
    Status writeTraces() {
        const auto ranks = m_job.layout.grid.groupOf(layout::CommunicatorKind::Pipeline, 0);
        for (const int rank : ranks.empty() ? std::vector<int>{0} : ranks)
            RETURN_IF_ERROR(writeTrace(rank));
        return {};
    }

    Status writeTrace(int rank) {
        TrackDescription description;
        description.kind = TrackKind::Stream;
        description.rank = rank;
        description.device = m_job.layout.localOf(rank);
        description.process = "0";
        description.thread = "7";
        description.name = "stream 7 (predicted)";
        ASSIGN_OR_RETURN(const auto track, m_sink.track(m_run, description));
        std::vector<Span> spans;
        const auto& pieces = m_timelines[static_cast<std::size_t>(stageOf(rank))];
        for (const StepPiece& piece : pieces) {
            const PartKernel* const kernel = kernelOf(piece.part);
            if (kernel == nullptr)
                continue;
            Span span;
            span.start = at(kTracedStep - 1, piece.begin);
            span.duration = at(kTracedStep - 1, piece.end) - span.start;
            span.kind = SpanKind::Kernel;
            ASSIGN_OR_RETURN(span.name, m_sink.intern(nameOf(piece, *kernel)));
            if (!kernel->collective.empty()) {
                ASSIGN_OR_RETURN(span.detail, m_sink.intern(detailOf(*kernel, rank)));
            }
            spans.push_back(span);
        }
        m_report.spans += static_cast<std::int64_t>(spans.size());
        m_report.counts["cat:kernel"] += static_cast<std::int64_t>(spans.size());
        return m_sink.spans(track, spans);
    }

    [[nodiscard]] std::string nameOf(const StepPiece& piece, const PartKernel& kernel) const {
        if (!m_job.isInference())
            return std::string(kernel.name);
        return fmt::format("{}, {}",
            piece.part == StepPart::Loss ? "predicted gemm of the logits, and sampling"
                                         : kernel.name,
            piece.isDecode ? "decode" : "prefill");
    }

    // As torch writes the arguments of a collective; so that ranks of other groups are not taken
    // for its peers.
    [[nodiscard]] std::string detailOf(const PartKernel& exchange, int rank) const {
        const auto ranks = m_job.layout.grid.groupOf(exchange.communicator, rank);
        return fmt::format("{{\"Collective name\":\"{}\",\"Process Group Name\":\"{} of {}\","
                           "\"Process Group Ranks\":\"[{}]\",\"Group size\":{}}}",
            exchange.collective, infoOf(exchange.communicator).key, ranks.front(),
            fmt::join(ranks, ", "), ranks.size());
    }

    Status writeSamples() {
        PlayedSteps played;
        played.steps = m_steps;
        played.restSeconds = m_writing.restSeconds;
        played.periodSeconds = std::min(kPeriod, m_prediction.seconds / kSamplesOfStep);
        played.sensorSeconds = played.periodSeconds;
        ASSIGN_OR_RETURN(
            const auto telemetry, telemetryOf(m_job, m_prediction, played, m_progress));
        return writeTelemetry(telemetry, kBegin, m_run, m_sink, m_report);
    }

    const Job& m_job;
    const Prediction& m_prediction;
    const RunWriting& m_writing;
    Sink& m_sink;
    ImportReport& m_report;
    const Progress& m_progress;
    std::vector<std::vector<StepPiece>> m_timelines; // by stage
    int m_steps = 0;
    RunId m_run;
};

constexpr std::size_t kMostTasks = 1'000'000; // over all ranks
constexpr double kCoarsePieces = 50.0; // a step's
constexpr int kMostDecodes = 4096; // passes that are told apart

bool isWaited(StepPart part) {
    return part == StepPart::Gap || part == StepPart::Bubble || part == StepPart::Jitter;
}

// A pass over a chunk of the model: its layers go through all of their activities faster than a
// limiter looks, which sees the mean of the pass.
struct StageTask {
    double begin = 0.0; // s since the step's begin
    double end = 0.0;
    ByActivity<double> seconds;
};

// Tasks of the schedule and their parts, then gradients and optimizer.
class StageTimeline {
public:
    StageTimeline(const Job& job, const Step& step, double seconds, int stage)
        : m_job(job)
        , m_step(step)
        , m_stage(stage) {
        for (const layout::ScheduleTask& task : step.schedule.tasks) {
            if (task.stage == stage)
                addTask(task);
        }
        if (step.inference)
            addInference();
        addEnd();
        scale(seconds / step.seconds); // a calibration's
    }

    [[nodiscard]] std::vector<StepPiece> takePieces() { return std::move(m_pieces); }
    [[nodiscard]] std::vector<StageTask> takeTasks() { return std::move(m_tasks); }

private:
    void addTask(const layout::ScheduleTask& task) {
        const int piece
            = layout::pieceOf(m_step.schedule.kind, m_step.schedule.stages, task.stage, task.chunk);
        const PieceCost& cost = m_step.pieces[static_cast<std::size_t>(piece)];
        const bool isForward = task.kind == layout::TaskKind::Forward;
        const Breakdown& pass = isForward ? cost.forward : cost.backward;
        addPass(pass, activitiesOf(pass, cost.forward), task.start, task.end);
    }

    void addPass(const Breakdown& parts, const ActivityTimes& times, double begin, double end,
        bool isDecode = false) {
        const double total = parts.total();
        if (total <= 0.0 || end <= begin)
            return;
        StageTask task{begin, end, {}};
        for (const Activity activity : kAllActivities)
            task.seconds[activity] = times[activity].seconds * (end - begin) / total;
        m_tasks.push_back(task);
        addPieces(parts, begin, (end - begin) / total, isDecode);
    }

    void addPieces(const Breakdown& parts, double begin, double stretch, bool isDecode) {
        double at = begin;
        for (const StepPart part : kAllStepParts) {
            const double next = at + stretch * parts[part];
            if (next > at && !isWaited(part))
                m_pieces.push_back({at, next, part, isDecode});
            at = next;
        }
    }

    // After the prompts of the first micro-batches in flight, which the schedule has: their passes
    // of a token each, then the same of the micro-batches that come after them.
    void addInference() {
        const InferenceTimes& times = *m_step.inference;
        const StageTimeline prompts = *this;
        const int all = m_job.microbatches();
        double begin = 0.0;
        for (int done = 0; done < all; done += times.inFlight) {
            // The last ones may be fewer: they stand for a part of the time.
            const double share = 1.0 * std::min(times.inFlight, all - done) / times.inFlight;
            if (done > 0)
                repeat(prompts, begin, share);
            begin += share * times.firstTokenSeconds;
            begin = addDecoding(begin, share);
        }
    }

    void repeat(const StageTimeline& prompts, double begin, double share) {
        StageTimeline again = prompts;
        again.scale(share);
        for (const StepPiece& piece : again.m_pieces)
            m_pieces.push_back({begin + piece.begin, begin + piece.end, piece.part, false});
        for (const StageTask& task : again.m_tasks)
            m_tasks.push_back({begin + task.begin, begin + task.end, task.seconds});
    }

    void scale(double factor) {
        for (StepPiece& piece : m_pieces) {
            piece.begin *= factor;
            piece.end *= factor;
        }
        for (StageTask& task : m_tasks) {
            task.begin *= factor;
            task.end *= factor;
            for (const Activity activity : kAllActivities)
                task.seconds[activity] *= factor;
        }
    }

    // Several passes are told as one where there are many. Returns when they are done.
    double addDecoding(double begin, double share) {
        const InferenceTimes& times = *m_step.inference;
        const int passes = m_job.decodes();
        const int told = std::min(passes, kMostDecodes);
        const auto& parts = times.decodePieces[static_cast<std::size_t>(m_stage)].forward;
        for (int i = 0; i < told; ++i) {
            const double length = share * times.tokenSeconds * passes / told;
            const double busy
                = std::min(length, share * times.inFlight * parts.total() * passes / told);
            addPass(parts, decodingOf(parts), begin, begin + busy, true);
            begin += length;
        }
        return begin;
    }

    // Parts of the step that no schedule has come after it.
    void addEnd() {
        double at = m_step.schedule.makespan;
        for (const StepPart part : {StepPart::DataParallel, StepPart::Optimizer}) {
            Breakdown alone;
            alone[part] = m_step.breakdown[part];
            addPass(alone, activitiesOf(alone, {}), at, at + alone[part]);
            at += alone[part];
        }
    }

    const Job& m_job;
    const Step& m_step;
    int m_stage;
    std::vector<StepPiece> m_pieces;
    std::vector<StageTask> m_tasks;
};

// Many GPUs of long schedules: tasks that follow each other are one, with all that they do.
std::vector<StageTask> joined(const std::vector<StageTask>& tasks, double seconds) {
    std::vector<StageTask> all;
    for (const StageTask& task : tasks) {
        if (all.empty() || task.begin - all.back().end >= seconds / kCoarsePieces) {
            all.push_back(task);
            continue;
        }
        all.back().end = task.end;
        for (const Activity activity : kAllActivities)
            all.back().seconds[activity] += task.seconds[activity];
    }
    return all;
}

std::vector<ActivitySegment> segmentsOf(const std::vector<StageTask>& tasks) {
    std::vector<ActivitySegment> segments;
    for (const StageTask& task : tasks) {
        for (const Activity activity : kAllActivities) {
            const double share = task.seconds[activity] / (task.end - task.begin);
            if (share > 0.0 && activity != Activity::Waiting)
                segments.push_back({task.begin, task.end, activity, 1.0, share});
        }
    }
    return segments;
}

} // namespace

std::string nameOf(const Job& job) {
    return fmt::format("predicted: {} on {}, {}", job.model.name,
        catalogue::gpusText(job.gpus(), job.machine.gpu.name), textOf(job.layout));
}

Status writePrediction(store::Store& store, const std::string& name, const Job& job,
    const Prediction& prediction, const Progress& progress, const RunWriting& writing) {
    ASSIGN_OR_RETURN(
        auto session, store::beginImport(store, {"predicted: " + name, 0, "predicted", name}));
    ImportReport report;
    report.importer = "prediction 1";
    report.ranksExpected = job.gpus();
    for (int rank = 0; rank < job.gpus(); ++rank)
        report.ranksFound.push_back(rank);
    report.facts["origin"] = "predicted; no number here was measured";
    report.facts.merge(notesOf(prediction));
    RETURN_IF_ERROR(
        PredictionWriter(job, prediction, writing, *session, report, progress).write(name));
    return session->finish(report, "predicted", 0, progress);
}

std::vector<StepPiece> timelineOf(const Job& job, const Prediction& prediction, int stage) {
    return StageTimeline(job, prediction.step, prediction.seconds, stage).takePieces();
}

Result<PredictedTelemetry> telemetryOf(const Job& job, const Prediction& prediction,
    const PlayedSteps& played, const Progress& progress) {
    std::vector<std::vector<StageTask>> tasks; // by stage
    std::size_t most = 0;
    for (int stage = 0; stage < job.layout.grid.degrees().pipeline; ++stage) {
        tasks.push_back(StageTimeline(job, prediction.step, prediction.seconds, stage).takeTasks());
        most = std::max(most, tasks.back().size());
    }
    if (most * static_cast<std::size_t>(job.gpus()) > kMostTasks) {
        for (std::vector<StageTask>& ofStage : tasks)
            ofStage = joined(ofStage, prediction.seconds);
    }
    TelemetryRequest request;
    static_cast<PlayedSteps&>(request) = played;
    request.gpu = prediction.power.gpu;
    request.cluster = clusterOf(job);
    request.air = prediction.power.airOf(static_cast<std::size_t>(job.layout.gpusPerNode));
    for (int rank = 0; rank < job.gpus(); ++rank) {
        const auto stage = static_cast<std::size_t>(job.layout.grid.position(rank).pipeline);
        request.ranks.push_back({rank, segmentsOf(tasks[stage]), prediction.memory[stage].total()});
    }
    request.stepSeconds = prediction.seconds;
    request.limitW = job.machine.powerLimitW;
    request.clockHz = job.machine.clockHz;
    request.startsSettled = played.restSeconds <= 0.0;
    return predictTelemetry(request, progress);
}

} // namespace trainscope::predict
