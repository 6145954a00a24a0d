#include "core/analysis/findings/Rules.h"
#include "core/text/NumberMarks.h"

namespace trainscope::analysis {

namespace {

std::string rankText(int rank) {
    return "rank " + std::to_string(rank);
}

// Times that limit a sensor: it averages over one, or has a new value only so often.
struct SensorTime {
    std::optional<double> averagingS;
    std::optional<double> updateS;
    [[nodiscard]] double longest() const {
        return std::max(averagingS.value_or(0.0), updateS.value_or(0.0));
    }
};

SensorTime sensorTimeOf(const RunFacts& facts, bool averages) {
    SensorTime time;
    if (facts.powerSensor && facts.powerSensor->update.isCertain)
        time.updateS = facts.powerSensor->update.seconds;
    if (averages)
        time.averagingS = facts.powerSensor ? facts.powerSensor->averagingS : kNvmlAveragingS;
    return time;
}

std::string sensorText(const SensorTime& time, std::int64_t averaged, std::int64_t all) {
    const std::string update
        = time.updateS ? "has a new value every " + text::seconds(*time.updateS) : "";
    if (averaged == 0)
        return "The power sensor " + update;
    return fmt::format("The power of {} is a running average{}{}", partOfGpus(averaged, all),
        time.averagingS ? " over " + text::seconds(*time.averagingS) : "",
        update.empty() ? "" : " and " + update);
}

} // namespace

void findOutOfMemory(const RunFacts& facts, Findings& found) {
    const bool isTold = std::ranges::any_of(facts.allocators,
        [](const AllocatorRecord& record) { return !record.outOfMemory.empty(); });
    if (facts.run.status != RunStatus::Oom || !facts.capture.empty() || isTold)
        return;
    found.push_back({"out_of_memory",
        "The run ended in out-of-memory after " + text::seconds(facts.whole.duration.seconds())
            + ": its figures describe the start only.",
        {{"duration_s", facts.whole.duration.seconds()}}, {-1, facts.run.range, {}},
        "fewer than 10 samples on rank 0, as the importer judges it", "the recording",
        Severity::Serious, 1.0});
}

void findMissingRanks(const RunFacts& facts, Findings& found) {
    const int world = std::max(facts.run.worldSize, launchedGpus(facts.run.launch));
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
        fmt::format("Nothing was recorded of {} of {}: {}. Sums over the cluster are too low.",
            missing.size(), text::counted(world, "rank"), text::numberList(missing)),
        {{"missing", count}, {"ranks", world}},
        {*missing.begin(), facts.run.range, metric::kGpuPower}, "one rank",
        text::counted(world, "rank") + ", as the launch configuration or the source says",
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
        fmt::format("Power was recorded for {} of {} only ({} on {}): its energy of {} is a "
                    "lower bound.",
            text::roundedPercent(coverage), facts.scope(), text::roundedPercent(least),
            rankText(rank), text::rounded(facts.whole.energy->joules, "J")),
        {{"coverage", coverage}, {"least_coverage", least},
            {"energy_j", facts.whole.energy->joules}},
        {rank, facts.run.range, metric::kGpuPower},
        "coverage below " + text::roundedPercent(kCoverage),
        "duration of " + facts.scope() + " × its GPUs", Severity::Attention, 0.0});
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
        fmt::format("{} of {} of {} on {} are missing ({}); no statistic counts them.",
            worst.missing, text::counted(worst.samples, "sample"), worst.metric,
            rankText(worst.rank), text::roundedPercent(worst.share)),
        {{"missing", worst.missing}, {"samples", worst.samples}, {"share", worst.share}},
        {worst.rank, facts.run.range, worst.metric},
        text::roundedPercent(kMissingSamples) + " of the samples",
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
        fmt::format("{} of {}, {} of their time, {} warm-up; steady values leave {} out.", count,
            text::counted(std::ssize(facts.iterations.iterations), "iteration"),
            text::roundedPercent(warm / all), count == 1 ? "is" : "are",
            count == 1 ? "it" : "them"),
        {{"iterations", facts.iterations.iterations.size()}, {"warmup_iterations", count},
            {"share", warm / all}},
        {-1, range, {}},
        fmt::format("marked by the source, or the first ones that take more than {} × the median",
            text::worded(kWarmupFactor)),
        "time of all iterations: " + facts.iterations.origin, Severity::Note, 0.0});
}

