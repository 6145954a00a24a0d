#include "core/predict/prediction/PredictedRun.h"

#include "core/layout/ScheduleOrder.h"
#include "core/model/Try.h"
#include "core/predict/power/Telemetry.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Outlook.h"
#include "core/store/Writing.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace trainscope::predict {

namespace {

constexpr double kLeastSeconds = 60.0; // of telemetry
constexpr int kFewestSteps = 3;
constexpr int kMostRepeats = 200;
constexpr double kPeriod = 0.1; // s, of the samples
constexpr double kSamplesOfStep = 50.0; // at least
constexpr std::size_t kMostSegments = 4'000'000; // over all ranks
constexpr int kMostDecodes = 4096; // that are told apart
constexpr std::int64_t kTracedStep = 2; // the second: nothing of it is a beginning
constexpr TimeNs kBegin{0}; // nobody made it: the clock begins with it

// The kernel that stands for a part of a step; empty for what is a wait.
std::string_view kernelOf(StepPart part, bool isInference = false) {
    switch (part) {
    case StepPart::Gemm:
        return "predicted gemm";
    case StepPart::Attention:
        return "predicted flash_attention";
    case StepPart::Elementwise:
        return "predicted elementwise";
    case StepPart::Loss:
        return isInference ? "predicted gemm of the logits, and sampling"
                           : "predicted cross_entropy and its gemm";
    case StepPart::Embedding:
        return "predicted embedding";
    case StepPart::Recompute:
        return "predicted recomputation, gemm and others";
    case StepPart::TensorParallel:
        return "ncclDevKernel_AllReduce predicted, tensor parallel";
    case StepPart::ContextParallel:
        return "ncclDevKernel_SendRecv predicted, context parallel";
    case StepPart::ExpertParallel:
        return "ncclDevKernel_AllToAll predicted, expert parallel";
    case StepPart::Sharding:
        return "ncclDevKernel_AllGather predicted, sharded parameters";
    case StepPart::DataParallel:
        return "ncclDevKernel_ReduceScatter predicted, gradients";
    case StepPart::Optimizer:
        return "predicted adam";
    case StepPart::Gap:
    case StepPart::Bubble:
    case StepPart::Jitter:
        break;
    }
    return {};
}

// The communicator of a part, and what NCCL calls the exchange; absent for what is none.
struct ExchangeName {
    layout::CommunicatorKind kind;
    std::string_view collective;
};
std::optional<ExchangeName> exchangeOf(StepPart part) {
    switch (part) {
    case StepPart::TensorParallel:
        return ExchangeName{layout::CommunicatorKind::Tensor, "allreduce"};
    case StepPart::ContextParallel:
        return ExchangeName{layout::CommunicatorKind::Context, "send"};
    case StepPart::ExpertParallel:
        return ExchangeName{layout::CommunicatorKind::Expert, "all_to_allv"};
    case StepPart::Sharding:
        return ExchangeName{layout::CommunicatorKind::DataContext, "_allgather_base"};
    case StepPart::DataParallel:
        return ExchangeName{layout::CommunicatorKind::DataContext, "_reduce_scatter_base"};
    default:
        return std::nullopt;
    }
}

// A moment of a step on one GPU in which one part of it is done.
struct Piece {
    double begin = 0.0; // s since the step's begin
    double end = 0.0;
    StepPart part = StepPart::Gemm;
    bool isDecode = false; // of a token at a time
};

// The timeline of a stage: tasks of the schedule cut by their parts, then gradients and optimizer.
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
        const double factor = seconds / step.seconds; // of a calibration
        for (Piece& piece : m_pieces) {
            piece.begin *= factor;
            piece.end *= factor;
        }
    }

    [[nodiscard]] const std::vector<Piece>& pieces() const { return m_pieces; }

