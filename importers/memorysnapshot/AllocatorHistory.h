#pragma once
// The state of a device's allocator through the events of a snapshot, which is read twice. PyTorch
// keeps the last events only, and says in segments and blocks how they ended: the first reading
// finds what was there before them, the second replays them from there.
//
//   allocated   Σ bytes asked for of what is allocated and not freed (free_requested); events tell
//               them, PyTorch rounds each up to 512 B
//   reserved    Σ bytes of segments, or of what is mapped of expandable ones
//   free pieces what is reserved, without what is allocated or freed and still in use

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/memorysnapshot/SnapshotReader.h"

namespace trainscope::importers::memorysnapshot {

// Address ranges that do not overlap.
class AddressRanges {
public:
    static constexpr std::size_t kMost = 500'000; // others are left out

    // A range that grows has its neighbours as one with it, and any what it overlaps.
    void add(std::int64_t begin, std::int64_t size, bool grows);
    // The parts of the range that are not there, which stay as they are.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> missing(
        std::int64_t begin, std::int64_t size) const;
    // Returns how much of it was there.
    std::int64_t remove(std::int64_t begin, std::int64_t size);
    [[nodiscard]] std::int64_t total() const { return m_total; }
    [[nodiscard]] const std::map<std::int64_t, std::int64_t>& all() const { return m_ranges; }

private:
    std::map<std::int64_t, std::int64_t> m_ranges; // begin → end
    std::int64_t m_total = 0;
};

class AllocatorHistory {
public:
    // The most that is kept of a device at a time; what is beyond is counted and not told apart.
    static constexpr std::size_t kMostAlive = 1'000'000;

    explicit AllocatorHistory(const StackTable& stacks)
        : m_stacks(stacks) { }

    // First reading: events in their order, and segments before or behind them.
    void scan(const AllocatorEvent& event);
    void take(AllocatorSegment&& segment);
    // Between the readings; then every event again.
    void rewind();
    // True where what is allocated or reserved changed.
    bool replay(const AllocatorEvent& event, std::optional<TimeNs> time);
    // After the second reading.
    void finish(std::optional<TimeNs> time);

    [[nodiscard]] std::int64_t allocated() const { return m_allocated; }
    [[nodiscard]] std::int64_t reserved() const { return m_reserved.total(); }
    [[nodiscard]] std::int64_t eventCount() const { return m_events; }
    [[nodiscard]] bool isEmpty() const { return m_events == 0 && m_segments.empty(); }
    [[nodiscard]] bool hasTimes() const { return m_firstUs.has_value(); }
    [[nodiscard]] std::int64_t allocations() const { return m_allocations; }
    [[nodiscard]] bool isTooLarge() const { return m_isTooLarge; }
    // Rank, device and settings are the caller's to set.
    [[nodiscard]] const analysis::AllocatorRecord& record() const { return m_record; }

private:
    struct Alive {
        std::int64_t size = 0;
        std::int64_t held = 0; // the device's, rounded up
        StackId stack = kNoStack;
    };
    using AliveMap = std::unordered_map<std::int64_t, Alive>; // by address

    bool apply(const AllocatorEvent& event);
    bool applyFree(const AllocatorEvent& event);
    void applyUnmapped(const AllocatorEvent& event);
    void insert(AliveMap& into, std::int64_t address, const Alive& one);
    void takePeak(std::optional<TimeNs> time);
    void takeOutOfMemory(const AllocatorEvent& event, std::optional<TimeNs> time);
    void countPieces(analysis::OutOfMemory& one) const;
    void countFinalPieces(analysis::OutOfMemory& one) const;
    [[nodiscard]] Alive aliveOf(const AllocatorBlock& block) const;

    const StackTable& m_stacks;
    bool m_isScan = true;
    std::int64_t m_events = 0;
    std::int64_t m_at = 0; // event of the second reading
    std::optional<std::int64_t> m_firstUs;
    std::int64_t m_allocations = 0;
    bool m_isTooLarge = false;
    AliveMap m_alive;
    AliveMap m_pending; // freed, and still in use by a stream
    bool m_hasRequests = false; // some free_requested was seen
    std::int64_t m_allocated = 0; // in the first reading since its begin
    AddressRanges m_reserved;
    // The first reading alone: what was there before the events, as they tell.
    AliveMap m_aliveBefore;
    AddressRanges m_reservedBefore;
    std::vector<AllocatorSegment> m_segments;
    std::int64_t m_mostAllocated = 0;
    std::int64_t m_peakAt = 0; // events before and with it
    std::int64_t m_lastChange = 0;
    std::int64_t m_lastAllocation = 0;
    std::int64_t m_lastOutOfMemory = 0;
    analysis::AllocatorRecord m_record;
};

} // namespace trainscope::importers::memorysnapshot
