// Several links of a node and two sources of one GPU count alike at the cursor, in a selection and
// in the minimap.

#include "app/viewmodels/inspector/CursorProbe.h"
#include "app/viewmodels/inspector/SelectionStatistics.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/MinimapItem.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using test::kStart;
using test::seconds;

namespace {

const Metric kRate{"ib_rate", "B/s", MetricKind::Rate, "InfiniBand"};

// Constant values at 0 … 10 s.
Status add(Sink& sink, RunId run, const Metric& metric, const Subject& subject, double value) {
    SeriesDescription description;
    description.metric = metric;
    description.subject = subject;
    const auto id = sink.series(run, description);
    std::vector<TimeNs> times;
    for (int i = 0; i <= 10; ++i)
        times.push_back(kStart + seconds(i));
    return id.hasValue() ? sink.samples(id.value(), times, std::vector<double>(11, value))
                         : Status(id.error());
}

} // namespace

class tst_LinksAndTwins : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    std::vector<plot::ShownRun> m_runs;
    app::CataloguePtr m_catalogue;

    static bool never() { return false; }
    [[nodiscard]] app::ProbeResult probed(int rank, int node, SeriesId pointed = {}) {
        app::ProbeRequest request{m_catalogue, m_runs, {}, seconds(5), rank, node};
        request.arrangement.lanes = {{plot::LaneStyle::Lines, "ib_rate", {}, 100.0},
            {plot::LaneStyle::Lines, "inlet_temperature", {}, 100.0}};
        request.pointed = pointed;
        return app::probe(*m_store, request, never).value();
    }
    [[nodiscard]] SeriesId linkOf(int node, const char* device) const {
        for (const Series& series : m_catalogue->facts(0).series) {
            const Subject& subject = series.description.subject;
            if (subject.kind == SubjectKind::Link && subject.node == node
                && subject.device == device)
                return series.id;
        }
        return {};
    }

