// Each telemetry format against figures read off its text by hand. Units of readings: other ones
// than the channel began with, foreign ones, and numbers that cannot be. Nodes and ranks of GPUs
// that turn up late.

#include "importers/meters/ImportMeters.h"
#include "importers/meters/MeterSamples.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

Subject linkOf(int node, const char* device) {
    return {SubjectKind::Link, -1, node, device};
}

constexpr int kLongAnswer = 5000;

// A query engine's answer: the power of each GPU ("n1/0"), 100 W of the first, 200 W of the next …
std::string answerOf(const std::vector<std::string>& gpus) {
    std::string series;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const std::string& gpu = gpus[i];
        series += std::string(i == 0 ? "" : ",")
            + R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":")" + gpu.back()
            + R"(","UUID":")" + gpu + R"(","Hostname":")" + gpu.substr(0, 2) + R"("},"values":[)";
        for (int second = 0; second < kLongAnswer; ++second)
            series += std::string(second == 0 ? "" : ",") + "["
                + std::to_string(1'700'000'000 + second) + ",\"" + std::to_string(100 * (i + 1))
                + "\"]";
        series += "]}";
    }
    return R"({"status":"success","data":{"resultType":"matrix","result":[)" + series + "]}}";
}

} // namespace

class tst_MeterFormats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dcgmiDmon();
    void startAndPeriodAreSaid();
    void smiDmon();
    void smiPmon();
    void utf16AndEscapes();
    void amdWatch();
    void amdJson();
    void rocm();
    void exposition();
    void scrapesWithoutStamps();
    void matrix();
    void exportOfVictoria();
    void monitors();
    void wandb();
    void smiQuery();
    void nodeTables();
    void energyOfProcessors();
    void ipmi();
    void ipmiSupplies();
    void redfish();
    void codeCarbon();
    void instantBesideAverage();
    void instantWithoutValues();
    void twoReadingsOfCounter();
    void instancesOfOneBoard();
    void damagedStamps();
    void wordsOfAllTables();
    void foreignUnits();
    void unitsOfRecords();
    void powerBelowZero();
    void lateNodes();
    void lateNodesOfOtherSize();
};

void tst_MeterFormats::dcgmiDmon() {
    const ImportedMeters imported(kDcgmiDmonText);
    QCOMPARE(imported.units.size(), std::size_t{1});
    QCOMPARE(imported.units[0].clock, importers::ClockKind::None);
    QCOMPARE(imported.sink.gpus.size(), std::size_t{2});
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {kNone, 101.0, 102.0}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {301.5, 302.5, kNone})); // DCGM's blank
    QVERIFY(areAbout(imported.ofGpu("tensor_active", 1), {0.5, 0.51, 0.52}));
    QVERIFY(areAbout(imported.ofGpu("xyzzy", 0), {7, 7, 7}));
    QVERIFY(areAbout(imported.values("tensor_active", linkOf(0, "GPU-I 3")), {0.75, 0.76}));
    const ImportReport& report = imported.reports[0].value();
    QCOMPARE(report.facts.at("own_columns"), std::string("XYZZY"));
    QCOMPARE(report.rows, std::int64_t{8});
    QCOMPARE(report.skipped, std::int64_t{0});
}

void tst_MeterFormats::startAndPeriodAreSaid() {
    const auto tree = importers::memoryTree({{"d.txt", std::string(kDcgmiDmonText)}});
    const ImportedMeters imported(*tree, [](importers::ImportUnit& unit) {
        unit.saidStart = TimeNs{1'700'000'000 * kSecondNs};
        unit.saidPeriod = DurationNs{kSecondNs / 10};
    });
    const auto times = imported.times("gpu_temperature", {SubjectKind::Gpu, 1, -1, {}});
    QCOMPARE(times.size(), std::size_t{3});
    QCOMPARE(times[0], 1'700'000'000 * kSecondNs);
    QCOMPARE(times[2] - times[0], kSecondNs / 5);
}

void tst_MeterFormats::smiDmon() {
    const ImportedMeters imported(kSmiDmonText);
    QCOMPARE(imported.units[0].clock, importers::ClockKind::Local);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {111, 113}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {112, 114}));
    QVERIFY(areAbout(imported.ofGpu("gpu_utilization", 0), {0.97, 0.99}));
    QVERIFY(areAbout(imported.ofGpu("sm_clock", 1), {1965e6, 1965e6}));
    QVERIFY(areAbout(imported.ofGpu("mem_used", 0), {9648 * 1048576.0, 9650 * 1048576.0}));
    QVERIFY(imported.ofGpu("mem_temperature", 1).empty());
    const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}});
    QCOMPARE(times[0], std::int64_t{1776816189} * kSecondNs); // date -u -d '2026-04-22 00:03:09'
    QCOMPARE(times[1] - times[0], kSecondNs);
}

