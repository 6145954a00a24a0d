#pragma once
// Sums of the operators of a host thread in a part of its time. Sums of parts that follow each
// other add up to those of the whole: times are cut at the edges of the part, and an operator
// counts where it begins. Self: the time in which it is the last to have begun of those that run,
// so not that of operators called by it. One thread.

#include "core/model/Span.h"
#include "core/store/codec/Bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace trainscope::analysis {

struct OperatorSum {
    NameId name;
    std::int64_t count = 0; // calls that begin in the part
    std::int64_t carried = 0; // calls that began before it
    DurationNs time;
    DurationNs self;
};

// By name. Carried calls of the part were counted before, unless it is the first.
using OperatorSums = std::vector<OperatorSum>;
void addSums(OperatorSums& sums, std::span<const OperatorSum> part, bool isFirst);

void encodeSums(std::span<const OperatorSum> sums, store::Bytes& out);
bool decodeSums(store::ByteView bytes, OperatorSums& sums);

// Memory grows with the operators of a part.
class OperatorMeter {
public:
    explicit OperatorMeter(TimeNs begin)
        : m_begin(begin) { }

    // In order of start; what is no operator is passed over.
    void add(const Span& span);
    // Ends the part here; all that begins before was added. The next part follows.
    OperatorSums close(TimeNs end);

    [[nodiscard]] std::size_t begun() const { return m_begun; } // in this part
    [[nodiscard]] TimeNs lastStart() const { return m_lastStart; }

private:
    TimeNs m_begin;
    TimeNs m_lastStart = kAllTime.begin;
    std::vector<Span> m_spans; // calls that touch the part
    std::size_t m_begun = 0;
};

} // namespace trainscope::analysis
