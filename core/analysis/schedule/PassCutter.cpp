#include "core/analysis/schedule/PassCutter.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/layout/ProcessGroup.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;

// Details with running numbers differ from call to call.
constexpr std::size_t kMostRoles = 65'536;

std::optional<TaskKind> kindOf(Mark mark) {
    switch (mark) {
    case Mark::Forward:
        return TaskKind::Forward;
    case Mark::Backward:
        return TaskKind::Backward;
    default:
        return std::nullopt;
    }
}

} // namespace

Result<PassCutter::Role> PassCutter::roleOf(NameId detail) {
    if (!detail.isValid())
        return Role::Aside;
    if (const auto known = m_roles.find(detail); known != m_roles.end())
        return known->second;
    ASSIGN_OR_RETURN(const auto told, collectiveDetail(m_store, detail));
    const auto kind = layout::kindFromName(told.group, told.description);
    Role role = Role::Aside;
    if (kind) {
        switch (*kind) {
        case layout::CommunicatorKind::Tensor:
        case layout::CommunicatorKind::Context:
        case layout::CommunicatorKind::Expert:
        case layout::CommunicatorKind::TensorContext:
        case layout::CommunicatorKind::ExpertTensor:
        case layout::CommunicatorKind::TensorExpert:
            role = Role::InPass;
            break;
        case layout::CommunicatorKind::Model: // the norm of the gradients waits for all stages
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

Result<std::optional<PassName>> PassCutter::passNamed(NameId name) {
    if (const auto known = m_names.find(name); known != m_names.end())
        return known->second;
    std::optional<PassName> named;
    if (name.isValid()) {
        ASSIGN_OR_RETURN(const auto text, m_store.name(name));
        named = passNameOf(text);
    }
    m_names.emplace(name, named);
    return named;
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
        ASSIGN_OR_RETURN(const auto role, roleOf(work.span.detail));
        if (role == Role::BetweenPasses)
            finish(false);
        if (role != Role::InPass)
            return {};
    }
    if (m_isOver && work.telling.mark == Mark::None)
        return {};
    m_isOver = false;
    RETURN_IF_ERROR(passNamed(work.telling.name));
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

// True where a transfer begins or ends in a gap between kernels.
bool PassCutter::takeTransfers(TimeNs from, TimeNs to) {
    const auto isIn = [&](TimeNs t) { return from <= t && t <= to; };
    const bool touches = std::any_of(m_transfers.begin(), m_transfers.end(),
        [&](const TimeRange& transfer) { return isIn(transfer.begin) || isIn(transfer.end); });
    std::erase_if(m_transfers, [&](const TimeRange& transfer) { return transfer.end < to; });
    return touches;
}

bool PassCutter::isOther(const Telling& telling) const {
    for (const std::optional<Part>* part : {&m_pass, &m_tail}) {
        if (!*part || (*part)->telling.mark == Mark::None || telling.mark == Mark::None)
            continue;
        const Telling& own = (*part)->telling;
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
    part.detail.insert(part.detail.end(), next.detail.begin(), next.detail.end());
    if (part.telling.mark == Mark::None)
        part.telling.mark = next.telling.mark;
    if (!part.telling.since) {
        part.telling.since = next.telling.since;
        part.telling.name = next.telling.name;
    }
}

void PassCutter::addKernel(TimeRange range, const Telling& telling) {
    Part part{range, telling, 1, {}};
    keepDetail(part);
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

void PassCutter::keepDetail(Part& part) {
    if (m_kept >= m_mostKept)
        return;
    part.detail.push_back({part.range, kindOf(part.telling.mark)});
    ++m_kept;
}

void PassCutter::finish(bool byTransfer) {
    if (m_pass && m_tail)
        join(*m_pass, *m_tail);
    const auto& whole = m_pass ? m_pass : m_tail;
    if (whole)
        m_passes.push_back(passOf(*whole));
    m_pass.reset();
    m_tail.reset();
    m_nextAfterTransfer = byTransfer;
}

Pass PassCutter::passOf(const Part& part) const {
    Pass pass{part.range, kindOf(part.telling.mark), part.kernels, part.telling.since.has_value(),
        m_nextAfterTransfer, part.detail};
    const auto named = m_names.find(part.telling.name);
    if (named == m_names.end() || !named->second)
        return pass;
    pass.kind = named->second->kind;
    pass.microbatch = named->second->microbatch;
    pass.chunk = named->second->chunk;
    pass.piece = named->second->piece;
    return pass;
}

std::vector<Pass> PassCutter::take(const MarkEvidence& evidence) {
    finish(false);
    const bool tells = evidence.tellsDirections
        || std::any_of(m_passes.begin(), m_passes.end(),
            [](auto& pass) { return pass.kind == TaskKind::Backward; });
    for (Pass& pass : m_passes) {
        if (!tells || pass.kind)
            continue;
        pass.kind = TaskKind::Forward;
        pass.isAssumed = true;
    }
    return std::move(m_passes);
}

} // namespace trainscope::analysis
