#include "app/sample/PipelineRun.h"

#include <algorithm>

namespace trainscope::app::sample {

namespace {

// Order of work on one stage: warm-up forwards, then one forward one backward, then the remaining
// backwards.
std::vector<StageWork> stageOrder(int stage, int stages) {
    using Kind = StageWork::Kind;
    const int warmup = std::min(stages - stage - 1, kMicrobatches);
    std::vector<StageWork> order;
    for (int i = 0; i < warmup; ++i)
        order.push_back({Kind::Forward, i, 0, 0});
    for (int i = 0; i < kMicrobatches - warmup; ++i) {
        order.push_back({Kind::Forward, warmup + i, 0, 0});
        order.push_back({Kind::Backward, i, 0, 0});
    }
    for (int i = kMicrobatches - warmup; i < kMicrobatches; ++i)
        order.push_back({Kind::Backward, i, 0, 0});
    return order;
}

// Ends of the passes scheduled so far; negative: not yet.
struct Ends {
    std::vector<std::vector<double>> forward;
    std::vector<std::vector<double>> backward;

    explicit Ends(int stages)
        : forward(static_cast<std::size_t>(stages), std::vector<double>(kMicrobatches, -1.0))
        , backward(forward) { }

    // When the input of that work is there; negative: not yet known.
    [[nodiscard]] double ready(std::size_t stage, const StageWork& work) const {
        const auto batch = static_cast<std::size_t>(work.microbatch);
        if (work.kind == StageWork::Kind::Forward)
            return stage == 0 ? 0.0 : plusHandOver(forward[stage - 1][batch]);
        if (stage + 1 == forward.size())
            return forward[stage][batch];
        return plusHandOver(backward[stage + 1][batch]);
    }

    void set(std::size_t stage, const StageWork& work) {
        auto& ends = work.kind == StageWork::Kind::Forward ? forward : backward;
        ends[stage][static_cast<std::size_t>(work.microbatch)] = work.end;
    }

private:
    static double plusHandOver(double end) { return end < 0.0 ? end : end + kHandOverSeconds; }
};

// One iteration from time 0: per stage its work with times.
std::vector<std::vector<StageWork>> scheduleIteration(const ClusterParameters& cluster) {
    const int stageCount = cluster.stages();
    std::vector<std::vector<StageWork>> stages;
    for (int stage = 0; stage < stageCount; ++stage)
        stages.push_back(stageOrder(stage, stageCount));
    Ends ends(stageCount);
    std::vector<std::size_t> next(stages.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            while (next[stage] < stages[stage].size()) {
                auto& work = stages[stage][next[stage]];
                const double ready = ends.ready(stage, work);
                if (ready < 0.0)
                    break;
                const double free = next[stage] == 0 ? 0.0 : stages[stage][next[stage] - 1].end;
                const double passes = work.kind == StageWork::Kind::Forward ? 1.0 : 2.0;
                work.begin = std::max(ready, free);
                work.end = work.begin + passes * cluster.forwardSeconds;
                ends.set(stage, work);
                ++next[stage];
                moved = true;
            }
        }
    }
    return stages;
}

} // namespace

double PipelineRun::busyFraction(int stage, double begin, double end) const {
    const auto& works = stages[static_cast<std::size_t>(stage)];
    auto work = std::partition_point(
        works.begin(), works.end(), [begin](const StageWork& w) { return w.end <= begin; });
    double busy = 0.0;
    for (; work != works.end() && work->begin < end; ++work)
        busy += std::min(end, work->end) - std::max(begin, work->begin);
    return busy / (end - begin);
}

PipelineRun simulatePipeline(const ClusterParameters& cluster) {
    const auto one = scheduleIteration(cluster);
    double passesEnd = 0.0;
    for (const auto& works : one)
        passesEnd = std::max(passesEnd, works.back().end);
    const double step = passesEnd + cluster.optimizerSeconds;

    PipelineRun run;
    run.stages.resize(one.size());
    constexpr double kFirstStep = 3.0; // data loading before the first iteration
    for (double begin = kFirstStep; begin + step < kRunSeconds; begin += step) {
        run.iterations.push_back({begin, begin + step});
        for (std::size_t stage = 0; stage < one.size(); ++stage) {
            for (auto work : one[stage]) {
                work.begin += begin;
                work.end += begin;
                run.stages[stage].push_back(work);
            }
            run.stages[stage].push_back({StageWork::Kind::Optimizer, 0, begin + passesEnd,
                begin + 0.92 * cluster.optimizerSeconds + passesEnd});
        }
    }
    return run;
}

} // namespace trainscope::app::sample
