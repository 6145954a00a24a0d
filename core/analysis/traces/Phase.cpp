#include "core/analysis/traces/Phase.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <charconv>
#include <initializer_list>

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

using layout::TaskKind;

// Takes a number off the front of a text.
std::optional<int> takeNumber(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || text.empty() || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view front) {
    if (!text.starts_with(front))
        return false;
    text.remove_prefix(front.size());
    return true;
}

std::optional<TaskKind> kindOf(char letter) {
    switch (letter) {
    case 'F':
        return TaskKind::Forward;
    case 'B':
    case 'I':
        return TaskKind::Backward;
    case 'W':
        return TaskKind::WeightGradient;
    default:
        return std::nullopt;
    }
}

// "F3", "B3.1", "W3.1.0", "W_clear.1.0".
std::optional<PassName> zeroBubbleName(std::string_view text) {
    if (text.empty() || text.front() == 'I')
        return std::nullopt;
    const auto kind = kindOf(text.front());
    if (!kind)
        return std::nullopt;
    PassName name{*kind, std::nullopt, std::nullopt, std::nullopt};
    if (!take(text, "W_clear")) {
        text.remove_prefix(1);
        name.microbatch = takeNumber(text);
        if (!name.microbatch)
            return std::nullopt;
    }
    for (int part = 0; part < 2 && take(text, "."); ++part) {
        const auto number = takeNumber(text);
        if (!number)
            return std::nullopt;
        if (part == 0)
            name.chunk = number;
    }
    return text.empty() && name.isNumbered() ? std::optional(name) : std::nullopt;
}

// "PP:5F3".
std::optional<PassName> pipeliningName(std::string_view text) {
    if (!take(text, "PP:"))
        return std::nullopt;
    const auto piece = takeNumber(text);
    const auto kind = text.empty() ? std::nullopt : kindOf(text.front());
    if (!piece || !kind)
        return std::nullopt;
    text.remove_prefix(1);
    const auto microbatch = takeNumber(text);
    if (!microbatch || !text.empty())
        return std::nullopt;
    return PassName{*kind, microbatch, std::nullopt, piece};
}

// "Forward 3".
std::optional<PassName> countedName(std::string_view text) {
    const bool isForward = take(text, "Forward ");
    if (!isForward && !take(text, "Backward "))
        return std::nullopt;
    const auto microbatch = takeNumber(text);
    if (!microbatch || !text.empty())
        return std::nullopt;
    return PassName{
        isForward ? TaskKind::Forward : TaskKind::Backward, microbatch, std::nullopt, std::nullopt};
}

bool tellsWeights(std::string_view text) {
    const std::string lower = lowered(text);
    const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
    constexpr std::array<std::string_view, 7> weights{"wgrad", "weight_grad", "weight grad",
        "weightgrad", "backward_weight", "backward_dw", "bwd_weight"};
    constexpr std::array<std::string_view, 3> others{"dgrad", "forward", "fwd"};
    return std::ranges::any_of(weights, has) && std::ranges::none_of(others, has);
}

bool hasAny(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool tellsBackward(const std::string& lowerText) {
    return hasAny(lowerText, {"backward", "bwd", "bprop", "dgrad", "wgrad"});
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

std::optional<PassName> passNameOf(std::string_view annotation) {
    for (const auto parse : {zeroBubbleName, pipeliningName, countedName}) {
        if (const auto name = parse(annotation))
            return name;
    }
    if (tellsWeights(annotation))
        return PassName{TaskKind::WeightGradient, std::nullopt, std::nullopt, std::nullopt};
    return std::nullopt;
}

std::string phaseTitle(Phase phase) {
    std::string title(toString(phase));
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

std::optional<Phase> phaseOf(Mark mark) {
    switch (mark) {
    case Mark::Forward:
        return Phase::Forward;
    case Mark::Backward:
        return Phase::Backward;
    case Mark::Optimizer:
        return Phase::Optimizer;
    case Mark::None:
        break;
    }
    return std::nullopt;
}

Mark markOfAnnotation(std::string_view name) {
    if (const auto pass = passNameOf(name))
        return pass->kind == layout::TaskKind::Forward ? Mark::Forward : Mark::Backward;
    const std::string text = lowered(name);
    if (hasAny(text, {"optimizer", "optim.step", "optim_step"}))
        return Mark::Optimizer;
    const bool backward = tellsBackward(text);
    const bool forward = hasAny(text, {"forward", "fwd", "fprop"});
    if (forward == backward)
        return Mark::None;
    return backward ? Mark::Backward : Mark::Forward;
}

Mark markOfOperator(std::string_view name) {
    // Profilers before user_annotation wrote record_function as an operator.
    if (name.find("::") == std::string_view::npos)
        return markOfAnnotation(name);
    if (name.starts_with("autograd::engine::evaluate_function"))
        return Mark::Backward;
    return tellsBackward(lowered(name)) ? Mark::Backward : Mark::None;
}

Mark markOfKernel(std::string_view name, std::string_view category) {
    if (category == "optimizer")
        return Mark::Optimizer;
    const std::string text = lowered(name);
    if (tellsBackward(text))
        return Mark::Backward;
    return hasAny(text, {"fwd", "fprop"}) ? Mark::Forward : Mark::None;
}

} // namespace trainscope::analysis
