// Traces through the run database and the breakdown, against the independently computed
// figures.

#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "importers/common/Formats.h"
#include "importers/kineto/SharedFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

std::int64_t nanoseconds(const QJsonValue& microseconds) {
    return std::llround(microseconds.toDouble() * 1000.0);
}

// Imports all traces below a path; the names of their runs.
QString importInto(store::Store& store, const QString& path, std::set<std::string>& runs) {
    const auto tree = importers::openDiskTree(path.toStdString());
    if (!tree.hasValue())
        return QString::fromStdString(tree.error().describe());
    const importers::Importer& importer = importers::kineto::kImporter;
    for (const auto& unit : importer.plan(*tree.value(), tree.value()->files())) {
        auto session = store::beginImport(
            store, {path.toStdString() + '/' + unit.path, unit.bytes, {}, unit.runName});
        if (!session.hasValue())
            return QString::fromStdString(session.error().describe());
        const auto report = importer.import(*tree.value(), unit, *session.value(), {});
        if (!report.hasValue())
            return QString::fromStdString(report.error().describe());
        const auto done
            = session.value()->finish(report.value(), "hash " + unit.path, unit.bytes, {});
        if (!done.hasValue())
            return QString::fromStdString(done.error().describe());
        runs.insert(unit.runName);
    }
    return {};
}

} // namespace

class tst_KinetoBreakdown : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void realTracesAreHere() {
        if (!hasSharedTraces())
            QSKIP("the real traces are not here");
    }
    void breakdown_data() {
        const auto row = columns<QJsonObject>("truth");
        for (const QJsonValue& value : kinetoTruth()) {
            const QJsonObject truth = value.toObject();
            row(qPrintable(truth[u"file"].toString()), truth);
        }
    }
    void breakdown() {
        QFETCH(QJsonObject, truth);
        const QString path = databasePath("one.trainscope");
        QFile::remove(path);
        auto store = store::Store::openOrCreate(path.toStdString());
        QVERIFY2(store.hasValue(), store.hasValue() ? "" : store.error().describe().c_str());
        std::set<std::string> names;
        const QString problem = importInto(store.value(), truth[u"path"].toString(), names);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        QCOMPARE(names.size(), std::size_t{1});
        const auto run = store.value().findRun(*names.begin());
        QVERIFY(run.hasValue());
        const auto devices = analysis::traceBreakdown({store.value(), run.value()});
        QVERIFY(devices.hasValue());
        const QJsonObject expected = truth[u"per_device"].toObject();
        qsizetype withKernels = 0;
        for (const analysis::DeviceBreakdown& device : devices.value()) {
            if (device.kernelCount == 0)
                continue;
            ++withKernels;
            compareDevice(expected[QString::number(device.device)].toObject(), device);
        }
        QCOMPARE(withKernels, expected.size());
    }
    void ranksOfOneRunAndTheirCollectives_data() {
        const auto row = columns<QString, int, QString, int>("folder", "rank", "stream", "peers");
        row("pair", QString::fromStdString(standIns() + "/data/kineto/pair"), 0, "22", 2);
        if (hasSharedTraces())
            row("astra_megatron_tp8", sharedData() + QStringLiteral("/kineto/astra_megatron_tp8"),
                3, "24", 8);
    }
    void ranksOfOneRunAndTheirCollectives() {
        QFETCH(const QString, folder);
        QFETCH(const int, rank);
        QFETCH(const QString, stream);
        QFETCH(const int, peers);
        const std::string name = QTest::currentDataTag();
        auto store
            = store::Store::openOrCreate(databasePath(QTest::currentDataTag()).toStdString());
        QVERIFY(store.hasValue());
        std::set<std::string> names;
        const QString problem = importInto(store.value(), folder, names);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        QCOMPARE(names, std::set<std::string>{name});
        const auto run = store.value().findRun(name);
        QVERIFY(run.hasValue());
        const auto tracks = store.value().tracks(run.value().id);
        QVERIFY(tracks.hasValue());
        // The first all-reduce of a rank against a plain scan; the real trace has 84 collectives on
        // each of its 8 ranks.
        int found = 0;
        for (const Track& track : tracks.value()) {
            if (track.description.kind != TrackKind::Stream || track.description.rank != rank
                || track.description.thread != stream.toStdString())
                continue;
            std::optional<Span> first;
            QVERIFY(store.value()
                        .forEachSpan(track.id, kAllTime,
                            [&](std::span<const Span> spans) {
                                first = spans.front();
                                return false;
                            })
                        .hasValue());
            const auto all = analysis::collectivePeers({store.value(), run.value()}, rank, *first);
            QVERIFY(all.hasValue() && all.value());
            QCOMPARE(all.value()->ranks.size(), static_cast<std::size_t>(peers));
            TimeNs latest{0};
            int lastRank = -1;
            for (const analysis::CollectiveRank& peer : all.value()->ranks) {
                // All parts of a collective are under way at the same moment.
                QVERIFY(peer.start < first->start + first->duration + DurationNs{1'000'000});
                if (peer.start > latest) {
                    latest = peer.start;
                    lastRank = peer.rank;
                }
            }
            QCOMPARE(all.value()->lastRank, lastRank);
            ++found;
        }
        QCOMPARE(found, 1);
    }

private:
    void compareDevice(const QJsonObject& truth, const analysis::DeviceBreakdown& device) {
        QCOMPARE(device.kernelCount, truth[u"kernels"].toInteger());
        const QJsonObject work = truth[u"device_work"].toObject();
        QVERIFY(!work.isEmpty());
        QCOMPARE(device.traced.ns, nanoseconds(work[u"window_us"]));
        QCOMPARE(device.busy.ns, nanoseconds(work[u"busy_us"]));
        QCOMPARE(device.copy.ns, nanoseconds(work[u"copy_only_us"]));
        QCOMPARE(device.idle.ns, nanoseconds(work[u"idle_us"]));
        QCOMPARE(device.copies.count + device.sets.count, work[u"copies_and_sets"].toInteger());
        QCOMPARE((device.compute + device.exposedCommunication).ns,
            nanoseconds(truth[u"busy_union_us"]));
        QCOMPARE(device.compute.ns, nanoseconds(truth[u"compute_union_us"]));
        QCOMPARE(device.communication.ns, nanoseconds(truth[u"comm_union_us"]));
        QCOMPARE(device.overlap.ns, nanoseconds(truth[u"overlap_us"]));
        QCOMPARE(device.exposedCommunication.ns, nanoseconds(truth[u"exposed_comm_us"]));
        QCOMPARE(device.kernelTime.ns,
            nanoseconds(truth[u"comm_total_dur_us"]) + nanoseconds(truth[u"compute_total_dur_us"]));
        std::int64_t categoryCount = 0;
        std::int64_t categoryTime = 0;
        for (const auto& [name, sums] : device.categories) {
            categoryCount += sums.count;
            categoryTime += sums.time.ns;
        }
        QCOMPARE(categoryCount, device.kernelCount);
        QCOMPARE(categoryTime, device.kernelTime.ns);
        std::int64_t rowCount = 0;
        for (const analysis::KernelRow& row : device.kernels)
            rowCount += row.count;
        QCOMPARE(rowCount, device.kernelCount);
    }
    QString databasePath(const char* name) { return m_folder.filePath(QLatin1String(name)); }
};

TRAINSCOPE_TEST(tst_KinetoBreakdown)
#include "tst_KinetoBreakdown.moc"