void findStepChange(const RunFacts& facts, Findings& found) {
    const std::string denominator = "time of all iterations: " + facts.iterations.origin;
    for (const IterationChange& change : facts.changes) {
        const LevelChange& level = change.seconds;
        Finding finding{"step_change", changeText(change),
            {{"iteration", change.index}, {"earliest_iteration", change.earliest},
                {"latest_iteration", change.latest}, {"step_time_before_s", level.before},
                {"step_time_after_s", level.after}, {"margin_s", level.margin},
                {"standard_errors", level.errors}, {"share", change.cost}},
            {-1, change.range, {}},
            fmt::format("levels {} apart or more, and {} standard errors",
                text::roundedPercent(kLeastChange), text::worded(kCertain)),
            denominator, change.cost > 0.0 ? severityOfCost(change.cost) : Severity::Note,
            std::max(change.cost, 0.0)};
        if (change.tokensPerSBefore && change.tokensPerSAfter) {
            finding.values["tokens_per_s_before"] = *change.tokensPerSBefore;
            finding.values["tokens_per_s_after"] = *change.tokensPerSAfter;
        }
        found.push_back(std::move(finding));
    }
}

void findAveragingSensor(const RunFacts& facts, Findings& found) {
    const auto isAveraged
        = [](const Series& series) { return series.description.sensor == SensorKind::Averaged; };
    if (facts.power.empty())
        return;
    const auto first = std::ranges::find_if(facts.power, isAveraged);
    const auto averaged = std::ranges::count_if(facts.power, isAveraged);
    const SensorTime time = sensorTimeOf(facts, averaged > 0);
    const auto& iteration = facts.efficiency.stepTimeS;
    const bool hides = iteration && time.longest() > kHiddenIterations * *iteration;
    if (averaged == 0 && !hides)
        return;
    const auto all = static_cast<std::int64_t>(facts.power.size());
    const Series& shown = first == facts.power.end() ? facts.power.front() : *first;
    Finding finding{"averaging_sensor", sensorText(time, averaged, all),
        {{"averaged_gpus", averaged}, {"gpus", all}},
        {shown.description.subject.rank, facts.run.range, metric::kGpuPower},
        fmt::format("one GPU with an averaging sensor; for attention, averaging or updates that "
                    "take more than {} of an iteration",
            text::roundedPercent(kHiddenIterations)),
        "GPUs with power, by what the source or the signal says of the sensor; step time: "
            + facts.efficiency.stepTimeOrigin,
        hides ? Severity::Attention : Severity::Note, 0.0};
    if (time.averagingS)
        finding.values["averaging_s"] = *time.averagingS;
    if (time.updateS)
        finding.values["update_s"] = *time.updateS;
    if (hides) {
        finding.values["iteration_s"] = *iteration;
        finding.values["iterations"] = time.longest() / *iteration;
        finding.text += fmt::format(", against iterations of {}: ramps, peaks and the energy of "
                                    "one iteration are hidden.",
            text::seconds(*iteration));
    } else {
        finding.text += ": peaks, ramps and spectra are lower than they were.";
    }
    found.push_back(std::move(finding));
}

void findImplausibleMfu(const RunFacts& facts, Findings& found) {
    const Efficiency& efficiency = facts.efficiency;
    if (!efficiency.mfu || *efficiency.mfu <= kMostMfu)
        return;
    const double peak = efficiency.peakFlops.value_or(0.0);
    // Both in one unit, so that they compare at a glance.
    const auto inUnit = [unit = text::shownUnit("FLOP/s", peak)](double flops) {
        return fmt::format("{} {}", text::number(flops * unit.scale, 4), unit.unit);
    };
    Finding finding{"implausible_mfu",
        fmt::format("An MFU of {} cannot be: {} per GPU against a peak of {}. The batch, the "
                    "sequence, the model, the precision or the step time ({}) is not that of this "
                    "run, and its tokens per second and per joule are as wrong.",
            text::roundedPercent(*efficiency.mfu), inUnit(efficiency.flopsPerGpu.value_or(0.0)),
            inUnit(peak), text::seconds(efficiency.stepTimeS.value_or(0.0))),
        {{"mfu", *efficiency.mfu}}, {-1, facts.run.range, {}},
        "an MFU above " + text::roundedPercent(kMostMfu),
        "peak of the GPU in the run's precision, from the catalogue; model: "
            + efficiency.modelOrigin
            + "; step time: " + (efficiency.stepWindow.empty() ? "" : efficiency.stepWindow + ", ")
            + efficiency.stepTimeOrigin,
        Severity::Serious, 0.0};
    const auto add = [&finding](const char* name, const std::optional<double>& value) {
        if (value)
            finding.values[name] = *value;
    };
    add("flops_per_gpu", efficiency.flopsPerGpu);
    add("peak_flops", efficiency.peakFlops);
    add("step_time_s", efficiency.stepTimeS);
    add("tokens_per_s", efficiency.tokensPerS);
    found.push_back(std::move(finding));
}

