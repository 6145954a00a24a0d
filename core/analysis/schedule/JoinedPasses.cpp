#include "core/analysis/schedule/JoinedPasses.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;

// The most frequent of some numbers; 0 where none stands out.
std::int64_t usual(const std::vector<std::int64_t>& numbers) {
    std::map<std::int64_t, std::size_t> counts;
    for (const std::int64_t number : numbers)
        ++counts[number];
    const auto most = std::max_element(counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    constexpr std::size_t kFewest = 2;
    return most != counts.end() && most->second >= std::max(kFewest, numbers.size() / 3)
        ? most->first
        : 0;
}

// The number of kernels of a pass: where forward and backward passes take turns, that of a turn;
// else that of most pieces; 0 where neither stands out.
std::int64_t usualKernels(const std::vector<Pass>& passes, TaskKind kind) {
    std::vector<std::int64_t> turns;
    std::vector<std::int64_t> pieces;
    std::optional<TaskKind> before;
    for (const Pass& pass : passes) {
        if (pass.kind == kind) {
            pieces.push_back(pass.kernels);
            if (before == kind)
                turns.back() += pass.kernels;
            else
                turns.push_back(pass.kernels);
        }
        before = pass.kind;
    }
    const std::int64_t ofTurns = usual(turns);
    return ofTurns > 0 ? ofTurns : usual(pieces);
}

// Joins a pass to the one before where `belongs` says so.
template <typename Belongs>
void joinNeighbours(std::vector<Pass>& passes, Belongs&& belongs) {
    std::vector<Pass> joined;
    for (const Pass& pass : passes) {
        if (joined.empty() || joined.back().kind != pass.kind || !belongs(joined.back(), pass)) {
            joined.push_back(pass);
            continue;
        }
        joinPass(joined.back(), pass);
    }
    passes = std::move(joined);
}

// Cuts what has several times as many kernels as a pass.
void cutSeveral(std::vector<Pass>& passes, TaskKind kind, std::int64_t most) {
    std::vector<Pass> cut;
    for (Pass& pass : passes) {
        if (pass.kind != kind || !pass.hasDetail() || pass.kernels <= most
            || pass.kernels % most != 0) {
            cut.push_back(std::move(pass));
            continue;
        }
        for (std::int64_t first = 0; first < pass.kernels; first += most) {
            Pass one{pass.detail[static_cast<std::size_t>(first)].range, kind, most,
                pass.isAnnotated, first == 0 && pass.afterTransfer, {}, pass.isAssumed};
            for (std::int64_t k = first; k < first + most; ++k)
                one.range = spanned(one.range, pass.detail[static_cast<std::size_t>(k)].range);
            cut.push_back(std::move(one));
        }
    }
    passes = std::move(cut);
}

void dropSmallest(std::vector<Pass>& passes, TaskKind kind, std::int64_t expected) {
    const std::int64_t most = usualKernels(passes, kind);
    while (countOf(passes, kind) > expected) {
        const auto least = std::min_element(
            passes.begin(), passes.end(), [&](const Pass& a, const Pass& b) {
                return std::pair(a.kind != kind, a.kernels) < std::pair(b.kind != kind, b.kernels);
            });
        if (2 * least->kernels >= most)
            return;
        passes.erase(least);
    }
}

} // namespace

std::vector<Pass> joinedPasses(std::vector<Pass> passes, std::int64_t expected) {
    for (const TaskKind kind : {TaskKind::Forward, TaskKind::Backward, TaskKind::WeightGradient}) {
        const std::int64_t most = usualKernels(passes, kind);
        const auto joinPieces = [&](bool annotatedToo) {
            joinNeighbours(passes, [&](const Pass& a, const Pass& b) {
                return b.kind == kind && (annotatedToo || (!a.isAnnotated && !b.isAnnotated))
                    && a.kernels + b.kernels <= most;
            });
        };
        if (most > 0)
            joinPieces(false);
        if (most > 0 && (expected == 0 || countOf(passes, kind) < expected))
            cutSeveral(passes, kind, most);
        if (expected == 0 || countOf(passes, kind) <= expected)
            continue;
        joinPieces(true);
        if (countOf(passes, kind) <= expected)
            continue;
        joinNeighbours(
            passes, [&](const Pass&, const Pass& b) { return b.kind == kind && !b.afterTransfer; });
        dropSmallest(passes, kind, expected);
    }
    return passes;
}

std::vector<Pass> numberedPasses(const std::vector<Pass>& passes) {
    std::vector<Pass> result;
    for (const Pass& pass : passes) {
        if (!pass.isNumbered())
            continue;
        const bool isSame = !result.empty() && result.back().kind == pass.kind
            && result.back().microbatch == pass.microbatch && result.back().chunk == pass.chunk
            && result.back().piece == pass.piece;
        if (isSame)
            joinPass(result.back(), pass);
        else
            result.push_back(pass);
    }
    return result;
}

} // namespace trainscope::analysis
