// The figures of a selection against numbers worked out by hand (see TimelineDatabase.h).

#include "app/viewmodels/inspector/CursorProbe.h"
#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/inspector/SelectionStatistics.h"
#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using test::kStart;
using test::seconds;

namespace {

// Has told of power alone: GPU 0 has all of its samples, GPU 1 half of them.
class ToldOfPower final : public app::EngineLanes {
public:
    std::optional<app::StretchFigures> figures(RunId, TimeRange) override {
        app::StretchFigures told;
        told.metrics = 2;
        told.told = 1;
        told.series
            = {{"gpu_power", {SubjectKind::Gpu, 0, 0, {}}, 100.0, 90.0, 110.0, 10.0, 10.0, {}},
                {"gpu_power", {SubjectKind::Gpu, 1, 0, {}}, 40.0, 0.0, 60.0, 5.0, 5.0, {}}};
        return told;
    }
    bool has(const Series&) const override { return true; }
    Result<figures::RemoteAnswer> lane(
        const figures::RemoteQuestion&, const std::function<bool()>&) override {
        return figures::RemoteAnswer{};
    }
    app::EngineState state() const override { return {}; }
    void tryAgain() override { }
    std::vector<RunId> liveRuns() const override { return {}; }
};

} // namespace

class tst_SelectionStatistics : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    std::vector<plot::ShownRun> m_runs;
    app::CataloguePtr m_catalogue;

    static bool never() { return false; }

    app::RunStatistics statistics(plot::ViewWindow stretch) {
        auto all = app::selectionStatistics(*m_store, *m_catalogue, m_runs, stretch, never);
        return all.hasValue() ? all.value().front() : app::RunStatistics{};
    }
    static app::MetricStatistics of(const app::RunStatistics& run, const char* metric) {
        const auto found = std::find_if(run.metrics.begin(), run.metrics.end(),
            [metric](const auto& m) { return m.metric.name == metric; });
        return found == run.metrics.end() ? app::MetricStatistics{} : *found;
    }
    static QString value(const std::vector<app::Fact>& facts, const char* label) {
        const auto found = std::find_if(facts.begin(), facts.end(),
            [label](const auto& fact) { return fact.label == QLatin1String(label); });
        return found == facts.end() ? QString() : found->value;
    }
    std::optional<app::SpanReport> look(app::SpanTarget target) {
        target.track = m_catalogue->facts(0).tracks.front().id;
        plot::TimeContext context;
        context.origin = kStart;
        auto found = app::lookUpSpan(*m_store, *m_catalogue, target, context, never);
        return found.hasValue() ? found.value() : std::nullopt;
    }

