#pragma once
// The ranges that threads have pushed and popped, nested as they are, and which of them stood
// open when something was launched. From the work of their launches they are projected onto the
// GPU as profilers do it: from the first start to the last end, stream by stream.

#include "importers/trace/NcclCalls.h"

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/model/Try.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace trainscope::importers {

struct HostRange {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::int64_t thread = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    NameId name;
    std::uint32_t parent = kNone; // on the same thread
    std::uint32_t call = kNone; // NCCL's
};

// Memory is bounded by 48 bytes a range, 8 a launch and 32 a projection; what lies beyond the most
// of each is not projected.
class HostRanges {
public:
    static constexpr std::size_t kMost = 1'000'000;
    static constexpr std::size_t kMostLaunches = 8'000'000;
    static constexpr std::size_t kMostProjections = 2'000'000;
    static constexpr std::size_t kMostCalls = 300'000; // by NCCL

    // In any order; threads have numbers that no other thread has. `call`: of NCCL's domain.
    void add(HostRange range, const NcclCall* call);
    // After the last range.
    void nest();
    [[nodiscard]] bool isEmpty() const { return m_ranges.empty(); }
    [[nodiscard]] bool isFull() const { return m_isFull; }

    // A call at that moment gets the range that stood open.
    void launch(
        std::int64_t process, std::int64_t thread, std::int64_t time, std::int64_t correlation);
    // After the last launch.
    void sortLaunches();
    // Work on the GPU that was launched under that number. The range, or kNone.
    std::uint32_t work(std::int64_t process, std::int64_t correlation);
    // Widens the range's projection on a stream, which has a number of the caller's.
    void extend(std::uint32_t range, std::uint32_t stream, std::int64_t start, std::int64_t end);
    // The call of NCCL that a kernel in this range did: of the range or of one around it, or, where
    // calls are grouped, those before its end. Absent: it cannot be told.
    [[nodiscard]] std::optional<NcclCall> callOf(std::uint32_t range) const;

    // Every range on every stream that it has work on: Status visit(range, stream, start, end).
    template <typename Visit>
    Status forEachProjection(Visit&& visit) {
        for (std::size_t i = m_firstExtents.size(); i > 0; --i)
            widenParent(static_cast<std::uint32_t>(i - 1));
        for (std::size_t i = 0; i < m_firstExtents.size(); ++i) {
            for (std::uint32_t at = m_firstExtents[i]; at != HostRange::kNone;
                 at = m_extents[at].next)
                RETURN_IF_ERROR(visit(
                    m_ranges[i], m_extents[at].stream, m_extents[at].start, m_extents[at].end));
        }
        return {};
    }

private:
    struct Extent {
        std::uint32_t stream = 0;
        std::uint32_t next = HostRange::kNone; // in the same range
        std::int64_t start = 0;
        std::int64_t end = 0;
    };
    struct Launch {
        std::uint32_t correlation = 0;
        std::uint32_t range = 0;
    };
    struct Thread {
        std::uint32_t begin = 0; // its ranges, by start, outer ones first
        std::uint32_t end = 0;
        std::uint32_t at = 0; // the last launch's, which mostly comes later than the one before
    };

    [[nodiscard]] std::uint32_t openAt(Thread& thread, std::int64_t time) const;
    void widenParent(std::uint32_t range);

    // Deques grow without a second copy of what they hold.
    std::deque<HostRange> m_ranges; // thread by thread after nest()
    std::map<std::int64_t, Thread> m_threads;
    std::deque<NcclCall> m_calls;
    std::unordered_map<std::int64_t, std::deque<Launch>> m_launches; // by process
    std::size_t m_launchCount = 0;
    std::deque<Extent> m_extents;
    std::vector<std::uint32_t> m_firstExtents; // by range
    bool m_isFull = false;
};

} // namespace trainscope::importers
