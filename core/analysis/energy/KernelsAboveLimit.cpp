#include "core/analysis/energy/KernelsAboveLimit.h"

#include "core/analysis/energy/EnergyMeter.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

// Shares out the power of the steps among the work that runs, which comes in order of its start.
class AboveSweep : public DeviceVisitor {
public:
    AboveSweep(const std::vector<PowerStep>& steps, std::vector<TimeRange> traced)
        : m_steps(steps)
        , m_traced(std::move(traced)) { }

    Status work(const DeviceWork& work) override {
        const Span& span = work.span;
        advance(span.start);
        const TimeNs end = span.start + span.duration;
        if (end <= span.start || m_step >= m_steps.size())
            return {};
        const Key key{span.name, span.kind};
        Running& running = m_active[key];
        running.sums = &m_names[key];
        ++running.count;
        ++running.uncounted;
        m_ends.push({end, key, m_shares});
        return {};
    }
    void finish() { advance(kAllTime.end); }

    struct Sums {
        std::int64_t count = 0;
        std::int64_t ns = 0;
        double joules = 0.0;
    };
    using Key = std::pair<NameId, SpanKind>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            return std::hash<NameId>{}(key.first) * 31U + static_cast<std::size_t>(key.second);
        }
    };
    [[nodiscard]] const std::unordered_map<Key, Sums, KeyHash>& names() const { return m_names; }
    [[nodiscard]] const Sums& none() const { return m_none; }
    [[nodiscard]] const Sums& all() const { return m_all; }

private:
    // Work of one name.
    struct Running {
        Sums* sums = nullptr;
        std::int64_t count = 0;
        std::int64_t uncounted = 0; // none of the steps was shared out while these ran
    };
    struct End {
        TimeNs end;
        Key key;
        std::int64_t shares = 0; // so far, when it began

        bool operator>(const End& other) const { return end > other.end; }
    };

    void advance(TimeNs until) {
        while (m_now < until && m_step < m_steps.size()) {
            const TimeNs next = m_ends.empty() ? until : std::min(until, m_ends.top().end);
            share({m_now, next});
            m_now = next;
            for (; !m_ends.empty() && m_ends.top().end <= m_now; m_ends.pop())
                end(m_ends.top());
        }
    }

    void end(const End& ended) {
        const auto running = m_active.find(ended.key);
        running->second.uncounted -= ended.shares == m_shares ? 1 : 0;
        if (--running->second.count == 0)
            m_active.erase(running);
    }

    // A piece of time in which the same work runs.
    void share(TimeRange piece) {
        while (m_step < m_steps.size() && m_steps[m_step].range.end <= piece.begin)
            ++m_step;
        for (std::size_t i = m_step; i < m_steps.size() && m_steps[i].range.begin < piece.end; ++i)
            shareStep(shared(piece, m_steps[i].range), m_steps[i].watts);
    }

    void shareStep(TimeRange part, double watts) {
        if (m_active.empty()) {
            for (const TimeRange& capture : m_traced) {
                count(m_none, shared(part, capture), watts);
                count(m_all, shared(part, capture), watts);
            }
            return;
        }
        count(m_all, part, watts);
        ++m_shares;
        const double each = watts / static_cast<double>(m_ends.size());
        for (auto& [key, running] : m_active) {
            count(*running.sums, part, each, running.count);
            running.sums->count += std::exchange(running.uncounted, 0);
        }
    }

    static void count(Sums& sums, TimeRange part, double watts, std::int64_t times = 1) {
        if (part.isEmpty())
            return;
        sums.ns += times * part.length().ns;
        sums.joules += static_cast<double>(times) * watts * part.length().seconds();
    }

    const std::vector<PowerStep>& m_steps;
    std::vector<TimeRange> m_traced;
    std::size_t m_step = 0;
    TimeNs m_now = kAllTime.begin;
    std::unordered_map<Key, Running, KeyHash> m_active;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends; // all that runs
    std::int64_t m_shares = 0;
    std::unordered_map<Key, Sums, KeyHash> m_names;
    Sums m_none;
    Sums m_all;
};

