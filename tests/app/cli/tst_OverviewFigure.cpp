// The overview of a recorded H100, against figures of an independent reading of its files.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace trainscope::test;

namespace {

// The value in the line of the CSV that begins with these cells; NaN: there is none.
double valueOf(const QString& csv, const QString& about, const QString& name) {
    for (const QString& line : csv.split(QLatin1Char('\n'))) {
        const QStringList cells = line.split(QLatin1Char(','));
        if (cells.size() > 3 && cells[1] == about && cells[2] == name)
            return cells[3].toDouble();
    }
    return std::nan("");
}

} // namespace

class tst_OverviewFigure : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString csvOf(const std::string& source) {
        const std::string database
            = m_folder.filePath(QStringLiteral("%1.trainscope").arg(m_made)).toStdString();
        const std::string out
            = m_folder.filePath(QStringLiteral("%1.svg").arg(m_made++)).toStdString();
        if (runCli({"import", source, "--into", database}).status > 1)
            return {};
        const auto drawn = runCli({"figure", database, "--kind", "overview", "--out", out});
        if (drawn.status != 0)
            return QString::fromStdString(drawn.err);
        QFile file(QString::fromStdString(out).chopped(4) + QStringLiteral(".csv"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    int m_made = 0;

private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the real recordings are not beside the checkout: nothing was tested");
    }

    void theRecordedH100() {
        const QString csv = csvOf(realFiles() + "/data/h100_recording/training");
        QVERIFY2(csv.startsWith(QStringLiteral("run,about,name,value,text")), qPrintable(csv));
        const auto near = [&](const char* about, const char* name, double truth, double within) {
            const double value = valueOf(csv, QLatin1String(about), QLatin1String(name));
            return std::abs(value - truth) <= within;
        };
        QVERIFY2(near("time", "traced_s", 2.117667157, 1e-9), qPrintable(csv));
        QVERIFY(near("time", "busy_s", 2.069593917, 1e-9));
        QVERIFY(near("time", "idle_s", 0.048073240, 1e-9));
        QVERIFY(near("limit", "seconds", 15.904077115, 1e-6));
        QVERIFY(near("limit", "share", 0.10415243778911702, 1e-9));
        QVERIFY(near("limit", "highest_w", 888.667, 1e-9));
        QVERIFY(!csv.contains(QStringLiteral("rank"), Qt::CaseInsensitive));
    }

    void logsAloneHaveNoKernels() {
        const QString csv = csvOf(realFiles() + "/data/h100_recording/training/nvidia-smi.csv");
        QVERIFY(csv.startsWith(QStringLiteral("run,about")));
        QVERIFY(!csv.contains(QStringLiteral("kernel"), Qt::CaseInsensitive));
        QVERIFY(valueOf(csv, QStringLiteral("energy"), QStringLiteral("energy_j")) > 0.0);
    }
};

TRAINSCOPE_GUI_TEST(tst_OverviewFigure)
#include "tst_OverviewFigure.moc"