private:
    void addTask(const layout::ScheduleTask& task) {
        const int piece
            = layout::pieceOf(m_step.schedule.kind, m_step.schedule.stages, task.stage, task.chunk);
        const PieceCost& cost = m_step.pieces[static_cast<std::size_t>(piece)];
        const bool isForward = task.kind == layout::TaskKind::Forward;
        addParts(isForward ? cost.forward : cost.backward, task.start, task.end);
    }

    void addParts(const Breakdown& parts, double begin, double end, bool isDecode = false) {
        const double total = parts.total();
        if (total <= 0.0 || end <= begin)
            return;
        double at = begin;
        for (std::size_t i = 0; i < kStepParts; ++i) {
            const auto part = static_cast<StepPart>(i);
            const double next = at + (end - begin) * parts[part] / total;
            if (next > at && !kernelOf(part).empty())
                m_pieces.push_back({at, next, part, isDecode});
            at = next;
        }
    }

    // After the prompts of the first micro-batches in flight, which the schedule has: their passes
    // of a token each, then the same of the micro-batches that come after them.
    void addInference() {
        const InferenceTimes& times = *m_step.inference;
        const std::vector<Piece> prompts = m_pieces;
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

    void repeat(const std::vector<Piece>& pieces, double begin, double share) {
        for (const Piece& piece : pieces)
            m_pieces.push_back({begin + share * piece.begin, begin + share * piece.end, piece.part,
                piece.isDecode});
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
            addParts(parts, begin, begin + busy, true);
            begin += length;
        }
        return begin;
    }

    // What no schedule has stands behind it.
    void addEnd() {
        double at = m_step.schedule.makespan;
        for (const StepPart part : {StepPart::DataParallel, StepPart::Optimizer}) {
            const double seconds = m_step.breakdown[part];
            if (seconds > 0.0)
                m_pieces.push_back({at, at + seconds, part, false});
            at += seconds;
        }
    }

    const Job& m_job;
    const Step& m_step;
    int m_stage;
    std::vector<Piece> m_pieces;
};

class PredictionWriter {
public:
    PredictionWriter(const Job& job, const Prediction& prediction, Sink& sink, ImportReport& report,
        const Progress& progress)
        : m_job(job)
        , m_prediction(prediction)
        , m_sink(sink)
        , m_report(report)
        , m_progress(progress) {
        for (int stage = 0; stage < stages(); ++stage)
            m_timelines.emplace_back(job, prediction.step, prediction.seconds, stage);
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
        const double from = static_cast<double>(step) * m_prediction.seconds + seconds;
        return kBegin + DurationNs{static_cast<std::int64_t>(from * 1e9)};
    }

    [[nodiscard]] Run describe(const std::string& name) const {
        Run run;
        run.name = name;
        run.kind = RunKind::Predicted;
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
        const auto& pieces = m_timelines[static_cast<std::size_t>(stageOf(rank))].pieces();
        for (const Piece& piece : pieces) {
            Span span;
            span.start = at(kTracedStep - 1, piece.begin);
            span.duration = at(kTracedStep - 1, piece.end) - span.start;
            span.kind = SpanKind::Kernel;
            ASSIGN_OR_RETURN(span.name, m_sink.intern(nameOfPiece(piece)));
            if (const auto exchange = exchangeOf(piece.part)) {
                ASSIGN_OR_RETURN(span.detail, m_sink.intern(detailOf(*exchange, rank)));
            }
            spans.push_back(span);
        }
        m_report.spans += static_cast<std::int64_t>(spans.size());
        m_report.counts["cat:kernel"] += static_cast<std::int64_t>(spans.size());
        return m_sink.spans(track, spans);
    }

    [[nodiscard]] std::string nameOfPiece(const Piece& piece) const {
        const std::string_view kernel = kernelOf(piece.part, m_job.isInference());
        return fmt::format("{}{}", kernel,
            !m_job.isInference() ? ""
                : piece.isDecode ? ", decode"
                                 : ", prefill");
    }

