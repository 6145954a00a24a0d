#pragma once
// Facts of a run without defects, and ways to spoil them.

#include "core/analysis/findings/Rules.h"

#include <algorithm>
#include <map>
#include <string>

namespace trainscope::test {

using namespace analysis;

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr TimeRange kRun{{1000 * kSecond}, {1100 * kSecond}};

inline SubjectStatistics mean(double value) {
    SubjectStatistics statistics;
    statistics.mean = value;
    statistics.samples = 1000;
    return statistics;
}

inline GpuSummary gpu(int rank) {
    GpuSummary gpu;
    gpu.gpu = {rank, rank / 8, rank % 8, "NVIDIA H200", {}};
    gpu.energy = Energy{60'000.0, 1.0};
    gpu.metrics["gpu_power"] = mean(600.0);
    gpu.metrics["gpu_temperature"] = mean(60.0);
    gpu.metrics["sm_clock"] = mean(1.98e9);
    gpu.metrics["pcie_tx"].total = 1e9;
    return gpu;
}

// Four nodes of eight GPUs for 100 s, four stages, all alike; four of them traced for 1 s.
inline RunFacts clean() {
    RunFacts facts;
    facts.run.range = kRun;
    facts.run.worldSize = 32;
    facts.run.gpuCount = 32;
    facts.whole.duration = {100 * kSecond};
    facts.whole.energy = Energy{32 * 60'000.0, 1.0};
    facts.whole.metrics["gpu_power"].all = mean(600.0);
    facts.whole.metrics["gpu_power"].interNodeStd = 0.0;
    for (int rank = 0; rank < 32; ++rank) {
        facts.whole.gpus.push_back(gpu(rank));
        facts.stageOf[rank] = rank / 8;
        Series power;
        power.description.subject.rank = rank;
        power.description.sensor = SensorKind::Instant;
        facts.power.push_back(power);
    }
    for (int node = 0; node < 4; ++node) {
        facts.whole.nodes.push_back({node, {}});
        facts.whole.nodes.back().metrics["gpu_power"] = mean(600.0);
    }
    facts.steady = facts.whole;
    facts.steadyState.window = kRun;
    facts.steadyState.wording = "the whole run";
    facts.iterations.frequencyHz = 0.125;
    facts.iterations.origin = "ProfilerStep";
    for (int i = 0; i < 4; ++i)
        facts.iterations.iterations.push_back(
            {i, {{(1000 + 8 * i) * kSecond}, {(1008 + 8 * i) * kSecond}}, -1, false});
    facts.throttling = Throttling{};
    facts.throttling->clockLost = ClockLoss{1.98e9, 0.0, 0.0, {}};
    facts.settling = RunSettling{kRun.begin, 32, 0};
    for (int rank = 0; rank < 4; ++rank)
        facts.traced.push_back({rank, kRun, 1.0, 0.1, 0.02, 0.01, {{"all_reduce", 0.02}}, 0.0, {}});
    Pipeline& pipeline = facts.pipeline.emplace();
    pipeline.stageCount = 4;
    pipeline.isOfIterations = true;
    pipeline.bubbleFraction = 0.1;
    pipeline.idealBubbleFraction = 0.1;
    facts.communication = CommunicationSummary{};
    for (int rank = 0; rank < 4; ++rank) {
        RankCommunication one;
        one.rank = rank;
        one.collectives = 100;
        one.timesLastForCertain = 25;
        one.causedWaitS = 0.001;
        facts.communication->ranks.push_back(one);
    }
    CommunicationRow row;
    row.kind = CollectiveKind::SendRecv;
    row.dimension = "pp";
    row.link = LinkClass::ScaleOut;
    row.ranks = 2;
    row.count = 10;
    row.bytes = 1e9;
    row.transferS = 0.1;
    row.busBandwidth = 10e9;
    row.linkPeak = 12.5e9;
    row.utilisation = 0.8;
    facts.communication->rows.push_back(row);
    return facts;
}

inline void setMean(RunFacts& facts, const std::string& metric, int rank, double value) {
    facts.steady.gpus[static_cast<std::size_t>(rank)].metrics[metric].mean = value;
}

// Throttled by that share of all GPU-seconds, on rank 13.
inline void throttle(RunFacts& facts, double fraction) {
    const double seconds = fraction * 3200.0;
    ThrottleEpisode episode;
    episode.range = {kRun.begin, kRun.begin + DurationNs{static_cast<std::int64_t>(seconds * 1e9)}};
    episode.cause = ThrottleCause::Thermal;
    facts.throttling = Throttling{};
    facts.throttling->fraction = fraction;
    facts.throttling->episodes = {{13, episode}};
    facts.throttling->causes[ThrottleCause::Thermal] = {1, seconds, seconds / 4.0};
    facts.throttling->gpus[13] = {seconds, 100.0};
    facts.throttling->clockLost
        = ClockLoss{1.98e9, seconds / 4.0, fraction / 4.0, facts.throttling->episodes};
}

inline void swing(RunFacts& facts, double share, double frequency) {
    facts.spectrum = {{frequency, share * 32 * 600.0 / 2.0, 0.001, std::nullopt}};
}

// Rank → seconds that the others waited by its doing, its host launching late.
inline void waitFor(RunFacts& facts, const std::map<int, double>& seconds) {
    facts.causes = WaitCauses{};
    for (const auto& [rank, waited] : seconds) {
        WaitCause cause;
        cause.rank = rank;
        cause.waitS = waited;
        cause.certainS = waited;
        cause.exposedS = waited;
        cause.byReasonS[LateReason::HostLate] = waited;
        cause.byCollectiveS["AllReduce along dp"] = waited;
        cause.worst = kRun;
        cause.worstRank = rank;
        facts.causes->waitS += waited;
        facts.causes->causes.push_back(cause);
    }
    std::stable_sort(facts.causes->causes.begin(), facts.causes->causes.end(),
        [](const WaitCause& a, const WaitCause& b) { return a.waitS > b.waitS; });
}

inline const Finding* find(const Findings& found, const std::string& rule) {
    for (const Finding& finding : found) {
        if (finding.rule == rule)
            return &finding;
    }
    return nullptr;
}

} // namespace trainscope::test