// As a computed one above the peak.
void findReportedMfu(const RunFacts& facts, Findings& found) {
    const auto reported = facts.whole.metrics.find(metric::kReportedMfu);
    if (reported == facts.whole.metrics.end())
        return;
    const double most = reported->second.all.max.value_or(0.0);
    if (most <= kMostMfu)
        return;
    found.push_back({"implausible_reported_mfu",
        fmt::format("The log reports an MFU of {}, which cannot be: the FLOP or the peak that the "
                    "program counts with is not that of this model and GPU.",
            text::roundedPercent(most)),
        {{"reported_mfu", most}}, {-1, facts.run.range, metric::kReportedMfu},
        "a reported MFU above " + text::roundedPercent(kMostMfu), "the lines of the log",
        Severity::Serious, 0.0});
}

void findPowerSpikes(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.power)
        return;
    const PowerSpikes& spikes = *facts.plausibility.power;
    const double times = spikes.highestW / spikes.limitW;
    found.push_back({"implausible_power",
        fmt::format("{} of power cannot be: {} on {} is {} times the limit of {}. Without {} that "
                    "GPU has a mean of {} and {} instead of {}.",
            text::counted(spikes.samples, "reading"), text::rounded(spikes.highestW, "W"),
            rankText(spikes.rank), text::number(times, 3), text::rounded(spikes.limitW, "W"),
            spikes.samples == 1 ? "it" : "them", text::rounded(spikes.meanWithoutW, "W"),
            text::rounded(spikes.joulesWithout, "J"), text::rounded(spikes.joules, "J")),
        {{"samples", spikes.samples}, {"highest_w", spikes.highestW}, {"limit_w", spikes.limitW},
            {"times_limit", times}, {"mean_without_w", spikes.meanWithoutW},
            {"energy_without_j", spikes.joulesWithout}, {"energy_j", spikes.joules}},
        {spikes.rank, {spikes.at, spikes.at}, metric::kGpuPower},
        fmt::format("a reading above {} × the limit", text::worded(kMostOverLimit)),
        "the readings of the GPU with the highest; the figures of the run keep them",
        Severity::Serious, 0.0});
}

void findContradictingEnergy(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.energy)
        return;
    const ContradictingEnergy& energy = *facts.plausibility.energy;
    found.push_back({"contradicting_energy",
        fmt::format("The energy counter of {} counts {} in {}, where its power amounts to {}: the "
                    "column is no counter, its unit is another, or it is of something else. The "
                    "energy of the run is that of the counter.",
            rankText(energy.rank), text::rounded(energy.countedJ, "J"),
            text::seconds(energy.where.length().seconds()), text::rounded(energy.integralJ, "J")),
        {{"counted_j", energy.countedJ}, {"integral_j", energy.integralJ}},
        {energy.rank, energy.where, metric::kGpuEnergy},
        fmt::format("apart by more than {} times", text::worded(kContradictingEnergy)),
        "the counter and the integral of the power over the time that both cover",
        Severity::Serious, 0.0});
}

void findPowerOfOtherUnit(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.unit)
        return;
    const PowerOfOtherUnit& unit = *facts.plausibility.unit;
    found.push_back({"implausible_power_unit",
        fmt::format("The power of {} cannot be: its median is {} on {}, and no GPU draws more than "
                    "{}. The numbers are of another unit than their head says: as milliwatts they "
                    "are {}.",
            text::counted(unit.gpus, "GPU"), text::rounded(unit.medianW, "W"), rankText(unit.rank),
            text::rounded(kMostOfGpuW, "W"), text::rounded(unit.medianW * 1e-3, "W")),
        {{"median_w", unit.medianW}, {"gpus", unit.gpus}},
        {unit.rank, facts.run.range, metric::kGpuPower},
        fmt::format("a median above {}", text::rounded(kMostOfGpuW, "W")),
        "the readings of the GPU with the highest; the figures of the run keep them",
        Severity::Serious, 0.0});
}

