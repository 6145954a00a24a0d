#include "core/analysis/traces/OperatorSums.h"

#include "core/analysis/traces/SumColumns.h"

#include <algorithm>
#include <unordered_map>

namespace trainscope::analysis {

namespace {

// Gives each moment to the operator that began last of those that run.
class SelfTimes {
public:
    explicit SelfTimes(TimeNs begin)
        : m_now(begin) { }

    void begin(TimeNs at, TimeNs end, OperatorSum& row) {
        advance(at);
        m_running.push_back({end, &row});
    }
    void advance(TimeNs until) {
        while (m_now < until && !m_running.empty()) {
            const Running& last = m_running.back();
            const TimeNs next = std::min(last.end, until);
            if (next > m_now) {
                last.row->self = last.row->self + (next - m_now);
                m_now = next;
            }
            if (last.end <= m_now)
                m_running.pop_back();
        }
        m_now = std::max(m_now, until);
    }

private:
    struct Running {
        TimeNs end;
        OperatorSum* row;
    };
    TimeNs m_now;
    std::vector<Running> m_running; // by begin
};

constexpr auto kOperatorColumns = [](auto& row) {
    return std::array{&row.name.value, &row.count, &row.carried, &row.time.ns, &row.self.ns};
};

} // namespace

void addSums(OperatorSums& sums, std::span<const OperatorSum> part, bool isFirst) {
    addRows(sums, part, isFirst, 1, kOperatorColumns);
}

void encodeSums(std::span<const OperatorSum> sums, store::Bytes& out) {
    putRows(sums, kOperatorColumns, out);
}

bool decodeSums(store::ByteView bytes, OperatorSums& sums) {
    store::ByteReader in(bytes);
    if (!takeRows(in, sums, kOperatorColumns) || in.left() != 0)
        return false;
    boundRows<OperatorSum>(sums, 1, kOperatorColumns);
    return true;
}

void OperatorMeter::add(const Span& span) {
    if (span.kind != SpanKind::CpuOp)
        return;
    const bool isOver = span.start + span.duration <= m_begin;
    if (span.start < m_begin && isOver)
        return;
    m_spans.push_back(span);
    if (span.start < m_begin)
        return;
    ++m_begun;
    m_lastStart = span.start;
}

OperatorSums OperatorMeter::close(TimeNs end) {
    std::unordered_map<NameId, OperatorSum> rows;
    SelfTimes selfTimes(m_begin);
    for (const Span& span : m_spans) {
        const TimeNs from = std::max(span.start, m_begin);
        const TimeNs until = std::max(from, std::min(span.start + span.duration, end));
        OperatorSum& row = rows[span.name];
        row.name = span.name;
        ++(span.start < m_begin ? row.carried : row.count);
        row.time = row.time + (until - from);
        selfTimes.begin(from, until, row);
    }
    selfTimes.advance(end);
    OperatorSums sums;
    for (const auto& [name, row] : rows)
        sums.push_back(row);
    std::sort(sums.begin(), sums.end(),
        [](const OperatorSum& a, const OperatorSum& b) { return a.name < b.name; });
    std::erase_if(m_spans, [end](const Span& span) { return span.start + span.duration <= end; });
    m_begin = end;
    m_begun = 0;
    return sums;
}

} // namespace trainscope::analysis
