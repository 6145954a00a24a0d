#include "core/analysis/schedule/PassCutter.h"

#include "core/analysis/CollectiveDetail.h"
#include "core/layout/ProcessGroup.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

// Details with running numbers differ from call to call.
constexpr std::size_t kMostRoles = 65'536;

TimeRange spanned(const TimeRange& a, const TimeRange& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

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
std::int64_t usualKernels(const std::vector<Pass>& passes, Mark mark) {
    std::vector<std::int64_t> turns;
    std::vector<std::int64_t> pieces;
    Mark before = Mark::None;
    for (const Pass& pass : passes) {
        if (pass.mark == mark) {
            pieces.push_back(pass.kernels);
            if (before == mark)
                turns.back() += pass.kernels;
            else
                turns.push_back(pass.kernels);
        }
        before = pass.mark;
    }
    const std::int64_t ofTurns = usual(turns);
    return ofTurns > 0 ? ofTurns : usual(pieces);
}

// Joins a pass to the one before where `belongs` says so.
template <typename Belongs>
void joinNeighbours(std::vector<Pass>& passes, Belongs&& belongs) {
    std::vector<Pass> joined;
    for (const Pass& pass : passes) {
        if (joined.empty() || joined.back().mark != pass.mark || !belongs(joined.back(), pass)) {
            joined.push_back(pass);
            continue;
        }
        joined.back().range = spanned(joined.back().range, pass.range);
        joined.back().kernels += pass.kernels;
        auto& times = joined.back().times;
        times.insert(times.end(), pass.times.begin(), pass.times.end());
    }
    passes = std::move(joined);
}

std::int64_t countOf(const std::vector<Pass>& passes, Mark mark) {
    return std::count_if(
        passes.begin(), passes.end(), [&](const Pass& pass) { return pass.mark == mark; });
}

// Cuts what has several times as many kernels as a pass.
void cutSeveral(std::vector<Pass>& passes, Mark mark, std::int64_t most) {
    std::vector<Pass> cut;
    for (Pass& pass : passes) {
        const bool isKept = static_cast<std::int64_t>(pass.times.size()) == pass.kernels;
        if (pass.mark != mark || !isKept || pass.kernels <= most || pass.kernels % most != 0) {
            cut.push_back(std::move(pass));
            continue;
        }
        for (std::int64_t first = 0; first < pass.kernels; first += most) {
            Pass one{pass.times[static_cast<std::size_t>(first)], mark, most, pass.isAnnotated,
                first == 0 && pass.afterTransfer, {}};
            for (std::int64_t k = first; k < first + most; ++k)
                one.range = spanned(one.range, pass.times[static_cast<std::size_t>(k)]);
            cut.push_back(std::move(one));
        }
    }
    passes = std::move(cut);
}

void dropSmallest(std::vector<Pass>& passes, Mark mark, std::int64_t expected) {
    const std::int64_t most = usualKernels(passes, mark);
    while (countOf(passes, mark) > expected) {
        const auto least = std::min_element(
            passes.begin(), passes.end(), [&](const Pass& a, const Pass& b) {
                return std::pair(a.mark != mark, a.kernels) < std::pair(b.mark != mark, b.kernels);
            });
        if (2 * least->kernels >= most)
            return;
        passes.erase(least);
    }
}

} // namespace

Result<PassCutter::Role> PassCutter::roleOf(NameId detail) {
    if (!detail.isValid())
        return Role::Aside;
    if (const auto known = m_roles.find(detail); known != m_roles.end())
        return known->second;
    const auto text = m_store.name(detail);
    if (!text.hasValue())
        return text.error();
    const CollectiveDetail told = parseCollectiveDetail(text.value());
    const auto kind = layout::kindFromName(told.group, told.description);
    Role role = Role::Aside;
    if (kind) {
        switch (*kind) {
        case layout::GroupKind::Tensor:
        case layout::GroupKind::Context:
        case layout::GroupKind::Expert:
        case layout::GroupKind::TensorContext:
        case layout::GroupKind::ExpertTensor:
        case layout::GroupKind::TensorExpert:
            role = Role::InPass;
            break;
        case layout::GroupKind::Model: // the norm of the gradients waits for all stages
            role = Role::BetweenPasses;
            break;
        default:
            break;
        }
    }
    if (m_roles.size() >= kMostRoles)
        m_roles.clear();
    m_roles.emplace(detail, role);
    return role;
}

Status PassCutter::work(const DeviceWork& work) {
    if (work.kernel == nullptr || !m_window.contains(work.span.start))
        return {};
    const TimeRange range{work.span.start, work.span.start + work.span.duration};
    if (work.isPipelineTransfer) {
        addTransfer(range);
        return {};
    }
    if (work.telling.mark == Mark::Optimizer) {
        finish(false);
        m_isOver = true;
        return {};
    }
    if (work.kernel->isCommunication) {
        const auto role = roleOf(work.span.detail);
        if (!role.hasValue())
            return role.error();
        if (role.value() == Role::BetweenPasses)
            finish(false);
        if (role.value() != Role::InPass)
            return {};
    }
    if (m_isOver && work.telling.mark == Mark::None)
        return {};
    m_isOver = false;
    addKernel(range, work.telling);
    return {};
}

