// The minimap shows what there is: a row per run, of GPUs' power, else nodes' power, throughput,
// activity of the GPUs or of the host.

#include "app/viewmodels/timeline/MinimapItem.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

namespace {

constexpr TimeNs kMapStart{1'700'000'000'000'000'000};

TimeNs after(double seconds) {
    return kMapStart + DurationNs{static_cast<std::int64_t>(seconds * 1e9)};
}

RunId runOf(Sink& sink, const char* name) {
    Run run;
    run.name = name;
    return sink.run(run).value();
}

// At 0 … 8 s: `first` until 4 s, then `second`.
void addValues(Sink& sink, RunId run, const char* metric, const Subject& subject, double first,
    double second) {
    SeriesDescription description;
    description.metric = *findMetric(metric);
    description.subject = subject;
    const SeriesId id = sink.series(run, description).value();
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i <= 8; ++i) {
        times.push_back(after(i));
        values.push_back(i < 4 ? first : second);
    }
    QVERIFY(sink.samples(id, times, values).hasValue());
}

// Busy over the second quarter of 8 s.
void addThread(Sink& sink, RunId run) {
    const TrackId track
        = sink.track(run, TrackDescription{TrackKind::Thread, 0, -1, "1", "1", "thread 1"}).value();
    const auto name = sink.intern("aten::add").value();
    const std::vector<Span> spans{{after(2), {2'000'000'000}, name, SpanKind::CpuOp, 1, {}, 0}};
    QVERIFY(sink.spans(track, spans).hasValue());
}

} // namespace

class tst_Minimap : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;

    [[nodiscard]] app::MinimapItem::Profile profileOf(const std::vector<const char*>& names) const {
        const auto never = [] { return false; };
        std::vector<plot::ShownRun> runs;
        for (const char* name : names)
            runs.push_back({m_store->findRun(name).value().id, name, kMapStart, runs.size()});
        const auto catalogue = app::loadCatalogue(*m_store, runs, never).value();
        return app::MinimapItem::readProfile(
            *m_store, *catalogue, runs, {{0}, {8'000'000'000}}, 4, never)
            .value();
    }

private Q_SLOTS:
    void initTestCase() {
        m_store.emplace(
            store::Store::openOrCreate(m_folder.filePath(QStringLiteral("m")).toStdString())
                .value());
        store::SourceDescription source;
        source.path = source.hash = "s";
        auto session = store::beginImport(*m_store, source).value();
        Sink& sink = *session;
        const Subject node{SubjectKind::Node, -1, 0, {}};
        const RunId nodes = runOf(sink, "nodes");
        addValues(sink, nodes, "node_power", node, 1000, 500);
        addValues(sink, nodes, "token_rate", {SubjectKind::Run, -1, -1, {}}, 7, 7);
        const RunId both = runOf(sink, "both");
        addValues(sink, both, "node_power", node, 1000, 1000);
        addValues(sink, both, "gpu_power", {SubjectKind::Gpu, 0, 0, {}}, 100, 300);
        addValues(sink, both, "gpu_power", {SubjectKind::Gpu, 1, 0, {}}, 300, 500);
        addValues(sink, runOf(sink, "log"), "token_rate", {SubjectKind::Run, -1, -1, {}}, 20, 40);
        addThread(sink, runOf(sink, "host"));
        QVERIFY(session->finish({}, "s", 1, {}).hasValue());
    }
    void theFirstThatThereIs() {
        const auto runs = profileOf({"nodes", "both", "log", "host"}).runs;
        QCOMPARE(runs.size(), std::size_t{4});
        QCOMPARE(runs[0].of, std::string("Node power"));
        QCOMPARE(runs[0].values, (std::vector<float>{1000, 1000, 500, 500}));
        QCOMPARE(runs[1].of, std::string("GPU power"));
        QCOMPARE(runs[1].values, (std::vector<float>{200, 200, 400, 400}));
        QCOMPARE(runs[2].of, std::string("Tokens per second, as reported"));
        QCOMPARE(runs[2].values, (std::vector<float>{20, 20, 40, 40}));
        QCOMPARE(runs[3].of, std::string("Host activity"));
        QCOMPARE(runs[3].values, (std::vector<float>{0, 1, 0, 0}));
    }
    // Watts of a node do not flatten the tokens of a log.
    void runsOfTheSameShareAScale() {
        const auto runs = profileOf({"nodes", "log", "both"}).runs;
        QCOMPARE(runs[0].highest, 1000.0F);
        QCOMPARE(runs[1].highest, 40.0F);
        QCOMPARE(runs[2].highest, 400.0F);
        const auto same = profileOf({"nodes", "nodes"}).runs;
        QCOMPARE(same[1].highest, 1000.0F);
    }
};

TRAINSCOPE_GUI_TEST(tst_Minimap)
#include "tst_Minimap.moc"
