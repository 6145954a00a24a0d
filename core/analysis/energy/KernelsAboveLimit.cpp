#include "core/analysis/energy/KernelsAboveLimit.h"

#include "core/analysis/energy/EnergyMeter.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Gather.h"

namespace trainscope::analysis {

namespace {

// Work of one name that runs.
struct RunningName {
    NameId name;
    SpanKind kind = SpanKind::Kernel;
    std::int64_t count = 1;

    [[nodiscard]] bool isLike(const RunningName& other) const {
        return name == other.name && kind == other.kind;
    }
};

// Shares out the power of the steps among the work that runs, which comes in order of its start.
class AboveSweep : public DeviceVisitor {
public:
    AboveSweep(const std::vector<PowerStep>& steps, std::vector<TimeRange> traced)
        : m_steps(steps)
        , m_traced(std::move(traced)) { }

    Status work(const DeviceWork& work) override {
        const Span& span = work.span;
        const TimeRange range{span.start, span.start + span.duration};
        if (range.isEmpty())
            return {};
        m_sweep.add(range, {span.name, span.kind}, m_tell);
        const auto touched = std::ranges::upper_bound(
            m_steps, range.begin, {}, [](const PowerStep& step) { return step.range.end; });
        if (touched != m_steps.end() && touched->range.begin < range.end)
            ++m_names[{span.name, span.kind}].count;
        return {};
    }
    void finish() { m_sweep.advance(kAllTime.end, m_tell); }

    struct Sums {
        std::int64_t count = 0;
        std::int64_t ns = 0;
        double joules = 0.0;
    };
    using Names = std::map<std::pair<NameId, SpanKind>, Sums>;
    [[nodiscard]] const Names& names() const { return m_names; }
    [[nodiscard]] const Sums& none() const { return m_none; }
    [[nodiscard]] const Sums& all() const { return m_all; }

private:
    struct PieceTeller {
        AboveSweep& sweep;

        void operator()(TimeRange piece, std::span<const RunningName> running, bool) const {
            sweep.share(piece, running);
        }
    };

    // A piece of time in which the same work runs.
    void share(TimeRange piece, std::span<const RunningName> running) {
        while (m_step < m_steps.size() && m_steps[m_step].range.end <= piece.begin)
            ++m_step;
        for (std::size_t i = m_step; i < m_steps.size() && m_steps[i].range.begin < piece.end; ++i)
            shareStep(shared(piece, m_steps[i].range), running, m_steps[i].watts);
    }
    void shareStep(TimeRange part, std::span<const RunningName> running, double watts) {
        if (running.empty()) {
            for (const TimeRange& capture : m_traced) {
                count(m_none, shared(part, capture), watts);
                count(m_all, shared(part, capture), watts);
            }
            return;
        }
        count(m_all, part, watts);
        const std::int64_t sharing = summed<std::int64_t>(running, &RunningName::count);
        for (const RunningName& one : running)
            count(m_names[{one.name, one.kind}], part, watts / static_cast<double>(sharing),
                one.count);
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
    WorkSweep<RunningName> m_sweep{kAllTime.begin};
    const PieceTeller m_tell{*this};
    Names m_names;
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
        rows.push_back({{kernel->name, isKernel ? kernel->category : kCopyCategory, sums.count,
                            DurationNs{sums.ns}},
            sums.joules});
    }
    std::ranges::sort(rows, hasMoreJoules);
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
        const auto gpu = std::ranges::find(gpus, rank, &AboveLimit::rank);
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
    std::ranges::sort(rows, hasMoreJoules);
    return rows;
}

} // namespace trainscope::analysis
