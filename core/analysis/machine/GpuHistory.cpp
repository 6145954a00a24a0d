#include "core/analysis/machine/GpuHistory.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastEarlier = 3; // runs
constexpr std::size_t kMostEarlier = 12;
constexpr std::int64_t kMostRead = 100'000'000; // samples
constexpr double kChance = 0.002; // both sides of a test
constexpr std::size_t kFewestGpus = 3; // among fewer none is apart from the others
constexpr double kSameLimit = 0.01;

constexpr std::array kHistory{HistoryInfo{"power", metric::kGpuPower, "W", 0.02, true, 1.0,
                                  "took {} more power for the same work"},
    HistoryInfo{"temperature", metric::kGpuTemperature, "°C", 3.0, false, 1.0,
        "was {} hotter at the same work"},
    HistoryInfo{"SM clock", metric::kSmClock, "Hz", 0.02, true, -1.0,
        "ran at a clock lower by {} at the same work"},
    HistoryInfo{
        "throttled", "", "%", 0.05, false, 1.0, "throttled {} more of the time at the same work"}};

std::string worded(double amount, const HistoryInfo& info, bool isPart = false) {
    return isPart || info.unit == std::string_view("%") ? text::roundedPercent(amount)
                                                        : text::rounded(amount, info.unit);
}

// One more value lies within it of the mean of so many. The spread comes from differences of
// neighbours in series; `independent`: part of these.
double marginOf(const std::vector<std::vector<double>>& series, double chance, std::size_t known,
    double independent) {
    double squares = 0.0;
    double differences = 0.0;
    for (const auto& one : series) {
        for (std::size_t i = 1; i < one.size(); ++i, ++differences)
            squares += (one[i] - one[i - 1]) * (one[i] - one[i - 1]);
    }
    return studentT(1.0 - chance, std::max(1.0, independent * 2.0 / 3.0 * differences))
        * std::sqrt(squares / (2.0 * differences) * (1.0 + 1.0 / static_cast<double>(known)));
}

LaunchConfig workOf(LaunchConfig launch) {
    launch.maxSteps.reset();
    launch.origin.clear();
    return launch;
}

bool haveSameWork(const Run& a, const Run& b) {
    return a.id != b.id && a.gpuModel == b.gpuModel && a.gpuCount == b.gpuCount
        && whyIncomparable(a).empty() && workOf(a.launch) == workOf(b.launch);
}

// Its value in another run of the same work.
std::optional<double> valueIn(
    const PastRun& run, const PastGpu& own, HistoryValue value, bool isPipeline) {
    const auto found = std::ranges::find_if(run.gpus, [&own, isPipeline](const PastGpu& one) {
        const double limit = own.powerLimitW.value_or(0.0);
        return one.gpu.uuid == own.gpu.uuid && (!isPipeline || one.gpu.rank == own.gpu.rank)
            && std::abs(one.powerLimitW.value_or(0.0) - limit) <= kSameLimit * limit;
    });
    return found == run.gpus.end() ? std::nullopt : found->values[value];
}

