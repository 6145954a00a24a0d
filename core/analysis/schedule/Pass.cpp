#include "core/analysis/schedule/Pass.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <map>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;

// The most frequent of some numbers; 0 where none stands out.
std::int64_t usual(const std::vector<std::int64_t>& numbers) {
    std::map<std::int64_t, std::size_t> counts;
    for (const std::int64_t number : numbers)
        ++counts[number];
    const auto most
        = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
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
        const auto least = std::ranges::min_element(passes, [&](const Pass& a, const Pass& b) {
            return std::pair(a.kind != kind, a.kernels) < std::pair(b.kind != kind, b.kernels);
        });
        if (2 * least->kernels >= most)
            return;
        passes.erase(least);
    }
}

// Passes between two transfers.
struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::optional<std::size_t> firstBackward;
    std::size_t lastBackward = 0;

    [[nodiscard]] bool hasLead() const { return firstBackward && *firstBackward > begin; }
};

std::vector<Group> groupsOf(const std::vector<Pass>& passes) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (i == 0 || passes[i].afterTransfer)
            groups.push_back({i, i, std::nullopt, i});
        Group& group = groups.back();
        group.end = i + 1;
        if (passes[i].kind != TaskKind::Backward)
            continue;
        group.firstBackward = group.firstBackward.value_or(i);
        group.lastBackward = i;
    }
    return groups;
}

// Forward pieces that lie before no backward one of their group.
std::size_t freeForwards(const std::vector<Pass>& passes, const std::vector<Group>& groups) {
    std::size_t count = 0;
    for (const Group& group : groups) {
        for (std::size_t i = group.firstBackward ? group.lastBackward + 1 : group.begin;
             i < group.end; ++i)
            count += passes[i].kind == TaskKind::Forward ? 1U : 0U;
    }
    return count;
}

// Forward pieces between backward ones of a group are what is computed again where they are small:
// layers of the stage. Whole passes lie there too where transfers leave no mark.
bool recomputes(const std::vector<Pass>& passes, const std::vector<Group>& groups) {
    std::int64_t largest = 0;
    for (const Pass& pass : passes)
        largest = pass.kind == TaskKind::Forward ? std::max(largest, pass.kernels) : largest;
    bool any = false;
    for (const Group& group : groups) {
        for (std::size_t i = group.firstBackward.value_or(group.end); i < group.lastBackward; ++i) {
            if (passes[i].kind != TaskKind::Forward)
                continue;
            any = true;
            if (2 * passes[i].kernels > largest)
                return false;
        }
    }
    return any;
}

} // namespace

void joinPass(Pass& pass, const Pass& next) {
    pass.range = spanned(pass.range, next.range);
    pass.kernels += next.kernels;
    pass.detail.insert(pass.detail.end(), next.detail.begin(), next.detail.end());
    pass.isAssumed = pass.isAssumed && next.isAssumed;
}

std::int64_t countOf(const std::vector<Pass>& passes, layout::TaskKind kind) {
    return std::ranges::count(passes, kind, &Pass::kind);
}

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

void foldRecomputation(std::vector<Pass>& passes) {
    const bool isAnnotated
        = std::ranges::any_of(passes, [](const Pass& pass) { return pass.isAnnotated; });
    const auto groups = groupsOf(passes);
    const auto backwards = static_cast<std::size_t>(std::ranges::count_if(
        groups, [](const Group& group) { return group.firstBackward.has_value(); }));
    if (isAnnotated || groups.size() < 2 || !recomputes(passes, groups))
        return;
    const bool leadsAreBackward = freeForwards(passes, groups) >= backwards;
    std::vector<Pass> result;
    for (const Group& group : groups) {
        const std::size_t from = leadsAreBackward && group.hasLead()
            ? group.begin
            : group.firstBackward.value_or(group.end);
        for (std::size_t i = group.begin; i < group.end; ++i) {
            const bool isPart = group.firstBackward && i >= from && i <= group.lastBackward;
            if (isPart && i > from)
                joinPass(result.back(), passes[i]);
            else
                result.push_back(passes[i]);
            if (isPart)
                result.back().kind = TaskKind::Backward;
        }
    }
    passes = std::move(result);
}

} // namespace trainscope::analysis
