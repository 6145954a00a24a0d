#include "core/analysis/schedule/RecomputedPasses.h"

#include <algorithm>
#include <cstddef>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;

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

void foldRecomputation(std::vector<Pass>& passes) {
    const bool isAnnotated = std::any_of(
        passes.begin(), passes.end(), [](const Pass& pass) { return pass.isAnnotated; });
    const auto groups = groupsOf(passes);
    const auto backwards = static_cast<std::size_t>(std::count_if(groups.begin(), groups.end(),
        [](const Group& group) { return group.firstBackward.has_value(); }));
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