void fillChanges(PastRun& now, const std::vector<const PastRun*>& earlier, HistoryValue value) {
    const HistoryInfo& info = infoOf(value);
    const bool isPipeline = now.run.launch.pipelineParallel.value_or(1) > 1;
    // By run, now's the last: changes of the GPUs by their place.
    std::vector<std::map<std::size_t, double>> changes(earlier.size() + 1);
    for (std::size_t i = 0; i < now.gpus.size(); ++i) {
        PastGpu& gpu = now.gpus[i];
        std::map<std::size_t, double> values; // by run
        HistoryChange change;
        for (std::size_t run = 0; run < earlier.size(); ++run) {
            if (const auto one = valueIn(*earlier[run], gpu, value, isPipeline)) {
                values[run] = *one;
                change.before += *one;
            }
        }
        change.earlier = values.size();
        change.before /= static_cast<double>(std::max<std::size_t>(values.size(), 1));
        const double unit = info.isRelative ? change.before : 1.0;
        if (!gpu.values[value] || change.earlier < kLeastEarlier || !(unit > 0.0))
            continue;
        values[earlier.size()] = *gpu.values[value];
        for (const auto& [run, one] : values)
            changes[run][i] = (one - change.before) / unit;
        change.change = changes.back()[i];
        gpu.changes[value] = change;
    }
    if (changes.back().empty())
        return;
    std::vector<double> ofRuns;
    std::map<std::size_t, std::vector<double>> ofGpus; // beyond their runs'
    for (const auto& run : changes) {
        std::vector<double> all;
        for (const auto& [gpu, change] : run)
            all.push_back(info.worse * change);
        if (all.empty())
            continue;
        ofRuns.push_back(medianOf(all));
        for (const auto& [gpu, change] : run)
            ofGpus[gpu].push_back(info.worse * change - ofRuns.back());
    }
    const auto isBeyond
        = [&info](double last, double margin) { return last >= info.least && last > margin; };
    const double shift = ofRuns.back();
    ofRuns.pop_back();
    now.areAllBeyond[value]
        = isBeyond(shift - *meanOf(ofRuns), marginOf({ofRuns}, kChance, ofRuns.size(), 1.0));
    std::vector<std::vector<double>> before;
    for (const auto& [gpu, own] : ofGpus)
        before.emplace_back(own.begin(), own.end() - 1);
    const auto peers = static_cast<double>(before.size());
    for (const auto& [gpu, own] : ofGpus)
        now.gpus[gpu].changes[value]->isBeyond = before.size() >= kFewestGpus
            && isBeyond(own.back(),
                marginOf(before, kChance / peers, own.size() - 1, (peers - 1.0) / peers));
}

// Without GPUs where none has a UUID, or nothing was measured.
Result<PastRun> pastRunOf(const RunStudy& study, bool wholeRun) {
    PastRun past{study.run};
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    for (const Gpu& gpu : gpus) {
        if (!gpu.uuid.empty() && study.run.kind == RunKind::Measured)
            past.gpus.push_back({gpu});
    }
    if (past.gpus.empty())
        return past;
    SteadyState state;
    state.window = kAllTime;
    if (!wholeRun) {
        ASSIGN_OR_RETURN(state, steadyStateOf(study));
    }
    past.basis = state.basis;
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    ASSIGN_OR_RETURN(const auto throttling, throttlingOf(study));
    auto series = gpuSeriesByRank(all);
    for (PastGpu& gpu : past.gpus) {
        const GpuSeries& own = series[gpu.gpu.rank];
        if (throttling && throttling->gpus.contains(gpu.gpu.rank))
            gpu.values[HistoryValue::Throttled] = throttling->gpus.at(gpu.gpu.rank).fraction();
        if (const auto limit = powerLimitOf(study.run, own))
            gpu.powerLimitW = limit->watts;
        for (const HistoryValue value : allValues<HistoryValue>()) {
            const auto found = own.find(infoOf(value).metric);
            if (found == own.end())
                continue;
            ASSIGN_OR_RETURN(
                const auto mean, study.store.statistics(found->second.id, state.window));
            if (mean.coveredSeconds > 0.0)
                gpu.values[value] = mean.mean;
        }
    }
    return past;
}

} // namespace

const HistoryInfo& infoOf(HistoryValue value) {
    return kHistory[static_cast<std::size_t>(value)];
}

std::string changeText(HistoryValue value, double change) {
    return worded(change, infoOf(value), infoOf(value).isRelative);
}

std::string whyIncomparable(const Run& run) {
    if (!run.launch.model && !(run.launch.layers && run.launch.hiddenSize))
        return "its model is not stated";
    return run.launch.microBatch || run.launch.globalBatch ? "" : "its batch is not stated";
}

bool isSameWork(const PastRun& a, const PastRun& b) {
    return a.basis == b.basis && haveSameWork(a.run, b.run);
}

