#include "core/analysis/TraceBreakdown.h"

#include "core/analysis/IntervalUnion.h"
#include "core/analysis/KernelNames.h"
#include "core/analysis/SpanCursor.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

// Sums of one kernel name; which category a row shows is decided by time.
struct RowSums {
    const KernelNames::Kernel* kernel = nullptr;
    CategoryTime all;
    std::vector<std::pair<const std::string*, CategoryTime>> byCategory; // few
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
            addRow(sums);
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
        RowSums& row = m_rows[span.name];
        if (row.kernel == nullptr) {
            const auto kernel = m_names.kernel(span.name);
            if (!kernel.hasValue())
                return kernel.error();
            row.kernel = kernel.value();
        }
        const auto category = m_names.category(*row.kernel, span);
        if (!category.hasValue())
            return category.error();
        const DurationNs time = interval.length();
        extendWindow(interval);
        ++m_result.kernelCount;
        m_result.kernelTime = m_result.kernelTime + time;
        m_busy.add(interval);
        (row.kernel->isCommunication ? m_communication : m_compute).add(interval);
        count(row.all, time);
        count(ofCategory(row, category.value()), time);
        return {};
    }

    // Categories are compared by their places: one that stands in two places is joined at the end.
    static CategoryTime& ofCategory(RowSums& row, const std::string* category) {
        for (auto& [known, sums] : row.byCategory) {
            if (known == category)
                return sums;
        }
        return row.byCategory.emplace_back(category, CategoryTime{}).second;
    }

    void extendWindow(TimeRange interval) {
        TimeRange& window = m_result.window;
        window = m_result.kernelCount == 0
            ? interval
            : TimeRange{window.begin, std::max(window.end, interval.end)};
    }

    void addRow(const RowSums& row) {
        std::map<std::string, DurationNs> times;
        for (const auto& [category, sums] : row.byCategory) {
            times[*category] = times[*category] + sums.time;
            CategoryTime& all = m_result.categories[*category];
            all.count += sums.count;
            all.time = all.time + sums.time;
        }
        const auto most = std::max_element(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        m_result.kernels.push_back({row.kernel->name, most->first, row.all.count, row.all.time});
    }

    TimeRange m_window;
    KernelNames& m_names;
    DeviceBreakdown m_result;
    IntervalUnion m_busy;
    IntervalUnion m_compute;
    IntervalUnion m_communication;
    std::unordered_map<NameId, RowSums> m_rows;
};

// Feeds the spans of several tracks in order of their start.
Status mergeTracks(std::vector<SpanCursor>& cursors, DeviceSums& sums) {
    for (SpanCursor& cursor : cursors) {
        if (auto status = cursor.start(); !status.hasValue())
            return status;
    }
    for (;;) {
        // A device has a handful of streams: looking at each beats a heap. The first stays the
        // first until its spans begin later than those of the second.
        SpanCursor* first = nullptr;
        TimeNs until = kAllTime.end;
        for (SpanCursor& cursor : cursors) {
            if (cursor.current() == nullptr)
                continue;
            if (first != nullptr && cursor.current()->start >= first->current()->start) {
                until = std::min(until, cursor.current()->start);
                continue;
            }
            until = first == nullptr ? until : first->current()->start;
            first = &cursor;
        }
        if (first == nullptr)
            return {};
        do {
            if (auto status = sums.add(*first->current()); !status.hasValue())
                return status;
            if (auto status = first->next(); !status.hasValue())
                return status;
        } while (first->current() != nullptr && first->current()->start < until);
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
        cursors.clear();
    }
    return result;
}

} // namespace trainscope::analysis
