#include "core/analysis/traces/OperatorSums.h"

#include "core/analysis/traces/SumColumns.h"

#include <algorithm>
#include <unordered_map>

namespace trainscope::analysis {

namespace {

bool isNameBefore(const OperatorSum& a, const OperatorSum& b) {
    return a.name < b.name;
}

void takeLongest(DurationNs duration, TimeNs at, OperatorSum& row) {
    if (duration > row.longest || (duration == row.longest && at < row.longestAt)) {
        row.longest = duration;
        row.longestAt = at;
    }
}

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

constexpr std::size_t kOperatorColumns = 7;
std::int64_t& operatorColumn(OperatorSum& row, std::size_t i) {
    switch (i) {
    case 0:
        return row.name.value;
    case 1:
        return row.count;
    case 2:
        return row.carried;
    case 3:
        return row.time.ns;
    case 4:
        return row.self.ns;
    case 5:
        return row.longest.ns;
    default:
        return row.longestAt.ns;
    }
}

} // namespace

void addSums(OperatorSums& sums, std::span<const OperatorSum> part, bool isFirst) {
    OperatorSums all;
    all.reserve(sums.size() + part.size());
    auto known = sums.begin();
    for (OperatorSum row : part) {
        row.carried = isFirst ? row.carried : 0;
        for (; known != sums.end() && known->name < row.name; ++known)
            all.push_back(*known);
        if (known != sums.end() && known->name == row.name) {
            row.count = boundedSum(row.count, known->count);
            row.carried = boundedSum(row.carried, known->carried);
            row.time = boundedSum(row.time, known->time);
            row.self = boundedSum(row.self, known->self);
            takeLongest(known->longest, known->longestAt, row);
            ++known;
        }
        all.push_back(row);
    }
    all.insert(all.end(), known, sums.end());
    sums.swap(all);
}

void encodeSums(std::span<const OperatorSum> sums, store::Bytes& out) {
    putRows(sums, kOperatorColumns, operatorColumn, out);
}

bool decodeSums(store::ByteView bytes, OperatorSums& sums) {
    store::ByteReader in(bytes);
    if (!takeRows(in, sums, kOperatorColumns, operatorColumn) || in.left() != 0)
        return false;
    boundColumns<OperatorSum>(sums, 1, kOperatorColumns - 1, operatorColumn);
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
        if (row.count + row.carried == 0) {
            row.name = span.name;
            row.longestAt = span.start;
        }
        ++(span.start < m_begin ? row.carried : row.count);
        row.time = row.time + (until - from);
        takeLongest(span.duration, span.start, row);
        selfTimes.begin(from, until, row);
    }
    selfTimes.advance(end);
    OperatorSums sums;
    for (const auto& [name, row] : rows)
        sums.push_back(row);
    std::sort(sums.begin(), sums.end(), isNameBefore);
    std::erase_if(m_spans, [end](const Span& span) { return span.start + span.duration <= end; });
    m_begin = end;
    m_begun = 0;
    return sums;
}

} // namespace trainscope::analysis
