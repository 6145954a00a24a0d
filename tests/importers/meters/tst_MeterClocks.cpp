// Times of day without a date, and clocks that step.
#include "importers/meters/ImportMeters.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::test;

class tst_MeterClocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clockSteps();
    void timeOfDay();
    void bannerDates_data();
    void bannerDates();
    void timeGoesBack();
};

// One hour behind the two others, which start within seconds of each other.
void tst_MeterClocks::clockSteps() {
    const auto log = [](std::int64_t seconds) {
        return ":::MLLOG {\"time_ms\": " + std::to_string(seconds)
            + "000, \"key\": \"power_reading\", \"value\": 100.0, \"metadata\": {}}\n";
    };
    ImportedMeters imported;
    importMeterTree(*importers::memoryTree({{"run/node_0.txt", log(1700000000)},
                        {"run/node_1.txt", log(1700000003)}, {"run/sw_0.txt", log(1699996401)}}),
        imported);
    QCOMPARE(imported.units.size(), std::size_t{1});
    QCOMPARE(imported.units[0].runName, std::string("run"));
    QCOMPARE(imported.times("switch_power", {SubjectKind::Switch, -1, -1, "sw0"}),
        std::vector<std::int64_t>{1700000001 * kSecondNs});
    QCOMPARE(imported.times("node_power", {SubjectKind::Node, -1, 1, {}}),
        std::vector<std::int64_t>{1700000003 * kSecondNs});
    QCOMPARE(imported.reports[0].value().facts.at("clock_step"), std::string("-3600 s"));
}

// nvidia-smi dmon -o T, over midnight; the start is said to be 22:00 of that day.
void tst_MeterClocks::timeOfDay() {
    constexpr std::int64_t kMidnight = 1'776'816'000; // date -u -d 2026-04-22 +%s
    ImportedMeters imported;
    const auto tree = importers::memoryTree({{"d.txt",
        "#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n"
        " 23:59:50      0    100\n 23:59:50      1    200\n"
        " 00:00:50      0    101\n 00:00:50      1    201\n"}});
    importMeterTree(*tree, imported, [](importers::ImportUnit& unit) {
        unit.saidStart = TimeNs{(kMidnight + 22 * 3600) * kSecondNs};
    });
    QVERIFY(imported.units[0].isUndated);
    QVERIFY(!imported.units[0].hasNoStamps);
    QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{0});
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {200, 201}));
    QCOMPARE(imported.times("gpu_power", {SubjectKind::Gpu, 1, -1, {}}),
        (std::vector<std::int64_t>{
            (kMidnight + 86390) * kSecondNs, (kMidnight + 86390 + 60) * kSecondNs}));
}

// What `date` prints, with 24 hours and with 12; another zone's name says no offset.
void tst_MeterClocks::bannerDates_data() {
    QTest::addColumn<std::string>("date");
    QTest::addColumn<qint64>("second"); // date -u -d '2026-04-22 …' +%s
    QTest::addColumn<bool>("isUtc");
    QTest::newRow("24 hours") << std::string("Wed Apr 22 13:00:05 UTC 2026")
                              << qint64{1'776'862'805} << true;
    QTest::newRow("afternoon") << std::string("Wed Apr 22 01:00:05 PM UTC 2026")
                               << qint64{1'776'862'805} << true;
    QTest::newRow("midnight") << std::string("Wed Apr 22 12:00:05 AM UTC 2026")
                              << qint64{1'776'816'005} << true;
    QTest::newRow("another zone") << std::string("Wed Apr 22 13:00:05 CEST 2026")
                                  << qint64{1'776'862'805} << false;
}

void tst_MeterClocks::bannerDates() {
    QFETCH(std::string, date);
    QFETCH(qint64, second);
    QFETCH(bool, isUtc);
    ImportedMeters imported;
    importMeterText(
        date + "\nInlet Temp | 21.000 | degrees C | ok\nSys Power | 500.000 | Watts | ok\n",
        imported);
    QCOMPARE(imported.times("node_power", {SubjectKind::Node, -1, 0, {}}),
        std::vector<std::int64_t>{second * kSecondNs});
    QCOMPARE(imported.units[0].clock == importers::ClockKind::Utc, isUtc);
}

// From 02:59:50 to 02:00:00, which all GPUs do: the hour that comes twice is unfolded.
void tst_MeterClocks::timeGoesBack() {
    ImportedMeters imported;
    importMeterText("#Date       Time        gpu    pwr\n#YYYYMMDD   HH:MM:SS    Idx      W\n"
                    " 20261025   02:59:40      0    100\n 20261025   02:59:40      1    100\n"
                    " 20261025   02:59:50      0    100\n 20261025   02:59:50      1    100\n"
                    " 20261025   02:00:00      0    100\n 20261025   02:00:00      1    100\n",
        imported);
    const ImportReport& report = imported.reports[0].value();
    QCOMPARE(report.warningCount, std::int64_t{1});
    QCOMPARE(report.warnings[0].line, std::int64_t{7});
    QVERIFY(report.warnings[0].text.find("Summer time ends here") != std::string::npos);
    QVERIFY(!report.counts.contains("decreasing time stamps"));
    const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 1, -1, {}});
    QCOMPARE(times.size(), std::size_t{3});
    QCOMPARE(times[2] - times[1], std::int64_t{10'000'000'000});
}

TRAINSCOPE_TEST(tst_MeterClocks)
#include "tst_MeterClocks.moc"
