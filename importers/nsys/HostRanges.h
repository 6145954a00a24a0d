#pragma once
// The NVTX ranges that threads have pushed and popped, nested as they are, and which of them stood
// open when something was launched. From the work of their launches they are projected onto the
// GPU, as Nsight Systems does it: from the first start to the last end, stream by stream.

#include "importers/nsys/Collectives.h"

#include "core/model/Id.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainscope::importers::nsys {

struct HostRange {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::int64_t start = 0;
    std::int64_t end = 0;
    NameId name;
    std::uint32_t parent = kNone; // of the same thread
    std::uint32_t call = kNone; // of NCCL
};

// One range on one stream.
struct ProjectedRange {
    NameId name;
    std::int64_t process = 0;
    int device = 0;
    std::string stream;
    std::int64_t start = 0;
    std::int64_t end = 0;
};

// Memory is bounded by kMost ranges and kMostLaunches; what lies beyond is not projected.
class HostRanges {
public:
    static constexpr std::size_t kMost = 2'000'000;
    static constexpr std::size_t kMostLaunches = 16'000'000;

    // A range of a thread, by its global id, in any order. `call`: of NCCL's domain.
    void add(std::int64_t thread, HostRange range, const NcclCall* call);
    // After the last range.
    void nest();
    [[nodiscard]] bool isEmpty() const { return m_ranges.empty(); }
    [[nodiscard]] bool isFull() const { return m_isFull; }

    // What was called at that moment gets the range that stood open.
    void launch(std::int64_t thread, std::int64_t time, std::int64_t correlation);
    // After the last launch.
    void sortLaunches();
    // Work on the GPU that was launched under that number. The range, or kNone.
    std::uint32_t work(std::int64_t process, std::int64_t correlation);
    // Widens the range's projection on a stream, which has a number of the caller's.
    void extend(std::uint32_t range, std::uint32_t stream, std::int64_t start, std::int64_t end);
    // The call of NCCL that a kernel in this range did: of the range or of one around it, or, where
    // calls are grouped, those before its end. Absent: it cannot be told.
    [[nodiscard]] std::optional<NcclCall> callOf(std::uint32_t range) const;

    // Every range on every stream that it has work on: void visit(range, stream, start, end).
    template <typename Visit>
    void forEachProjection(Visit&& visit) {
        for (std::size_t i = m_projections.size(); i > 0; --i)
            widenParent(static_cast<std::uint32_t>(i - 1));
        for (std::size_t i = 0; i < m_projections.size(); ++i) {
            for (const Extent& extent : m_projections[i])
                visit(m_ranges[i], extent.stream, extent.start, extent.end);
        }
    }

private:
    struct Extent {
        std::uint32_t stream = 0;
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
        std::uint32_t at = 0; // of the last launch, which mostly comes later than the one before
    };

    [[nodiscard]] std::uint32_t openAt(Thread& thread, std::int64_t time) const;
    void widenParent(std::uint32_t range);
    void widen(std::uint32_t range, const Extent& extent);

    std::vector<HostRange> m_ranges; // thread by thread after nest()
    std::vector<std::pair<std::int64_t, HostRange>> m_unsorted;
    std::map<std::int64_t, Thread> m_threads;
    std::vector<NcclCall> m_calls;
    std::unordered_map<std::int64_t, std::vector<Launch>> m_launches; // by process
    std::size_t m_launchCount = 0;
    std::vector<std::vector<Extent>> m_projections; // by range
    bool m_isFull = false;
};

} // namespace trainscope::importers::nsys
