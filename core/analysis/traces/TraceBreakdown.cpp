#include "core/analysis/traces/TraceBreakdown.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Try.h"

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

void count(CategoryTime& sums, DurationNs time) {
    ++sums.count;
    sums.time = sums.time + time;
}

// The unions of one window.
class BreakdownSums {
public:
    explicit BreakdownSums(TimeRange window)
        : m_window(window) { }

    [[nodiscard]] TimeRange clipped(const Span& span) const {
        const TimeNs begin = std::max(span.start, m_window.begin);
        return {begin, std::max(begin, std::min(span.start + span.duration, m_window.end))};
    }
    void addCopy(const Span& span) { count(m_sums.copies, addWork(span).length()); }
    void addSet(const Span& span) { count(m_sums.sets, addWork(span).length()); }
    void addKernel(const Span& span, bool isCommunication) {
        const TimeRange interval = addWork(span);
        ++m_sums.kernelCount;
        m_sums.kernelTime = m_sums.kernelTime + interval.length();
        m_kernels.add(interval);
        (isCommunication ? m_communication : m_compute).add(interval);
    }
    CategoryTime& category(const std::string& name) { return m_sums.categories[name]; }
    // First begin to last end.
    [[nodiscard]] TimeRange extent() const { return m_extent == kNoTime ? TimeRange{} : m_extent; }
    TimeBreakdown finish(TimeRange window, DurationNs traced) {
        m_sums.window = window;
        m_sums.traced = traced;
        m_sums.busy = m_busy.length();
        m_sums.compute = m_compute.length();
        m_sums.communication = m_communication.length();
        m_sums.overlap = m_sums.compute + m_sums.communication - m_kernels.length();
        m_sums.exposedCommunication = m_kernels.length() - m_sums.compute;
        m_sums.copy = m_sums.busy - m_kernels.length();
        m_sums.idle = traced - m_sums.busy;
        return std::move(m_sums);
    }

private:
    TimeRange addWork(const Span& span) {
        const TimeRange interval = clipped(span);
        m_extent = spanned(m_extent, interval);
        m_busy.add(interval);
        return interval;
    }

    TimeRange m_window;
    TimeRange m_extent = kNoTime;
    TimeBreakdown m_sums;
    IntervalUnion m_busy;
    IntervalUnion m_kernels;
    IntervalUnion m_compute;
    IntervalUnion m_communication;
};

} // namespace

class BreakdownMeter::Sums {
public:
    Sums(const TraceWindow& shown, KernelNames& names)
        : m_all(shown.range)
        , m_names(names)
        , m_shown(shown) {
        for (const Iteration& iteration : shown.iterations) {
            m_iterations.emplace_back(iteration.range);
            m_windows.add(iteration.range);
        }
    }

    Status add(const Span& span) {
        switch (span.kind) {
        case SpanKind::Kernel:
            return addKernel(span);
        case SpanKind::Copy:
            m_all.addCopy(span);
            forEachIteration(span, [&](BreakdownSums& sums) { sums.addCopy(span); });
            return {};
        case SpanKind::Set:
            m_all.addSet(span);
            forEachIteration(span, [&](BreakdownSums& sums) { sums.addSet(span); });
            return {};
        default:
            return {};
        }
    }

    DeviceBreakdown finish() {
        DeviceBreakdown result;
        for (auto& [id, sums] : m_rows)
            addRow(sums, result.kernels);
        std::sort(result.kernels.begin(), result.kernels.end(),
            [](const KernelRow& a, const KernelRow& b) {
                return a.time != b.time ? a.time > b.time : a.name < b.name;
            });
        const TimeRange window = m_shown.fixed.value_or(m_all.extent());
        static_cast<TimeBreakdown&>(result) = m_all.finish(window, m_shown.tracedIn(window));
        for (std::size_t i = 0; i < m_iterations.size(); ++i) {
            IterationBreakdown iteration;
            const Iteration& mark = m_shown.iterations[i];
            static_cast<TimeBreakdown&>(iteration)
                = m_iterations[i].finish(mark.range, mark.range.length());
            iteration.index = mark.index;
            iteration.warmup = mark.warmup;
            result.iterations.push_back(std::move(iteration));
        }
        return result;
    }

private:
    Status addKernel(const Span& span) {
        RowSums& row = m_rows[span.name];
        if (row.kernel == nullptr) {
            ASSIGN_OR_RETURN(row.kernel, m_names.kernel(span.name));
        }
        ASSIGN_OR_RETURN(const auto category, m_names.category(*row.kernel, span));
        const DurationNs time = m_all.clipped(span).length();
        m_all.addKernel(span, row.kernel->isCommunication);
        count(row.all, time);
        count(ofCategory(row, category), time);
        forEachIteration(span, [&](BreakdownSums& sums) {
            sums.addKernel(span, row.kernel->isCommunication);
            count(sums.category(*category), sums.clipped(span).length());
        });
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

    template <typename Add>
    void forEachIteration(const Span& span, Add&& add) {
        m_windows.forEachTouched(
            {span.start, span.start + span.duration}, [&](std::size_t i) { add(m_iterations[i]); });
    }

    void addRow(const RowSums& row, std::vector<KernelRow>& rows) {
        std::map<std::string, DurationNs> times;
        for (const auto& [category, sums] : row.byCategory) {
            times[*category] = times[*category] + sums.time;
            CategoryTime& all = m_all.category(*category);
            all.count += sums.count;
            all.time = all.time + sums.time;
        }
        const auto most = std::max_element(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        rows.push_back({row.kernel->name, most->first, row.all.count, row.all.time});
    }

    BreakdownSums m_all;
    KernelNames& m_names;
    TraceWindow m_shown;
    std::vector<BreakdownSums> m_iterations; // as those shown
    OpenWindows m_windows; // as those shown
    std::unordered_map<NameId, RowSums> m_rows;
};

BreakdownMeter::BreakdownMeter(const TraceWindow& shown, KernelNames& names)
    : m_sums(std::make_unique<Sums>(shown, names)) { }

BreakdownMeter::~BreakdownMeter() = default;

Status BreakdownMeter::add(const Span& span) {
    return m_sums->add(span);
}

DeviceBreakdown BreakdownMeter::finish() {
    return m_sums->finish();
}

Result<std::vector<DeviceBreakdown>> traceBreakdown(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, run));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    KernelNames names(store, categories);
    std::vector<DeviceBreakdown> result;
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device.rank, device.captures, window, traced);
        if (!shown)
            continue;
        SpanMerge merge;
        for (const Track& stream : device.streams)
            merge.add(SpanCursor(store, stream.id, shown->range));
        BreakdownMeter meter(*shown, names);
        RETURN_IF_ERROR(
            merge.forEach([&](std::size_t, const Span& span) { return meter.add(span); },
                "Reading kernels", progress));
        result.push_back(meter.finish());
        result.back().rank = device.rank;
        result.back().device = device.device;
    }
    return result;
}

} // namespace trainscope::analysis
