// The pipeline gives, for any number of threads, the very bits that it gives without any, in the
// order of the series; and these are the statistics of the samples by brute force.

#include "core/analysis/statistics/StatisticsPipeline.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace trainscope;
using analysis::SeriesStatistics;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

struct Truth {
    long double weighted = 0;
    long double held = 0;
    long double joules = 0;
};

std::vector<std::uint64_t> bitsOf(const SeriesStatistics& all) {
    std::vector<std::uint64_t> bits;
    const auto add = [&bits](std::optional<double> value) {
        bits.push_back(value ? std::bit_cast<std::uint64_t>(*value) : ~std::uint64_t{0});
    };
    const auto& s = all.statistics;
    for (const auto& value : {s.mean, s.min, s.max, s.p50, s.p99, s.total, all.gapLimit})
        add(value);
    for (const auto count : {s.samples, s.missing, s.wraps, s.resets})
        bits.push_back(static_cast<std::uint64_t>(count));
    add(all.distribution.quantile(0.123));
    if (all.energy) {
        add(all.energy->joules());
        bits.push_back(static_cast<std::uint64_t>(all.energy->covered().ns));
    }
    return bits;
}

} // namespace

class tst_StatisticsPipeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Series of several chunks, of few samples and of none.
    void initTestCase() {
        auto opened = store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("p.trainscope")).toStdString());
        QVERIFY(opened.hasValue());
        m_store.emplace(std::move(opened).value());
        auto session = store::beginImport(*m_store, {"/made/up", 1, "hash", "a"});
        QVERIFY(session.hasValue());
        Run run;
        run.name = "a";
        const auto id = session.value()->run(run);
        QVERIFY(id.hasValue());
        std::mt19937_64 random(5);
        int rank = 0;
        for (const int count : {50'000, 1, 40'000, 0, 16'384, 16'385, 300, 3, 90'000}) {
            for (const char* metric : {"gpu_power", "gpu_temperature", "pcie_rx"})
                write(*session.value(), id.value(), metric, rank, count, random);
            ++rank;
        }
        QVERIFY(session.value()->finish({}, "hash", 1, {}).hasValue());
        const auto series = m_store->series(id.value());
        QVERIFY(series.hasValue());
        m_series = series.value();
        QCOMPARE(m_series.size(), m_truth.size());
    }

    void sameBitsForAnyNumberOfThreads() {
        const auto alone = statisticsWith(0);
        QCOMPARE(alone.size(), m_series.size());
        for (const unsigned workers : {1U, 3U, 15U}) {
            const auto many = statisticsWith(workers);
            QCOMPARE(many.size(), alone.size());
            for (std::size_t i = 0; i < many.size(); ++i)
                QCOMPARE(bitsOf(many[i]), bitsOf(alone[i]));
        }
    }

    void agreesWithBruteForce() {
        const auto all = statisticsWith(2);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto& description = m_series[i].description;
            const Truth& truth = m_truth.at({description.metric.name, description.subject.rank});
            QCOMPARE(all[i].statistics.samples, m_series[i].count);
            if (all[i].statistics.mean && truth.held > 0)
                QVERIFY(close(*all[i].statistics.mean, truth.weighted / truth.held));
            QCOMPARE(all[i].energy.has_value(),
                description.metric.name == "gpu_power" && m_series[i].count > 0);
            if (all[i].energy)
                QVERIFY(close(all[i].energy->joules(), truth.joules));
        }
    }

    void oneAfterTheOtherIsTheSame() {
        const auto piped = statisticsWith(3);
        for (std::size_t i = 0; i < piped.size(); ++i) {
            const auto alone = analysis::seriesStatistics(*m_store, m_series[i], {});
            QVERIFY(alone.hasValue());
            const auto& a = alone.value().statistics;
            const auto& b = piped[i].statistics;
            QCOMPARE(a.p50, b.p50);
            QCOMPARE(a.p99, b.p99);
            QCOMPARE(a.min, b.min);
            QCOMPARE(a.max, b.max);
            QCOMPARE(a.wraps, b.wraps);
            QCOMPARE(a.resets, b.resets);
            QCOMPARE(a.total.has_value(), b.total.has_value());
            if (a.total)
                QVERIFY(close(*a.total, static_cast<long double>(*b.total)));
        }
    }

    void stopsWhenAsked() {
        WorkerPool pool(2);
        int asked = 0;
        int taken = 0;
        analysis::StatisticsPipeline pipeline(
            pool, *m_store, kAllTime, [&taken](const Series&, SeriesStatistics&&) { ++taken; });
        Status status;
        for (const Series& series : m_series) {
            status = pipeline.add(series, [&asked] { return ++asked < 3; });
            if (!status.hasValue())
                break;
        }
        QVERIFY(!status.hasValue());
        QCOMPARE(status.error().code, ErrorCode::Cancelled);
        QCOMPARE(asked, 3);
        QVERIFY(taken < static_cast<int>(m_series.size()));
    }

private:
    static bool close(double actual, long double expected) {
        return std::fabs(static_cast<long double>(actual) - expected)
            <= 1e-12L * std::fabs(expected);
    }

    void write(store::ImportSession& session, RunId run, const char* metric, int rank, int count,
        std::mt19937_64& random) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        const bool counts = description.metric.kind == MetricKind::Counter;
        description.counterBits = counts ? 32 : 0;
        std::vector<TimeNs> times;
        std::vector<double> values;
        std::int64_t t = kStart;
        for (int i = 0; i < count; ++i) {
            times.push_back({t});
            t += 100'000'000 + static_cast<std::int64_t>(random() % 1000);
            // A counter that wraps now and then.
            values.push_back(counts
                    ? static_cast<double>(static_cast<std::uint64_t>(i) * 1'000'003 % 4294967296U)
                    : static_cast<double>(random() % 1000) / 10.0);
        }
        Truth truth;
        for (std::size_t i = 1; i < times.size(); ++i) {
            const auto dt = static_cast<long double>(times[i].ns - times[i - 1].ns);
            truth.weighted += static_cast<long double>(values[i - 1]) * dt;
            truth.held += dt;
            truth.joules += (static_cast<long double>(values[i - 1]) + values[i]) / 2 * dt * 1e-9L;
        }
        m_truth[{metric, rank}] = truth;
        const auto series = session.series(run, description);
        QVERIFY(series.hasValue());
        QVERIFY(session.samples(series.value(), times, values).hasValue());
    }

    std::vector<SeriesStatistics> statisticsWith(unsigned workers) {
        WorkerPool pool(workers);
        std::vector<SeriesStatistics> taken;
        analysis::StatisticsPipeline pipeline(
            pool, *m_store, kAllTime, [&](const Series& series, SeriesStatistics&& statistics) {
                if (&series != &m_series[taken.size()])
                    qFatal("out of order");
                taken.push_back(std::move(statistics));
            });
        for (const Series& series : m_series) {
            if (!pipeline.add(series, {}).hasValue())
                return {};
        }
        pipeline.finish();
        return taken;
    }

    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    std::vector<Series> m_series;
    std::map<std::pair<std::string, int>, Truth> m_truth;
};

TRAINSCOPE_TEST(tst_StatisticsPipeline)
#include "tst_StatisticsPipeline.moc"