// The steps as the rank's traces tell the time.
std::vector<PowerStep> onClockOf(
    const RankClocksPtr& clocks, int rank, const std::vector<PowerStep>& steps) {
    std::vector<PowerStep> own = steps;
    for (PowerStep& step : own)
        step.range = ownWindow(clocks, rank, step.range);
    return own;
}

bool hasMoreJoules(const KernelAboveLimit& a, const KernelAboveLimit& b) {
    return a.joules != b.joules ? a.joules > b.joules : a.name < b.name;
}

Result<std::vector<KernelAboveLimit>> rowsOf(const AboveSweep& sweep, KernelNames& names) {
    std::vector<KernelAboveLimit> rows;
    for (const auto& [key, sums] : sweep.names()) {
        if (sums.ns == 0)
            continue;
        ASSIGN_OR_RETURN(const auto* kernel, names.kernel(key.first));
        const bool isKernel = key.second == SpanKind::Kernel;
        rows.push_back({kernel->name, isKernel ? kernel->category : kCopyCategory, sums.count,
            DurationNs{sums.ns}, sums.joules});
    }
    std::sort(rows.begin(), rows.end(), hasMoreJoules);
    return rows;
}

Result<DeviceAboveLimit> measureAbove(const DeviceReading& reading,
    const std::vector<PowerStep>& steps, const KernelCategories& categories) {
    AboveSweep sweep(steps, reading.device.captures);
    if (!steps.empty()) {
        RETURN_IF_ERROR(
            reading.walkStreams({steps.front().range.begin, steps.back().range.end}, sweep));
        sweep.finish();
    }
    DeviceAboveLimit found;
    found.rank = reading.device.rank;
    found.device = reading.device.device;
    found.traced = DurationNs{sweep.all().ns};
    found.tracedJoules = sweep.all().joules;
    found.none = DurationNs{sweep.none().ns};
    found.noneJoules = sweep.none().joules;
    KernelNames names(reading.store, categories);
    ASSIGN_OR_RETURN(found.kernels, rowsOf(sweep, names));
    return found;
}

} // namespace

Result<std::vector<DeviceAboveLimit>> kernelsAboveLimit(
    const RunStudy& study, const KernelCategories& categories, TimeRange window) {
    ASSIGN_OR_RETURN(const auto gpus, aboveLimits(study, window, KeepSteps::Yes));
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    ASSIGN_OR_RETURN(const auto clocks, differingClocks(study));
    using Above = Result<std::optional<DeviceAboveLimit>>;
    const auto measure = [&](const DeviceReading& reading) -> Above {
        const int rank = reading.device.rank;
        const auto gpu = std::find_if(
            gpus.begin(), gpus.end(), [rank](const AboveLimit& one) { return one.rank == rank; });
        if (gpu == gpus.end())
            return Above(std::nullopt);
        ASSIGN_OR_RETURN(
            auto found, measureAbove(reading, onClockOf(clocks, rank, gpu->steps), categories));
        found.gpu = *gpu;
        return std::optional(std::move(found));
    };
    std::vector<DeviceAboveLimit> all;
    RETURN_IF_ERROR(forEachDevice(study, devices, measure, collectInto(all)));
    return all;
}

std::vector<KernelAboveLimit> together(const std::vector<DeviceAboveLimit>& devices) {
    std::map<std::pair<std::string, std::string>, KernelAboveLimit> byName;
    for (const DeviceAboveLimit& device : devices) {
        for (const KernelAboveLimit& kernel : device.kernels) {
            KernelAboveLimit& sum = byName[{kernel.name, kernel.category}];
            sum.name = kernel.name;
            sum.category = kernel.category;
            sum.count += kernel.count;
            sum.time = sum.time + kernel.time;
            sum.joules += kernel.joules;
        }
    }
    std::vector<KernelAboveLimit> rows;
    for (auto& [name, sum] : byName)
        rows.push_back(std::move(sum));
    std::sort(rows.begin(), rows.end(), hasMoreJoules);
    return rows;
}

} // namespace trainscope::analysis
