#include "core/analysis/traces/OperatorSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/Try.h"

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
    std::ranges::sort(sums, {}, &OperatorSum::name);
    std::erase_if(m_spans, [end](const Span& span) { return span.start + span.duration <= end; });
    m_begin = end;
    m_begun = 0;
    return sums;
}

Status forEachOperatorPart(const store::Store& store, const Track& thread, TimeRange window,
    std::size_t most, const std::function<bool(std::size_t)>& goesOn,
    const std::function<void(TimeRange, const OperatorSums&)>& take) {
    OperatorMeter meter(window.begin);
    TimeNs begin = window.begin;
    const auto close = [&](TimeNs end) {
        take({begin, end}, meter.close(end));
        begin = end;
    };
    bool isStopped = false;
    RETURN_IF_ERROR(store.forEachSpan(thread.id, window, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (meter.begun() >= most && meter.lastStart() < span.start)
                close(span.start);
            meter.add(span);
        }
        isStopped = !goesOn(spans.size());
        return !isStopped;
    }));
    if (isStopped)
        return cancelled();
    close(window.end);
    return {};
}

Result<OperatorSums> operatorSums(
    const store::Store& store, const Track& thread, TimeRange window, const Progress& progress) {
    constexpr std::size_t most = 32'768; // memory stays bounded
    OperatorSums all;
    RETURN_IF_ERROR(forEachOperatorPart(
        store, thread, window, most,
        [&progress](std::size_t) {
            return !progress || progress({"Reading operators", 0, 0});
        },
        [&all, &window](TimeRange part, const OperatorSums& sums) {
            addSums(all, sums, part.begin == window.begin);
        }));
    return all;
}

} // namespace trainscope::analysis