void tst_MeterFormats::smiPmon() {
    const ImportedMeters imported(kSmiPmonText);
    QVERIFY(areAbout(imported.ofGpu("process_sm_utilization", 0), {0.75, 0.75}));
    QVERIFY(areAbout(imported.ofGpu("process_mem_utilization", 0), {0.15, 0.18}));
    QVERIFY(areAbout(imported.ofGpu("process_sm_utilization", 1), {0.0, 0.0}));
}

void tst_MeterFormats::utf16AndEscapes() {
    std::string wide("\xff\xfe");
    for (const char c : kSmiDmonText) {
        wide += c;
        wide += '\0';
    }
    const ImportedMeters imported(wide);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {112, 114}));
    std::string text(kDcgmiDmonText);
    text.insert(text.find("301.500"), "\x1b[38;2;180;60;0m");
    text.insert(text.find("301.500") + 7, "\x1b[0m");
    const ImportedMeters coloured(text);
    QVERIFY(areAbout(coloured.ofGpu("gpu_power", 1), {301.5, 302.5, kNone}));
}

// 300 J and 400 J in 2 s each: 150 W from the first reading on, and 200 W; the second counter
// falls.
void tst_MeterFormats::amdWatch() {
    const ImportedMeters imported(kAmdWatchText);
    QVERIFY(areAbout(imported.ofGpu("gpu_energy", 0), {1000, 1300, 1700}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {150, 150, 200}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {600, 600, kNone}));
    const RecordedSeries* power = imported.sink.ofGpu("gpu_power", 0);
    QVERIFY(power->description.sensor == SensorKind::Averaged);
    QCOMPARE(power->times.front().ns, std::int64_t{1700000000} * kSecondNs);
    QVERIFY(areAbout(imported.ofGpu("gpu_utilization", 1), {0.60, 0.65, 0.67}));
    QVERIFY(areAbout(imported.ofGpu("hotspot_temperature", 1), {61, kNone, 64}));
    QCOMPARE(imported.reports[0].value().counterFalls, std::int64_t{1});
    QCOMPARE(imported.reports[0].value().facts.at("own_columns"), std::string("odd_thing"));
}

void tst_MeterFormats::amdJson() {
    const ImportedMeters imported(kAmdJsonText);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {133}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {135}));
    // Power that was read is not told as derived, nor as NVIDIA's.
    const auto& facts = imported.reports[0].value().facts;
    QVERIFY(!facts.contains("derived"));
    VERIFY_SAYS(facts.at("power_kind"), "NVIDIA's power.draw");
    QVERIFY(areAbout(imported.ofGpu("sm_clock", 0), {131e6}));
    QVERIFY(areAbout(imported.ofGpu("mem_used", 0), {283 * 1048576.0}));
    QVERIFY(areAbout(imported.ofGpu("hotspot_temperature", 1), {36}));
    QVERIFY(areAbout(imported.ofGpu("gpu_utilization", 1), {0.14}));
}

