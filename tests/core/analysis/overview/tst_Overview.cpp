// Sentences and checks of an overview, on planted facts whose numbers follow by hand.

#include "core/analysis/findings/CleanRun.h"
#include "core/analysis/findings/Rules.h"
#include "core/analysis/overview/Overview.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

#include <numeric>

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

// One H100 for 100 s, traced for 2 s of them: 1 s of GEMM, 0.5 s elementwise, 0.3 s attention,
// 0.1 s copies alone, 0.1 s idle.
OverviewInputs oneGpu() {
    OverviewInputs inputs;
    RunFacts& facts = inputs.facts;
    facts.run.name = "second";
    facts.run.range = kRun;
    facts.run.gpuCount = 1;
    facts.run.gpuModel = "NVIDIA H100 80GB HBM3";
    facts.whole.duration = {100 * kSecond};
    facts.whole.gpus = {gpu(0)};
    facts.whole.gpus[0].metrics["gpu_temperature"].max = 66.0;
    facts.whole.energy = Energy{60'000.0, 1.0};
    facts.whole.metrics["gpu_power"].all = mean(600.0);
    facts.whole.metrics["gpu_temperature"].all = mean(60.0);
    facts.steady = facts.whole;
    facts.steadyState.window = kRun;
    facts.traced.push_back({0, kRun, 2.0, 0.1, 0.0, 0.0, {}, 0.1, {}});
    inputs.work = {1, 2.0, 1.9, 0.1, 0.1, 0.0,
        {{"gemm", 1.0}, {"elementwise", 0.5}, {"attention", 0.3}, {"copy", 0.1}}, kRun};
    inputs.sources = {"kineto 1", "kineto 1", "exported 1"};
    return inputs;
}

OverviewInputs untraced() {
    OverviewInputs inputs = oneGpu();
    inputs.work = {};
    inputs.facts.traced.clear();
    inputs.facts.whole.metrics["gpu_utilization"].all = mean(0.25);
    inputs.sources = {"nvsmi 1"};
    return inputs;
}

// 32 GPUs of the clean run, four of them traced for 1 s: 0.9 s busy, 0.02 s of it exposed.
OverviewInputs manyGpus() {
    OverviewInputs inputs;
    inputs.facts = clean();
    inputs.work = {4, 4.0, 3.6, 0.4, 0.0, 0.08, {{"gemm", 3.52}, {"all_reduce", 0.08}}, kRun};
    return inputs;
}

AboveLimit above(int rank, double seconds, double highestW) {
    AboveLimit one;
    one.rank = rank;
    one.limitW = 700.0;
    one.source = "recorded";
    one.seconds = seconds;
    one.coveredSeconds = 100.0;
    one.share = seconds / 100.0;
    one.highestW = highestW;
    one.joules = seconds * 750.0;
    const TimeNs begin{1010 * kSecond};
    if (seconds > 0.0)
        one.steps = {{{begin, begin + DurationNs{std::llround(seconds * 1e9)}}, 750.0}};
    return one;
}

// Ten steps around that mean, a thousandth of it apart.
Spread steps(double meanS) {
    return {10, meanS, meanS * 1e-3, 0.0};
}

SubjectWork workOf(const char* name, int seconds, double workW, double restW) {
    SubjectWork one{name, {}, {}};
    one.work.add(workW, {seconds * kSecond});
    one.rest.add(restW, {(100 - seconds) * kSecond});
    return one;
}

// Everything that is told of it to people.
std::string wordsOf(const OverviewInputs& inputs) {
    const Overview overview = overviewFrom(inputs);
    std::string all = overview.line;
    for (const auto& told : overview.sentences) {
        all += "\n" + told.text;
        for (const auto& part : told.parts)
            all += "\n" + part.name;
    }
    for (const auto& one : overview.checks.missing) {
        all += "\n" + one.data;
        for (const auto& check : one.checks)
            all += "\n" + check;
    }
    return all;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr std::int64_t kLogBegin = 1'700'000'000'000'000'000;
constexpr std::int64_t kBetweenReadings = 100'000'000; // ns
constexpr int kReadings = 1001; // 100 s
constexpr std::int64_t kSamples = 2 * 3 * kReadings; // three metrics of two GPUs

// GPU 0 draws 600 W, GPU 1 400 W, and both only a third of that in 2 s of 5.
enum class Draw { Evenly, InPeriods };
std::vector<double> powerOf(int rank, Draw draw) {
    std::vector<double> watts(kReadings, rank == 0 ? 600.0 : 400.0);
    for (std::size_t i = 0; i < watts.size() && draw == Draw::InPeriods; ++i)
        watts[i] /= i % 50 < 30 ? 1.0 : 3.0;
    return watts;
}

PlantedTrace logOfTwo(Draw draw = Draw::Evenly, bool withUse = true) {
    PlantedTrace log;
    log.run.gpuModel = "NVIDIA H200";
    for (int rank = 0; rank < 2; ++rank) {
        log.gpus.push_back({rank, 0, rank, log.run.gpuModel, {}});
        const auto add = [&](const char* metric, const std::vector<double>& values) {
            log.series(metric, rank, kLogBegin, kBetweenReadings, values);
        };
        add("gpu_power", powerOf(rank, draw));
        add("gpu_temperature", std::vector<double>(kReadings, 60.0 + rank));
        if (withUse)
            add("gpu_utilization", std::vector<double>(kReadings, 0.9));
    }
    return log;
}

const OverviewSentence* sentenceOf(const Overview& overview, Topic topic) {
    for (const OverviewSentence& told : overview.sentences) {
        if (told.topic == topic)
            return &told;
    }
    return nullptr;
}

} // namespace

class tst_Overview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whereTimeWent() {
        const auto told = timeSentence(oneGpu());
        QVERIFY(told);
        QCOMPARE(told->text,
            std::string("The GPU worked for 95 % of the traced time: GEMM 50 %, "
                        "elementwise 25 %, attention 15 %; idle 5 %, 100 ms."));
        QCOMPARE(told->values.at("traced_s"), 2.0);
        QCOMPARE(told->values.at("busy_s"), 1.9);
        QCOMPARE(told->values.at("idle_s"), 0.1);
        QVERIFY(told->isWhole);
        double sum = 0.0;
        for (const auto& part : told->parts)
            sum += part.value;
        QVERIFY(std::abs(sum - 2.0) < 1e-12);
        // The largest first, idle time last.
        QCOMPARE(told->parts.front().name, std::string("GEMM"));
        QCOMPARE(told->parts.back().key, std::string("idle"));
    }

    void whereTimeWentOnSeveral() {
        const auto told = timeSentence(manyGpus());
        QVERIFY(told);
        QCOMPARE(told->text,
            std::string("4 GPUs worked for 90 % of the traced time: GEMM 88 %, AllReduce 2 %; "
                        "idle 10 %, 100 ms each in the mean; exposed communication 2 %."));
    }

    // Only the host: 3 s of self time, of which 2 s are of one call.
    void whereTimeOfAHostWent() {
        OverviewInputs inputs = untraced();
        HostSelfTime host;
        host.ranks = {34};
        host.threads = 3;
        host.calls = 1204;
        host.selfTime = {3'000'000'000};
        host.byName
            = {{"gloo:all_reduce", 10, {2'000'000'000}}, {"aten::mm", 1194, {1'000'000'000}}};
        inputs.host = host;
        const auto told = timeSentence(inputs);
        QVERIFY(told.has_value());
        QVERIFY2(
            told->text.starts_with("Only the host was traced: 1204 calls took 3 s of their own on "
                                   "3 threads of rank 34: gloo:all_reduce 66.7 %, aten::mm 33.3 %"),
            told->text.c_str());
        QCOMPARE(told->parts.size(), std::size_t{2});
        QCOMPARE(told->values.at("host_self_time_s"), 3.0);
        QVERIFY(overviewFrom(inputs).hasTrace);
    }
    void withoutATrace() {
        OverviewInputs inputs = untraced();
        auto told = timeSentence(inputs);
        QVERIFY(told);
        QCOMPARE(told->text, std::string("The GPU was busy for 25 % of the time by utilisation."));
        inputs.facts.whole.metrics.erase("gpu_utilization");
        QVERIFY(!timeSentence(inputs));
        QVERIFY(!stepsSentence(inputs));
        inputs.facts.iterations.powerPeriodS = 22.3;
        QCOMPARE(stepsSentence(inputs)->text, std::string("Power repeats every 22.3 s."));
        QVERIFY(!stepsSentence(inputs)->values.contains("step_time_s"));
    }

    // 100 s, three quarters of them at 600 W and the rest at 80 W; the second GPU works half of it.
    void workAndRestApart() {
        OverviewInputs inputs = untraced();
        WorkAndRest apart;
        apart.isByUtilization = true;
        apart.subjects = {workOf("rank 0", 75, 600.0, 80.0)};
        inputs.workAndRest = apart;
        auto told = timeSentence(inputs);
        QCOMPARE(told->text,
            std::string("The GPU worked for 75 % of the time, at 600 W; at rest it drew 80 W; "
                        "utilisation 25 % in the mean."));
        QCOMPARE(told->values.at("work_share"), 0.75);
        QCOMPARE(told->values.at("work_energy_j"), 45'000.0);
        QCOMPARE(told->values.at("rest_energy_j"), 2'000.0);
        QVERIFY(told->isWhole);
        inputs.workAndRest->isByUtilization = false;
        inputs.workAndRest->subjects.push_back(workOf("rank 1", 50, 600.0, 80.0));
        inputs.facts.whole.metrics.erase("gpu_utilization");
        told = timeSentence(inputs);
        QCOMPARE(told->text,
            std::string("The 2 GPUs worked for 62.5 % of the time, as two levels of power tell, at "
                        "600 W each; at rest they drew 80 W; rank 1 worked least, 50 %."));
        QCOMPARE(told->parts.front().name, std::string("rank 1"));
        QCOMPARE(told->parts.front().value, 0.5);
        inputs.workAndRest->isOfNodes = true;
        QVERIFY(contains(timeSentence(inputs)->text, "The 2 nodes worked"));
    }

    // Twenty-one steps of 100 ms to 120 ms, the last of them ends 5 s late and begins 3 s late.
    void stepsAreToldFirst() {
        OverviewInputs inputs = oneGpu();
        RunFacts& facts = inputs.facts;
        facts.efficiency.stepTimeS = 0.110;
        facts.efficiency.stepWindow = "the median of iterations 1 to 21";
        QCOMPARE(stepsSentence(inputs)->text, std::string("A step takes 110 ms."));
        facts.efficiency.tokensPerS = 2e6;
        facts.efficiency.mfu = 0.412;
        QCOMPARE(stepsSentence(inputs)->text,
            std::string("A step takes 110 ms: 2 Mtokens/s, MFU 41.2 %."));
        facts.efficiency.mfu.reset();
        facts.whole.metrics["reported_mfu"].all.p50 = 0.38;
        QVERIFY(contains(stepsSentence(inputs)->text, ", MFU 38 % as reported."));
        facts.whole.metrics["reported_mfu"].all.max = 1.08; // cannot be
        QVERIFY(!contains(stepsSentence(inputs)->text, "MFU"));
        TimeNs at = facts.run.range.begin;
        for (int i = 0; i < 21; ++i) {
            if (i == 20)
                at = at + DurationNs{3 * kSecond};
            const DurationNs length{i == 20 ? 5 * kSecond : (100 + i) * 1'000'000};
            facts.iterations.iterations.push_back({i + 1, {at, at + length}, -1, false});
            at = at + length;
        }
        const auto told = stepsSentence(inputs);
        VERIFY_SAYS(told->text, "; 9 of 10 take 101 ms to 119 ms, the longest 5 s (iteration 21).");
        QCOMPARE(told->evidence.range, facts.iterations.iterations.back().range);
        // Every step is in a column.
        const auto& counts = told->spread.counts;
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 21);
        QVERIFY(overviewFrom(inputs).sentences.front().topic == Topic::Steps);
        QCOMPARE(overviewWindow(inputs),
            std::string(
                "Numbers are of the whole run, 100 s; step time, the median of iterations 1 "
                "to 21; traced time, 2 s"));
    }

    void theGoodput() {
        OverviewInputs inputs = untraced();
        QVERIFY(!goodputSentence(inputs));
        Goodput& goodput = inputs.goodput;
        goodput.wallS = 100.0;
        goodput.seconds[JobPart::Counted] = 72.0;
        goodput.seconds[JobPart::Restart] = 20.0;
        goodput.seconds[JobPart::Repeated] = 7.95;
        goodput.seconds[JobPart::Idle] = 0.05; // too little for the sentence
        const auto told = goodputSentence(inputs);
        QCOMPARE(told->text,
            std::string("Steps that counted took 72 % of the job's 100 s; restarts 20 s and steps "
                        "done again 7.95 s."));
        QCOMPARE(told->values.at("goodput"), 0.72);
        QCOMPARE(told->values.at("repeated_s"), 7.95);
        QCOMPARE(told->parts.size(), 4U);
        QCOMPARE(told->parts.back().key, std::string("idle"));
        QVERIFY(told->isWhole);
        QVERIFY(overviewFrom(inputs).sentences.size() > 1);
    }

    void theLoss() {
        OverviewInputs inputs = untraced();
        QVERIFY(!lossSentence(inputs));
        auto& loss = inputs.facts.whole.metrics["loss"].all;
        loss.first = 11.06;
        loss.last = 2.368;
        loss.min = 2.285;
        QCOMPARE(lossSentence(inputs)->text,
            std::string("The loss fell from 11.1 to 2.37, 2.29 at the lowest."));
        QCOMPARE(lossSentence(inputs)->values.at("loss_last"), 2.368);
        loss.last = 12.0;
        QVERIFY(contains(lossSentence(inputs)->text, "went from 11.1 to 12"));
    }

    void thePeakOfMemory() {
        OverviewInputs inputs = oneGpu();
        QVERIFY(!memorySentence(inputs));
        DeviceMemory device;
        device.rank = 3;
        device.peakAllocated = 3e9;
        device.peakTime = inputs.facts.run.range.begin + DurationNs{12 * kSecond};
        device.reservedThen = 4e9;
        inputs.memory = {device};
        QCOMPARE(memorySentence(inputs)->text,
            std::string("The GPU had 3 GB allocated at the most, at 12 s, of 4 GB reserved."));
        inputs.memory.insert(inputs.memory.begin(), DeviceMemory());
        AllocatorRecord record;
        record.events = 5;
        record.peak.time = device.peakTime;
        record.peak.byUse = {{MemoryUse::Activation, 2'000'000'000}, {MemoryUse::Parameter, 1}};
        record.peak.largest
            = {{MemoryUse::Activation, 500'000'000, 2, {"forward (model.py:12)", "main"}}};
        inputs.memory.back().record = record;
        auto told = memorySentence(inputs);
        QCOMPARE(told->text,
            std::string("Rank 3 had 3 GB allocated at the most, at 12 s, of 4 GB reserved; "
                        "forward (model.py:12) holds most, 1 GB."));
        QCOMPARE(told->evidence.rank, 3);
        QCOMPARE(told->evidence.range.begin, device.peakTime);
        QCOMPARE(told->values.at("largest_holder_b"), 1e9);
        QCOMPARE(told->parts.front().name, std::string("Activations"));
        // Without a history neither the peak nor its time is known.
        inputs.memory.back().record->events = 0;
        told = memorySentence(inputs);
        QVERIFY(contains(told->text, "had 3 GB allocated at the snapshot, of"));
        QVERIFY(!told->values.contains("peak_s"));
    }

    void theCaptures() {
        OverviewInputs inputs = oneGpu();
        QVERIFY(!capturesSentence(inputs));
        inputs.captures = CaptureChange{"b takes 20 % less time per step", {{{}, "a", 0.1}}};
        QCOMPARE(capturesSentence(inputs)->text, std::string("b takes 20 % less time per step."));
        QCOMPARE(proofPlace({}, *capturesSentence(inputs)), std::string("Compare"));
    }

    void whereEnergyWent() {
        OverviewInputs inputs = oneGpu();
        QCOMPARE(
            energySentence(inputs)->text, std::string("The GPU took 60 kJ, 600 W in the mean."));
        GpuEnergy traced;
        traced.rank = 0;
        inputs.energy.gpus = {traced};
        inputs.energy.sum.total.known = EstimatedEnergy{1200.0, 1190.0, 1210.0};
        inputs.energy.sum.categories["gemm"].known = EstimatedEnergy{700.0, 600.0, 750.0};
        inputs.energy.sum.categories["idle"].unknown = NoEnergy::NotTold;
        const auto told = energySentence(inputs);
        QCOMPARE(told->text,
            std::string("The GPU took 60 kJ, 600 W in the mean; of the 1.2 kJ while it "
                        "was traced, GEMM 700 J (600 J to 750 J)."));
        QCOMPARE(told->parts.size(), std::size_t{2});
        QCOMPARE(told->parts.back().value, 500.0); // 1,200 − 700 that the readings do not tell
    }

    void energyOfSteps() {
        OverviewInputs inputs = oneGpu();
        inputs.facts.efficiency.energyPerStepJ = 180.6;
        QCOMPARE(energySentence(inputs)->text,
            std::string("The GPU took 60 kJ, 600 W in the mean; 181 J a step."));
        inputs.facts.efficiency.tokensPerJ = 500.0;
        QVERIFY(energySentence(inputs)->text.ends_with("; 181 J a step, 2 mJ a token."));
        inputs.facts.efficiency.tokensPerJ.reset();
        inputs.facts.efficiency.energyBetweenStepsJ = 71.0;
        QCOMPARE(energySentence(inputs)->text,
            std::string("The GPU took 60 kJ, 600 W in the mean; 181 J a step, and 71 J "
                        "more between steps."));
        QCOMPARE(energySentence(inputs)->values.at("energy_between_steps_j"), 71.0);
    }

    void energyOfSomeGpus() {
        OverviewInputs inputs = manyGpus();
        for (auto& one : inputs.facts.whole.gpus) {
            if (one.gpu.rank > 0)
                one.energy.reset();
        }
        inputs.facts.whole.energy = Energy{60'000.0, 1.0};
        QVERIFY(energySentence(inputs)->text.starts_with("1 of 32 GPUs took 60 kJ"));
    }

    void energyOfNodes() {
        OverviewInputs inputs = oneGpu();
        inputs.facts.whole.energy.reset();
        QVERIFY(!energySentence(inputs));
        inputs.facts.whole.nodeEnergy = Energy{123'000.0, 1.0};
        QCOMPARE(energySentence(inputs)->text, std::string("The node took 123 kJ."));
    }

    void heat() {
        OverviewInputs inputs = oneGpu();
        QCOMPARE(heatSentence(inputs)->text, std::string("The GPU reached 66 °C."));
        inputs.facts.throttling = Throttling{};
        QCOMPARE(heatSentence(inputs)->text,
            std::string("The GPU reached 66 °C and never throttled, as clocks tell."));
        inputs.facts.throttling->basis = ThrottleBasis::Reasons;
        QCOMPARE(
            heatSentence(inputs)->text, std::string("The GPU reached 66 °C and never throttled."));
        ThrottleEpisode episode;
        episode.range = {kRun.begin, kRun.begin + DurationNs{8 * kSecond}};
        episode.cause = ThrottleCause::Power;
        inputs.facts.throttling->fraction = 0.08;
        inputs.facts.throttling->episodes = {{0, episode}};
        inputs.facts.throttling->causes[ThrottleCause::Power] = {1, 8.0, 1.0};
        const auto told = heatSentence(inputs);
        QCOMPARE(told->text,
            std::string(
                "The GPU reached 66 °C; it throttled for 8 % of the time, by the power limit."));
        QCOMPARE(told->evidence.range, episode.range);
        // Little is not never.
        inputs.facts.throttling->fraction = 0.000'3;
        QVERIFY(contains(heatSentence(inputs)->text, "throttled for 0.03 % of the time"));
        inputs.facts.throttling->fraction = 0.000'003;
        QVERIFY(contains(heatSentence(inputs)->text, "throttled for <0.01 % of the time"));
        inputs.facts.throttling->basis = ThrottleBasis::Clocks;
        QVERIFY(contains(heatSentence(inputs)->text, "of the time, as clocks tell, by the power"));
    }

    void heatOfSeveral() {
        OverviewInputs inputs = manyGpus();
        inputs.facts.whole.gpus[3].metrics["gpu_temperature"].max = 62.0;
        QCOMPARE(heatSentence(inputs)->text,
            std::string("Rank 3 reached 62 °C; the GPUs never throttled, as clocks tell."));
        for (auto& one : inputs.facts.whole.gpus)
            one.metrics["gpu_temperature"].max = one.gpu.rank == 13 ? 84.0 : 61.0;
        const auto told = heatSentence(inputs);
        QCOMPARE(told->text,
            std::string("Rank 13 was the hottest with 84 °C, the coolest GPU reached 61 °C; the "
                        "GPUs never throttled, as clocks tell."));
        QCOMPARE(told->evidence.rank, 13);
    }

    // The hottest GPU is pictured, wherever the longest episode was.
    void theHottestIsPictured() {
        OverviewInputs inputs = manyGpus();
        for (auto& one : inputs.facts.whole.gpus)
            one.metrics["gpu_temperature"].max = one.gpu.rank == 13 ? 84.0 : 61.0;
        ThrottleEpisode episode;
        episode.range = {kRun.begin, kRun.begin + DurationNs{8 * kSecond}};
        episode.cause = ThrottleCause::Power;
        inputs.facts.throttling = Throttling{};
        inputs.facts.throttling->basis = ThrottleBasis::Reasons;
        inputs.facts.throttling->fraction = 0.08;
        inputs.facts.throttling->episodes = {{10, episode}};
        inputs.facts.throttling->causes[ThrottleCause::Power] = {1, 8.0, 1.0};
        const auto told = heatSentence(inputs);
        QCOMPARE(told->text,
            std::string(
                "Rank 13 was the hottest with 84 °C, the coolest GPU reached 61 °C; GPUs throttled "
                "for 8 % of the GPUs' time, by the power limit; rank 10 had the longest episode."));
        QCOMPARE(told->picturedRank, std::optional(13));
        QCOMPARE(told->evidence.rank, 10);
        QCOMPARE(told->evidence.range, episode.range);
    }

    void aboveTheLimit() {
        OverviewInputs inputs = oneGpu();
        QVERIFY(!limitSentence(inputs));
        inputs.facts.aboveLimit = {above(0, 0.0, 652.0)};
        QCOMPARE(limitSentence(inputs)->text,
            std::string("Power stayed below the limit of 700 W: 652 W at the highest."));
        inputs.facts.aboveLimit = {above(0, 16.0, 888.667)};
        auto told = limitSentence(inputs);
        QCOMPARE(told->text,
            std::string("Power was above the limit of 700 W for 16 s, 16 % of the time, and "
                        "reached 889 W."));
        QCOMPARE(told->values.at("seconds"), 16.0);
        QCOMPARE(told->values.at("highest_w"), 888.667);
        QCOMPARE(told->evidence.range.begin, (TimeNs{1010 * kSecond}));
        // 16 s and 4 s of 100 s each are 10 % of the GPUs' time.
        inputs = manyGpus();
        inputs.facts.aboveLimit = {above(0, 4.0, 720.0), above(7, 16.0, 760.0)};
        told = limitSentence(inputs);
        QCOMPARE(told->text,
            std::string("Power was above the limit of 700 W for 20 s summed over the GPUs, 10 % of "
                        "their time, and reached 760 W."));
        QCOMPARE(told->evidence.rank, 7);
    }

    void stragglers() {
        OverviewInputs inputs = manyGpus();
        for (auto& one : inputs.facts.communication->ranks)
            one.waitS = one.rank == 2 ? 0.0 : 0.2;
        waitFor(inputs.facts, {{2, 0.5}, {kNoRank, 0.1}});
        const auto told = ranksSentence(inputs);
        QVERIFY(told);
        QCOMPARE(told->text,
            std::string("Rank 2 keeps the others waiting: 500 ms of 600 ms that ranks wait for "
                        "each other, 15 % of the traced time."));
        QCOMPARE(told->values.at("straggler"), 2.0);
        // The picture has the numbers of the sentence.
        QCOMPARE(told->parts.front().name, std::string("rank 2"));
        QCOMPARE(told->parts.front().value, 0.5);
    }

    void againstTheRunBefore() {
        OverviewInputs inputs = oneGpu();
        QVERIFY(!changeSentence(inputs));
        inputs.before = RunBefore{"first", steps(0.100), steps(0.112), 0.100, 0.110};
        QCOMPARE(changeSentence(inputs)->text,
            std::string("A step takes 10 % more time than in the run before, 'first': 110 ms "
                        "against 100 ms, over 10 and 10 steps after warm-up."));
        inputs.before->steps = steps(0.090);
        inputs.before->stepTimeS = 0.090;
        QVERIFY(contains(changeSentence(inputs)->text, "10 % less time"));
        QCOMPARE(changeSentence(inputs)->values.at("ratio"), 0.9);
        // A spread of 5 ms around both hides a difference of 1 ms.
        inputs.before = RunBefore{
            "first", Spread{10, 0.100, 0.005, 0.0}, Spread{10, 0.101, 0.005, 0.0}, 0.100, 0.101};
        QVERIFY(contains(changeSentence(inputs)->text, "within the spread"));
    }

    // A trace of operations has no host that could be on the path.
    void thePathOfOperations() {
        auto graph = std::make_shared<StepGraph>();
        auto replay = std::make_shared<StepReplay>();
        replay->graph = graph;
        replay->measuredS = replay->path.seconds = 2.0;
        replay->path.byCategory = {{"forward-compute", 1.5}, {"delay", 0.5}};
        OverviewInputs inputs;
        inputs.facts.replay = replay;
        QVERIFY(contains(pathSentence(inputs)->text, "lie neither communication nor the host: "));
        graph->isOfOperations = true;
        QVERIFY(contains(pathSentence(inputs)->text, "lie no communication: forward-compute 75 %"));
    }

    void noMoreThanAreRead() {
        OverviewInputs inputs = manyGpus();
        inputs.facts.whole.gpus[0].metrics["gpu_temperature"].max = 70.0;
        inputs.facts.communication.reset();
        inputs.facts.aboveLimit = {above(0, 0.0, 652.0)};
        inputs.facts.efficiency.stepTimeS = 0.11;
        inputs.before = RunBefore{"first", steps(0.1), steps(0.11), 0.1, 0.11};
        inputs.captures = CaptureChange{"b takes 20 % less time per step", {{{}, "a", 0.1}}};
        inputs.facts.changes.emplace_back();
        inputs.memory.emplace_back().peakAllocated = 3e9;
        inputs.goodput.wallS = 100.0;
        inputs.goodput.seconds[JobPart::Counted] = 50.0;
        const Overview overview = overviewFrom(inputs);
        QCOMPARE(overview.sentences.size(), kMostTold);
        // Power below its limit tells least.
        for (const auto& told : overview.sentences)
            QVERIFY(told.topic != Topic::Limit);
    }

    // Traces of anything on the same machine are no steps of one work.
    void runsBeforeAreOfOneJob() {
        std::vector<Run> runs;
        const auto add = [&runs](std::string name, std::string model, std::int64_t begin) {
            Run run;
            run.id = {std::ssize(runs) + 1};
            run.name = std::move(name);
            if (!model.empty())
                run.launch.model = std::move(model);
            run.range = {{begin}, {begin + 10}};
            runs.push_back(std::move(run));
        };
        add("train-8", "", 100);
        add("train-9", "", 200);
        add("inference", "", 300);
        add("train-10", "", 400);
        add("night", "llama-3-8b", 500);
        add("morning", "llama-3-8b", 600);
        add("train-11", "llama-3-8b", 450);
        const auto before = [&runs](std::size_t i) {
            const Run* run = runBefore(runs, runs[i]);
            return run == nullptr ? std::string("none") : run->name;
        };
        QCOMPARE(before(0), std::string("none"));
        QCOMPARE(before(1), std::string("train-8"));
        QCOMPARE(before(2), std::string("none"));
        QCOMPARE(before(3), std::string("train-9"));
        QCOMPARE(before(4), std::string("train-11"));
        QCOMPARE(before(5), std::string("night"));
        QCOMPARE(before(6), std::string("none"));
    }

    void oneGpuHasNoRanks() {
        OverviewInputs inputs = oneGpu();
        inputs.facts.aboveLimit = {above(0, 16.0, 888.0)};
        inputs.facts.throttling = Throttling{};
        inputs.before = RunBefore{"first", steps(0.1), steps(0.11), 0.1, 0.11};
        const std::string words = wordsOf(inputs);
        QVERIFY2(!contains(words, "rank") && !contains(words, "Rank"), words.c_str());
        QVERIFY2(!contains(words, "GPUs"), words.c_str());
    }

    void noTraceNoKernels() {
        OverviewInputs inputs = untraced();
        inputs.facts.aboveLimit = {above(0, 16.0, 888.0)};
        inputs.facts.throttling = Throttling{};
        const std::string words = wordsOf(inputs);
        QVERIFY2(!contains(words, "kernel") && !contains(words, "Kernel"), words.c_str());
    }

    // A GPU with power and temperature alone: no limit, clock, counter, link, trace, step, model or
    // dump.
    void checksOfLittle() {
        OverviewInputs inputs = untraced();
        const OverviewChecks checks = checksOf(inputs);
        // The run's end; implausible power, swings, slow sensors; temperatures that never
        // settled; coverage and missing samples.
        QCOMPARE(checks.made, 7);
        QVERIFY(!checks.missing.empty());
        // Six want a trace: early, overrunning and no work, idle time, copies, the host.
        QCOMPARE(checks.missing.front().data, std::string("a trace"));
        QCOMPARE(checks.missing.front().checks.size(), std::size_t{6});
        // 41 checks, of which 14 compare GPUs, nodes, ranks or runs.
        QCOMPARE(checks.made + checks.notMade(), 27);
        // GPUs that are known by their UUIDs could be compared with their earlier runs.
        inputs.facts.whole.gpus.front().gpu.uuid = "GPU-1";
        QCOMPARE(checksOf(inputs).made, checks.made);
        QCOMPARE(checksOf(inputs).notMade(), checks.notMade() + 1);
        inputs.facts.whole.gpus.front().gpu.uuid.clear();
        // Bubbles and the power of stages want two stages.
        for (int stage = 0; stage < 2; ++stage) {
            inputs.facts.stageOf[stage] = stage;
            const OverviewChecks staged = checksOf(inputs);
            QCOMPARE(staged.made + staged.notMade(), checks.made + checks.notMade() + 2 * stage);
        }
    }

    // A trace of one rank of many tells its exposed communication; only what ranks do to each
    // other wants several.
    void checksOfOneRankOfMany() {
        OverviewInputs inputs = manyGpus();
        inputs.facts.traced.resize(1);
        inputs.facts.communication.reset();
        const OverviewChecks checks = checksOf(inputs);
        const auto wanting = std::find_if(checks.missing.begin(), checks.missing.end(),
            [](const MissingData& one) { return one.data == "traces of several ranks"; });
        QVERIFY(wanting != checks.missing.end());
        QCOMPARE(wanting->checks,
            (std::vector<std::string>{
                "stragglers", "use of the links by collectives", "clocks of the ranks"}));
    }

    // The sentences of Findings, the costliest first.
    void findingsAreTold() {
        OverviewInputs inputs = manyGpus();
        QVERIFY(checksOf(inputs).findings.empty());
        for (TracedDevice& device : inputs.facts.traced)
            device.idleS = 0.5; // in 1 s
        const auto found = applyRules(inputs.facts);
        QVERIFY(!found.empty());
        const OverviewChecks checks = checksOf(inputs);
        QCOMPARE(checks.findings.size(), found.size());
        QCOMPARE(checks.findings.front(), found.front().text);
    }

    void theLine() {
        OverviewInputs inputs = oneGpu();
        QVERIFY2(contains(overviewLine(inputs), "2 traces and 1 recording"),
            overviewLine(inputs).c_str());
        QVERIFY(contains(overviewLine(inputs), "100 s"));
        inputs.sources = {"nvsmi 1", "nobody 1"};
        QVERIFY(contains(overviewLine(inputs), "1 nvidia-smi log and 1 other source"));
    }

    // The sentences of a long log that are told first are those of the whole overview, word for
    // word.

    void areThoseOfTheWhole() {
        PlantedTrace log = logOfTwo();
        const auto store = log.store();
        const Run run = got(store.findRun("run"));
        const auto first = got(firstSentences({store}, run, kSamples - 1));
        const Overview whole = got(overviewOf({store}, run));
        QVERIFY(first && first->isPartial && !whole.isPartial);
        QCOMPARE(first->line, whole.line);
        QCOMPARE(first->checks.made, 0);
        QVERIFY(whole.checks.made > 0);
        for (const Topic topic : {Topic::Time, Topic::Energy}) {
            const OverviewSentence* told = sentenceOf(*first, topic);
            QVERIFY(told != nullptr && sentenceOf(whole, topic) != nullptr);
            QCOMPARE(told->text, sentenceOf(whole, topic)->text);
            QCOMPARE(told->values, sentenceOf(whole, topic)->values);
        }
        // Both for 100 s.
        VERIFY_NEAR(sentenceOf(*first, Topic::Energy)->values.at("energy_j"), 100'000.0, 1e-3);
        // Temperatures were not read.
        QVERIFY(sentenceOf(*first, Topic::Heat) == nullptr);
        QVERIFY(sentenceOf(whole, Topic::Heat) != nullptr);
    }

    // The search for the period of the power comes with the rest.
    void stepsComeLater() {
        PlantedTrace log = logOfTwo(Draw::InPeriods);
        const auto store = log.store();
        const Run run = got(store.findRun("run"));
        const auto first = got(firstSentences({store}, run, kSamples - 1));
        const Overview whole = got(overviewOf({store}, run));
        QVERIFY(sentenceOf(*first, Topic::Steps) == nullptr);
        QCOMPARE(sentenceOf(whole, Topic::Steps)->text, std::string("Power repeats every 5 s."));
        QCOMPARE(
            sentenceOf(*first, Topic::Energy)->values, sentenceOf(whole, Topic::Energy)->values);
    }

    void shortLogsAreToldAtOnce() {
        PlantedTrace log = logOfTwo();
        const auto store = log.store();
        const Run run = got(store.findRun("run"));
        QVERIFY(!got(firstSentences({store}, run, kSamples)));
        QVERIFY(!got(firstSentences({store}, run)));
    }

    // The time of a traced run is told by its traces, which are read with the rest.
    void tracesComeLater() {
        PlantedTrace log = logOfTwo();
        auto store = log.store();
        Span kernel;
        kernel.start = {kLogBegin};
        kernel.duration = {kBetweenReadings};
        kernel.kind = SpanKind::Kernel;
        addTrack(store, {kernel}, "/data/b");
        const auto first = got(firstSentences({store}, got(store.findRun("run")), 0));
        QVERIFY(first && sentenceOf(*first, Topic::Energy) != nullptr);
        QVERIFY(sentenceOf(*first, Topic::Time) == nullptr);
    }

    // Two GPUs that draw 600 W and 400 W, both a third of it in 2 s of 5. With utilisation, which
    // is 90 % throughout, they never rest; without it 400 W and 600 W are work, 133 W and 200 W
    // are rest.
    void workAndRestOfALog() {
        PlantedTrace log = logOfTwo(Draw::InPeriods);
        const auto store = log.store();
        const auto busy = got(workAndRestOf({store, got(store.findRun("run"))}));
        QVERIFY(busy && busy->isByUtilization);
        QCOMPARE(busy->together().workShare(), 1.0);
        PlantedTrace bare = logOfTwo(Draw::InPeriods, false);
        const auto other = bare.store();
        const auto apart = got(workAndRestOf({other, got(other.findRun("run"))}));
        QVERIFY(apart && !apart->isByUtilization);
        VERIFY_NEAR(apart->together().workShare(), 0.6, 1e-9);
        VERIFY_NEAR(*apart->together().work.mean(), 500.0, 1e-9);
        VERIFY_NEAR(*apart->together().rest.mean(), 500.0 / 3.0, 1e-9);
        // Even power has one level.
        PlantedTrace evenly = logOfTwo(Draw::Evenly, false);
        const auto even = evenly.store();
        QVERIFY(!got(workAndRestOf({even, got(even.findRun("run"))})));
    }
};

TRAINSCOPE_TEST(tst_Overview)
#include "tst_Overview.moc"
