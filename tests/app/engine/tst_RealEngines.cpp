// Debian's Prometheus and VictoriaMetrics with 16 GPUs × 1 h × 1 s: every sample comes as it was
// put in, and reduced columns are what is counted from it by hand.

#include "app/engine/EngineImport.h"
#include "app/engine/EngineLanes.h"
#include "app/engine/Engines.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/store/Store.h"
#include "importers/engine/Moments.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using namespace trainscope::test;
using namespace trainscope::importers::engine;

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
const Samples kSamples;

// The user has agreed to ask the engine.
Result<EngineAccess> agreed(const Link& /*link*/) {
    return EngineAccess();
}

const Series* seriesOf(const std::vector<Series>& all, const std::string& metric, int rank) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Series& one) {
        return one.description.metric.name == metric && one.description.subject.rank == rank;
    });
    return at == all.end() ? nullptr : &*at;
}

std::map<std::int64_t, double> samplesOf(const store::Store& store, SeriesId id) {
    std::map<std::int64_t, double> all;
    const Status read = store.forEachSample(id, kAllTime, [&all](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i)
            all[times[i].ns] = values[i];
        return true;
    });
    return read.hasValue() ? all : std::map<std::int64_t, double>();
}

} // namespace

class tst_RealEngines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        m_problems[0] = m_prometheus.startPrometheus(kSamples);
        m_problems[1] = m_victoria.startVictoriaMetrics(kSamples);
        m_problems[2]
            = m_limited.startPrometheus(kSamples, {QStringLiteral("--query.max-samples=40000")});
    }
    void copies_data() { engines(m_limited, m_problems[2]); }

    void copies() {
        QFETCH(QString, url);
        QFETCH(QString, problem);
        if (!problem.isEmpty())
            QSKIP(qPrintable(QStringLiteral("SKIPPED: ") + problem));
        const auto database = path("copied.trainscope");
        QFile::remove(database);
        const auto fetcher = openEngine(addressFrom(url.toStdString()).value(), {}).value();
        const auto outcome
            = importEngine(*fetcher, request(url, false), database.toStdString(), {0}, {});
        QVERIFY2(outcome.hasValue(), outcome.hasValue() ? "" : outcome.error().message.c_str());
        QCOMPARE(outcome.value().gpus, std::size_t{16});
        QCOMPARE(outcome.value().parts, std::size_t{2});
        // Three metrics of 16 GPUs, one of which has a gap of five minutes.
        QCOMPARE(outcome.value().report.samples, std::int64_t{3 * (16 * 3600 - 300)});
        QCOMPARE(outcome.value().report.counterFalls, std::int64_t{16});
        QCOMPARE(outcome.value().report.gaps, std::int64_t{3});
        const auto store
            = store::Store::open(database.toStdString(), store::OpenMode::ReadOnly).value();
        const Run run = store.findRun("job 1").value();
        QCOMPARE(run.range.begin.ns, kSamples.begin * kSecondNs);
        const auto all = store.series(run.id).value();
        QCOMPARE(all.size(), std::size_t{48});
        for (int gpu = 0; gpu < 16; ++gpu) {
            const auto power = samplesOf(store, seriesOf(all, "gpu_power", gpu)->id);
            const auto energy = samplesOf(store, seriesOf(all, "gpu_energy", gpu)->id);
            QCOMPARE(power.size(), std::size_t(gpu == 3 ? 3300 : 3600));
            for (int second = 0; second < 3600; ++second) {
                const auto at = power.find((kSamples.begin + second) * kSecondNs);
                const bool isInGap = gpu == 3 && second >= 600 && second < 900;
                QCOMPARE(at == power.end(), isInGap);
                if (isInGap)
                    continue;
                const double joules = energy.at(at->first);
                if (Samples::isBlank(gpu, second, 5))
                    QVERIFY(std::isnan(at->second));
                else
                    QCOMPARE(at->second, Samples::power(gpu, second));
                if (Samples::isBlank(gpu, second, 6))
                    QVERIFY(std::isnan(joules));
                else
                    QCOMPARE(joules, Samples::energy(gpu, second) * 1e-3);
            }
        }
    }

    void goesOnWhereItStopped() {
        if (!m_problems[2].isEmpty())
            QSKIP(qPrintable(QStringLiteral("SKIPPED: ") + m_problems[2]));
        const auto database = path("resumed.trainscope").toStdString();
        const auto fetcher
            = openEngine(addressFrom(m_limited.url().toStdString()).value(), {}).value();
        auto asked = request(m_limited.url(), false);
        asked.from = "-1h";
        asked.to = "now";
        const TimeNs now{(kSamples.begin + 3600) * kSecondNs};
        // Stopped in the second node.
        const auto stopped
            = importEngine(*fetcher, asked, database, now, [](const EngineProgress& progress) {
                  return progress.phase.find("node-1") == std::string::npos;
              });
        QVERIFY(stopped.hasValue());
        QCOMPARE(stopped.value().partsDone, std::size_t{1});
        QCOMPARE(stopped.value().error->code, ErrorCode::Cancelled);
        // Five minutes later: the same hour, and only what was missing.
        const auto again
            = importEngine(*fetcher, asked, database, now + DurationNs{300 * kSecondNs}, {});
        QVERIFY(again.hasValue());
        QCOMPARE(again.value().partsKept, std::size_t{1});
        QCOMPARE(again.value().partsDone, std::size_t{1});
        QCOMPARE(again.value().range.end, now);
        QCOMPARE(again.value().report.samples, std::int64_t{3 * 8 * 3600});
        const auto store = store::Store::open(database, store::OpenMode::ReadOnly).value();
        std::int64_t samples = 0;
        for (const Series& series : store.series(store.findRun("job 1").value().id).value())
            samples += series.count;
        QCOMPARE(samples, std::int64_t{3 * (16 * 3600 - 300)});
    }

    // 40,000 samples of a query: what the engine refuses is asked in pieces.
    void limitsAreRespected() {
        if (!m_problems[2].isEmpty())
            QSKIP(qPrintable(QStringLiteral("SKIPPED: ") + m_problems[2]));
        const auto fetcher
            = openEngine(addressFrom(m_limited.url().toStdString()).value(), {}).value();
        auto asked = request(m_limited.url(), false);
        asked.step = DurationNs{10 * kSecondNs};
        const auto outcome
            = importEngine(*fetcher, asked, path("steps.trainscope").toStdString(), {0}, {});
        QVERIFY2(outcome.hasValue(), outcome.hasValue() ? "" : outcome.error().message.c_str());
        // 360 steps of 48 series, 30 of which lie in a gap of three of them.
        QCOMPARE(outcome.value().report.samples, std::int64_t{360 * 48 - 3 * 30});
    }
    void links_data() { engines(m_prometheus, m_problems[0]); }

    void links() {
        QFETCH(QString, url);
        QFETCH(QString, problem);
        if (!problem.isEmpty())
            QSKIP(qPrintable(QStringLiteral("SKIPPED: ") + problem));
        const auto database = path("linked.trainscope");
        QFile::remove(database);
        const auto fetcher = openEngine(addressFrom(url.toStdString()).value(), {}).value();
        const auto linked
            = importEngine(*fetcher, request(url, true), database.toStdString(), {0}, {});
        QVERIFY2(linked.hasValue(), linked.hasValue() ? "" : linked.error().message.c_str());
        const auto store
            = store::Store::open(database.toStdString(), store::OpenMode::ReadOnly).value();
        const Run run = store.findRun("job 1").value();
        QCOMPARE(run.range.length().ns, 3600 * kSecondNs);
        QCOMPARE(run.gpuCount, 16);
        const auto all = store.series(run.id).value();
        // Nothing of it is zero or guessed here.
        const auto here = store.statistics(seriesOf(all, "gpu_power", 0)->id, kAllTime);
        QVERIFY(!here.hasValue() && here.error().message.find("linked") != std::string::npos);
        QCOMPARE(store.check().value().damageCount, std::int64_t{0});

        EngineLanes::Settings settings;
        settings.access = agreed;
        settings.waits = true;
        const auto lanes = EngineLanes::open(store, settings).value();
        const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
        const auto catalogue = figures::readCatalogue(store, runs).value();
        // A minute to each column: power goes from 300 to 418 W in each.
        const auto data = figures::loadTimeline(store, catalogue, runs,
            {{{plot::LaneStyle::Lines, "gpu_power", {}, 100.0},
                {plot::LaneStyle::Band, "gpu_power", {}, 100.0}}},
            {{0}, {3600 * kSecondNs}}, 60, {}, plot::LoadDetail::Whole, lanes.get());
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        const auto& lines = data.value().lanes[0];
        QCOMPARE(lines.series.size(), std::size_t{16});
        for (int gpu = 0; gpu < 16; ++gpu) {
            const auto& buckets = lines.series[static_cast<std::size_t>(gpu)].buckets;
            QCOMPARE(buckets.size(), std::size_t{60});
            for (std::size_t i = 1; i + 1 < 60; ++i) {
                const bool isInGap = gpu == 3 && i >= 10 && i < 15;
                if (isInGap && i > 10 && i < 14) {
                    QVERIFY(std::isnan(buckets[i].mean));
                } else if (!isInGap && !(gpu == 3 && (i == 9 || i == 15))) {
                    QCOMPARE(buckets[i].min, float(300 + gpu));
                    QCOMPARE(buckets[i].max, float(418 + gpu));
                    // Columns of the ladder are 45.25 s long: what one leaves out of its minute is
                    // 14.75 s whose mean lies within 45 W of the minute's 359 W, which is a third
                    // of it in the rest. So is the mean where the labels change within one, of both
                    // halves.
                    QVERIFY(std::abs(buckets[i].mean - float(359 + gpu)) < 15.5F);
                }
            }
        }
        const auto& band = data.value().lanes[1].bands.at(0);
        QCOMPARE(band.range.low[30], 300.0F);
        QCOMPARE(band.range.high[30], 433.0F);
        QVERIFY(
            band.half.low[30] <= band.median.low[30] && band.median.low[30] <= band.half.high[30]);
        figuresOfStretches(*lanes, run);
        meansOfAll(*lanes, run, all);
    }

    void engineGone() {
        if (!m_problems[0].isEmpty())
            QSKIP(qPrintable(QStringLiteral("SKIPPED: ") + m_problems[0]));
        const auto database = path("gone.trainscope").toStdString();
        const auto fetcher
            = openEngine(addressFrom(m_prometheus.url().toStdString()).value(), {}).value();
        auto asked = request(m_prometheus.url(), true);
        QVERIFY(importEngine(*fetcher, asked, database, {0}, {}).hasValue());
        auto store = store::Store::open(database, store::OpenMode::ReadOnly).value();
        const Run run = store.findRun("job 1").value();
        const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
        const auto catalogue = figures::readCatalogue(store, runs).value();
        std::atomic<int> told = 0;
        EngineLanes::Settings settings;
        settings.access = agreed;
        settings.cacheFolder = path("cache").toStdString();
        settings.changed = [&told] { ++told; };
        const auto load = [&](EngineLanes& lanes) {
            return figures::loadTimeline(store, catalogue, runs,
                {{{plot::LaneStyle::Lines, "gpu_power", {}, 100.0}}}, {{0}, {3600 * kSecondNs}}, 60,
                {}, plot::LoadDetail::Whole, &lanes)
                .value();
        };
        const auto isFilled = [](const plot::TimelineData& data) {
            return !std::isnan(data.lanes[0].series[0].buckets[30].mean);
        };
        {
            const auto lanes = EngineLanes::open(store, settings).value();
            // Nothing at first, without waiting; then it is there.
            QVERIFY(!isFilled(load(*lanes)));
            QTRY_VERIFY_WITH_TIMEOUT(isFilled(load(*lanes)), 20'000);
            QVERIFY(!lanes->state().error);
        }
        m_prometheus.stop();
        // Tiles that were read are there still, in another window too; missing ones are told.
        const auto lanes = EngineLanes::open(store, settings).value();
        QVERIFY(isFilled(load(*lanes)));
        const auto elsewhere = figures::loadTimeline(store, catalogue, runs,
            {{{plot::LaneStyle::Lines, "gpu_temperature", {}, 100.0}}}, {{0}, {3600 * kSecondNs}},
            60, {}, plot::LoadDetail::Whole, lanes.get());
        QVERIFY(elsewhere.hasValue());
        QTRY_VERIFY_WITH_TIMEOUT(lanes->state().error.has_value(), 20'000);
        VERIFY_SAYS(lanes->state().error->message, "is the engine running");
        QVERIFY(isFilled(load(*lanes)));
    }

private:
    void engines(const RealEngine& prometheus, const QString& problem) {
        const auto row = columns<QString, QString>("url", "problem");
        row("Prometheus", prometheus.url(), problem);
        row("VictoriaMetrics", m_victoria.url(), m_problems[1]);
    }

    // Figures of the whole hour: power goes from 300 to 418 W in steps of 2 W, energy from 0 to
    // 1799 J twice.
    void figuresOfStretches(EngineLanes& lanes, const Run& run) {
        const auto told = [&] { return lanes.figures(run.id, run.range).value(); };
        QTRY_COMPARE_WITH_TIMEOUT(told().told, std::size_t{3}, 10'000);
        const auto figures = told();
        QCOMPARE(figures.metrics, std::size_t{3});
        QVERIFY(!figures.error);
        QCOMPARE(figures.series.size(), std::size_t{48});
        for (const SeriesFigure& one : figures.series) {
            const int gpu = one.subject.rank;
            if (one.metric == "gpu_energy") {
                // Engines guess what lies between the samples and the ends, and between two series.
                QVERIFY2(std::abs(*one.total / (gpu + 1) - 3598.0) < 4.0,
                    std::to_string(*one.total / (gpu + 1)).c_str());
                continue;
            }
            const bool hasBlank = gpu == 5 && one.metric == "gpu_power";
            QCOMPARE(one.count, gpu == 3 ? 3300.0 : hasBlank ? 3599.0 : 3600.0);
            QCOMPARE(one.coveredSeconds, one.count);
            if (one.metric != "gpu_power")
                continue;
            // The second that is not known would have had 300 + 5 + 2 · 34 W.
            const double mean = hasBlank ? (3600.0 * 364.0 - 373.0) / 3599.0 : 359.0 + gpu;
            QVERIFY2(std::abs(one.mean - mean) < 1e-6, std::to_string(one.mean).c_str());
            QCOMPARE(one.min, 300.0 + gpu);
            QCOMPARE(one.max, 418.0 + gpu);
        }
    }

    // 359 W and the GPU's number, 7.5 on average; in the gap of GPU 3 117/15.
    void meansOfAll(EngineLanes& lanes, const Run& run, const std::vector<Series>& all) {
        figures::RemoteQuestion question;
        question.run = run.id;
        question.metric = seriesOf(all, "gpu_power", 0)->description.metric;
        question.series = {seriesOf(all, "gpu_power", 0), seriesOf(all, "gpu_power", 1)};
        question.isTogether = true;
        question.window = run.range;
        question.columns = 60;
        const auto answer = lanes.lane(question, {});
        QVERIFY(answer.hasValue() && answer.value().isComplete);
        const auto& buckets = answer.value().buckets.at(0);
        QCOMPARE(buckets.size(), std::size_t{60});
        for (std::size_t i = 1; i + 1 < 60; ++i)
            QVERIFY(std::abs(buckets[i].mean - 366.5F) < 15.9F);
    }

    EngineRequest request(const QString& url, bool isLinked) const {
        EngineRequest request;
        request.address = addressFrom(url.toStdString()).value();
        request.selector = selectorFrom("{job=\"dcgm\"}").value();
        request.from = std::to_string(kSamples.begin);
        request.to = std::to_string(kSamples.begin + kSamples.seconds);
        request.runName = "job 1";
        request.isLinked = isLinked;
        return request;
    }
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    QTemporaryDir m_folder;
    RealEngine m_prometheus;
    RealEngine m_victoria;
    RealEngine m_limited; // Prometheus with a low limit of samples, so that copies have to be cut
    QString m_problems[3];
};

TRAINSCOPE_TEST(tst_RealEngines)
#include "tst_RealEngines.moc"
