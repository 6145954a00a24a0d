#include "core/predict/prediction/StepTelemetry.h"

#include "core/layout/ScheduleOrder.h"
#include "core/predict/prediction/Outlook.h"

#include <algorithm>

namespace trainscope::predict {

namespace {

constexpr std::size_t kMostSegments = 4'000'000; // over all ranks
constexpr double kCoarsePieces = 50.0; // of a step
constexpr int kMostDecodes = 4096; // that are told apart

bool isWaited(StepPart part) {
    return part == StepPart::Gap || part == StepPart::Bubble || part == StepPart::Jitter;
}

// Tasks of the schedule cut by their parts, then gradients and optimizer.
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
        for (StepPiece& piece : m_pieces) {
            piece.begin *= factor;
            piece.end *= factor;
        }
    }

    [[nodiscard]] std::vector<StepPiece> take() { return std::move(m_pieces); }

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
            if (next > at && !isWaited(part))
                m_pieces.push_back({at, next, part, isDecode});
            at = next;
        }
    }

    // After the prompts of the first micro-batches in flight, which the schedule has: their passes
    // of a token each, then the same of the micro-batches that come after them.
    void addInference() {
        const InferenceTimes& times = *m_step.inference;
        const std::vector<StepPiece> prompts = m_pieces;
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

    void repeat(const std::vector<StepPiece>& pieces, double begin, double share) {
        for (const StepPiece& piece : pieces)
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
    std::vector<StepPiece> m_pieces;
};

// Many GPUs of long schedules share one activity, with the power of all that they do.
std::vector<ActivitySegment> segmentsOf(
    const std::vector<StepPiece>& pieces, double seconds, bool isCoarse) {
    std::vector<ActivitySegment> segments;
    for (const StepPiece& piece : pieces) {
        Activity activity = activityOf(piece.part);
        if (piece.isDecode && activity != Activity::Communication)
            activity = Activity::Memory;
        const bool joins = isCoarse && !segments.empty()
            && piece.begin - segments.back().end < seconds / kCoarsePieces;
        if (joins)
            segments.back().end = piece.end;
        else
            segments.push_back({piece.begin, piece.end, activity, 1.0});
    }
    return segments;
}

} // namespace

std::vector<StepPiece> timelineOf(const Job& job, const Prediction& prediction, int stage) {
    return StageTimeline(job, prediction.step, prediction.seconds, stage).take();
}

Result<PredictedTelemetry> telemetryOf(const Job& job, const Prediction& prediction,
    const PlayedSteps& played, const Progress& progress) {
    std::vector<std::vector<StepPiece>> timelines;
    std::size_t pieces = 0;
    for (int stage = 0; stage < job.layout.grid.degrees().pipeline; ++stage) {
        timelines.push_back(timelineOf(job, prediction, stage));
        pieces = std::max(pieces, timelines.back().size());
    }
    const bool isCoarse = pieces * static_cast<std::size_t>(job.gpus()) > kMostSegments;
    TelemetryRequest request;
    request.gpu = prediction.power.gpu;
    request.cluster = clusterOf(job);
    request.air = prediction.power.airOf(static_cast<std::size_t>(job.layout.gpusPerNode));
    for (int rank = 0; rank < job.gpus(); ++rank) {
        const auto stage = static_cast<std::size_t>(job.layout.grid.position(rank).pipeline);
        request.ranks.push_back({rank, segmentsOf(timelines[stage], prediction.seconds, isCoarse),
            prediction.memory[stage].total()});
    }
    request.stepSeconds = prediction.seconds;
    request.steps = played.steps;
    request.periodSeconds = played.periodSeconds;
    request.sensorSeconds = played.sensorSeconds;
    request.limitW = job.machine.powerLimitW;
    request.clockHz = job.machine.clockHz;
    request.leadSeconds = played.restSeconds;
    request.startsSettled = played.restSeconds <= 0.0;
    request.isRounded = played.isRounded;
    return predictTelemetry(request, progress);
}

} // namespace trainscope::predict
