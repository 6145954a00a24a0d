// nvidia-smi logs, a small one and, where they are, the real ones, against independently computed
// figures (telemetry_truth.json beside them): counts, first and last stamp, extremes, mean and
// trapezoid energy of every power series.

#include "importers/meters/ImportLogs.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

double trapezoid(const std::vector<std::int64_t>& times, const std::vector<double>& values) {
    double joules = 0.0;
    for (std::size_t i = 1; i < times.size(); ++i)
        joules += 0.5 * (values[i] + values[i - 1]) * static_cast<double>(times[i] - times[i - 1])
            * 1e-9;
    return joules;
}

// Half a unit of the last digit that the truth file carries.
bool near(double value, double truth, double half) {
    return std::abs(value - truth) <= half * 1.01;
}

} // namespace

class tst_Truth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void powerSeries_data();
    void powerSeries();

private:
    static void addSeries(const QString& data);
};

void tst_Truth::powerSeries_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("rank");
    QTest::addColumn<QJsonObject>("truth");
    for (const auto& root : testRoots())
        addSeries(QString::fromStdString(root) + QStringLiteral("/data/"));
    if (realFiles().empty())
        QTest::newRow("no real files") << QString() << 0 << QJsonObject();
}

void tst_Truth::addSeries(const QString& data) {
    QFile file(data + QStringLiteral("telemetry_truth.json"));
    if (!file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
    for (const QString& path : all.keys()) {
        if (!path.startsWith(QStringLiteral("nvidia_smi/")))
            continue;
        const QJsonObject series = all[path].toObject()[QStringLiteral("series")].toObject();
        for (const QString& gpu : series.keys()) {
            QTest::newRow(qPrintable(path + QStringLiteral(" GPU ") + gpu))
                << data + path << gpu.toInt() << series[gpu].toObject();
        }
    }
}

void tst_Truth::powerSeries() {
    QFETCH(QString, path);
    QFETCH(int, rank);
    QFETCH(QJsonObject, truth);
    if (path.isEmpty())
        QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
    const auto tree = importers::openDiskTree(path.toStdString());
    QVERIFY(tree.hasValue());
    ImportedLog imported;
    importTree(*tree.value(), imported);
    QCOMPARE(imported.reports.size(), std::size_t{1});
    QVERIFY2(imported.reports[0].hasValue(), "import failed");
    QCOMPARE(imported.reports[0].value().skipped, std::int64_t{0});

    const auto times = imported.times("gpu_power", rank);
    const auto values = imported.values("gpu_power", rank);
    const auto figure = [&truth](const char* key) { return truth[QLatin1String(key)].toDouble(); };
    QCOMPARE(static_cast<int>(values.size()), truth[QLatin1String("n")].toInt());
    QVERIFY(near(static_cast<double>(times.front()) * 1e-9, figure("first"), 5e-4));
    QVERIFY(near(static_cast<double>(times.back()) * 1e-9, figure("last"), 5e-4));
    QCOMPARE(*std::min_element(values.begin(), values.end()), figure("min"));
    QCOMPARE(*std::max_element(values.begin(), values.end()), figure("max"));
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    QVERIFY(near(sum / static_cast<double>(values.size()), figure("mean"), 5e-5));
    QVERIFY(near(trapezoid(times, values), figure("energy_trapz_J"), 5e-3));
}

TRAINSCOPE_TEST(tst_Truth)
#include "tst_Truth.moc"
