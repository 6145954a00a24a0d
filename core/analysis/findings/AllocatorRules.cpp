// Findings from memory snapshots of PyTorch's allocator.
#include "core/analysis/findings/Rules.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

// "Activations take 60.2 % of what was allocated at the most, parameters …"
std::string usesText(const MemoryPeak& peak) {
    constexpr std::size_t kUsesTold = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(peak.byUse.size(), kUsesTold); ++i) {
        const auto& [use, bytes] = peak.byUse[i];
        if (peak.allocated > 0 && bytes > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", titleOf(use),
                text::percent(static_cast<double>(bytes) / static_cast<double>(peak.allocated)));
    }
    return text.empty()
        ? text
        : fmt::format(" At most {} were allocated: {}.", memoryText(peak.allocated), text);
}

Finding outOfMemoryFinding(const RunFacts& facts, const AllocatorRecord& record) {
    const OutOfMemory& last = record.outOfMemory.back();
    const auto others = std::ranges::count_if(
        facts.allocators, [](const AllocatorRecord& one) { return !one.outOfMemory.empty(); });
    std::string text
        = fmt::format("Rank {}: {} {}{}", record.rank, outOfMemoryText(last, facts.run.range.begin),
            outOfMemoryReason(last), usesText(record.peak));
    if (others > 1)
        text += fmt::format(" So did {} more.", text::counted(others - 1, "rank"));
    const TimeRange range
        = last.time ? TimeRange{*last.time, *last.time + DurationNs{1}} : facts.run.range;
    Finding finding{"out_of_memory", std::move(text),
        {{"requested_b", last.requested}, {"reserved_b", last.reserved},
            {"allocated_b", last.allocated}, {"unallocated_b", last.unallocated()},
            {"largest_free_b", last.largestFree}, {"pieces", last.freePieces}},
        {record.rank, range, metric::kTorchReserved}, "one request that was not served",
        "the memory snapshot", Severity::Serious, record.endedSo ? 1.0 : 0.0};
    if (last.deviceFree)
        finding.values["device_free_b"] = static_cast<double>(*last.deviceFree);
    return finding;
}

} // namespace

void findAllocatorLimits(const RunFacts& facts, Findings& found) {
    if (!facts.capture.empty())
        return;
    const auto failed = std::ranges::find_if(
        facts.allocators, [](const AllocatorRecord& one) { return !one.outOfMemory.empty(); });
    if (failed != facts.allocators.end()) {
        found.push_back(outOfMemoryFinding(facts, *failed));
        return;
    }
    for (const AllocatorRecord& record : facts.allocators) {
        const MemoryPeak& peak = record.peak;
        const std::int64_t unallocated = clampedDifference(peak.reserved, peak.allocated);
        const double share = static_cast<double>(unallocated)
            / static_cast<double>(std::max(peak.reserved, std::int64_t{1}));
        if (unallocated < kUnallocatedBytes || share < kUnallocated)
            continue;
        const TimeRange range
            = peak.time ? TimeRange{*peak.time, *peak.time + DurationNs{1}} : facts.run.range;
        found.push_back({"memory_fragmentation",
            fmt::format("Rank {}: {} of {} that PyTorch reserved were not allocated when the most "
                        "was. Try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.{}",
                record.rank, memoryText(unallocated), memoryText(peak.reserved), usesText(peak)),
            {{"unallocated_b", unallocated}, {"reserved_b", peak.reserved}, {"share", share}},
            {record.rank, range, metric::kTorchUnallocated},
            fmt::format("{} of what is reserved, and {}", text::percent(kUnallocated, 0),
                memoryText(kUnallocatedBytes)),
            "reserved bytes at the moment with most allocated", Severity::Attention, 0.0});
        return;
    }
}

} // namespace trainscope::analysis
