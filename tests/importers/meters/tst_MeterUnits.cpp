// Units of readings: other ones than the channel began with, foreign ones, and numbers that cannot
// be.

#include "importers/meters/ImportMeters.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

class tst_MeterUnits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void foreignUnits();
    void unitsOfRecords();
    void powerBelowZero();
};

// 104 °F are 40 °C; a fan's speed in percent is none in turns.
void tst_MeterUnits::foreignUnits() {
    ImportedMeters table;
    importMeterText("timestamp,gpu,socket_power,hotspot,fan\n"
                    "1700000000,0,133000 mW,104 °F,1200 RPM\n1700000001,0,134 W,41 °C,50 %\n",
        table);
    QVERIFY(areAbout(table.ofGpu("gpu_power", 0), {133, 134}));
    QVERIFY(areAbout(table.ofGpu("hotspot_temperature", 0), {40, 41}));
    QVERIFY(areAbout(table.ofGpu("fan_speed", 0), {kNone, 0.5}));
    QCOMPARE(table.reports[0].value().warningCount, std::int64_t{1});
    QVERIFY(table.reports[0].value().warnings[0].text.starts_with(
        "\"1200 RPM\" in column \"fan\" is no number of that column"));
    ImportedMeters sensor;
    importMeterText("2025-03-04 05:06:07\n"
                    "Inlet Temp       | 77.000     | degrees F  | ok    | na\n"
                    "Pwr Consumption  | 4410.000   | Watts      | ok    | na\n",
        sensor);
    QVERIFY(areAbout(sensor.ofNode("inlet_temperature", 0), {25}));
}

// The later record counts in thousandths of what the first counted in.
void tst_MeterUnits::unitsOfRecords() {
    const auto record = [](int second, const char* number, const char* unit) {
        return std::string(R"({"gpu": 0, "timestamp": )") + std::to_string(1'700'000'000 + second)
            + R"(, "power": {"socket_power": {"value": )" + number + R"(, "unit": ")" + unit
            + R"("}, "rail": {"value": )" + number + R"(, "unit": ")" + unit + R"("}}})";
    };
    ImportedMeters imported;
    importMeterText("[" + record(0, "\"N/A\"", "N/A") + "," + record(1, "133", "W") + ","
            + record(2, "134000", "mW") + "," + record(3, "50", "MHz") + "]",
        imported);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {kNone, 133, 134, kNone}));
    QVERIFY(areAbout(imported.ofGpu("power_rail", 0), {kNone, 133, 134, kNone}));
    QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{2});
}

void tst_MeterUnits::powerBelowZero() {
    ImportedMeters imported;
    importMeterText("timestamp,gpu,socket_power\n1700000000,0,100 W\n1700000001,0,-1 W\n"
                    "1700000002,0,-1.00 W\n1700000003,0,-100 W\n",
        imported);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, kNone, kNone, kNone}));
    QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{1}); // -1 says "none"
}

TRAINSCOPE_TEST(tst_MeterUnits)
#include "tst_MeterUnits.moc"
