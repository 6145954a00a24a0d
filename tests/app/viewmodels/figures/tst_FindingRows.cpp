// Numbers in the list of findings, each in its unit.

#include "app/viewmodels/figures/FindingsController.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_FindingRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesInTheirUnits_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("shown");
        const auto add = [](const char* name, double value, const char* metric, const char* label,
                             const char* shown) {
            QTest::newRow(name) << QString::fromLatin1(name) << value << QString::fromLatin1(metric)
                                << QString::fromLatin1(label) << QString::fromUtf8(shown);
        };
        add("rear_c", 84.76, "gpu_temperature", "rear", "84.8 °C");
        add("tokens_per_s", 54'321.0, "", "tokens", "54.32 k/s");
        add("rate_b_per_s", 64.02e9, "", "rate", "64.02 GB/s");
        add("flops_per_gpu", 1.2e15, "", "flops per GPU", "1.2 PFLOP/s");
        add("lost_gpu_s", 5.0, "", "lost GPU", "5 s");
        add("seconds", 5.0, "", "seconds", "5 s");
        add("mfu", 1.234, "", "mfu", "123 %");
        add("fraction", 0.0996, "", "share", "9.96 %");
        add("excess", 12.34, "gpu_power", "excess", "1234 %");
        add("gpus", 3.0, "gpu_power", "GPUs", "3");
    }
    void valuesInTheirUnits() {
        QFETCH(QString, name);
        QFETCH(double, value);
        QFETCH(QString, metric);
        analysis::Finding finding;
        finding.values[name.toStdString()] = value;
        finding.evidence.metric = metric.toStdString();
        const auto row = app::findingRow({}, finding);
        QTEST(row.labels.value(0), "label");
        QTEST(row.values.value(0), "shown");
        QCOMPARE(row.numbers.at(name.toStdString()), value);
    }

    // The one rank of a run is none among others.
    void theOnlyRank() {
        analysis::Finding finding;
        finding.values = {{"fraction", 0.25}, {"worst_rank_fraction", 0.25}};
        Run run;
        run.gpuCount = 1;
        QCOMPARE(app::findingRow(run, finding).labels, QStringList{QStringLiteral("share")});
        run.gpuCount = 2;
        QCOMPARE(app::findingRow(run, finding).labels,
            (QStringList{QStringLiteral("share"), QStringLiteral("most, of one rank")}));
    }

    // The means of GPUs that differ from the others are in the unit of what they differ in.
    void outliers() {
        const auto worstOf = [](const char* metric, double value) {
            analysis::Finding finding;
            finding.values = {{"worst", value}, {"median", value}};
            finding.evidence.metric = metric;
            const auto row = app::findingRow({}, finding);
            return row.values.value(0) == row.values.value(1) ? row.values.value(0) : QString();
        };
        QCOMPARE(worstOf("gpu_temperature", 89.5), QStringLiteral("89.5 °C"));
        QCOMPARE(worstOf("sm_clock", 1.2e9), QStringLiteral("1.2 GHz"));
        QCOMPARE(worstOf("gpu_power", 350.0), QStringLiteral("350 W"));
    }
};

TRAINSCOPE_TEST(tst_FindingRows)
#include "tst_FindingRows.moc"
