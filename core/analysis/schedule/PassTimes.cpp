#include "core/analysis/schedule/PassTimes.h"

#include "core/layout/ScheduleOrder.h"

#include <array>
#include <cstddef>

namespace trainscope::analysis {

namespace {

using layout::PieceTimes;
using layout::ScheduleTask;
using layout::TaskKind;

struct Sum {
    double seconds = 0.0;
    int count = 0;

    void add(double value) {
        seconds += value;
        ++count;
    }
    [[nodiscard]] double mean() const { return count > 0 ? seconds / count : 0.0; }
};
using Sums = std::array<Sum, 3>; // by TaskKind

const Sum& of(const Sums& sums, TaskKind kind) {
    return sums[static_cast<std::size_t>(kind)];
}

} // namespace

std::vector<PieceTimes> meanTimes(const layout::Schedule& traced, const std::vector<bool>& isCut) {
    const auto pieces
        = static_cast<std::size_t>(traced.stages) * static_cast<std::size_t>(traced.virtualStages);
    std::vector<Sums> whole(pieces);
    std::vector<Sums> any(pieces);
    Sums all{};
    for (std::size_t i = 0; i < traced.tasks.size(); ++i) {
        const ScheduleTask& task = traced.tasks[i];
        const auto piece
            = static_cast<std::size_t>(pieceOf(traced.kind, traced.stages, task.stage, task.chunk));
        const auto kind = static_cast<std::size_t>(task.kind);
        for (Sums* sums : {&all, &any[piece], isCut[i] ? nullptr : &whole[piece]}) {
            if (sums != nullptr)
                (*sums)[kind].add(task.end - task.start);
        }
    }
    const bool isSplit = of(all, TaskKind::WeightGradient).count > 0;
    std::vector<PieceTimes> times;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const auto best = [&](TaskKind kind) -> const Sum& {
            for (const Sums* sums : {&whole[piece], &any[piece]}) {
                if (of(*sums, kind).count > 0)
                    return of(*sums, kind);
            }
            return of(all, kind);
        };
        const double backward = best(TaskKind::Backward).mean();
        PieceTimes one{best(TaskKind::Forward).mean(), backward / 2.0, backward / 2.0};
        if (isSplit) {
            const Sums& own = of(any[piece], TaskKind::Backward).count > 0 ? any[piece] : all;
            const int passes = of(own, TaskKind::Backward).count;
            one.inputGradient = backward;
            one.weightGradient
                = passes > 0 ? of(own, TaskKind::WeightGradient).seconds / passes : 0.0;
        }
        times.push_back(one);
    }
    return times;
}

} // namespace trainscope::analysis
