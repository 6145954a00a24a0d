#pragma once
// Sums of the operators of a host thread in a part of its time. Sums of parts that follow each
// other add up to those of the whole: times are cut at the edges of the part, and an operator
// counts where it begins. Self: the time in which it is the last to have begun of those that run,
// so not that of operators called by it. One thread.

#include "core/model/Import.h"
#include "core/model/Span.h"
#include "core/store/Store.h"
#include "core/store/codec/Bytes.h"

#include <cstdint>
#include <functional>
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

// Sums of a thread in the window, in parts in which about `most` calls begin: take(part, sums).
// Cancelled where goesOn(spans read since the last call) is false.
Status forEachOperatorPart(const store::Store& store, const Track& thread, TimeRange window,
    std::size_t most, const std::function<bool(std::size_t)>& goesOn,
    const std::function<void(TimeRange, const OperatorSums&)>& take);
// All of the window together.
Result<OperatorSums> operatorSums(const store::Store& store, const Track& thread, TimeRange window,
    const Progress& progress = {});

} // namespace trainscope::analysis