void tst_MeterFormats::rocm() {
    const ImportedMeters table(kRocmCsvText);
    QVERIFY(areAbout(table.ofGpu("gpu_power", 1), {141, 151}));
    QVERIFY(areAbout(table.ofGpu("sm_clock", 0), {131e6, 231e6}));
    QVERIFY(areAbout(table.ofGpu("gpu_utilization", 0), {0.17, 0.27}));
    const ImportedMeters json(kRocmJsonText);
    QVERIFY(areAbout(json.ofGpu("gpu_power", 1), {91}));
    QVERIFY(json.sink.ofGpu("gpu_power", 0)->description.sensor == SensorKind::Averaged);
    QVERIFY(areAbout(json.ofGpu("hotspot_temperature", 0), {35}));
    // The two dies of an MI250: the board's power and limit are those of the first.
    const ImportedMeters dies(
        "device,Average Graphics Package Power (W),Max Graphics Package Power (W),GPU use (%)\n"
        "card0,300.0,560.0,99\ncard1,N/A,0.0,98\n");
    QVERIFY(areAbout(dies.ofGpu("power_limit", 0), {560}));
    QVERIFY(dies.ofGpu("power_limit", 1).empty());
}

// node-9 comes before node-10, so that is node 0.
void tst_MeterFormats::exposition() {
    const ImportedMeters imported(kExpositionText);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {300.5, kNone}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {400.5, 410.5}));
    QVERIFY(areAbout(imported.ofGpu("tensor_active", 1), {0.5}));
    QVERIFY(areAbout(imported.ofGpu("gpu_energy", 0), {1000.0})); // mJ
    QVERIFY(imported.ofGpu("mem_temperature", 0).empty());
    QVERIFY(areAbout(imported.values("net_rx", linkOf(0, "eth0")), {1e6}));
    QVERIFY(areAbout(imported.ofNode("my_queue_seconds", 0), {2.5}));
    QCOMPARE(imported.sink.find("my_queue_seconds", {SubjectKind::Node, -1, 0, {}})
                 ->description.metric.unit,
        std::string("s"));
    QCOMPARE(imported.reports[0].value().counts.at("duplicate readings"), std::int64_t{1});
    QCOMPARE(imported.times("gpu_power", {SubjectKind::Gpu, 1, -1, {}}).back(),
        std::int64_t{1700000015} * kSecondNs);
    QVERIFY(imported.sink.ofGpu("gpu_power", 1)->description.sensor == SensorKind::Averaged);
}

void tst_MeterFormats::scrapesWithoutStamps() {
    const ImportedMeters imported(
        "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
        "# 2025-03-04T05:06:07Z\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-a\"} 30\n"
        "# 2025-03-04T05:06:22Z\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-a\"} 31\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_temperature", 0), {30, 31}));
    const auto times = imported.times("gpu_temperature", {SubjectKind::Gpu, 0, -1, {}});
    QCOMPARE(times[1] - times[0], 15 * kSecondNs);
    QCOMPARE(times[0], std::int64_t{1741064767} * kSecondNs); // date -u -d 2025-03-04T05:06:07Z
    // Without labels the types tell the format.
    const ImportedMeters plain(
        "# TYPE my_queue_seconds gauge\nmy_queue_seconds 2.5 1700000000000\n");
    QCOMPARE(plain.units.size(), std::size_t{1});
}

// The series without a pod fills the hole of the other, and repeats one of its moments.
void tst_MeterFormats::matrix() {
    const ImportedMeters imported(kMatrixText);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {10, 20, 30, 60, kNone, 99, 98}));
    QVERIFY(areAbout(imported.ofGpu("query_result", 1), {0.5}));
    QCOMPARE(imported.reports[0].value().counts.at("duplicate readings"), std::int64_t{1});
}

void tst_MeterFormats::exportOfVictoria() {
    const ImportedMeters imported(kVictoriaText);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 2), {700, 710}));
    QVERIFY(areAbout(imported.ofGpu("sm_clock", 2), {2100e6}));
}

void tst_MeterFormats::monitors() {
    const ImportedMeters zeus(kZeusText);
    QVERIFY(areAbout(zeus.ofGpu("gpu_power", 1), {200.5, 201.5}));
    QCOMPARE(zeus.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}})[0],
        std::int64_t{1700000000250} * 1'000'000);
    const ImportedMeters nvitop(kNvitopText);
    QVERIFY(areAbout(nvitop.ofGpu("gpu_power", 3), {300, 310}));
    QVERIFY(areAbout(nvitop.ofGpu("mem_used", 3), {1073741824.0, 2147483648.0}));
    QVERIFY(areAbout(nvitop.ofNode("cpu_utilization", 0), {0.25, 0.35}));
    const ImportedMeters gpustat(kGpustatText);
    QVERIFY(areAbout(gpustat.ofGpu("gpu_power", 0), {71}));
    QCOMPARE(gpustat.sink.gpus.size(), std::size_t{2});
}

