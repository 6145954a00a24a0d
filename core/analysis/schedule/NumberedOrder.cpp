#include "core/analysis/schedule/PassOrder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace trainscope::analysis {

namespace {

using layout::ScheduleKind;
using layout::TaskKind;
using layout::WorkItem;

// Pieces of the model that a stage has, in its order, where its passes say pieces.
std::map<int, int> chunksOfPieces(const std::vector<Pass>& passes) {
    std::set<int> pieces;
    for (const Pass& pass : passes) {
        if (pass.piece)
            pieces.insert(*pass.piece);
    }
    std::map<int, int> chunks;
    for (const int piece : pieces)
        chunks.emplace(piece, static_cast<int>(chunks.size()));
    return chunks;
}

class Numbering {
public:
    Numbering(const OrderRequest& request, const StagePasses& stages)
        : m_request(request)
        , m_stages(stages) { }

    std::optional<PassOrder> run() {
        m_order.isNumberedByName = true;
        for (const auto& passes : m_stages) {
            if (!takeStage(passes))
                return std::nullopt;
        }
        m_order.microbatches = m_request.microbatches;
        if (m_most >= m_request.microbatches)
            m_order.microbatches = m_most + 1;
        m_order.extent = extent();
        if (m_order.extent != PassExtent::Whole && m_request.microbatches == 0)
            m_order.microbatches = 0; // there may have been more of them
        if (m_order.extent == PassExtent::Whole)
            m_order.kind = kind();
        return std::move(m_order);
    }

private:
    // False where a pass is done twice.
    bool takeStage(const std::vector<Pass>& passes) {
        const auto chunks = chunksOfPieces(passes);
        auto& numbers = m_order.numbers.emplace_back();
        std::set<std::tuple<TaskKind, int, int>> seen;
        for (const Pass& pass : passes) {
            const int chunk = pass.piece ? chunks.at(*pass.piece) : pass.chunk.value_or(0);
            const int microbatch = pass.microbatch.value_or(-1);
            if (microbatch >= 0 && !seen.insert({*pass.kind, chunk, microbatch}).second)
                return false;
            numbers.push_back({chunk, microbatch});
            m_most = std::max(m_most, microbatch);
            m_order.virtualStages = std::max(m_order.virtualStages, chunk + 1);
        }
        return true;
    }

    [[nodiscard]] std::int64_t done(std::size_t stage, TaskKind kind, int microbatch) const {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < m_stages[stage].size(); ++i)
            count += m_stages[stage][i].kind == kind
                    && (microbatch < 0 || m_order.numbers[stage][i].microbatch == microbatch)
                ? 1
                : 0;
        return count;
    }

    // The step begins with the first micro-batch's forward passes and ends with the last one's
    // backward passes.
    [[nodiscard]] PassExtent extent() const {
        bool isWhole = true;
        bool hasBegin = true;
        bool hasEnd = true;
        const int last = m_order.microbatches - 1;
        const std::int64_t all = std::int64_t{m_order.microbatches} * m_order.virtualStages;
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            if (m_stages[stage].empty())
                continue;
            isWhole = isWhole && done(stage, TaskKind::Forward, -1) == all
                && done(stage, TaskKind::Backward, -1) == all;
            hasBegin = hasBegin && done(stage, TaskKind::Forward, 0) == m_order.virtualStages;
            hasEnd = hasEnd && done(stage, TaskKind::Backward, last) == m_order.virtualStages;
        }
        if (isWhole)
            return PassExtent::Whole;
        if (hasBegin)
            return PassExtent::Begin;
        return hasEnd && m_request.microbatches > 0 ? PassExtent::End : PassExtent::Part;
    }

    [[nodiscard]] std::optional<ScheduleKind> kind() const {
        OrderRequest request = m_request;
        request.virtualStages = m_order.virtualStages;
        for (const ScheduleKind kind : candidateKinds(request, hasWeightPasses(m_stages))) {
            const auto orders = ordersOf(request, kind, m_order.microbatches);
            bool isSame = !orders.empty();
            for (std::size_t stage = 0; isSame && stage < m_stages.size(); ++stage)
                isSame = m_stages[stage].empty() || isOrder(stage, orders[stage]);
            if (isSame)
                return kind;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isOrder(std::size_t stage, const std::vector<WorkItem>& order) const {
        const auto& passes = m_stages[stage];
        const auto& numbers = m_order.numbers[stage];
        if (passes.size() != order.size())
            return false;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool isSame = passes[i].kind == order[i].kind
                && numbers[i].chunk == order[i].chunk
                && numbers[i].microbatch == order[i].microbatch;
            if (!isSame)
                return false;
        }
        return true;
    }

    const OrderRequest& m_request;
    const StagePasses& m_stages;
    PassOrder m_order;
    int m_most = -1;
};

} // namespace

std::optional<PassOrder> orderByNames(const OrderRequest& request, const StagePasses& stages) {
    return Numbering(request, stages).run();
}

} // namespace trainscope::analysis
