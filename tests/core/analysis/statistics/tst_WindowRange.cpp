// Statistics of a window: what holds at its begin counts in all of them, so that every mean and
// quantile lies between minimum and maximum, and two places that tell an extreme tell the same.

#include "core/analysis/derived/DerivedSteps.h"
#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;
using trainscope::analysis::TimeWeighted;

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

struct Curve {
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

// Irregular, some missing, some at one stamp: of few values, of many, or all of one.
Curve readings(std::mt19937_64& random, unsigned kind) {
    Curve made;
    std::int64_t at = 0;
    for (int i = 0; i < 400; ++i) {
        made.times.push_back(at);
        at += random() % 20 == 0 ? 0 : static_cast<std::int64_t>(random() % 20) * kMillisecond + 1;
        const double value = kind == 0 ? static_cast<double>(random() % 3) * 100.0 + 0.1
            : kind == 1                ? static_cast<double>(random() % 700'000) / 1000.0
                                       : 0.1;
        made.values.push_back(random() % 15 == 0 ? kMissing : value);
    }
    return made;
}

TimeRange windowIn(std::mt19937_64& random, std::int64_t length) {
    const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
    const auto part = static_cast<std::uint64_t>(length) >> (random() % 12U);
    return {{begin}, {begin + 1 + static_cast<std::int64_t>(random() % (part + 1))}};
}

// The values that hold in the window for some time, and the samples in it.
std::optional<std::pair<double, double>> extremesOf(const Curve& of, TimeRange window) {
    std::optional<std::pair<double, double>> found;
    for (std::size_t i = 0; i < of.times.size(); ++i) {
        const bool isLast = i + 1 == of.times.size();
        const TimeRange held{{of.times[i]}, {isLast ? of.times[i] : of.times[i + 1]}};
        const bool holds = held.begin < window.end && held.end > window.begin && !held.isEmpty();
        if (std::isnan(of.values[i]) || (!holds && !window.contains(held.begin)))
            continue;
        const double value = of.values[i];
        found = found ? std::pair{std::min(found->first, value), std::max(found->second, value)}
                      : std::pair{value, value};
    }
    return found;
}

bool isInRange(const SubjectStatistics& of) {
    const auto isIn = [&of](const std::optional<double>& value) {
        return !value || (of.min && of.max && *of.min <= *value && *value <= *of.max);
    };
    return isIn(of.mean) && isIn(of.p50) && isIn(of.p99);
}

bool areInRange(const std::vector<Bucket>& buckets) {
    return std::all_of(buckets.begin(), buckets.end(), [](const Bucket& bucket) {
        return std::isnan(bucket.mean) || (bucket.min <= bucket.mean && bucket.mean <= bucket.max);
    });
}

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kSecondNs = 1'000'000'000;

struct Samples {
    std::vector<TimeNs> times;
    std::vector<double> values;
};

TimeWeighted accumulated(const Samples& samples, std::size_t block) {
    TimeWeighted result;
    for (std::size_t i = 0; i < samples.times.size(); i += block) {
        const auto n = std::min(block, samples.times.size() - i);
        result.add(std::span(samples.times).subspan(i, n), std::span(samples.values).subspan(i, n));
    }
    return result;
}

Samples atSeconds(const std::vector<double>& seconds, const std::vector<double>& values) {
    Samples samples;
    for (const double s : seconds)
        samples.times.push_back({1'700'000'000 * kSecondNs + std::llround(s * 1e9)});
    samples.values = values;
    return samples;
}

Samples randomSamples(unsigned seed) {
    std::mt19937_64 random(seed);
    Samples samples;
    std::int64_t t = 1'700'000'000 * kSecondNs;
    const int count = 1 + static_cast<int>(random() % 3000);
    for (int i = 0; i < count; ++i) {
        if (random() % 10 != 0)
            t += static_cast<std::int64_t>(random() % 200'000'000);
        samples.times.push_back({t});
        const double value = static_cast<double>(random() % 700'000) / 1000.0;
        samples.values.push_back(random() % 8 == 0 ? kGap : value);
    }
    return samples;
}

bool close(double actual, long double expected) {
    return std::fabs(static_cast<long double>(actual) - expected)
        <= 1e-12L * std::max(1.0L, std::fabs(expected));
}

} // namespace

class tst_WindowRange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 28 ms that begin 8 ms behind the reading of 400 W: (2·400 + 10·545 + 16·622) / 28 W.
    void byHand() {
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("gpu_power", 0),
            {0, 10 * kMillisecond, 20 * kMillisecond, 60 * kMillisecond},
            {400.0, 545.0, 622.0, 500.0});
        const TimeRange window{{8 * kMillisecond}, {36 * kMillisecond}};
        const double mean = (2.0 * 400.0 + 10.0 * 545.0 + 16.0 * 622.0) / 28.0;
        const auto told = got(store.statistics(id, window));
        QCOMPARE(told.mean, mean);
        QCOMPARE(told.min, 400.0);
        QCOMPARE(told.max, 622.0);
        QCOMPARE(told.count, std::int64_t{2});
        const auto summary = got(summarise({store, got(store.findRun("run"))}, window));
        const SubjectStatistics& all = summary.metrics.at("gpu_power").all;
        QCOMPARE(*all.mean, mean);
        QCOMPARE(*all.min, 400.0);
        QCOMPARE(all.samples, std::int64_t{2});
        // A reading at the begin ends what was before, and one at the end is of what follows.
        const auto exact = got(store.statistics(id, {{10 * kMillisecond}, {20 * kMillisecond}}));
        QCOMPARE(exact.min, 545.0);
        QCOMPARE(exact.max, 545.0);
        // No reading in it.
        const auto between
            = got(summarise({store, got(store.findRun("run"))}, TimeRange{{1}, {2}}));
        QCOMPARE(*between.metrics.at("gpu_power").all.max, 400.0);
    }

    void meansAndQuantilesLieBetweenTheExtremes_data() {
        const auto row = columns<unsigned>("kind");
        row("few values", 0U);
        row("many values", 1U);
        row("one value", 2U);
    }
    void meansAndQuantilesLieBetweenTheExtremes() {
        QFETCH(const unsigned, kind);
        std::mt19937_64 random(57 + kind);
        FreshStore store;
        std::vector<Curve> gpus;
        for (int rank = 0; rank < 3; ++rank) {
            gpus.push_back(readings(random, kind));
            addSeries(store, gauge("gpu_power", rank), gpus.back().times, gpus.back().values,
                "/data/" + std::to_string(rank));
        }
        Run run = got(store.findRun("run"));
        run.launch.powerLimitW = 1;
        const RunStudy study{store, run};
        const auto series = gpuSeriesByRank(got(store.series(run.id)));
        for (int trial = 0; trial < 60; ++trial) {
            const TimeRange window = windowIn(random, gpus.front().times.back());
            const auto summary = got(summarise(study, window));
            QVERIFY(isInRange(summary.metrics.at("gpu_power").all));
            for (const GpuSummary& gpu : summary.gpus) {
                const auto rank = static_cast<std::size_t>(gpu.gpu.rank);
                const auto expected = extremesOf(gpus[rank], window);
                const SubjectStatistics& told = gpu.metrics.at("gpu_power");
                QVERIFY(isInRange(told));
                QCOMPARE(told.min.has_value(), expected.has_value());
                const Series& power = series.at(gpu.gpu.rank).at("gpu_power");
                checkOthers(study, power, window, told);
                if (!expected || QTest::currentTestFailed())
                    continue;
                QCOMPARE(*told.min, expected->first);
                QCOMPARE(*told.max, expected->second);
            }
            checkPeaks(study, series, window, summary);
            if (QTest::currentTestFailed())
                return;
        }
    }

    // Two GPUs whose readings are 5 ms apart: 300 + 200 W only from 15 to 20 ms, which means of 10
    // ms smooth.
    void peaksAreOfReadingsThatHoldTogether() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0),
            {0, 10 * kMillisecond, 20 * kMillisecond, 30 * kMillisecond, 40 * kMillisecond},
            {100.0, 300.0, 100.0, 100.0, 100.0}, "/data/a");
        addSeries(store, gauge("gpu_power", 1),
            {5 * kMillisecond, 15 * kMillisecond, 25 * kMillisecond, 35 * kMillisecond,
                45 * kMillisecond},
            {50.0, 200.0, 50.0, 60.0, 50.0}, "/data/b");
        const Run run = got(store.findRun("run"));
        const auto powers
            = gpuSeriesOf(gpuSeriesByRank(got(store.series(run.id))), metric::kGpuPower);
        const std::vector<TimeRange> parts{{{6 * kMillisecond}, {12 * kMillisecond}},
            {{18 * kMillisecond}, {30 * kMillisecond}}, {{30 * kMillisecond}, {38 * kMillisecond}},
            {{90 * kMillisecond}, {99 * kMillisecond}}};
        const auto found = got(powerPeaksOf({store, run}, powers, kAllTime, parts));
        QVERIFY(found.has_value());
        QCOMPARE(found->watts, 500.0);
        QCOMPARE(found->at.ns, 15 * kMillisecond);
        QCOMPARE(found->ofParts.at(0), std::optional(350.0));
        QCOMPARE(found->ofParts.at(1), std::optional(500.0)); // held when it begins
        QCOMPARE(found->ofParts.at(2), std::optional(160.0));
        QVERIFY(!found->ofParts.at(3));
    }

    // Time-weighted statistics against hand-derived cases and a brute force in long double.
    void handDerived_data() {
        const auto row = columns<std::vector<double>, std::vector<double>, double, double, double>(
            "seconds", "values", "mean", "p50", "p99");
        using V = std::vector<double>;
        // 1·100 + 3·200 over 4 s; the last value weighs nothing.
        row("uneven steps", V{0, 1, 4}, V{100, 200, 900}, 175.0, 200.0, 200.0);
        // The interval from the missing sample (1..4 s) is left out: (1·100 + 1·50) / 2 s.
        row("missing", V{0, 1, 4, 5}, V{100, kGap, 50, 0}, 75.0, 50.0, 100.0);
        row("single", V{7}, V{42}, 42.0, 42.0, 42.0);
        row("only the last present", V{0, 1}, V{kGap, 5}, 5.0, 5.0, 5.0);
        // Two samples at one stamp count equally when no time passes.
        row("no time", V{3, 3}, V{10, 20}, 15.0, 10.0, 20.0);
        // A repeated stamp: the first of the pair holds for no time.
        row("repeated stamp", V{0, 1, 1, 2}, V{10, 99, 20, 0}, 15.0, 10.0, 20.0);
        // 100 equal seconds of 1..100: half the time at 50 or below, 99 % at 99 or below.
        V seconds;
        V values;
        for (int i = 0; i <= 100; ++i) {
            seconds.push_back(i);
            values.push_back(i < 100 ? 100 - i : 1e6);
        }
        row("quantiles", seconds, values, 50.5, 50.0, 99.0);
    }

    void handDerived() {
        QFETCH(std::vector<double>, seconds);
        QFETCH(std::vector<double>, values);
        QFETCH(double, mean);
        QFETCH(double, p50);
        QFETCH(double, p99);
        auto result = accumulated(atSeconds(seconds, values), 2);
        QVERIFY(close(*result.mean(), mean));
        QCOMPARE(result.samples(), static_cast<std::int64_t>(values.size()));
        const auto distribution = std::move(result).takeDistribution();
        QCOMPARE(*distribution.quantile(0.5), p50);
        QCOMPARE(*distribution.quantile(0.99), p99);
    }

    void samplesWithoutTimeCountEquallyUntilTimePasses() {
        const std::vector<TimeNs> stamp = {{kSecondNs}};
        TimeWeighted sum;
        for (const double value : {10.0, 30.0})
            sum.add(stamp, std::vector<double>{value});
        QCOMPARE(*sum.mean(), 20.0);
        sum.add(std::vector<TimeNs>{{2 * kSecondNs}, {4 * kSecondNs}}, std::vector<double>{60, 0});
        // 30 held for one second, 60 for two.
        QCOMPARE(*sum.mean(), 50.0);
        const auto distribution = std::move(sum).takeDistribution();
        QCOMPARE(distribution.totalWeight(), 3 * kSecondNs);
        QCOMPARE(*distribution.quantile(0.1), 30.0);
    }

    void extremesIncludeTheLastSample() {
        const auto samples = atSeconds({0, 1, 2, 3}, {5, kGap, -2, 9});
        const auto result = accumulated(samples, 100);
        QCOMPARE(*result.min(), -2.0);
        QCOMPARE(*result.max(), 9.0);
        QCOMPARE(result.missing(), std::int64_t{1});
    }

    void nothingPresent() {
        auto result = accumulated(atSeconds({0, 1}, {kGap, kGap}), 1);
        QVERIFY(!result.mean());
        QVERIFY(!result.min());
        QVERIFY(!result.max());
        QCOMPARE(result.samples(), std::int64_t{2});
        QCOMPARE(result.missing(), std::int64_t{2});
        QVERIFY(!std::move(result).takeDistribution().quantile(0.5));
    }

    void randomDataMatchesBruteForce() {
        for (unsigned seed = 0; seed < 200; ++seed) {
            const auto samples = randomSamples(seed);
            const std::size_t block = 1 + seed % 100;
            auto result = accumulated(samples, block);
            long double sum = 0;
            long double time = 0;
            std::vector<std::pair<double, std::int64_t>> held;
            for (std::size_t i = 0; i + 1 < samples.times.size(); ++i) {
                const auto dt = samples.times[i + 1].ns - samples.times[i].ns;
                if (std::isnan(samples.values[i]))
                    continue;
                sum += static_cast<long double>(samples.values[i]) * static_cast<long double>(dt);
                time += static_cast<long double>(dt);
                held.push_back({samples.values[i], dt});
            }
            if (time == 0)
                continue;
            QVERIFY2(close(*result.mean(), sum / time), qPrintable(QString::number(seed)));
            std::sort(held.begin(), held.end());
            const auto distribution = std::move(result).takeDistribution();
            for (const double q : {0.01, 0.5, 0.9, 0.99, 1.0}) {
                std::int64_t below = 0;
                std::size_t i = 0;
                while (i + 1 < held.size()
                    && static_cast<long double>(below += held[i].second)
                        < static_cast<long double>(q) * time)
                    ++i;
                QCOMPARE(*distribution.quantile(q), held[i].first);
            }
        }
    }

    void hugeCountsKeepTheirPrecision() {
        // 10^7 samples of 0.1 W above 10^6 W: a plain sum would lose digits, the mean is exact by
        // symmetry.
        TimeWeighted result;
        std::vector<TimeNs> times(100'000);
        std::vector<double> values(100'000);
        for (std::int64_t block = 0; block < 100; ++block) {
            for (std::int64_t i = 0; i < 100'000; ++i) {
                times[static_cast<std::size_t>(i)] = {(block * 100'000 + i) * 100'000'000};
                values[static_cast<std::size_t>(i)] = i % 2 == 0 ? 1e6 + 0.1 : 1e6 + 0.3;
            }
            result.add(times, values);
        }
        // The last sample (an odd one) holds for no time.
        const long double intervals = 1e7L - 1;
        const long double expected = (5e6L * static_cast<long double>(1e6 + 0.1)
                                         + (5e6L - 1) * static_cast<long double>(1e6 + 0.3))
            / intervals;
        QVERIFY(std::fabs(static_cast<long double>(*result.mean()) - expected) <= 1e-9L);
    }

private:
    static void checkOthers(const RunStudy& study, const Series& power, TimeRange window,
        const SubjectStatistics& told) {
        const auto stored = got(study.store.statistics(power.id, window));
        QCOMPARE(std::isnan(stored.min), !told.min.has_value());
        QVERIFY(
            std::isnan(stored.mean) || (stored.min <= stored.mean && stored.mean <= stored.max));
        SampleWalk walk(study.store, power.id, window.begin);
        const auto sums = got(walk.to(window.end));
        QCOMPARE(sums.max.has_value(), told.max.has_value());
        if (told.min) {
            QCOMPARE(stored.min, *told.min);
            QCOMPARE(stored.max, *told.max);
            QCOMPARE(*sums.max, *told.max);
        }
        const auto above = got(aboveLimitOf(
            study.store, study.run, {{metric::kGpuPower, power}}, window, KeepSteps::No));
        if (above && above->coveredSeconds > 0.0)
            QVERIFY(above->highestW <= *told.max && above->highestW >= *told.mean);
        const StepProgram program = programOf(power);
        const auto steps = got(stepFigures(study.store, program, window, {}));
        QVERIFY(!steps.mean || (*steps.min <= *steps.mean && *steps.mean <= *steps.max));
        for (const int columns : {1, 7, 100}) {
            QVERIFY(areInRange(got(study.store.buckets(power.id, window, columns))));
            QVERIFY(areInRange(got(stepBuckets(study.store, program, window, columns, {}))));
        }
    }

    static void checkPeaks(const RunStudy& study, const std::map<int, GpuSeries>& series,
        TimeRange window, const RunSummary& summary) {
        const std::map<int, GpuSeries> first{*series.begin()};
        const auto peaks = got(powerPeaksOf(
            study, gpuSeriesOf(first, metric::kGpuPower), kAllTime, std::vector{window}));
        const SubjectStatistics& told = summary.gpus.front().metrics.at("gpu_power");
        const auto peak = peaks ? peaks->ofParts.at(0) : std::nullopt;
        QVERIFY(!peak || (*peak <= *told.max && *peak >= *told.mean && *peak >= *told.p99));
    }
};

TRAINSCOPE_TEST(tst_WindowRange)
#include "tst_WindowRange.moc"
