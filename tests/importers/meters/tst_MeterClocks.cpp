// Times of day without a date, and clocks that step.

#include "importers/meters/ImportMeters.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr std::int64_t kStart = 1'700'000'000; // s

// Node power from a begin over so many seconds, the last of which it has.
std::string mlperfLog(std::int64_t start, std::int64_t seconds, std::int64_t period = 10) {
    std::string log;
    const auto add = [&log](std::int64_t second) {
        log += ":::MLLOG {\"time_ms\": " + std::to_string(second)
            + "000, \"key\": \"power_reading\", \"value\": 100.0, \"metadata\": {}}\n";
    };
    for (std::int64_t at = 0; at < seconds; at += period)
        add(start + at);
    add(start + seconds);
    return log;
}

using Lines = std::string (*)(const std::string& stamp, int watts);

std::string monitorLine(const std::string& stamp, int watts) {
    return "{\"time\": \"" + stamp + "\", \"gpu\": 0, \"power_w\": " + std::to_string(watts)
        + "}\n";
}

std::string gpustatLine(const std::string& stamp, int watts) {
    return "{\"hostname\": \"a\", \"query_time\": \"" + stamp
        + "\", \"gpus\": [{\"index\": 0, \"power.draw\": " + std::to_string(watts) + "}]}\n";
}

// Each scrape has its stamp in a comment, and two GPUs.
std::string scrapeText(const std::string& stamp, int watts) {
    const auto sample = [](int gpu, int value) {
        return "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + std::to_string(gpu) + "\",UUID=\"GPU-"
            + std::to_string(gpu) + "\"} " + std::to_string(value) + "\n";
    };
    return "# scraped at " + stamp + "\n" + sample(0, watts) + sample(1, watts + 1);
}

std::string querySmiText(const std::string& stamp, int watts) {
    return "==============NVSMI LOG==============\n\nTimestamp                                 : "
        + stamp
        + "\nGPU 00000000:01:00.0\n    GPU Power Readings\n        Power Draw                      "
          "  "
          ": "
        + std::to_string(watts) + ".00 W\n";
}

constexpr std::pair<const char*, Lines> kTexts[] = {{"JSON lines of a monitor", monitorLine},
    {"gpustat", gpustatLine}, {"exposition", scrapeText}, {"nvidia-smi -q", querySmiText}};

} // namespace