private Q_SLOTS:
    // Two nodes of one GPU. Links of node 0: 10 and 30 GB/s, of node 1: 20 and 40; inlets of node
    // 0: 20 and 30 °C. GPU 0 draws 100 W, GPU 1 400 W; a second source has GPU 0 and a link again.
    void initTestCase() {
        const auto path = m_folder.filePath(QStringLiteral("links.trainscope")).toStdString();
        m_store.emplace(store::Store::openOrCreate(path).value());
        for (const char* source : {"first", "second"}) {
            auto session
                = std::move(store::beginImport(*m_store, {source, 1, source, "r"})).value();
            Run made;
            made.name = "r";
            const RunId run = session->run(made).value();
            const auto link = [](int node, const char* device) {
                return Subject{SubjectKind::Link, -1, node, device};
            };
            QVERIFY(add(*session, run, kRate, link(0, "a"), 10e9).hasValue());
            QVERIFY(add(*session, run, *findMetric("gpu_power"), {SubjectKind::Gpu, 0, -1, {}}, 100)
                        .hasValue());
            if (std::string_view(source) == "first") {
                for (int rank = 0; rank < 2; ++rank)
                    QVERIFY(session->gpu(run, {rank, rank, 0, {}, {}}).hasValue());
                QVERIFY(add(*session, run, kRate, link(0, "b"), 30e9).hasValue());
                QVERIFY(add(*session, run, kRate, link(1, "a"), 20e9).hasValue());
                QVERIFY(add(*session, run, kRate, link(1, "b"), 40e9).hasValue());
                const Metric& inlet = *findMetric("inlet_temperature");
                QVERIFY(add(*session, run, inlet, link(0, "left"), 20).hasValue());
                QVERIFY(add(*session, run, inlet, link(0, "right"), 30).hasValue());
                QVERIFY(
                    add(*session, run, *findMetric("gpu_power"), {SubjectKind::Gpu, 1, -1, {}}, 400)
                        .hasValue());
            }
            QVERIFY(session->finish({}, source, 1, {}).hasValue());
        }
        const Run run = m_store->findRun("r").value();
        m_runs = {{run.id, run.name, run.range.begin, 0}};
        m_catalogue = app::loadCatalogue(*m_store, m_runs, never).value();
    }
    void linksAddUpAtTheCursorAndTemperaturesDoNot() {
        const auto at = probed(0, -1);
        QCOMPARE(at.lanes[0], test::texts("40 GB/s, 2 together"));
        QCOMPARE(at.lanes[1], test::texts("25 °C, mean of 2"));
    }
    // The readout has the link under the pointer alone, and the lanes of its node.
    void theLinkUnderThePointer() {
        const auto at = probed(0, 1, linkOf(1, "b"));
        QCOMPARE(at.pointedText, QStringLiteral("40 GB/s"));
        QCOMPARE(at.lanes[0], test::texts("60 GB/s, 2 together"));
    }
    void aRankThatTheRunLacksIsOnNoNode() {
        QCOMPARE(probed(7, -1).lanes[0], test::texts("no data"));
    }
    // 100 J a second, counted every 100 ms and read every 50 ms. The power of GPU 0 is known; that
    // of GPU 2 is the mean rate of its counter, not that between two readings.
    void theRateOfAnEnergyCounter() {
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("energy.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path).value();
        auto session = std::move(store::beginImport(store, {"log", 1, "log", "e"})).value();
        Run made;
        made.name = "e";
        const RunId run = session->run(made).value();
        std::vector<TimeNs> times;
        std::vector<double> joules;
        for (int i = 0; i <= 200; ++i) {
            times.push_back(kStart + DurationNs{i * 50'000'000LL});
            joules.push_back(1000.0 + 10.0 * (i / 2));
        }
        for (const int rank : {0, 2}) {
            SeriesDescription energy;
            energy.metric = *findMetric("gpu_energy");
            energy.subject = {SubjectKind::Gpu, rank, -1, {}};
            energy.counterBits = 64;
            const auto id = session->series(run, energy);
            QVERIFY(session->samples(id.value(), times, joules).hasValue());
        }
        const Subject first{SubjectKind::Gpu, 0, -1, {}};
        QVERIFY(add(*session, run, *findMetric("gpu_power"), first, 100).hasValue());
        QVERIFY(session->finish({}, "log", 1, {}).hasValue());
        const Run stored = store.findRun("e").value();
        const std::vector<plot::ShownRun> runs{{stored.id, stored.name, stored.range.begin, 0}};
        const auto catalogue = app::loadCatalogue(store, runs, never).value();
        const auto factsAt = [&](int rank) {
            const app::ProbeRequest request{
                catalogue, runs, {}, DurationNs{5'020'000'000}, rank, -1};
            QStringList facts;
            for (const auto& fact : app::probe(store, request, never).value().gpu)
                facts.append(fact.label + u' ' + fact.value);
            return facts;
        };
        QCOMPARE(factsAt(0), test::texts("GPU power 100 W"));
        QCOMPARE(factsAt(2), test::texts("GPU energy 100 J/s"));
    }
    // A nanosecond behind the last sample, where the End key goes.
    void theEndOfTheRun() {
        app::ProbeRequest request{m_catalogue, m_runs, {}, seconds(10) + DurationNs{1}, 1};
        request.arrangement.lanes = {{plot::LaneStyle::Lines, "gpu_power", {}, 100.0}};
        QCOMPARE(app::probe(*m_store, request, never).value().lanes[0], test::texts("400 W"));
        request.time = seconds(10) + DurationNs{2};
        QCOMPARE(app::probe(*m_store, request, never).value().lanes[0], test::texts("no data"));
    }
    // The nodes have 40 and 60 GB/s; one of them has inlets.
    void selectionsCountAsTheSummaryDoes() {
        const auto all
            = app::selectionStatistics(*m_store, *m_catalogue, m_runs, {{0}, seconds(10)}, never);
        const auto& run = all.value().front();
        const auto of = [&run](std::string_view metric) {
            return *std::find_if(run.metrics.begin(), run.metrics.end(),
                [metric](const auto& one) { return one.metric.name == metric; });
        };
        QCOMPARE(of("ib_rate").mean.value_or(-1), 50e9);
        QVERIFY(!of("ib_rate").max.has_value());
        QCOMPARE(of("inlet_temperature").mean.value_or(-1), 25.0);
        QCOMPARE(of("inlet_temperature").max.value_or(-1), 30.0);
        QCOMPARE(of("gpu_power").mean.value_or(-1), 250.0);
        QCOMPARE(run.energy.value_or(-1), 5000.0);
    }
    // 50 W in each 20th sample of a second, nothing in the others: half a minute has 1.5 kJ.
    void powerThatIsMostlyMissing() {
        const auto path = m_folder.filePath(QStringLiteral("sparse.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path).value();
        auto session = std::move(store::beginImport(store, {"s", 1, "s", "s"})).value();
        Run made;
        made.name = "s";
        const RunId run = session->run(made).value();
        SeriesDescription description;
        description.metric = *findMetric("gpu_power");
        description.subject.rank = 0;
        const SeriesId id = session->series(run, description).value();
        std::vector<TimeNs> times;
        std::vector<double> watts;
        for (int i = 0; i <= 200; ++i) {
            times.push_back(kStart + seconds(i));
            watts.push_back(i % 20 == 0 ? 50.0 : std::nan(""));
        }
        QVERIFY(session->samples(id, times, watts).hasValue());
        QVERIFY(session->finish({}, "s", 1, {}).hasValue());
        const std::vector<plot::ShownRun> runs{{store.findRun("s").value().id, "s", kStart, 0}};
        const auto catalogue = app::loadCatalogue(store, runs, never).value();
        const auto found
            = app::selectionStatistics(store, *catalogue, runs, {seconds(50), seconds(80)}, never);
        QCOMPARE(found.value().front().energy.value_or(-1), 1500.0);
    }
    void theMinimapHasEachGpuOnce() {
        const auto profile = app::MinimapItem::readProfile(
            *m_store, *m_catalogue, m_runs, {{0}, seconds(10)}, 4, never);
        QCOMPARE(profile.value().runs.front().values, std::vector<float>(4, 250.0F));
    }
};

TRAINSCOPE_GUI_TEST(tst_LinksAndTwins)
#include "tst_LinksAndTwins.moc"
