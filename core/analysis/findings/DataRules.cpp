#include "core/analysis/findings/FindingText.h"
#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/Thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainscope::analysis {

namespace {

std::string rankText(int rank) {
    return "rank " + std::to_string(rank);
}

int worldOf(const Run& run) {
    const auto& launch = run.launch;
    const int launched
        = launch.nodes && launch.gpusPerNode ? *launch.nodes * *launch.gpusPerNode : 0;
    return std::max(run.worldSize, launched);
}

} // namespace

void findOutOfMemory(const RunFacts& facts, Findings& found) {
    if (facts.run.status != RunStatus::Oom)
        return;
    found.push_back({"out_of_memory",
        "The run ended in out-of-memory after " + duration(facts.whole.duration.seconds())
            + ": its figures describe the start only.",
        {{"duration_s", facts.whole.duration.seconds()}}, {-1, facts.run.range, {}},
        "fewer than 10 samples on rank 0, as the importer judges it", "the recording",
        Severity::Serious, 1.0});
}

void findMissingRanks(const RunFacts& facts, Findings& found) {
    const int world = worldOf(facts.run);
    std::set<int> missing;
    for (int rank = 0; rank < world; ++rank)
        missing.insert(rank);
    for (const GpuSummary& gpu : facts.whole.gpus)
        missing.erase(gpu.gpu.rank);
    // A trace of some ranks is how traces are taken; telemetry of some is a defect.
    if (missing.empty() || facts.power.empty())
        return;
    const auto count = static_cast<double>(missing.size());
    found.push_back({"missing_ranks",
        fmt::format(
            "Nothing was recorded of {} of {} ranks: {}. Sums over the cluster are too low.",
            missing.size(), world, numbers(missing)),
        {{"missing", count}, {"ranks", world}}, {*missing.begin(), facts.run.range, "gpu_power"},
        "one rank", fmt::format("{} ranks, as the launch configuration or the source says", world),
        Severity::Attention, 0.0});
}

void findLowCoverage(const RunFacts& facts, Findings& found) {
    if (!facts.whole.energy || facts.whole.energy->coverage >= kCoverage)
        return;
    const GpuSummary* worst = nullptr;
    for (const GpuSummary& gpu : facts.whole.gpus) {
        if (gpu.energy && (worst == nullptr || gpu.energy->coverage < worst->energy->coverage))
            worst = &gpu;
    }
    const double coverage = facts.whole.energy->coverage;
    const int rank = worst == nullptr ? -1 : worst->gpu.rank;
    const double least = worst == nullptr ? coverage : worst->energy->coverage;
    found.push_back({"low_coverage",
        fmt::format("Power was recorded for {} of the run only ({} on {}): its energy of {} is a "
                    "lower bound.",
            percent(coverage), percent(least), rankText(rank),
            scaled(facts.whole.energy->joules, "J")),
        {{"coverage", coverage}, {"least_coverage", least},
            {"energy_j", facts.whole.energy->joules}},
        {rank, facts.run.range, "gpu_power"}, "coverage below " + percent(kCoverage),
        "duration of the run × its GPUs", Severity::Attention, 0.0});
}

void findMissingSamples(const RunFacts& facts, Findings& found) {
    struct Worst {
        double share = 0.0;
        int rank = -1;
        std::string metric;
        std::int64_t missing = 0;
        std::int64_t samples = 0;
    } worst;
    for (const GpuSummary& gpu : facts.whole.gpus) {
        for (const auto& [metric, statistics] : gpu.metrics) {
            const double share = statistics.samples == 0
                ? 0.0
                : static_cast<double>(statistics.missing) / static_cast<double>(statistics.samples);
            // A sensor that never answers is one the GPU does not have.
            if (share > worst.share && statistics.missing < statistics.samples)
                worst = {share, gpu.gpu.rank, metric, statistics.missing, statistics.samples};
        }
    }
    if (worst.share < kMissingSamples)
        return;
    found.push_back({"missing_samples",
        fmt::format("{} of {} samples of {} on {} are missing ({}); they count in no figure.",
            worst.missing, worst.samples, worst.metric, rankText(worst.rank), percent(worst.share)),
        {{"missing", static_cast<double>(worst.missing)},
            {"samples", static_cast<double>(worst.samples)}, {"share", worst.share}},
        {worst.rank, facts.run.range, worst.metric}, percent(kMissingSamples) + " of the samples",
        "all rows of that metric and GPU; the worst of all", Severity::Attention, 0.0});
}

void findWarmup(const RunFacts& facts, Findings& found) {
    double warm = 0.0;
    double all = 0.0;
    std::int64_t count = 0;
    TimeRange range;
    for (const Iteration& iteration : facts.iterations.iterations) {
        all += iteration.range.length().seconds();
        if (!iteration.warmup)
            continue;
        range = count == 0 ? iteration.range : TimeRange{range.begin, iteration.range.end};
        warm += iteration.range.length().seconds();
        ++count;
    }
    if (count == 0 || all <= 0.0)
        return;
    found.push_back({"warmup",
        fmt::format("{} of {} iterations, {} of their time, are warm-up; steady figures leave them "
                    "out.",
            count, facts.iterations.iterations.size(), percent(warm / all)),
        {{"iterations", static_cast<double>(facts.iterations.iterations.size())},
            {"warmup_iterations", static_cast<double>(count)}, {"share", warm / all}},
        {-1, range, {}},
        fmt::format("marked by the source, or the first ones that take more than {} × the median",
            kWarmupFactor),
        "time of all iterations: " + facts.iterations.origin, Severity::Note, 0.0});
}

void findAveragingSensor(const RunFacts& facts, Findings& found) {
    std::int64_t averaged = 0;
    int rank = -1;
    for (const Series& series : facts.power) {
        if (series.description.sensor != SensorKind::Averaged)
            continue;
        rank = averaged == 0 ? series.description.subject.rank : rank;
        ++averaged;
    }
    if (averaged == 0)
        return;
    const auto all = static_cast<std::int64_t>(facts.power.size());
    found.push_back({"averaging_sensor",
        fmt::format("The power of {} of {} GPUs is a running average: peaks, ramps and spectra are "
                    "lower than they were.",
            averaged, all),
        {{"averaged_gpus", static_cast<double>(averaged)}, {"gpus", static_cast<double>(all)}},
        {rank, facts.run.range, "gpu_power"}, "one GPU with an averaging sensor",
        "GPUs with power, by what the source or the signal says of the sensor", Severity::Note,
        0.0});
}

void findUnsettled(const RunFacts& facts, Findings& found) {
    if (!facts.settling || facts.settling->gpus == 0 || facts.settling->unsettled == 0)
        return;
    const RunSettling& settling = *facts.settling;
    found.push_back({"not_settled",
        fmt::format("The temperature of {} of {} GPUs was still changing at the end: the run of {} "
                    "is too short for steady temperatures and clocks.",
            settling.unsettled, settling.gpus, duration(facts.whole.duration.seconds())),
        {{"unsettled", settling.unsettled}, {"gpus", settling.gpus},
            {"duration_s", facts.whole.duration.seconds()}},
        {-1, facts.run.range, "gpu_temperature"},
        fmt::format("not within {} °C, or {} of its rise, of its final level before the last "
                    "quarter",
            kSettledWithinC, percent(kSettledWithinRise)),
        "GPUs with temperature", Severity::Attention, 0.0});
}

} // namespace trainscope::analysis
