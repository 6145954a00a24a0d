#include "core/analysis/TraceBreakdown.h"

#include "core/analysis/IntervalUnion.h"
#include "core/analysis/KernelNames.h"
#include "core/analysis/SpanCursor.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

// Sums of one kernel name; which category a row shows is decided by time.
struct RowSums {
    std::string name;
    std::int64_t count = 0;
    DurationNs time;
    std::map<std::string, DurationNs> byCategory;
};

// Takes the spans of one device in order of their start.
class DeviceSums {
public:
    DeviceSums(int rank, int device, TimeRange window, KernelNames& names)
        : m_window(window)
        , m_names(names) {
        m_result.rank = rank;
        m_result.device = device;
    }

    Status add(const Span& span) {
        const TimeRange interval = clipped(span);
        switch (span.kind) {
        case SpanKind::Kernel:
            return addKernel(span, interval);
        case SpanKind::Copy:
            count(m_result.copies, interval.length());
            return {};
        case SpanKind::Set:
            count(m_result.sets, interval.length());
            return {};
        default:
            return {};
        }
    }

    DeviceBreakdown finish() {
        m_result.busy = m_busy.length();
        m_result.compute = m_compute.length();
        m_result.communication = m_communication.length();
        m_result.overlap = m_result.compute + m_result.communication - m_result.busy;
        m_result.exposedCommunication = m_result.busy - m_result.compute;
        m_result.idle = m_result.window.length() - m_result.busy;
        for (auto& [id, sums] : m_rows)
            m_result.kernels.push_back(rowOf(sums));
        std::sort(m_result.kernels.begin(), m_result.kernels.end(),
            [](const KernelRow& a, const KernelRow& b) {
                return a.time != b.time ? a.time > b.time : a.name < b.name;
            });
        return std::move(m_result);
    }

private:
    [[nodiscard]] TimeRange clipped(const Span& span) const {
        const TimeNs begin = std::max(span.start, m_window.begin);
        return {begin, std::max(begin, std::min(span.start + span.duration, m_window.end))};
    }

    static void count(CategoryTime& sums, DurationNs time) {
        ++sums.count;
        sums.time = sums.time + time;
    }

    Status addKernel(const Span& span, TimeRange interval) {
        const auto kernel = m_names.kernel(span.name);
        if (!kernel.hasValue())
            return kernel.error();
        const auto category = m_names.category(*kernel.value(), span);
        if (!category.hasValue())
            return category.error();
        const DurationNs time = interval.length();
        extendWindow(interval);
        ++m_result.kernelCount;
        m_result.kernelTime = m_result.kernelTime + time;
        m_busy.add(interval);
        (kernel.value()->isCommunication ? m_communication : m_compute).add(interval);
        count(m_result.categories[*category.value()], time);
        RowSums& row = m_rows[span.name];
        if (row.count == 0)
            row.name = kernel.value()->name;
        ++row.count;
        row.time = row.time + time;
        DurationNs& ofCategory = row.byCategory[*category.value()];
        ofCategory = ofCategory + time;
        return {};
    }

    void extendWindow(TimeRange interval) {
        TimeRange& window = m_result.window;
        window = m_result.kernelCount == 0
            ? interval
            : TimeRange{window.begin, std::max(window.end, interval.end)};
    }

    static KernelRow rowOf(RowSums& sums) {
        const auto most = std::max_element(sums.byCategory.begin(), sums.byCategory.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        return {std::move(sums.name), most->first, sums.count, sums.time};
    }

    TimeRange m_window;
    KernelNames& m_names;
    DeviceBreakdown m_result;
    IntervalUnion m_busy;
    IntervalUnion m_compute;
    IntervalUnion m_communication;
    std::map<NameId, RowSums> m_rows;
};

// Feeds the spans of several tracks in order of their start.
Status mergeTracks(std::vector<SpanCursor>& cursors, DeviceSums& sums) {
    for (SpanCursor& cursor : cursors) {
        if (auto status = cursor.start(); !status.hasValue())
            return status;
    }
    for (;;) {
        // A device has a handful of streams: looking at each beats a heap.
        SpanCursor* first = nullptr;
        for (SpanCursor& cursor : cursors) {
            if (cursor.current() == nullptr)
                continue;
            if (first == nullptr || cursor.current()->start < first->current()->start)
                first = &cursor;
        }
        if (first == nullptr)
            return {};
        if (auto status = sums.add(*first->current()); !status.hasValue())
            return status;
        if (auto status = first->next(); !status.hasValue())
            return status;
    }
}

} // namespace

Result<std::vector<DeviceBreakdown>> traceBreakdown(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window) {
    const auto tracks = store.tracks(run.id);
    if (!tracks.hasValue())
        return tracks.error();
    std::map<std::pair<int, int>, std::vector<SpanCursor>> byDevice;
    for (const Track& track : tracks.value()) {
        if (track.description.kind != TrackKind::Stream)
            continue;
        byDevice[{track.description.rank, track.description.device}].emplace_back(
            store, track.id, window);
    }
    KernelNames names(store, categories);
    std::vector<DeviceBreakdown> result;
    for (auto& [device, cursors] : byDevice) {
        DeviceSums sums(device.first, device.second, window, names);
        if (auto status = mergeTracks(cursors, sums); !status.hasValue())
            return status.error();
        result.push_back(sums.finish());
    }
    return result;
}

} // namespace trainscope::analysis