void tst_MeterFormats::wandb() {
    for (const std::string_view text : {kWandbCsvText, kWandbJsonText}) {
        const ImportedMeters imported(text);
        const double first = text == kWandbCsvText ? 250.0 : 250.5;
        QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {first, first + 10.0}));
        QCOMPARE(imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}})[1],
            std::int64_t{1700000015500} * 1'000'000);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{2});
    }
}

void tst_MeterFormats::smiQuery() {
    const ImportedMeters text(kSmiQueryText);
    QVERIFY(areAbout(text.ofGpu("gpu_power", 0), {71.5}));
    QVERIFY(areAbout(text.ofGpu("sm_clock", 0), {1980e6})); // not the highest one
    QVERIFY(areAbout(text.ofGpu("power_limit", 0), {700}));
    QVERIFY(areAbout(text.ofGpu("gpu_temperature", 0), {31}));
    QCOMPARE(text.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}})[0],
        std::int64_t{1742893962} * kSecondNs); // date -u -d '2025-03-25 09:12:42'
    const ImportedMeters xml(kSmiXmlText);
    QVERIFY(areAbout(xml.ofGpu("gpu_power", 0), {72}));
    QVERIFY(areAbout(xml.ofGpu("gpu_power_average", 0), {70}));
    QVERIFY(areAbout(xml.ofGpu("sm_clock", 1), {1965e6}));
    QCOMPARE(xml.sink.gpus.at({1, 1}).uuid, std::string("GPU-def"));
}

void tst_MeterFormats::nodeTables() {
    const ImportedMeters bmc(kBmcText);
    QVERIFY(areAbout(bmc.ofNode("node_power", 0), {5000, 5100}));
    QVERIFY(areAbout(bmc.ofNode("node_power", 1), {6000, 6200}));
    QVERIFY(areAbout(bmc.values("total_power", {SubjectKind::Run, -1, -1, {}}), {11000, 11300}));
    const ImportedMeters turbostat(kTurbostatText);
    QVERIFY(areAbout(turbostat.ofNode("cpu_power", 0), {250.5, 260.5}));
    QVERIFY(areAbout(turbostat.ofNode("dram_power", 0), {30.25, 31.25}));
    QVERIFY(areAbout(turbostat.ofNode("cpu_utilization", 0), {0.5, 0.55}));
    const ImportedMeters mllog(kMllogText);
    QVERIFY(areAbout(mllog.ofNode("node_power", 0), {3418, 3420}));
    const ImportedMeters spl(kSplText);
    QVERIFY(areAbout(spl.ofNode("node_power", 0), {491.4, kNone}));
}

// (201 − 1) J in 2 s: 100 W; the counter wraps, which is left open. 20 J in 2 s: 10 W.
void tst_MeterFormats::energyOfProcessors() {
    const ImportedMeters rapl(kRaplText);
    QVERIFY(areAbout(rapl.values("cpu_power", linkOf(0, "package-0")), {100, 100, kNone}));
    QVERIFY(areAbout(rapl.values("dram_power", linkOf(0, "package-0-dram")), {10, 10, 10}));
    const ImportedMeters perf(kPerfText);
    QVERIFY(areAbout(perf.values("cpu_power", linkOf(0, "package")), {100, 120}));
    QVERIFY(areAbout(perf.values("dram_power", linkOf(0, "memory")), {20}));
}

