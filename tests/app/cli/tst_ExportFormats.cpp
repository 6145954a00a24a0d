// `export --format chrome-json` and `openmetrics`: held against the rules of the formats, the
// traces that were imported, and promtool where it is installed.

#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// Kernels 1 and 2 overlap on one stream; launch 8 launched nothing that was traced, kernel 9 has no
// launch. Rank 1's clock is 500 us ahead: both all-reduces ended together.
QByteArray tracedRank(int rank) {
    const int ahead = rank * 500;
    const auto event = [ahead](const char* category, const char* name, int pid, int tid, int start,
                           int duration, const QByteArray& arguments) {
        return QByteArray(R"({"ph":"X","cat":")") + category + R"(","name":")" + name
            + R"(","pid":)" + QByteArray::number(pid) + R"(,"tid":)" + QByteArray::number(tid)
            + R"(,"ts":)" + QByteArray::number(start + ahead) + R"(,"dur":)"
            + QByteArray::number(duration) + R"(,"args":)" + arguments + "}";
    };
    QByteArrayList events{
        event("cuda_runtime", "cudaLaunchKernel", 100, 100, 10, 2, R"({"correlation":1})"),
        event("cuda_runtime", "cudaLaunchKernel", 100, 100, 13, 2, R"({"correlation":2})"),
        event("cuda_runtime", "cudaLaunchKernel", 100, 100, 16, 2, R"({"correlation":8})"),
        event("kernel", "first \\\"quoted\\\"", 0, 7, 20, 10,
            R"({"device":0,"stream":7,"correlation":1})"),
        event("kernel", "second", 0, 7, 25, 10, R"({"device":0,"stream":7,"correlation":2})"),
        event("kernel", "third", 0, 7, 40, 5, R"({"device":0,"stream":7,"correlation":9})")};
    for (int i = 0; i < 20; ++i) {
        events << event("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 0, 8, 1000 + 100 * i,
            50,
            R"({"device":0,"stream":8,"correlation":)" + QByteArray::number(100 + i)
                + R"(,"Collective name":"allreduce","In msg nelems":8,"dtype":"Half","Group size":2,)"
                  R"("Process Group Name":"0","Process Group Ranks":"[0, 1]"})");
    }
    return R"({"distributedInfo":{"backend":"nccl","rank":)" + QByteArray::number(rank)
        + R"(,"world_size":2},"baseTimeNanoseconds":1700000000000000000,"traceEvents":[)"
        + events.join(',') + "]}";
}

void writeFile(const QString& path, const QByteArray& bytes) {
    QVERIFY(writeContent(path, bytes));
}

struct ThreadKey {
    int pid = 0;
    int tid = 0;
    auto operator<=>(const ThreadKey&) const = default;
};

// The rules of the Trace Event Format for events of these phases; the first that is broken.
QString brokenRule(const QJsonArray& events) {
    std::map<ThreadKey, std::vector<qint64>> open;
    std::map<ThreadKey, qint64> last;
    std::map<QString, QString> flows;
    for (const auto& value : events) {
        const QJsonObject event = value.toObject();
        const QString phase = event[QLatin1String("ph")].toString();
        const auto ns = [&event](const char* key) {
            return std::llround(event[QLatin1String(key)].toDouble(-1e300) * 1000.0);
        };
        if (!event[QLatin1String("pid")].isDouble() || !event[QLatin1String("name")].isString())
            return QStringLiteral("an event without process or name");
        if (phase == QLatin1String("M"))
            continue;
        if (!event[QLatin1String("ts")].isDouble())
            return QStringLiteral("a time that is no number");
        const ThreadKey key{
            event[QLatin1String("pid")].toInt(), event[QLatin1String("tid")].toInt()};
        if (phase == QLatin1String("X")) {
            const qint64 begin = ns("ts");
            const qint64 end = begin + ns("dur");
            if (last.contains(key) && begin < last[key])
                return QStringLiteral("spans of a thread out of order");
            last[key] = begin;
            auto& stack = open[key];
            while (!stack.empty() && stack.back() <= begin)
                stack.pop_back();
            if (!stack.empty() && stack.back() < end)
                return QStringLiteral("spans of a thread overlap");
            stack.push_back(end);
        } else if (phase == QLatin1String("s") || phase == QLatin1String("f")) {
            flows[event[QLatin1String("id")].toString()] += phase;
        } else if (phase == QLatin1String("C")) {
            const QJsonObject arguments = event[QLatin1String("args")].toObject();
            if (arguments.size() != 1 || !arguments.begin().value().isDouble())
                return QStringLiteral("a counter without one number");
        } else {
            return QStringLiteral("an unknown phase");
        }
    }
    for (const auto& [id, ends] : flows) {
        if (ends != QLatin1String("sf") && ends != QLatin1String("fs"))
            return QStringLiteral("a flow without its other end: ") + id;
    }
    return {};
}