private Q_SLOTS:
    void initTestCase() {
        const auto path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!path.empty());
        m_store.emplace(store::Store::open(path, store::OpenMode::ReadOnly).value());
        const Run run = m_store->findRun("small").value();
        m_runs = {{run.id, run.name, run.range.begin, 0}};
        auto catalogue = app::loadCatalogue(*m_store, m_runs, never);
        QVERIFY(catalogue.hasValue());
        m_catalogue = catalogue.value();
    }
    void everything() {
        const auto run = statistics({{0}, seconds(11)});
        QCOMPARE(run.energy.value_or(-1), 1500.0); // 100 W × 10 s and half of that
        const auto power = of(run, "gpu_power");
        QCOMPARE(power.mean.value_or(-1), 72.5); // (100 + (0 + … + 90) / 10) / 2
        QCOMPARE(power.min.value_or(-1), 0.0);
        QCOMPARE(power.max.value_or(-1), 100.0);
        QCOMPARE(of(run, "pcie_rx").total.value_or(-1), 20e6);
        QCOMPARE(run.gpus.size(), std::size_t{2});
        QCOMPARE(run.gpus[1].energy.value_or(-1), 500.0);
        QCOMPARE(run.gpus[1].peakPower.value_or(-1), 100.0);
        QCOMPARE(run.gpus[0].peakTemperature.value_or(-1), 50.0);
    }
    void aStretch() {
        // Samples at 2, 3 and 4 s of rank 1: 20, 30, 40 W.
        const auto run = statistics({seconds(2), seconds(4)});
        QCOMPARE(run.gpus[1].energy.value_or(-1), 60.0);
        QCOMPARE(run.gpus[0].energy.value_or(-1), 200.0);
        QCOMPARE(of(run, "pcie_rx").total.value_or(-1), 4e6);
    }
    // Half a second without a sample: the last ones hold, and power and counters are on the line
    // between theirs. The power of rank 1 goes from 22.5 to 27.5 W.
    void betweenTwoSamples() {
        const auto run = statistics({seconds(2.25), seconds(2.75)});
        QCOMPARE(run.gpus[0].energy.value_or(-1), 50.0);
        QCOMPARE(run.gpus[1].energy.value_or(-1), 12.5);
        QCOMPARE(run.energyCoverage, 1.0);
        QCOMPARE(of(run, "gpu_power").mean.value_or(-1), 60.0); // 100 and 20 W
        QCOMPARE(of(run, "gpu_power").max.value_or(-1), 100.0); // it holds
        QCOMPARE(run.gpus[0].peakPower.value_or(-1), 100.0);
        QCOMPARE(run.gpus[1].peakPower.value_or(-1), 20.0);
        QCOMPARE(of(run, "gpu_temperature").mean.value_or(-1), 55.0);
        QCOMPARE(of(run, "pcie_rx").total.value_or(-1), 1e6); // 0.5 s of 1 MB/s, twice
    }
    void whatAnEngineTold() {
        ToldOfPower engine;
        const auto all = app::selectionStatistics(
            *m_store, *m_catalogue, m_runs, {{0}, seconds(10)}, never, &engine);
        const auto& run = all.value().front();
        QCOMPARE(run.told->metrics, std::size_t{1});
        QCOMPARE(run.told->of, std::size_t{2});
        // 100 W over 10 s, 40 W over 5 s of them.
        QCOMPARE(run.energy.value_or(-1), 1200.0);
        QCOMPARE(of(run, "gpu_power").mean.value_or(-1), 70.0); // mean over the GPUs' means
        QCOMPARE(of(run, "gpu_power").min.value_or(-1), 0.0);
        QCOMPARE(of(run, "gpu_power").max.value_or(-1), 110.0);
        QCOMPARE(run.gpus[1].energy.value_or(-1), 200.0);
        QCOMPARE(run.gpus[1].peakPower.value_or(-1), 60.0);
        QVERIFY(!of(run, "gpu_temperature").mean.has_value());
        QCOMPARE(run.energyCoverage, 0.75); // all of 10 s, and half of them
        app::InspectorModel inspector;
        inspector.showStatistics(all);
        QVERIFY(inspector.selection()->text().contains(QStringLiteral("75 % of the GPUs")));
    }
    void nothingThere() {
        const auto run = statistics({seconds(50), seconds(60)});
        QVERIFY(!run.energy.has_value());
        QVERIFY(!of(run, "gpu_power").mean.has_value());
        app::InspectorModel inspector;
        inspector.showStatistics(std::vector{run});
        QVERIFY(inspector.selection()->text().startsWith(QStringLiteral("Duration\tno data")));
    }
    void stopsWhenAsked() {
        const auto stopped = app::selectionStatistics(
            *m_store, *m_catalogue, m_runs, {{0}, seconds(11)}, [] { return true; });
        QVERIFY(!stopped.hasValue());
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
    }
    void cursorValuesAreHeldSamplesAndMissingIsNoData() {
        app::ProbeRequest request{m_catalogue, m_runs, {}, seconds(3.5), 1};
        request.arrangement.lanes = {{plot::LaneStyle::Lines, "gpu_power", {}, 100.0},
            {plot::LaneStyle::Lines, "gpu_temperature", 0, 100.0},
            {plot::LaneStyle::Lines, "pcie_rx", {}, 100.0}};
        const auto at = app::probe(*m_store, request, never);
        QVERIFY(at.hasValue());
        QCOMPARE(at.value().lanes[0], test::texts("30 W"));
        QCOMPARE(at.value().lanes[1], test::texts("50 °C"));
        QCOMPARE(at.value().lanes[2], test::texts("1 MB/s"));
        request.time = seconds(4.5); // missing since 4 s
        QCOMPARE(app::probe(*m_store, request, never).value().lanes[1], test::texts("no data"));
        request.time = seconds(30);
        QCOMPARE(app::probe(*m_store, request, never).value().lanes[0], test::texts("no data"));
    }
    // Kernels run at 1 s, at 2 s and at 3 s; between the captures nobody looked.
    void betweenCapturesIsNotTraced() {
        const QTemporaryDir folder;
        const auto path = test::writeTimelineDatabase(folder.path().toStdString());
        auto store = store::Store::open(path, store::OpenMode::ReadWrite).value();
        QVERIFY(test::addCaptures(store));
        const Run run = store.findRun("small").value();
        const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
        const auto catalogue = app::loadCatalogue(store, runs, never).value();
        const auto kernelAt = [&](double time) {
            app::ProbeRequest request{catalogue, runs, {}, seconds(time), 0};
            request.arrangement.lanes = {{plot::LaneStyle::Kernels, "", 0, 100.0}};
            const auto at = app::probe(store, request, never).value();
            return QStringList{at.lanes[0].front(), value(at.gpu, "Kernel")};
        };
        const QString none = QStringLiteral("not traced");
        QCOMPARE(kernelAt(2.65), (QStringList{none, none}));
        QCOMPARE(kernelAt(7.0), (QStringList{none, none}));
        QCOMPARE(kernelAt(1.5), test::texts("idle", "idle"));
        QVERIFY(kernelAt(1.05).front().startsWith(QStringLiteral("sm90_gemm")));
        QVERIFY(catalogue->facts(0).isBetweenCaptures(0, kStart + seconds(2.65)));
        QVERIFY(!catalogue->facts(0).isBetweenCaptures(1, kStart + seconds(2.65)));
    }
    // A run of two meters: what is pointed at is said of its own node, and no GPU is spoken of.
    void nodesWithoutGpus() {
        const auto path = m_folder.filePath(QStringLiteral("nodes.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path).value();
        {
            auto session = std::move(store::beginImport(store, {"meters", 1, {}, "m"})).value();
            Run made;
            made.name = "m";
            const RunId run = session->run(made).value();
            for (const int node : {0, 1}) {
                SeriesDescription series;
                series.metric = *findMetric("node_power");
                series.subject = {SubjectKind::Node, -1, node, {}};
                const auto id = session->series(run, series).value();
                const std::vector<TimeNs> times{kStart, kStart + seconds(10)};
                const std::vector<double> watts(2, 1000.0 + 500.0 * node);
                QVERIFY(session->samples(id, times, watts).hasValue());
            }
            QVERIFY(session->finish({}, {}, 1, {}).hasValue());
        }
        const Run run = store.findRun("m").value();
        const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
        const auto catalogue = app::loadCatalogue(store, runs, never).value();
        app::ProbeRequest request{catalogue, runs, {}, seconds(5), 0, 1};
        request.arrangement.lanes = {{plot::LaneStyle::Lines, "node_power", {}, 100.0}};
        const auto at = app::probe(store, request, never).value();
        QCOMPARE(at.lanes[0], test::texts("1500 W"));
        QVERIFY(!at.hasGpus);
        QCOMPARE(value(at.gpu, "Node power, node 0"), QStringLiteral("1000 W"));
        QCOMPARE(value(at.gpu, "Node power, node 1"), QStringLiteral("1500 W"));
    }
    // Two nodes of two GPUs that draw 400 W for 10 s each; node 0 has a meter, which says 1000 W:
    // 1 − 8 kJ / 10 kJ. Another source has GPU 0's power again, which is the same 4 kJ. If GPU 1
    // has no power, the rest of node 0 is not known.
    void nodesOfWhichSomeHaveNoMeter_data() {
        const auto row = test::columns<int>("without");
        row("every GPU", -1);
        row("without GPU 1", 1);
    }
    void nodesOfWhichSomeHaveNoMeter() {
        QFETCH(int, without);
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("metered.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path).value();
        const std::vector<TimeNs> times{kStart, kStart + seconds(5), kStart + seconds(10)};
        for (const char* source : {"first", "second"}) {
            auto session = std::move(store::beginImport(store, {source, 1, source, "m"})).value();
            Run made;
            made.name = "m";
            const RunId run = session->run(made).value();
            const auto add = [&](const char* metric, const Subject& subject, double watts) {
                SeriesDescription series;
                series.metric = *findMetric(metric);
                series.subject = subject;
                const auto id = session->series(run, series).value();
                QVERIFY(session->samples(id, times, std::vector<double>(3, watts)).hasValue());
            };
            const bool isFirst = std::string_view(source) == "first";
            for (int rank = 0; isFirst && rank < 4; ++rank) {
                QVERIFY(session->gpu(run, {rank, rank / 2, rank % 2, {}, {}}).hasValue());
                if (rank != without)
                    add("gpu_power", {SubjectKind::Gpu, rank, -1, {}}, 400.0);
            }
            if (isFirst)
                add("node_power", {SubjectKind::Node, -1, 0, {}}, 1000.0);
            else
                add("gpu_power", {SubjectKind::Gpu, 0, -1, {}}, 400.0);
            QVERIFY(session->finish({}, source, 1, {}).hasValue());
        }
        const Run run = store.findRun("m").value();
        const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
        const auto catalogue = app::loadCatalogue(store, runs, never).value();
        const auto all = app::selectionStatistics(
            store, *catalogue, runs, {{0}, seconds(10) + DurationNs{1}}, never);
        const auto& found = all.value().front();
        QCOMPARE(found.energy.value_or(-1), without < 0 ? 16e3 : 12e3);
        QCOMPARE(found.nodeEnergy.value_or(-1), 10e3);
        QCOMPARE(found.nodes, 1);
        QCOMPARE(found.notOfGpus.has_value(), without < 0);
        if (found.notOfGpus)
            QVERIFY(std::abs(*found.notOfGpus - 0.2) < 1e-12);
        app::InspectorModel inspector;
        inspector.showStatistics(all);
        QVERIFY(inspector.selection()->text().contains(
            without < 0 ? QLatin1String("not of the GPUs") : QLatin1String("not all of")));
    }
    void spanUnderThePointer() {
        app::SpanTarget target;
        target.time = kStart + seconds(1.05);
        const auto report = look(target);
        QVERIFY(report.has_value());
        QCOMPARE(report->name, std::string("sm90_gemm"));
        QCOMPARE(value(report->facts, "Duration"), QStringLiteral("100.000000 ms"));
        QCOMPARE(value(report->facts, "Category"), QStringLiteral("GEMM"));
        QCOMPARE(value(report->facts, "Grid"), QStringLiteral("4 × 2 × 1"));
        QCOMPARE(value(report->facts, "Custom"), QStringLiteral("x"));
    }
    void spanBesideThePointerWithinReach() {
        app::SpanTarget target;
        target.time = kStart + seconds(3) + DurationNs{5'000};
        target.reach = {10'000};
        const auto report = look(target);
        QVERIFY(report.has_value());
        QCOMPARE(report->span.duration.ns, std::int64_t{1'000});
        target.reach = {100};
        QVERIFY(!look(target).has_value());
    }
    void nextAndPrevious() {
        app::SpanTarget target;
        target.step = app::SpanTarget::Step::Next;
        target.time = kStart + seconds(1.1);
        QCOMPARE(look(target)->name, std::string("ncclDevKernel_AllReduce"));
        target.step = app::SpanTarget::Step::Previous;
        target.time = kStart + seconds(3);
        QCOMPARE(look(target)->name, std::string("ncclDevKernel_AllReduce"));
        target.time = kStart + seconds(1);
        QVERIFY(!look(target).has_value());
    }
};

TRAINSCOPE_GUI_TEST(tst_SelectionStatistics)
#include "tst_SelectionStatistics.moc"