void tst_MeterFormats::ipmi() {
    const ImportedMeters sensor(kIpmiSensorText);
    QVERIFY(areAbout(sensor.ofNode("node_power", 0), {4410, 4420}));
    QVERIFY(areAbout(sensor.ofNode("inlet_temperature", 0), {21, 22}));
    QVERIFY(areAbout(sensor.values("fan_rotation", linkOf(0, "Fan1A")), {8880}));
    const auto times = sensor.times("node_power", {SubjectKind::Node, -1, 0, {}});
    QCOMPARE(times[1] - times[0], 10 * kSecondNs);
    const ImportedMeters sdr(kIpmiSdrText);
    QVERIFY(areAbout(sdr.ofNode("node_power", 0), {344}));
    QVERIFY(areAbout(sdr.ofNode("inlet_temperature", 0), {23}));
    const ImportedMeters dcmi(kIpmiDcmiText);
    QVERIFY(areAbout(dcmi.ofNode("node_power", 0), {220, 230}));
    const auto stamps = dcmi.times("node_power", {SubjectKind::Node, -1, 0, {}});
    QCOMPARE(stamps[1] - stamps[0], 5 * kSecondNs);
}

// 1200 + 1100 W and 1300 W where no sensor is of the whole; else that one, and a second beside
// it.
void tst_MeterFormats::ipmiSupplies() {
    const ImportedMeters supplies(
        "2025-03-04 05:06:07\nPS1 Input Power | 1200.000 | Watts | ok\n"
        "PS2_Input_Power | 1100.000 | Watts | ok\n2025-03-04 05:06:17\n"
        "PS1 Input Power | 1300.000 | Watts | ok\nPS2_Input_Power | na | Watts | na\n");
    QVERIFY(areAbout(supplies.ofNode("node_power", 0), {2300, 1300}));
    QVERIFY(areAbout(supplies.values("supply_power", linkOf(0, "PS2_Input_Power")), {1100, kNone}));
    QCOMPARE(supplies.reports[0].value().rows, std::int64_t{4});
    QVERIFY(!supplies.reports[0].value().counts.contains("repeated time stamps"));
    const ImportedMeters whole(
        "PS1 Input Power | 1200.000 | Watts | ok\nSys Power | 2250.000 | Watts | ok\n"
        "Total Power | 2240.000 | Watts | ok\nCPU Power | 300.000 | Watts | ok\n");
    QVERIFY(areAbout(whole.ofNode("node_power", 0), {2250}));
    QVERIFY(areAbout(whole.values("sensor_power", linkOf(0, "Total Power")), {2240}));
    QVERIFY(areAbout(whole.values("sensor_power", linkOf(0, "CPU Power")), {300}));
}

void tst_MeterFormats::redfish() {
    const ImportedMeters imported(kRedfishText);
    QVERIFY(areAbout(imported.ofNode("node_power", 0), {4410, 4420}));
    QVERIFY(areAbout(imported.ofNode("node_power_average", 0), {4300}));
    QVERIFY(areAbout(imported.values("supply_power", linkOf(0, "PSU1")), {2210}));
    QCOMPARE(imported.units[0].clock, importers::ClockKind::Utc);
}

void tst_MeterFormats::codeCarbon() {
    const ImportedMeters imported(kCodeCarbonText);
    QVERIFY(areAbout(imported.ofNode("cpu_power", 0), {42.5, 42.5}));
    const auto times = imported.times("cpu_power", {SubjectKind::Node, -1, 0, {}});
    QCOMPARE(times[1] - times[0], 100 * kSecondNs + kSecondNs / 2);
    QCOMPARE(
        imported.reports[0].value().facts.at("codecarbon_energy_consumed"), std::string("0.05"));
}

void tst_MeterFormats::instantBesideAverage() {
    const ImportedMeters imported(
        "GPUId,TimeStampUs,Field,Values\n0,1700000000000000,power_usage,100\n"
        "0,1700000000000000,power_usage_instant,120\n0,1700000001000000,power_usage,101\n"
        "0,1700000001000000,power_usage_instant,121\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {120, 121}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power_average", 0), {100, 101}));
}

// GPU 0 lists the instant without ever measuring it.
void tst_MeterFormats::instantWithoutValues() {
    const ImportedMeters imported("#Entity   POWER   POWINST\nID        W       W\n"
                                  "GPU 0     100.0   N/A\nGPU 1     110.0   120.0\n"
                                  "GPU 0     101.0   N/A\nGPU 1     111.0   121.0\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, 101}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {120, 121}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power_average", 1), {110, 111}));
}

