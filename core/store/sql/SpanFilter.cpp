#include "core/store/sql/SpanFilter.h"

#include "core/model/AutogradLink.h"

#include <algorithm>
#include <utility>

namespace trainscope::store {

bool asks(const Scan& scan, int column) {
    return std::any_of(scan.constraints.begin(), scan.constraints.end(),
        [column](const Constraint& constraint) { return constraint.column == column; });
}

SpanFields fieldsOf(const Scan& scan) {
    if (scan.columns >> kOwnSpanColumns != 0)
        return SpanFields::All;
    unsigned fields = 1U; // the start
    const std::array<std::pair<int, unsigned>, 6> places{{{kDuration, 1U}, {kName, 2U}, {kKind, 3U},
        {kCorrelation, 4U}, {kDetail, 5U}, {kDepth, 6U}}};
    for (const auto& [column, field] : places) {
        if (scan.uses(column) || asks(scan, column))
            fields |= 1U << field;
    }
    return static_cast<SpanFields>(fields);
}

SpanFilter::SpanFilter(const Scan& scan, std::optional<NameList> names)
    : m_start(integerRangeOf(scan.constraints, kStart))
    , m_names(std::move(names))
    , m_asksCorrelation(asks(scan, kCorrelation)) {
    for (const Constraint& constraint : scan.constraints) {
        if (constraint.column == kDuration || constraint.column == kDepth
            || constraint.column == kCorrelation)
            m_numbers.push_back(constraint);
    }
    for (std::size_t i = 0; i < kKinds; ++i)
        m_kinds[i] = admits(scan.constraints, kKind, toString(static_cast<SpanKind>(i)));
}

void SpanFilter::apply(std::span<const Span> spans, std::vector<std::uint32_t>& wanted) const {
    wanted.clear();
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (isWanted(spans[i]))
            wanted.push_back(static_cast<std::uint32_t>(i));
    }
}

bool SpanFilter::isWanted(const Span& span) const {
    if (!m_start.contains(span.start.ns) || !m_kinds[static_cast<std::size_t>(span.kind)])
        return false;
    if (m_names && std::find(m_names->begin(), m_names->end(), span.name.value) == m_names->end())
        return false;
    if (m_numbers.empty())
        return true;
    return (!m_asksCorrelation || launchOf(span) != 0)
        && admits(m_numbers, kDuration, span.duration.ns)
        && admits(m_numbers, kDepth, std::int64_t{span.depth})
        && admits(m_numbers, kCorrelation, launchOf(span));
}

} // namespace trainscope::store
