// Planted facts of a database come out as findings with their numbers, and nothing else does.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1'700'000'000 * kSecond;
constexpr int kSamples = 1000; // 10 a second

// A GPU's sensors at a moment, seconds from the start.
struct Moment {
    double watts = 600.0;
    double celsius = 60.0;
    double hertz = 1.98e9;
};
using Sensors = Moment (*)(int rank, double seconds);

Moment quiet(int, double) {
    return {};
}

// The rear half is 8 °C hotter; rank 5 runs at half its clock from 10 s to 30 s, at its limit.
Moment hotBehind(int rank, double seconds) {
    Moment moment;
    moment.celsius = rank < 4 ? 60.0 : 68.0;
    if (rank == 5 && seconds >= 10.0 && seconds < 30.0)
        moment = {600.0, 88.0, 0.99e9};
    return moment;
}

// A run called "run" of that many GPUs of that model.
PlantedTrace gpusOf(const char* model, int count) {
    PlantedTrace trace;
    trace.run.gpuModel = model;
    for (int rank = 0; rank < count; ++rank)
        trace.gpus.push_back({rank, 0, rank, trace.run.gpuModel, {}});
    return trace;
}

std::vector<Finding> findingsIn(PlantedTrace& trace) {
    const auto store = trace.store();
    return got(findingsOf(studyOf(store)));
}

std::vector<Finding> measured(Sensors sensors) {
    PlantedTrace trace = gpusOf("NVIDIA H200", 8);
    for (int rank = 0; rank < 8; ++rank) {
        std::vector<double> watts;
        std::vector<double> celsius;
        std::vector<double> hertz;
        for (int i = 0; i < kSamples; ++i) {
            const Moment moment = sensors(rank, i / 10.0);
            watts.push_back(moment.watts);
            celsius.push_back(moment.celsius);
            hertz.push_back(moment.hertz);
        }
        trace.series("gpu_power", rank, kStart, kSecond / 10, watts);
        trace.series("gpu_temperature", rank, kStart, kSecond / 10, celsius);
        trace.series("sm_clock", rank, kStart, kSecond / 10, hertz);
        trace.series(
            "gpu_utilization", rank, kStart, kSecond / 10, std::vector<double>(kSamples, 1.0));
    }
    return findingsIn(trace);
}

// Two H100 for 100 s, 10 samples a second; busy (90 %) for 6 s of every 10, in which rank 1
// receives `rate` B/s over NVLink by a counter of 32 bits in KiB; idle (20 %) it receives a tenth
// of it. The utilisation is recorded for that many samples.
std::vector<Finding> transferring(double rate, std::size_t used = kSamples) {
    PlantedTrace trace = gpusOf("NVIDIA H100 80GB HBM3", 2);
    for (int rank = 0; rank < 2; ++rank) {
        std::vector<double> use;
        std::vector<double> counts;
        std::vector<TimeNs> at;
        double bytes = 4.0e12; // near its wrap
        for (int i = 0; i < kSamples; ++i) {
            const bool isBusy = i % 100 < 60;
            use.push_back(isBusy ? 0.9 : 0.2);
            at.push_back({kStart + i * kSecond / 10});
            counts.push_back(std::fmod(std::floor(bytes / 1024.0), 4294967296.0));
            bytes += (isBusy ? 0.1 : 0.01) * (rank == 1 ? rate : rate / 2.0);
        }
        use.resize(used);
        trace.series("gpu_utilization", rank, kStart, kSecond / 10, use);
        auto description = gauge("nvlink_rx", rank);
        description.metric = *findMetric("nvlink_rx");
        description.scale = 1024.0;
        description.counterBits = 32;
        trace.series(description, at, counts);
    }
    return findingsIn(trace);
}