QJsonArray eventsOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object()[QLatin1String("traceEvents")].toArray();
}

} // namespace

class tst_ExportFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const QString traces = m_folder.filePath(QStringLiteral("traces"));
        QVERIFY(QDir().mkpath(traces));
        for (const int rank : {0, 1})
            writeFile(traces + QStringLiteral("/rank_%1.json").arg(rank), tracedRank(rank));
        m_traced = pathIn(m_folder, "traced.trainscope");
        QVERIFY(succeeds({"import", traces.toStdString(), "--into", m_traced}));

        const QString tree = m_folder.filePath(QStringLiteral("run"));
        m_tree = CharllmTree::write(tree, 7);
        m_telemetry = pathIn(m_folder, "telemetry.trainscope");
        QVERIFY(succeeds({"import", tree.toStdString(), "--into", m_telemetry}));
    }

    void aTraceKeepsTheRules() {
        const QString out = m_folder.filePath(QStringLiteral("t.json"));
        QVERIFY(
            succeeds({"export", m_traced, "--format", "chrome-json", "--out", out.toStdString()}));
        const auto events = eventsOf(out);
        QCOMPARE(brokenRule(events), QString());
        std::map<QString, std::vector<QJsonObject>> named;
        int flows = 0;
        for (const auto& value : events) {
            const QJsonObject event = value.toObject();
            if (event[QLatin1String("ph")] == QLatin1String("X"))
                named[event[QLatin1String("name")].toString()].push_back(event);
            flows += event[QLatin1String("ph")] == QLatin1String("s") ? 1 : 0;
        }
        QCOMPARE(flows, 4); // launches 1 and 2 of both ranks
        const auto& first = named[QStringLiteral("first \"quoted\"")];
        const auto& second = named[QStringLiteral("second")];
        QCOMPARE(first.size(), std::size_t{2});
        QCOMPARE(second.size(), std::size_t{2});
        QCOMPARE(first[0][QLatin1String("dur")].toDouble(), 10.0);
        // The run begins with the first launch, at 10 us.
        QCOMPARE(first[0][QLatin1String("ts")].toDouble(), 10.0);
        QVERIFY(first[0][QLatin1String("tid")] != second[0][QLatin1String("tid")]);
        // On the reference clock both ranks' kernels begin together.
        QVERIFY(std::abs(first[1][QLatin1String("ts")].toDouble()
                    - first[0][QLatin1String("ts")].toDouble())
            < 1.0);
        QCOMPARE(first[0][QLatin1String("args")][QLatin1String("correlation")].toInt(), 1);
    }

    void telemetryIsCounters() {
        const QString out = m_folder.filePath(QStringLiteral("c.json"));
        QVERIFY(succeeds({"export", m_telemetry, "--metric", "gpu_power", "--format", "chrome-json",
            "--out", out.toStdString()}));
        const auto events = eventsOf(out);
        QCOMPARE(brokenRule(events), QString());
        std::size_t present = 0;
        double sum = 0.0;
        for (const auto& [rank, samples] : m_tree.gpus["gpu_power"]) {
            for (const auto& sample : samples) {
                present += sample.missing ? 0U : 1U;
                sum += sample.missing ? 0.0 : static_cast<double>(sample.value);
            }
        }
        std::size_t found = 0;
        double foundSum = 0.0;
        for (const auto& value : events) {
            const QJsonObject event = value.toObject();
            if (event[QLatin1String("ph")] != QLatin1String("C"))
                continue;
            QCOMPARE(event[QLatin1String("name")].toString(), QStringLiteral("GPU power (W)"));
            ++found;
            foundSum += event[QLatin1String("args")][QLatin1String("W")].toDouble();
        }
        QCOMPARE(found, present);
        QVERIFY(std::abs(foundSum - sum) < 1e-6 * sum);
    }

    void realTracesKeepTheRules() {
        const QString traces = QDir(qEnvironmentVariable("TRAINSCOPE_SHARED"))
                                   .filePath(QStringLiteral("data/kineto/megatron_tp2_v100"));
        if (!QDir(traces).exists())
            QSKIP("the real traces are not beside the checkout: nothing was tested");
        const std::string database = pathIn(m_folder, "real.trainscope");
        QVERIFY(succeeds({"import", traces.toStdString(), "--into", database}));
        const QString out = m_folder.filePath(QStringLiteral("real.json"));
        QVERIFY(
            succeeds({"export", database, "--format", "chrome-json", "--out", out.toStdString()}));
        const auto events = eventsOf(out);
        QCOMPARE(brokenRule(events), QString());
        const auto spans = std::count_if(events.begin(), events.end(), [](const auto& one) {
            return one.toObject()[QLatin1String("ph")] == QLatin1String("X");
        });
        const auto asked = runCli({"query", database,
            "SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM iteration) AS n",
            "--json"});
        QCOMPARE(spans, asked.json()["rows"][0][0].get<std::ptrdiff_t>());
    }

    void samplesAsOpenMetrics() {
        const QString out = m_folder.filePath(QStringLiteral("s.om"));
        QVERIFY(succeeds(
            {"export", m_telemetry, "--format", "openmetrics", "--out", out.toStdString()}));
        const QByteArrayList lines = contentOf(out).trimmed().split('\n');
        QCOMPARE(lines.back(), QByteArray("# EOF"));
        std::map<QByteArray, double> last; // by series
        std::size_t power = 0;
        for (const QByteArray& line : lines) {
            if (line.startsWith('#'))
                continue;
            const auto space = line.indexOf("} ") + 1;
            const QByteArrayList cells = line.mid(space + 1).split(' ');
            QCOMPARE(cells.size(), 2);
            const QByteArray head = line.left(space);
            const double value = cells[0].toDouble();
            if (head.contains("_total{") && last.contains(head))
                QVERIFY2(value >= last[head], line.constData());
            last[head] = value;
            power += head.startsWith("trainscope_gpu_power_watts{") ? 1U : 0U;
        }
        std::size_t present = 0;
        for (const auto& [rank, samples] : m_tree.gpus["gpu_power"]) {
            for (const auto& sample : samples)
                present += sample.missing ? 0U : 1U;
        }
        QCOMPARE(power, present);
        QVERIFY(lines.contains("# TYPE trainscope_nvlink_rx_bytes counter"));
        QVERIFY(lines.contains("# UNIT trainscope_gpu_power_watts watts"));
    }

    void anEngineTakesThem() {
        const QString promtool = QStandardPaths::findExecutable(QStringLiteral("promtool"));
        if (promtool.isEmpty())
            QSKIP("promtool is not installed: nothing was tested");
        const QString out = m_folder.filePath(QStringLiteral("b.om"));
        QVERIFY(succeeds({"export", m_telemetry, "--metric", "gpu_power", "--metric", "nvlink_rx",
            "--format", "openmetrics", "--out", out.toStdString()}));
        QProcess process;
        process.start(promtool,
            texts("tsdb", "create-blocks-from", "openmetrics", out,
                m_folder.filePath(QStringLiteral("blocks"))));
        QVERIFY(process.waitForFinished());
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    }

    void compressedByName() {
        const QString out = m_folder.filePath(QStringLiteral("s.om.gz"));
        QVERIFY(succeeds({"export", m_telemetry, "--metric", "gpu_power", "--format", "openmetrics",
            "--out", out.toStdString()}));
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.read(2) == QByteArray("\x1f\x8b"));
    }

    void aFolderIsNoFile() {
        const auto ran = runCli({"export", m_telemetry, "--format", "openmetrics", "--out",
            m_folder.path().toStdString()});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "needs a file");
    }

private:
    QTemporaryDir m_folder;
    CharllmTree m_tree;
    std::string m_traced;
    std::string m_telemetry;
};

TRAINSCOPE_TEST(tst_ExportFormats)
#include "tst_ExportFormats.moc"
