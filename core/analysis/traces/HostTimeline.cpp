#include "core/analysis/traces/HostTimeline.h"

#include "core/analysis/traces/Phase.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

// The innermost that is a pass, else the innermost that tells backward or optimizer, else forward
// where any does.
template <typename Opens>
Telling tellingOf(const Opens& opens, auto&& counts) {
    Telling telling;
    for (auto open = opens.rbegin(); open != opens.rend(); ++open) {
        if (counts(*open) && open->isPass)
            return {open->mark, open->range.begin, open->name};
    }
    for (auto open = opens.rbegin(); open != opens.rend(); ++open) {
        if (!counts(*open) || telling.mark > Mark::Forward)
            continue;
        telling.mark = open->mark;
    }
    for (const auto& open : opens) {
        if (telling.since || !counts(open) || !open.isAnnotation || open.mark != telling.mark)
            continue;
        telling.since = open.range.begin;
        telling.name = open.name;
    }
    return telling;
}

} // namespace

Result<HostTimeline::Name> HostTimeline::nameOf(NameId id) {
    if (const auto found = m_names.find(id); found != m_names.end())
        return found->second;
    Name name;
    if (id.isValid()) {
        ASSIGN_OR_RETURN(const auto text, m_store.name(id));
        name = {markOfAnnotation(text), markOfOperator(text),
            text.find("GraphLaunch") != std::string::npos, false};
        const auto pass = passNameOf(text);
        name.isPass = pass && pass->isNumbered();
    }
    m_names.emplace(id, name);
    return name;
}

Status HostTimeline::add(std::size_t thread, const Span& span) {
    const bool isAnnotation = span.kind == SpanKind::Annotation;
    const bool isCall = span.kind == SpanKind::Runtime && span.correlation != 0;
    if (!isAnnotation && !isCall && span.kind != SpanKind::CpuOp)
        return {};
    ASSIGN_OR_RETURN(const auto name, nameOf(span.name));
    if (thread >= m_threads.size())
        m_threads.resize(thread + 1);
    std::erase_if(
        m_threads[thread].open, [&](const Open& open) { return open.range.end <= span.start; });
    const TimeRange range{span.start, span.start + span.duration};
    if (isCall) {
        remember(span.correlation, {{range, tellingAt(thread, span.start)}, name.isGraphLaunch});
        return {};
    }
    const Mark mark = isAnnotation ? name.annotation : name.operation;
    if (mark == Mark::None)
        return {};
    m_tellsDirections = m_tellsDirections || mark != Mark::Optimizer;
    const Open open{range, mark, isAnnotation, isAnnotation && name.isPass, span.name};
    m_threads[thread].open.push_back(open);
    if (isAnnotation && !m_hasLaunches) // else launches tell more
        m_annotations.push_back(open);
    return {};
}

// The spans of other threads may have ended meanwhile.
Telling HostTimeline::tellingAt(std::size_t thread, TimeNs moment) const {
    const auto& own = m_threads[thread].open;
    Telling telling = tellingOf(own, [](const Open&) { return true; });
    if (telling.since && telling.mark != Mark::Forward)
        return telling;
    // Backward launches from a thread of its own while the one that asked for it waits; what is
    // called forward there is done again for it.
    for (std::size_t i = 0; i < m_threads.size(); ++i) {
        if (i == thread)
            continue;
        const Telling other = tellingOf(m_threads[i].open,
            [&](const Open& open) { return open.isAnnotation && open.range.end > moment; });
        const bool isMore = other.mark == Mark::Backward && telling.mark == Mark::Forward;
        if (isMore || (telling.mark == Mark::None && other.mark != Mark::None))
            return other;
        if (!telling.since && telling.mark != Mark::None && other.mark == telling.mark) {
            telling.since = other.since;
            telling.name = other.name;
        }
    }
    return telling;
}

void HostTimeline::remember(std::int64_t correlation, const Known& known) {
    m_hasLaunches = true;
    m_annotations.clear();
    // A runtime call may make a driver call of the same correlation; the outer one counts.
    if (!m_launches.emplace(correlation, known).second)
        return;
    m_order.push_back(correlation);
    if (m_order.size() <= kMostLaunches)
        return;
    m_launches.erase(m_order.front());
    m_order.pop_front();
}

std::optional<Launch> HostTimeline::takeLaunch(std::int64_t correlation) {
    const auto found = correlation == 0 ? m_launches.end() : m_launches.find(correlation);
    if (found == m_launches.end())
        return std::nullopt;
    const Launch launch = found->second.launch;
    if (!found->second.isGraph)
        m_launches.erase(found);
    return launch;
}

Telling HostTimeline::annotationAt(TimeNs moment) {
    std::erase_if(m_annotations, [&](const Open& open) { return open.range.end <= moment; });
    return tellingOf(m_annotations, [&](const Open& open) { return open.range.begin <= moment; });
}

} // namespace trainscope::analysis
