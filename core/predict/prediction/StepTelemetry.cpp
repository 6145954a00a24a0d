#include "core/predict/prediction/StepTelemetry.h"

#include "core/layout/ScheduleOrder.h"
#include "core/predict/prediction/Prediction.h"

#include <algorithm>

namespace trainscope::predict {

namespace {

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