// 1440 kJ in an hour: 400 W from the first reading to the last.
void tst_MeterFormats::twoReadingsOfCounter() {
    const ImportedMeters imported(
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",UUID=\"GPU-a\"} 1000000 1700000000000\n"
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",UUID=\"GPU-a\"} 1441000000 "
        "1700003600000\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {400, 400}));
    const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}});
    QCOMPARE(times,
        (std::vector<std::int64_t>{1700000000 * kSecondNs, std::int64_t{1700003600} * kSecondNs}));
    QCOMPARE(energyOf(times, imported.ofGpu("gpu_power", 0)), 1'440'000.0);
}

// Two instances of MIG on GPU 0, whose rows repeat the board's 300 W: 2 GPUs, 500 W together.
// An instance has its own memory and utilisation.
void tst_MeterFormats::instancesOfOneBoard() {
    std::string text;
    for (const char* at : {"1772359200000", "1772359210000"}) {
        for (const char* instance : {"1", "2"}) {
            const std::string labels = std::string("{gpu=\"0\",UUID=\"GPU-a\",GPU_I_PROFILE="
                                                   "\"3g.40gb\",GPU_I_ID=\"")
                + instance + "\",Hostname=\"n1\"} ";
            text += "DCGM_FI_DEV_POWER_USAGE" + labels + "300 " + at + "\n";
            text += "DCGM_FI_DEV_FB_USED" + labels + (*instance == '1' ? "100 " : "200 ") + at
                + "\n";
        }
        text
            += std::string("DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"n1\"} 200 ")
            + at + "\n";
    }
    const ImportedMeters imported(text);
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {300, 300}));
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 1), {200, 200}));
    double watts = 0.0; // over all series of power, whoever they are of
    for (const RecordedSeries& series : imported.sink.allSeries)
        watts += series.description.metric.name == "gpu_power" ? series.values.front() : 0.0;
    QCOMPARE(watts, 500.0);
    std::int64_t ofInstances = 0;
    for (const RecordedSeries& series : imported.sink.allSeries)
        ofInstances += series.description.metric.name == "mem_used" ? 1 : 0;
    QCOMPARE(ofInstances, std::int64_t{2});
}

// A stamp of 1970 and one of 2062 among seconds of 2026.
void tst_MeterFormats::damagedStamps() {
    const ImportedMeters imported(
        "timestamp,gpu,socket_power,gfx_activity\n1772359200,0,100,50\n0,0,900,50\n"
        "1772359201,0,110,50\n2908915200,0,900,50\n1772359202,0,120,50\n1772359203,0,130,50\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, 110, 120, 130}));
    const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}});
    QCOMPARE(times.back() - times.front(), 3 * kSecondNs);
    const ImportReport& report = imported.reports.at(0).value();
    QCOMPARE(report.skipped, std::int64_t{2});
    VERIFY_SAYS(report.warnings.at(0).text, "damaged");
    const ImportedMeters resumed(
        "timestamp,gpu,socket_power,gfx_activity\n1772359200,0,100,50\n1772359201,0,110,50\n"
        "1780135200,0,120,50\n1780135201,0,130,50\n"); // three months later
    QVERIFY(areAbout(resumed.ofGpu("gpu_power", 0), {100, 110, 120, 130}));
}

