// The small curve of a run: its mean GPU power over its length.

#include "app/viewmodels/session/RunListModel.h"
#include "core/model/Metric.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// GPU power of some ranks in the run "run", a sample a second until `last`.
void addLog(store::Store& store, const std::string& path, const std::vector<int>& ranks, int last,
    const std::function<double(int rank, int second)>& watts) {
    auto session = store::beginImport(store, {path, 1, path, "run"}).value();
    Run run;
    run.name = "run";
    const RunId id = session->run(run).value();
    for (const int rank : ranks) {
        (void)session->gpu(id, {rank, 0, rank, "NVIDIA H200", {}});
        SeriesDescription power;
        power.metric = *findMetric(metric::kGpuPower);
        power.subject = {SubjectKind::Gpu, rank, -1, {}};
        const SeriesId series = session->series(id, power).value();
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (int second = 0; second <= last; ++second) {
            times.push_back({1'735'689'600 * kSecond + second * kSecond});
            values.push_back(watts(rank, second));
        }
        (void)session->samples(series, times, values);
    }
    (void)session->finish({}, path, 1, {});
}

QList<double> curveOf(const store::Store& store) {
    return app::powerCurve(store, store.runs().value().front(), 112, [] { return false; });
}

} // namespace

class tst_PowerCurve : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Store> m_store;

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        const auto path = std::filesystem::path(m_folder->path().toStdString()) / "t.trainscope";
        m_store = std::make_unique<store::Store>(store::Store::openOrCreate(path).value());
    }
    void cleanup() { m_store.reset(); }

    // 100 and 300 W, later 300 and 500 W: means of 200 and 400 W.
    void meanOfTheGpus() {
        addLog(*m_store, "a.csv", {0, 1}, 39,
            [](int rank, int second) { return 100.0 + 200.0 * rank + (second < 20 ? 0 : 200.0); });
        const auto curve = curveOf(*m_store);
        QCOMPARE(curve.size(), qsizetype(20)); // from 40 samples
        QCOMPARE(curve.front(), 0.5);
        QCOMPARE(curve.back(), 1.0);
    }

    // A second log has rank 0 for the first ten seconds, at 700 W: the longer one speaks for it,
    // and the mean stays (100 + 400) / 2 W.
    void twoLogsOfOneGpu() {
        addLog(
            *m_store, "a.csv", {0, 1}, 39, [](int rank, int) { return rank == 0 ? 100. : 400.; });
        addLog(*m_store, "b.csv", {0}, 10, [](int, int) { return 700.0; });
        const auto curve = curveOf(*m_store);
        QCOMPARE(curve.size(), qsizetype(20));
        for (const double share : curve)
            QCOMPARE(share, 1.0);
    }

    void nothingToDraw() {
        Run run;
        run.range = {{0}, {kSecond}};
        QVERIFY(app::powerCurve(*m_store, run, 112, [] { return false; }).isEmpty());
    }
};

TRAINSCOPE_TEST(tst_PowerCurve)
#include "tst_PowerCurve.moc"