// Four ranks compute and reduce 50 times, 10 ms each; rank 2 comes `late` ns after the others.
std::vector<Finding> traced(std::int64_t late, std::int64_t clockOffset) {
    test::PlantedRun planted;
    planted.run.gpuModel = "NVIDIA H100 80GB HBM3";
    planted.clocks[3].offsetNs = clockOffset;
    const std::vector<int> ranks{0, 1, 2, 3};
    for (const int rank : ranks)
        planted.gpus.push_back({rank, 0, rank, planted.run.gpuModel, ""});
    std::mt19937 random(7);
    const std::string detail = test::collectiveDetail("allreduce", 27'000'000, "tp", ranks);
    for (std::int64_t step = 0; step < 50; ++step) {
        const std::int64_t begin = step * 10'000'000;
        std::vector<std::int64_t> starts;
        for (const int rank : ranks) {
            const auto jitter = static_cast<std::int64_t>(random() % 2000);
            const std::int64_t end = begin + 9'400'000 + jitter + (rank == 2 ? late : 0);
            planted.calls.push_back({rank, begin, end, "sm90_gemm", "", "7"});
            starts.push_back(end);
        }
        planted.addCollective(ranks, starts, 300'000, detail, [] { return std::int64_t{0}; });
    }
    const auto store = planted.stored();
    return got(findingsOf(studyOf(store)));
}

// Eight ranks compute and reduce 480 times. In two of five steps rank 3 comes 228 µs late, in the
// others one of the seven others 45 µs, each in turn.
std::vector<Finding> lateByTurns() {
    test::PlantedRun planted;
    std::vector<int> ranks;
    for (int rank = 0; rank < 8; ++rank)
        ranks.push_back(rank);
    const std::string detail = test::collectiveDetail("allreduce", 27'000'000, "world", ranks);
    std::int64_t now = 0;
    int turn = 0;
    for (std::int64_t step = 0; step < 480; ++step) {
        const bool isRankThree = step % 5 < 2;
        if (!isRankThree)
            turn = turn == 2 ? 4 : (turn + 1) % 8;
        std::vector<std::int64_t> starts;
        for (const int rank : ranks) {
            const std::int64_t late = rank != (isRankThree ? 3 : turn) ? 0
                : isRankThree                                          ? 228'000
                                                                       : 45'000;
            starts.push_back(now + 1'000'000 + step * step % 97 * 1'000 + late);
            planted.calls.push_back({rank, now, starts.back(), "sm90_gemm", "", "7"});
        }
        planted.addCollective(ranks, starts, 20'000, detail, [] { return std::int64_t{0}; });
        now = *std::max_element(starts.begin(), starts.end()) + 20'000;
    }
    const auto store = planted.stored();
    return got(findingsOf(studyOf(store)));
}

// A rank computes for 10 ms of each of ten steps, of which the first two last 30 ms.
std::vector<Finding> slowAtFirst() {
    test::PlantedRun planted;
    std::int64_t now = 0;
    for (std::int64_t step = 0; step < 10; ++step) {
        const std::int64_t length = step < 2 ? 30'000'000 : 10'000'000;
        planted.calls.push_back({0, now, now + 10'000'000, "sm90_gemm", "", "7"});
        planted.iterations.push_back({step, {{now}, {now + length}}, 0, false});
        now += length;
    }
    const auto store = planted.stored();
    return got(findingsOf(studyOf(store)));
}

std::set<std::string> rulesOf(const std::vector<Finding>& findings) {
    std::set<std::string> rules;
    for (const Finding& finding : findings)
        rules.insert(finding.rule);
    return rules;
}

const Finding& the(const std::vector<Finding>& findings, const char* rule) {
    for (const Finding& finding : findings) {
        if (finding.rule == rule)
            return finding;
    }
    throw std::runtime_error(rule);
}

bool isAbout(double value, double expected, double within = 0.02) {
    return std::abs(value - expected) <= within * std::abs(expected);
}

using Rules = std::set<std::string>;

} // namespace

class tst_FindingsOf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quietTelemetryGivesNone() { QCOMPARE(rulesOf(measured(quiet)), Rules{}); }

    void heatAndThrottling() {
        const auto findings = measured(hotBehind);
        QCOMPARE(rulesOf(findings), (Rules{"front_rear_gradient", "throttling"}));
        // 20 s of 8 GPUs × 100 s; half of the clock in it.
        const Finding& throttling = the(findings, "throttling");
        QVERIFY(isAbout(throttling.values.at("fraction"), 20.0 / 800.0));
        QVERIFY(isAbout(throttling.values.at("lost_fraction"), 10.0 / 800.0));
        QVERIFY(isAbout(throttling.values.at("thermal_share"), 1.0));
        QCOMPARE(throttling.evidence.rank, 5);
        QVERIFY(
            isAbout(static_cast<double>(throttling.evidence.range.begin.ns - kStart), 10e9, 0.02));
        const Finding& gradient = the(findings, "front_rear_gradient");
        // In the settled time, that is after the heat of rank 5.
        QVERIFY(gradient.evidence.range.begin.ns >= kStart + 29 * kSecond);
        QVERIFY(isAbout(gradient.values.at("gradient_c"), 8.0, 0.05));
        QVERIFY(isAbout(gradient.values.at("rear_throttled"), 20.0 / 400.0));
        QCOMPARE(gradient.values.at("front_throttled"), 0.0);
    }

    void evenTracesGiveNone() { QCOMPARE(rulesOf(traced(0, 0)), Rules{}); }

    // Idle for 40 of 140 ms, all of them in the steps of warm-up.
    void warmupIsNoCost() { QCOMPARE(rulesOf(slowAtFirst()), Rules{"warmup"}); }

    void aStragglerOnClocksThatDiffer() {
        const auto findings = traced(200'000, 1'200'000);
        QCOMPARE(rulesOf(findings), (Rules{"straggler", "clock_offsets"}));
        const Finding& straggler = the(findings, "straggler");
        QCOMPARE(straggler.evidence.rank, 2);
        QCOMPARE(straggler.values.at("times_last"), 50.0);
        QCOMPARE(straggler.values.at("collectives"), 50.0);
        QVERIFY(isAbout(straggler.values.at("caused_wait_s"), 50 * 3 * 0.0002));
        // Four ranks are traced for half a second each.
        QVERIFY(isAbout(straggler.values.at("fraction"), 0.03 / 2.0));
        const Finding& clocks = the(findings, "clock_offsets");
        QCOMPARE(clocks.evidence.rank, 3);
        QVERIFY(isAbout(clocks.values.at("largest_s"), 0.0012));
    }

    // Last in 40 % of the collectives, at 192 × 7 × 228 µs of the waiting; the others cause
    // 288 × 7 × 45 µs.
    void theStragglerIsWhoCostsMost() {
        const auto findings = lateByTurns();
        QCOMPARE(rulesOf(findings), Rules{"straggler"});
        QCOMPARE(findings.size(), std::size_t{1});
        const Finding& straggler = the(findings, "straggler");
        QCOMPARE(straggler.evidence.rank, 3);
        QVERIFY(isAbout(straggler.values.at("caused_wait_s"), 0.306432, 1e-6));
        QVERIFY(isAbout(straggler.values.at("all_wait_s"), 0.397152, 1e-6));
        QVERIFY(isAbout(straggler.values.at("share"), 0.306432 / 0.397152, 1e-6));
        QVERIFY(isAbout(straggler.values.at("rest_share"), 0.09072 / 0.397152, 1e-6));
        QVERIFY(isAbout(straggler.values.at("slower_kernels_s"), 0.306432, 1e-6));
        QCOMPARE(straggler.values.at("times_last"), 192.0);
        QCOMPARE(straggler.values.at("collectives"), 480.0);
        QVERIFY2(
            straggler.text.starts_with("Rank 3 causes 77.2 % of all waiting, 306 ms of 397 ms, "
                                       "last in 192 of 480 collectives, in AllReduce; because "
                                       "its kernels take longer, most of all sm90_gemm (306 ms)"),
            straggler.text.c_str());
    }

    void linksWhileBusy() {
        QCOMPARE(rulesOf(transferring(200e9)), Rules{}); // 44 % of 450 GB/s
        const auto findings = transferring(396e9);
        QCOMPARE(rulesOf(findings), Rules{"busy_link"});
        const Finding& link = the(findings, "busy_link");
        QVERIFY(isAbout(link.values.at("highest_utilisation"), 0.88, 1e-6));
        QVERIFY(isAbout(link.values.at("utilisation"), 0.66, 1e-6));
        QVERIFY(isAbout(link.values.at("rate_b_per_s"), 297e9, 1e-6));
        QCOMPARE(link.values.at("saturated_gpus"), 1.0);
        QCOMPARE(link.evidence.rank, 1);
        QCOMPARE(link.evidence.metric, std::string("nvlink_rx"));
        QVERIFY(link.severity == analysis::Severity::Attention);
    }

    // The utilisation ends after the first 6 s, in which the GPUs are busy: what follows is
    // neither.
    void linksWhileNobodyKnows() {
        const auto findings = transferring(396e9, 60);
        const Finding& link = the(findings, "busy_link");
        QVERIFY(isAbout(link.values.at("highest_utilisation"), 0.88, 1e-6));
    }

    void stoppedWhenAsked() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2, 3}, {4, 5, 6});
        const auto stopped = findingsOf(
            {store, got(store.findRun("run")), [](const ProgressState&) { return false; }});
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }
};

TRAINSCOPE_TEST(tst_FindingsOf)
#include "tst_FindingsOf.moc"
