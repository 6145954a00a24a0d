// `power`: what the runs of the sample were made with is told by their telemetry.

#include "app/sample/Sample.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_PowerCommand : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_path;

private Q_SLOTS:
    void initTestCase() {
        m_path = pathIn(m_folder, "s.trainscope");
        QVERIFY(app::writeSample(m_path).hasValue());
    }

    // 0.0535 K/W and 16 s in air of 28 °C, which 3.5 °C more reach one node (app/sample).
    void tellsTheHeatOfTheSample() {
        const auto json = jsonOf({"power", m_path, "--run", "gpt3-175b 32xH200 tp8-pp4"});
        QCOMPARE(json["run"], "gpt3-175b 32xH200 tp8-pp4");
        QCOMPARE(json["nodes"].size(), std::size_t{4});
        for (const auto& node : json["nodes"]) {
            QCOMPARE(node["gpus"].size(), std::size_t{8});
            QVERIFY(std::abs(node["time_constant_s"].get<double>() - 16.0) < 5.0);
            for (const auto& gpu : node["gpus"])
                QVERIFY(std::abs(gpu["resistance_c_per_w"].get<double>() - 0.0535) < 0.012);
        }
        QVERIFY(json["temperature_error_c"].get<double>() < 2.0);
        QVERIFY(json["residual"]["fraction"].get<double>() < 0.3);
        QVERIFY(!json.contains("parked_w"));
    }

    void saysItInWords() {
        const auto ran = runCli({"power", m_path, "--run", "gpt3-175b 32xH200 tp8-pp4"});
        QCOMPARE(ran.status, 0);
        // Titles are as wide as the widest, "busy, at the highest clock".
        VERIFY_SAYS(ran.out, "  parked                      —\n");
        VERIFY_SAYS(ran.out, "  air, °C/W  settles by 63 % in");
        VERIFY_SAYS(ran.out, "  node  rank  chip to air, °C/W\n");
    }

    void anUnknownRunIsRefused() {
        const auto ran = runCli({"power", m_path, "--run", "none"});
        QVERIFY(ran.status != 0);
        VERIFY_SAYS(ran.err, "none");
    }
};

TRAINSCOPE_TEST(tst_PowerCommand)
#include "tst_PowerCommand.moc"