void PassCutter::addTransfer(TimeRange range) {
    m_transfers.push_back(range);
    // One that begins together with the kernel after a gap may be told after it.
    if (!m_tail || m_tail->range.begin != range.begin)
        return;
    if (!m_pass) {
        m_nextAfterTransfer = true;
        return;
    }
    const Telling& tail = m_tail->telling;
    if (tail.since && m_pass->telling.since == tail.since)
        return;
    const Part next = *m_tail;
    m_tail.reset();
    finish(true);
    m_tail = next;
}

// Whether a transfer begins or ends in a gap between kernels.
bool PassCutter::takeTransfers(TimeNs from, TimeNs to) {
    const auto isIn = [&](TimeNs t) { return from <= t && t <= to; };
    const bool touches = std::any_of(m_transfers.begin(), m_transfers.end(),
        [&](const TimeRange& transfer) { return isIn(transfer.begin) || isIn(transfer.end); });
    std::erase_if(m_transfers, [&](const TimeRange& transfer) { return transfer.end < to; });
    return touches;
}

bool PassCutter::isOther(const Telling& telling) const {
    for (const auto& part : {m_pass, m_tail}) {
        if (!part || part->telling.mark == Mark::None || telling.mark == Mark::None)
            continue;
        const Telling& own = part->telling;
        return own.mark != telling.mark
            || (own.since && telling.since && *own.since != *telling.since);
    }
    return false;
}

bool PassCutter::isSame(const Telling& telling) const {
    return telling.since
        && ((m_pass && m_pass->telling.since == telling.since)
            || (m_tail && m_tail->telling.since == telling.since));
}

void PassCutter::join(Part& part, const Part& next) {
    part.range = spanned(part.range, next.range);
    part.kernels += next.kernels;
    part.times.insert(part.times.end(), next.times.begin(), next.times.end());
    if (part.telling.mark == Mark::None)
        part.telling.mark = next.telling.mark;
    if (!part.telling.since)
        part.telling.since = next.telling.since;
}

void PassCutter::addKernel(TimeRange range, const Telling& telling) {
    Part part{range, telling, 1, {}};
    keepTimes(part, range);
    if (m_tail) {
        const TimeNs busyUntil
            = m_pass ? std::max(m_pass->range.end, m_tail->range.end) : m_tail->range.end;
        const bool isGap = range.begin >= busyUntil;
        const bool isAtTransfer = isGap && takeTransfers(busyUntil, range.begin);
        if (isOther(telling) || (isAtTransfer && !isSame(telling))) {
            finish(isAtTransfer);
        } else if (isGap) {
            if (m_pass)
                join(*m_pass, *m_tail);
            else
                m_pass = m_tail;
            m_tail.reset();
        }
    }
    if (m_tail)
        join(*m_tail, part);
    else
        m_tail = part;
}

void PassCutter::keepTimes(Part& part, TimeRange range) {
    if (m_kept >= kMostKernels)
        return;
    part.times.push_back(range);
    ++m_kept;
}

void PassCutter::finish(bool byTransfer) {
    if (m_pass && m_tail)
        join(*m_pass, *m_tail);
    const auto& whole = m_pass ? m_pass : m_tail;
    if (whole)
        m_passes.push_back({whole->range, whole->telling.mark, whole->kernels,
            whole->telling.since.has_value(), m_nextAfterTransfer, whole->times});
    m_pass.reset();
    m_tail.reset();
    m_nextAfterTransfer = byTransfer;
}

std::vector<Pass> PassCutter::take(const MarkEvidence& evidence) {
    finish(false);
    const bool tells = evidence.tellsDirections
        || std::any_of(m_passes.begin(), m_passes.end(),
            [](auto& pass) { return pass.mark == Mark::Backward; });
    for (Pass& pass : m_passes) {
        if (tells && pass.mark == Mark::None)
            pass.mark = Mark::Forward;
    }
    return std::move(m_passes);
}

std::vector<Pass> joinedPasses(std::vector<Pass> passes, std::int64_t expected) {
    for (const Mark mark : {Mark::Forward, Mark::Backward}) {
        const std::int64_t most = usualKernels(passes, mark);
        const auto joinPieces = [&](bool annotatedToo) {
            joinNeighbours(passes, [&](const Pass& a, const Pass& b) {
                return b.mark == mark && (annotatedToo || (!a.isAnnotated && !b.isAnnotated))
                    && a.kernels + b.kernels <= most;
            });
        };
        if (most > 0)
            joinPieces(false);
        if (most > 0 && (expected == 0 || countOf(passes, mark) < expected))
            cutSeveral(passes, mark, most);
        if (expected == 0 || countOf(passes, mark) <= expected)
            continue;
        joinPieces(true);
        if (countOf(passes, mark) <= expected)
            continue;
        joinNeighbours(
            passes, [&](const Pass&, const Pass& b) { return b.mark == mark && !b.afterTransfer; });
        dropSmallest(passes, mark, expected);
    }
    return passes;
}

} // namespace trainscope::analysis