// Names that amd-smi's own list does not have, in words that other tables use.
void tst_MeterFormats::wordsOfAllTables() {
    const ImportedMeters imported("timestamp,gpu,gfx_activity,power_draw_W,gpu_temp_c,fan_percent\n"
                                  "1772359200,0,50,100,60,30\n1772359201,0,50,110,61,30\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, 110}));
    QVERIFY(areAbout(imported.ofGpu("gpu_temperature", 0), {60, 61}));
    QVERIFY(areAbout(imported.ofGpu("fan_speed", 0), {0.3, 0.3}));
}

// 104 °F are 40 °C; a fan's speed in percent is none in turns.
void tst_MeterFormats::foreignUnits() {
    const ImportedMeters table(
        "timestamp,gpu,socket_power,hotspot,fan\n"
        "1700000000,0,133000 mW,104 °F,1200 RPM\n1700000001,0,134 W,41 °C,50 %\n");
    QVERIFY(areAbout(table.ofGpu("gpu_power", 0), {133, 134}));
    QVERIFY(areAbout(table.ofGpu("hotspot_temperature", 0), {40, 41}));
    QVERIFY(areAbout(table.ofGpu("fan_speed", 0), {kNone, 0.5}));
    QCOMPARE(table.reports[0].value().warningCount, std::int64_t{1});
    QVERIFY(table.reports[0].value().warnings[0].text.starts_with(
        "\"1200 RPM\" in column \"fan\" is no number of that column"));
    const ImportedMeters sensor("2025-03-04 05:06:07\n"
                                "Inlet Temp       | 77.000     | degrees F  | ok    | na\n"
                                "Pwr Consumption  | 4410.000   | Watts      | ok    | na\n");
    QVERIFY(areAbout(sensor.ofNode("inlet_temperature", 0), {25}));
}

// The later record counts in thousandths of what the first counted in.
void tst_MeterFormats::unitsOfRecords() {
    const auto record = [](int second, const char* number, const char* unit) {
        return std::string(R"({"gpu": 0, "timestamp": )") + std::to_string(1'700'000'000 + second)
            + R"(, "power": {"socket_power": {"value": )" + number + R"(, "unit": ")" + unit
            + R"("}, "rail": {"value": )" + number + R"(, "unit": ")" + unit + R"("}}})";
    };
    const ImportedMeters imported("[" + record(0, "\"N/A\"", "N/A") + "," + record(1, "133", "W")
        + "," + record(2, "134000", "mW") + "," + record(3, "50", "MHz") + "]");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {kNone, 133, 134, kNone}));
    QVERIFY(areAbout(imported.ofGpu("power_rail", 0), {kNone, 133, 134, kNone}));
    QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{2});
}

void tst_MeterFormats::powerBelowZero() {
    const ImportedMeters imported(
        "timestamp,gpu,socket_power\n1700000000,0,100 W\n1700000001,0,-1 W\n"
        "1700000002,0,-1.00 W\n1700000003,0,-100 W\n");
    QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, kNone, kNone, kNone}));
    QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{1}); // -1 says "none"
}

// More readings of the first GPU than are held back until nodes are counted.
void tst_MeterFormats::lateNodes() {
    const ImportedMeters imported(answerOf({"n1/0", "n1/1", "n2/0", "n2/1"}));
    QCOMPARE(imported.sink.gpus.size(), std::size_t{4});
    for (int rank = 0; rank < 4; ++rank) {
        const auto watts = imported.ofGpu("gpu_power", rank);
        QCOMPARE(watts.size(), std::size_t{kLongAnswer});
        QCOMPARE(watts.back(), 100.0 * (rank + 1));
        QCOMPARE(imported.sink.gpus.at({1, rank}).node, rank / 2);
        QCOMPARE(imported.sink.gpus.at({1, rank}).local, rank % 2);
    }
}

// Before the second node turns up one GPU a node is all that was seen.
void tst_MeterFormats::lateNodesOfOtherSize() {
    const ImportedMeters imported(answerOf({"n1/0", "n2/0", "n2/1", "n3/0", "n1/1"}));
    QCOMPARE(imported.sink.gpus.size(), std::size_t{5});
    for (int rank = 0; rank < 5; ++rank) {
        const auto watts = imported.ofGpu("gpu_power", rank);
        QCOMPARE(watts.size(), std::size_t{kLongAnswer});
        QCOMPARE(watts.back(), 100.0 * (rank + 1));
    }
    QCOMPARE(imported.sink.gpus.at({1, 4}).node, 0);
    QCOMPARE(imported.reports[0].value().skipped, std::int64_t{0});
}

TRAINSCOPE_TEST(tst_MeterFormats)
#include "tst_MeterFormats.moc"