void findEarlyWork(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.early)
        return;
    const EarlyWork& early = *facts.plausibility.early;
    found.push_back(
        {"early_work", earlyWorkText(early) + ": the figures of the trace begin behind.",
            {{"kernels", early.kernels}, {"copies", early.copies},
                {"kernel_time_s", early.time.seconds()}, {"before_s", early.gap.seconds()}},
            {-1, early.where, {}},
            fmt::format("more than {} before the first",
                text::counted(static_cast<std::int64_t>(kLongBefore), "iteration")),
            "kernels, copies and memory sets of all ranks", Severity::Attention, 0.0});
}

void findOverrunKernels(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.kernels)
        return;
    const OverrunKernels& kernels = *facts.plausibility.kernels;
    const double busy
        = kernels.clippedWindowS > 0.0 ? kernels.clippedBusyS / kernels.clippedWindowS : 0.0;
    found.push_back({"overrun_kernels",
        fmt::format("The kernel time of {} is doubtful: {} of a stream {} inside one that began "
                    "before, as {}. Where each kernel ends when the next of its stream begins, it "
                    "is {}, and rank {} is busy for {} of {} ({}).",
            text::seconds(kernels.writtenS), text::counted(kernels.behind, "later kernel"),
            kernels.behind == 1 ? "runs" : "run", text::elidedInMiddle(kernels.name, 60),
            text::seconds(kernels.clippedS), kernels.rank, text::seconds(kernels.clippedBusyS),
            text::seconds(kernels.clippedWindowS), text::roundedPercent(busy)),
        {{"behind", kernels.behind}, {"kernel_time_s", kernels.writtenS},
            {"clipped_kernel_time_s", kernels.clippedS},
            {"clipped_window_s", kernels.clippedWindowS}, {"clipped_busy_s", kernels.clippedBusyS},
            {"clipped_busy_fraction", busy}},
        {kernels.rank, kernels.longest.range, {}},
        text::roundedPercent(kDoubtfulKernelTime) + " of the kernel time",
        "summed kernel time as written; a stream runs one kernel after the other",
        Severity::Serious, 0.0});
}

void findEmptySteps(const RunFacts& facts, Findings& found) {
    if (!facts.plausibility.steps)
        return;
    const EmptySteps& steps = *facts.plausibility.steps;
    const double busy = steps.stepsS > 0.0 ? steps.busyS / steps.stepsS : 0.0;
    const double without = steps.stepsS > 0.0 ? steps.busyWithoutS / steps.stepsS : 0.0;
    Finding finding{"steps_without_kernels",
        fmt::format("{} of {} {} no kernel: either the trace lost them, or the marks are not of "
                    "iterations",
            steps.empty, text::counted(steps.steps, "traced iteration"),
            steps.empty == 1 ? "starts" : "start"),
        {{"iterations", steps.steps}, {"without_kernels", steps.empty}, {"busy_fraction", busy}},
        {-1, steps.first, {}}, text::roundedPercent(kEmptySteps) + " of the traced iterations",
        "iterations that the trace covers, by the begins of kernels on all ranks",
        Severity::Serious, 0.0};
    if (steps.over > 0) {
        finding.text += fmt::format("; {} over iterations that start none, and without {} the GPU "
                                    "is busy for {} of them instead of {}",
            text::counted(steps.over, "kernel") + (steps.over == 1 ? " runs" : " run"),
            steps.over == 1 ? "it" : "them", text::roundedPercent(without),
            text::roundedPercent(busy));
        finding.values["busy_fraction_without"] = without;
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

void findUnsettled(const RunFacts& facts, Findings& found) {
    if (!facts.settling || facts.settling->gpus == 0 || facts.settling->unsettled == 0)
        return;
    const RunSettling& settling = *facts.settling;
    found.push_back({"not_settled",
        fmt::format("The temperature of {} was still changing at the end: the run of {} is too "
                    "short for steady temperatures and clocks.",
            partOfGpus(settling.unsettled, settling.gpus),
            text::seconds(facts.whole.duration.seconds())),
        {{"unsettled", settling.unsettled}, {"gpus", settling.gpus},
            {"duration_s", facts.whole.duration.seconds()}},
        {-1, facts.run.range, metric::kGpuTemperature},
        fmt::format("not within {} °C, or {} of its rise, of its final level before the last "
                    "quarter",
            text::worded(kSettledWithinC), text::roundedPercent(kSettledWithinRise)),
        "GPUs with temperature", Severity::Attention, 0.0});
}

} // namespace trainscope::analysis
