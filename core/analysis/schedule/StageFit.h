#pragma once
// The kernels of a stage held against the order of a schedule, and passes that are cut by it.

#include "core/analysis/schedule/Pass.h"
#include "core/analysis/schedule/PassOrder.h"
#include "core/layout/ScheduleOrder.h"

#include <array>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// Kernels of a pass, by TaskKind.
using PassSizes = std::array<std::size_t, 3>;

class StageFit {
public:
    StageFit(const std::vector<layout::WorkItem>& order, const std::vector<Pass>& passes);

    struct Best {
        PassSizes sizes{};
        // Shares: of the moments at which transfers cut, those that lie between passes; of the
        // changes of passes those at which a transfer cuts. 0 without transfers.
        double found = 0.0;
        double met = 0.0;
    };
    // The sizes that explain most cuts and contradict nothing that is told; of equally good ones
    // those with that many kernels in a gradient of the weights (0: none is preferred), then those
    // whose forward passes have about a third of the time. Absent where no sizes explain enough.
    [[nodiscard]] std::optional<Best> best(std::size_t weights) const;
    [[nodiscard]] std::vector<Pass> passes(const PassSizes& sizes) const;

private:
    struct Score {
        std::size_t found = 0;
        double value = 0.0;
    };
    [[nodiscard]] std::optional<Score> scoreOf(const PassSizes& sizes) const;
    [[nodiscard]] std::vector<PassSizes> candidates() const;
    [[nodiscard]] std::size_t toldBetween(
        layout::TaskKind kind, std::size_t from, std::size_t to) const;

    const std::vector<layout::WorkItem>& m_order;
    std::array<std::size_t, 3> m_rounds{}; // passes of the order, by kind
    std::vector<PassKernel> m_kernels;
    std::vector<bool> m_isCut; // before a kernel
    std::vector<std::size_t> m_cuts; // their places
    std::vector<double> m_seconds; // of the kernels up to each
    std::array<std::vector<std::size_t>, 2> m_told; // forward, backward kernels up to each
};

// Passes of a whole step that annotations do not tell: cut anew by the order of a schedule. All
// passes of a kind on a stage have equally many kernels; how many is what puts the most of the
// moments at which transfers cut the kernels between passes. Pure; any thread.
struct OrderCut {
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward;
    int microbatches = 0;
    bool isEstimated = false; // the number of micro-batches was not known
};

// Replaces passes by those of one schedule that explains them, where every pass of every traced
// stage has its kernels' detail and none is annotated. All schedules are tried where nothing tells
// any kernel; where names tell some, only zero-bubble ones, whose weight gradients names do not
// tell. Absent, and the passes as they were, where none explains them.
std::optional<OrderCut> cutByOrder(const OrderRequest& request, StagePasses& stages);

} // namespace trainscope::analysis