void fillChanges(PastRun& now, std::span<const PastRun> runs) {
    const auto isOfNow = [&now](const PastGpu& one) {
        return std::ranges::any_of(
            now.gpus, [&one](const PastGpu& own) { return own.gpu.uuid == one.gpu.uuid; });
    };
    std::vector<const PastRun*> earlier;
    for (auto run = runs.rbegin(); run != runs.rend() && earlier.size() < kMostEarlier; ++run) {
        if (run->run.range.begin < now.run.range.begin && isSameWork(*run, now)
            && std::ranges::any_of(run->gpus, isOfNow))
            earlier.push_back(&*run);
    }
    std::ranges::reverse(earlier);
    for (const HistoryValue value : allValues<HistoryValue>())
        fillChanges(now, earlier, value);
}

std::optional<HistoryStatement> statementOf(HistoryValue value, const PastRun& now) {
    const HistoryInfo& info = infoOf(value);
    HistoryStatement told;
    std::int64_t compared = 0;
    // One that changed by itself speaks before those that all did.
    const auto rank = [&info, value](const PastGpu& of) {
        return std::pair(of.changes[value]->isBeyond, info.worse * of.changes[value]->change);
    };
    for (const PastGpu& one : now.gpus) {
        compared += one.changes[value] ? 1 : 0;
        if (!one.changes[value] || (!now.areAllBeyond[value] && !one.changes[value]->isBeyond))
            continue;
        if (told.gpus++ == 0 || rank(one) > rank(*told.worst))
            told.worst = &one;
    }
    if (told.worst == nullptr)
        return std::nullopt;
    const HistoryChange& change = *told.worst->changes[value];
    told.text
        = fmt::format("{} {} than in {} before: {} against {}", shortUuid(told.worst->gpu.uuid),
            fmt::format(fmt::runtime(info.words), changeText(value, std::abs(change.change))),
            text::counted(static_cast<std::int64_t>(change.earlier), "run"),
            worded(*told.worst->values[value], info), worded(change.before, info));
    told.text += compared == 1
        ? "."
        : fmt::format("; {} of {} changed so.", told.gpus, text::counted(compared, "GPU"));
    return told;
}

std::string shortUuid(const std::string& uuid) {
    return uuid.starts_with("GPU-") ? uuid.substr(0, 12) : uuid;
}

Result<std::vector<PastRun>> pastRunsOf(
    const RunStudies& studies, const std::vector<Run>& runs, bool wholeRun) {
    std::vector<PastRun> past;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto one, pastRunOf(studies.of(run), wholeRun));
        if (!one.gpus.empty())
            past.push_back(std::move(one));
    }
    std::ranges::stable_sort(past, {}, [](const PastRun& one) { return one.run.range.begin; });
    for (PastRun& run : past)
        fillChanges(run, past);
    return past;
}

Result<std::optional<PastRun>> pastOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto own, study.store.gpus(study.run.id));
    const auto isAnyOf = [&own](const Gpu& gpu) {
        return !gpu.uuid.empty() && std::ranges::find(own, gpu.uuid, &Gpu::uuid) != own.end();
    };
    std::vector<Run> runs;
    if (std::ranges::any_of(own, isAnyOf)) {
        ASSIGN_OR_RETURN(runs, study.store.runs());
    }
    std::ranges::sort(runs, std::greater<>(), [](const Run& run) { return run.range.begin; });
    std::vector<Run> chosen{study.run};
    std::int64_t read = 0;
    for (const Run& run : runs) {
        if (run.range.begin >= study.run.range.begin || !haveSameWork(run, study.run))
            continue;
        ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(run.id));
        if (std::ranges::none_of(gpus, isAnyOf))
            continue;
        ASSIGN_OR_RETURN(const auto series, study.store.series(run.id));
        for (const Series& one : series)
            read += one.count;
        chosen.push_back(run);
        if (chosen.size() > kMostEarlier || read > kMostRead)
            break;
    }
    if (chosen.size() <= kLeastEarlier)
        return std::optional<PastRun>();
    ASSIGN_OR_RETURN(auto past, pastRunsOf({study.store, study.progress}, chosen));
    return std::optional(std::move(past.back()));
}

} // namespace trainscope::analysis