    // As torch writes the arguments of a collective; so that ranks of other groups are not taken
    // for its peers.
    [[nodiscard]] std::string detailOf(const ExchangeName& exchange, int rank) const {
        const auto ranks = m_job.layout.grid.groupOf(exchange.kind, rank);
        return fmt::format("{{\"Collective name\":\"{}\",\"Process Group Name\":\"{} of {}\","
                           "\"Process Group Ranks\":\"[{}]\",\"Group size\":{}}}",
            exchange.collective, layout::toString(exchange.kind), ranks.front(),
            fmt::join(ranks, ", "), ranks.size());
    }

    // Many GPUs of long schedules share one activity, with the power of all that they do.
    [[nodiscard]] std::vector<ActivitySegment> segmentsOf(int stage, bool isCoarse) const {
        std::vector<ActivitySegment> segments;
        for (const Piece& piece : m_timelines[static_cast<std::size_t>(stage)].pieces()) {
            Activity activity = activityOf(piece.part);
            if (piece.isDecode && activity != Activity::Communication)
                activity = Activity::Memory;
            const bool joins = isCoarse && !segments.empty()
                && piece.begin - segments.back().end < m_prediction.seconds / kSamplesOfStep;
            if (joins)
                segments.back().end = piece.end;
            else
                segments.push_back({piece.begin, piece.end, activity, 1.0});
        }
        return segments;
    }

    Status writeSamples() {
        std::size_t pieces = 0;
        for (const StageTimeline& timeline : m_timelines)
            pieces = std::max(pieces, timeline.pieces().size());
        const bool isCoarse = pieces * static_cast<std::size_t>(m_job.gpus()) > kMostSegments;
        TelemetryRequest request;
        request.gpu = gpuPowerOf(m_job.machine.gpu);
        request.cluster = clusterOf(m_job);
        request.air
            = usualAir(static_cast<std::size_t>(m_job.layout.gpusPerNode), request.gpu.limitW);
        for (int rank = 0; rank < m_job.gpus(); ++rank) {
            const int stage = stageOf(rank);
            request.ranks.push_back({rank, segmentsOf(stage, isCoarse),
                m_prediction.memory[static_cast<std::size_t>(stage)].total()});
        }
        request.stepSeconds = m_prediction.seconds;
        request.steps = m_steps;
        request.periodSeconds = std::min(kPeriod, m_prediction.seconds / kSamplesOfStep);
        request.sensorSeconds = request.periodSeconds;
        request.limitW = m_job.machine.powerLimitW;
        request.clockHz = m_job.machine.clockHz;
        request.startsSettled = true;
        ASSIGN_OR_RETURN(const auto telemetry, predictTelemetry(request, m_progress));
        return writeTelemetry(telemetry, kBegin, m_run, m_sink, m_report);
    }

    const Job& m_job;
    const Prediction& m_prediction;
    Sink& m_sink;
    ImportReport& m_report;
    const Progress& m_progress;
    std::vector<StageTimeline> m_timelines; // by stage
    int m_steps = 0;
    RunId m_run;
};

} // namespace

std::string nameOf(const Job& job) {
    return fmt::format("predicted: {} on {} × {}, {}", job.model.name, job.gpus(),
        job.machine.gpu.name, textOf(job.layout));
}

Status writePrediction(store::Store& store, const std::string& name, const Job& job,
    const Prediction& prediction, const Progress& progress) {
    ASSIGN_OR_RETURN(
        auto session, store::beginImport(store, {"predicted: " + name, 0, "predicted", name}));
    ImportReport report;
    report.importer = "prediction 1";
    report.ranksExpected = job.gpus();
    for (int rank = 0; rank < job.gpus(); ++rank)
        report.ranksFound.push_back(rank);
    report.facts["origin"] = "predicted; no number here was measured";
    report.facts["step time"]
        = text::withInterval(prediction.seconds, prediction.low, prediction.high, "s");
    RETURN_IF_ERROR(PredictionWriter(job, prediction, *session, report, progress).write(name));
    return session->finish(report, "predicted", 0, progress);
}

} // namespace trainscope::predict