class tst_MeterClocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // One hour behind the two others, from begin to end, which start within seconds of each other.
    void clockSteps() {
        const ImportedMeters imported(
            *importers::memoryTree({{"run/node_0.txt", mlperfLog(kStart, 300)},
                {"run/node_1.txt", mlperfLog(kStart + 3, 298)},
                {"run/sw_0.txt", mlperfLog(kStart - 3599, 302)}}));
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(imported.units[0].runName, std::string("run"));
        QCOMPARE(imported.times("switch_power", {SubjectKind::Switch, -1, -1, "sw0"}).front(),
            (kStart + 1) * kSecondNs);
        QCOMPARE(imported.times("node_power", {SubjectKind::Node, -1, 1, {}}).front(),
            (kStart + 3) * kSecondNs);
        const ImportReport& report = imported.reports[0].value();
        QCOMPARE(report.facts.at("clock_step"), std::string("-3600 s"));
        QCOMPARE(report.warningCount, std::int64_t{1});
        VERIFY_SAYS(report.warnings[0].text, "1 h 0 min behind");
    }

    // Another hour in unix time is another hour, from begin to end.
    void unixTimeIsNotMoved() {
        const auto log = [](std::int64_t start) {
            std::string text;
            for (std::int64_t at = 0; at <= 300; at += 10)
                text += monitorLine(std::to_string(start + at), 100);
            return text;
        };
        const ImportedMeters imported(*importers::memoryTree({{"run/node_0.jsonl", log(kStart)},
            {"run/node_1.jsonl", log(kStart + 3)}, {"run/node_2.jsonl", log(kStart - 3600)}}));
        QCOMPARE(imported.units.size(), std::size_t{1});
        const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 2, -1, {}});
        QCOMPARE(times.front(), (kStart - 3600) * kSecondNs);
        QVERIFY(!imported.reports[0].value().facts.contains("clock_step"));
    }

    // A node that was recorded later, or for another time, was recorded then.
    void lateStartIsNoZone_data() {
        // In seconds, later than the two others, which take 7200.
        const auto row = columns<qint64, qint64, bool>("later", "seconds", "isTold");
        row("15.5 minutes, with the end of the others", 930, 6270, false);
        row("15 minutes, from begin to end", 900, 7200, false);
        row("an hour, with the end of the others", 3600, 3600, true);
        row("an hour and a minute, from begin to end", 3660, 7200, false);
        row("five hours, for half a minute", 18'000, 30, true);
        row("15 hours, from begin to end", 54'000, 7200, false);
    }

    void lateStartIsNoZone() {
        QFETCH(qint64, later);
        QFETCH(qint64, seconds);
        QFETCH(bool, isTold);
        const ImportedMeters imported(
            *importers::memoryTree({{"run/node_0.txt", mlperfLog(kStart, 7200)},
                {"run/node_1.txt", mlperfLog(kStart + 1, 7200)},
                {"run/node_2.txt", mlperfLog(kStart + later, seconds)}}));
        const auto times = imported.times("node_power", {SubjectKind::Node, -1, 2, {}});
        QCOMPARE(times.front(), (kStart + later) * kSecondNs);
        QCOMPARE(times.back(), (kStart + later + seconds) * kSecondNs);
        const ImportReport& report = imported.reports[0].value();
        QVERIFY(!report.facts.contains("clock_step"));
        QCOMPARE(report.warningCount, std::int64_t{isTold ? 1 : 0});
        if (isTold)
            VERIFY_SAYS(report.warnings[0].text, "is taken as recorded then");
        QCOMPARE(imported.units[0].notes.size(), isTold ? std::size_t{1} : std::size_t{0});
    }

    // The ends of files that are longer than what is read of their begin are looked at as well.
    void endsOfLongLogs() {
        const auto first = [](std::int64_t start, std::int64_t seconds) {
            const ImportedMeters imported(
                *importers::memoryTree({{"run/node_0.txt", mlperfLog(kStart, 7200, 5)},
                    {"run/node_1.txt", mlperfLog(kStart + 1, 7200, 5)},
                    {"run/node_2.txt", mlperfLog(start, seconds, 5)}}));
            return imported.times("node_power", {SubjectKind::Node, -1, 2, {}}).front();
        };
        QVERIFY(mlperfLog(kStart, 3600, 5).size() > 65'536);
        QCOMPARE(first(kStart - 18'000, 7200), kStart * kSecondNs);
        QCOMPARE(first(kStart - 18'000, 3600), (kStart - 18'000) * kSecondNs);
    }

    // Two clocks that are an hour apart: nothing shows which of them is right.
    void clocksOfTwoFiles() {
        const ImportedMeters imported(
            *importers::memoryTree({{"run/node_0.txt", mlperfLog(kStart, 300)},
                {"run/node_1.txt", mlperfLog(kStart - 3600, 300)}}));
        for (const int node : {0, 1})
            QCOMPARE(imported.times("node_power", {SubjectKind::Node, -1, node, {}}).front(),
                (kStart - 3600 * node) * kSecondNs);
        QCOMPARE(imported.reports[0].value().warningCount, std::int64_t{1});
    }

    // nvidia-smi dmon -o T, over midnight; the start is said to be 22:00 of that day.
    void timeOfDay() {
        constexpr std::int64_t kMidnight = 1'776'816'000; // date -u -d 2026-04-22 +%s
        const auto tree = importers::memoryTree({{"d.txt",
            "#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n"
            " 23:59:50      0    100\n 23:59:50      1    200\n"
            " 00:00:50      0    101\n 00:00:50      1    201\n"}});
        const ImportedMeters imported(*tree, [](importers::ImportUnit& unit) {
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

    // Dates as `date` prints them, with 24 hours and with 12; another zone's name says no offset.
    void bannerDates_data() {
        // The seconds: date -u -d '2026-04-22 …' +%s
        const auto row = keyed<std::string, qint64, bool>("date", "second", "isUtc");
        row("Wed Apr 22 13:00:05 UTC 2026", 1'776'862'805, true);
        row("Wed Apr 22 01:00:05 PM UTC 2026", 1'776'862'805, true);
        row("Wed Apr 22 12:00:05 AM UTC 2026", 1'776'816'005, true);
        row("Wed Apr 22 13:00:05 CEST 2026", 1'776'862'805, false);
    }

    void bannerDates() {
        QFETCH(std::string, date);
        QFETCH(qint64, second);
        QFETCH(bool, isUtc);
        const ImportedMeters imported(
            date + "\nInlet Temp | 21.000 | degrees C | ok\nSys Power | 500.000 | Watts | ok\n");
        QCOMPARE(imported.times("node_power", {SubjectKind::Node, -1, 0, {}}),
            std::vector<std::int64_t>{second * kSecondNs});
        QCOMPARE(imported.units[0].clock == importers::ClockKind::Utc, isUtc);
    }

    // From 02:59:50 to 02:00:00, which all GPUs do: the hour that comes twice is unfolded.
    void timeGoesBack() {
        const ImportedMeters imported(
            "#Date       Time        gpu    pwr\n#YYYYMMDD   HH:MM:SS    Idx      W\n"
            " 20261025   02:59:40      0    100\n 20261025   02:59:40      1    100\n"
            " 20261025   02:59:50      0    100\n 20261025   02:59:50      1    100\n"
            " 20261025   02:00:00      0    100\n 20261025   02:00:00      1    100\n");
        const ImportReport& report = imported.reports[0].value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        QCOMPARE(report.warnings[0].line, std::int64_t{7});
        VERIFY_SAYS(report.warnings[0].text, "Summer time ends here");
        QVERIFY(!report.counts.contains("decreasing time stamps"));
        const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 1, -1, {}});
        QCOMPARE(times.size(), std::size_t{3});
        QCOMPARE(times[2] - times[1], std::int64_t{10'000'000'000});
    }

    // Readings of every kind of text: one stamp of another decade among those of four seconds.
    void damagedStamps_data() {
        const auto row = columns<Lines, int, std::string>("line", "damaged", "decade");
        for (const auto& [name, line] : kTexts) {
            for (const int damaged : {0, 2, 4}) { // readings
                for (const std::string decade : {"2062", "1999"})
                    row(name + (", " + decade + " at ") + std::to_string(damaged), line, damaged,
                        decade);
            }
        }
    }

    void damagedStamps() {
        QFETCH(Lines, line);
        QFETCH(int, damaged);
        QFETCH(std::string, decade);
        std::string text;
        std::vector<double> expected;
        for (int i = 0; i < 5; ++i) {
            text += line(
                (i == damaged ? decade : "2026") + "-03-01 10:00:0" + std::to_string(i), 100 + i);
            if (i != damaged)
                expected.push_back(100 + i);
        }
        const ImportedMeters imported(text);
        QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), expected));
        const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}});
        QVERIFY(times.back() - times.front() <= 4 * kSecondNs);
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.skipped, std::int64_t{1});
        VERIFY_SAYS(report.warnings.at(0).text, "The time stamp is damaged");
        VERIFY_SAYS(report.warnings.at(0).text, decade == "2062" ? "1314" : "986");
        // The plan says the begin of the run as it is read.
        QCOMPARE(imported.units.at(0).start->ns, times.front());
    }

    // 02:59:59, then 02:00:01 of 2026-10-25: two seconds later.
    void autumnHour_data() {
        const auto row = columns<Lines>("line");
        for (const auto& [name, line] : kTexts)
            row(name, line);
    }

    void autumnHour() {
        QFETCH(Lines, line);
        const ImportedMeters imported(line("2026-10-25 02:59:57", 100)
            + line("2026-10-25 02:59:59", 110) + line("2026-10-25 02:00:01", 120)
            + line("2026-10-25 02:00:03", 130));
        QVERIFY(areAbout(imported.ofGpu("gpu_power", 0), {100, 110, 120, 130}));
        const auto times = imported.times("gpu_power", {SubjectKind::Gpu, 0, -1, {}});
        QCOMPARE(times.back() - times.front(), 6 * kSecondNs);
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        VERIFY_SAYS(report.warnings.at(0).text, "Summer time ends here");
    }

    // One series behind the other, each of days: the clock of the second was there.
    void seriesBySeries_data() {
        const auto row = columns<int, bool>("hours", "isTable"); // hours between readings
        row("table, every hour", 1, true);
        row("exposition, every hour", 1, false);
        row("exposition, every two days", 48, false);
    }

    void seriesBySeries() {
        QFETCH(int, hours);
        QFETCH(bool, isTable);
        constexpr int kReadings = 100;
        std::string text = isTable ? "timestamp,gpu,socket_power,gfx_activity\n" : "";
        for (int gpu = 0; gpu < 2; ++gpu) {
            for (int i = 0; i < kReadings; ++i) {
                const std::string second
                    = std::to_string(1'772'359'200 + std::int64_t{i} * hours * 3600);
                const std::string index = std::to_string(gpu);
                text += isTable ? second + "," + index + ",100,50\n"
                                : "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + index + "\",UUID=\"GPU-"
                        + index + "\"} 100 " + second + "000\n";
            }
        }
        const ImportedMeters imported(text);
        QCOMPARE(imported.reports.at(0).value().skipped, std::int64_t{0});
        for (int gpu = 0; gpu < 2; ++gpu)
            QCOMPARE(imported.ofGpu("gpu_power", gpu), std::vector<double>(kReadings, 100.0));
    }
};

TRAINSCOPE_TEST(tst_MeterClocks)
#include "tst_MeterClocks.moc"
