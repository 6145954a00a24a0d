// The report and the plan of an nvidia-smi log tell the user of skipped lines with their numbers,
// the sensor, the clock, nodes, and clear errors for files that hold nothing usable.

#include "importers/meters/ImportLogs.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::string kReportHeader = "timestamp, name, index, power.draw [W]\n";

std::string rowAt(int second, const std::string& rest) {
    const std::string two = (second < 10 ? "0" : "") + std::to_string(second);
    return "2026/04/22 00:00:" + two + ".000, " + rest + "\n";
}

std::string stampAt(int ms) {
    const std::string second = std::to_string(100 + ms / 1000).substr(1);
    return "2026/04/22 00:00:" + second + "." + std::to_string(1000 + ms % 1000).substr(1);
}

} // namespace

class tst_LogReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsAndLines() {
        const ImportedLog imported(kReportHeader + rowAt(0, "NVIDIA H200, 0, 100 W")
            + "%%% garbage\n" + rowAt(1, "NVIDIA H200, 0, [N/A]")
            + "2026/04/22 00:00:02.000, NVIDIA H200\n" + rowAt(3, "NVIDIA H200, 0, 101 W"));
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.rows, std::int64_t{3});
        QCOMPARE(report.skipped, std::int64_t{2});
        QCOMPARE(report.samples, std::int64_t{3});
        QCOMPARE(report.missing, std::int64_t{1});
        QCOMPARE(report.warningCount, std::int64_t{2});
        QCOMPARE(report.warnings.at(0).line, std::int64_t{3});
        QCOMPARE(report.warnings.at(1).line, std::int64_t{5});
        QCOMPARE(report.facts.at("gpu_model"), std::string("NVIDIA H200"));
        QCOMPARE(report.ranksFound, std::vector<int>{0});
    }
    void sensor_data() {
        const auto row = columns<QString, int>("model", "kind");
        const int averaged = static_cast<int>(SensorKind::Averaged);
        const int instant = static_cast<int>(SensorKind::Instant);
        const int unknown = static_cast<int>(SensorKind::Unknown);
        row("H100", "NVIDIA H100 80GB HBM3", averaged);
        row("GH200", "NVIDIA GH200 480GB", averaged);
        row("A100", "NVIDIA A100-SXM4-40GB", instant);
        row("V100", "Tesla V100-SXM2-32GB", instant);
        row("A40", "NVIDIA A40", averaged);
        row("A30", "NVIDIA A30", instant);
        row("RTX 3090", "NVIDIA GeForce RTX 3090", averaged);
        row("RTX 2080", "NVIDIA GeForce RTX 2080 Ti", instant);
        row("something else", "Graphics Device", unknown);
    }
    void sensor() {
        QFETCH(QString, model);
        QFETCH(int, kind);
        const ImportedLog imported(kReportHeader + rowAt(0, model.toStdString() + ", 0, 100 W"));
        QCOMPARE(imported.sink.allSeries.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(imported.sink.allSeries[0].description.sensor), kind);
    }
    void updatePeriod() {
        // Written every second, the sensor gives a new value every third.
        std::string text = kReportHeader;
        for (int second = 0; second < 60; ++second)
            text += rowAt(second, "NVIDIA A100, 0, " + std::to_string(100 + second / 3) + " W");
        const ImportedLog imported(text);
        const auto& facts = imported.reports.at(0).value().facts;
        QCOMPARE(facts.at("sampling_period"), std::string("1.000 s"));
        QCOMPARE(facts.at("sensor_update_period"), std::string("3.000 s"));
    }
    void utcOffset() {
        const auto tree
            = importers::memoryTree({{"log.csv", kReportHeader + rowAt(0, "X, 0, 100 W")}});
        const importers::Importer& importer = importers::meters::kLogImporter;
        auto units = importer.plan(*tree, tree->files());
        units.at(0).utcOffsetSeconds = -4 * 3600;
        RecordingSink sink;
        QVERIFY(importer.import(*tree, units[0], sink, {}).hasValue());
        // Local midnight four hours behind UTC is four in the morning there.
        QCOMPARE(
            sink.allSeries.at(0).times.at(0).ns, (20'565LL * 86'400 + 4 * 3600) * 1'000'000'000);
    }
    void nodesOfOneFolder() {
        const std::string head = "timestamp, index, power.draw [W]\n";
        std::vector<std::pair<std::string, std::string>> files;
        for (int node = 0; node < 11; ++node) {
            const std::string watts = std::to_string(100 + node) + " W\n";
            files.emplace_back("job/smi_node" + std::to_string(node) + ".csv",
                head + "2026/04/22 00:00:00.000, 0, " + watts + "2026/04/22 00:00:00.001, 1, "
                    + watts);
        }
        const ImportedLog imported(*importers::memoryTree(files));
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(imported.units[0].runName, std::string("job/smi"));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{22});
        // Node 10 is the eleventh, not the one behind node 1.
        const Gpu& last = imported.sink.gpus.at({1, 21});
        QCOMPARE(last.node, 10);
        QCOMPARE(last.local, 1);
        QCOMPARE(imported.values("gpu_power", 21), std::vector<double>{110.0});
    }
    void hostColumn() {
        const ImportedLog imported(
            "timestamp,hostname,index,power.draw [W]\n2026/04/22 "
            "00:00:00.000,alpha,0,100\n2026/04/22 00:00:00.000,alpha,1,101\n"
            "2026/04/22 00:00:00.000,beta,0,102\n2026/04/22 00:00:00.000,beta,1,103\n");
        QCOMPARE(imported.sink.gpus.size(), std::size_t{4});
        const Gpu& gpu = imported.sink.gpus.at({1, 3});
        QCOMPARE(gpu.node, 1);
        QCOMPARE(gpu.local, 1);
        QCOMPARE(imported.values("gpu_power", 3), std::vector<double>{103.0});
    }
    void lateHost() {
        // 700 rows of one node: more than the columns and nodes are told by.
        std::string text = "timestamp,hostname,index,power.draw [W]\n";
        const auto row = [&text](int second, const std::string& rest) {
            text += std::to_string(1'776'816'000 + second) + "," + rest + "\n";
        };
        for (int second = 0; second < 350; ++second) {
            row(second, "alpha,0,100");
            row(second, "alpha,1,101");
        }
        row(350, "beta,0,300");
        row(350, "beta,1,301");
        row(351, "alpha,2,102");
        const ImportedLog imported(text);
        QCOMPARE(imported.reports.at(0).value().ranksFound, (std::vector<int>{0, 1, 2, 3, 4}));
        const Gpu& late = imported.sink.gpus.at({1, 3});
        QCOMPARE(late.node, 1);
        QCOMPARE(late.local, 1);
        QCOMPARE(imported.values("gpu_power", 2), std::vector<double>{300.0});
        QCOMPARE(imported.values("gpu_power", 3), std::vector<double>{301.0});
        QCOMPARE(imported.values("gpu_power", 1).size(), std::size_t{350});
        // The third GPU of the first node comes too late for a rank beside the others.
        const Gpu& third = imported.sink.gpus.at({1, 4});
        QCOMPARE(third.node, 0);
        QCOMPARE(third.local, 2);
        QCOMPARE(imported.values("gpu_power", 4), std::vector<double>{102.0});
    }
    void closeGroupsOfRows() {
        // Eight GPUs 10 ms apart, every 100 ms: the pause of 30 ms is but three steps long.
        std::string text = "timestamp, power.draw [W]\n";
        for (int group = 0; group < 12; ++group) {
            for (int gpu = 0; gpu < 8; ++gpu)
                text += stampAt(100 * group + 10 * gpu) + ", " + std::to_string(100 + gpu) + " W\n";
        }
        const ImportedLog imported(text);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{8});
        QCOMPARE(imported.values("gpu_power", 7), std::vector<double>(12, 107.0));
        QCOMPARE(imported.reports.at(0).value().warningCount, std::int64_t{0});
    }
    void unevenGroupsOfRows() {
        // Four rows, then three, in turn: no GPU can be told for any.
        std::string text = "timestamp, power.draw [W]\n";
        for (int group = 0; group < 20; ++group) {
            for (int gpu = 0; gpu < 4 - group % 2; ++gpu)
                text += stampAt(1000 * group + gpu) + ", 100 W\n";
        }
        const ImportedLog imported(text);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{1});
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        VERIFY_SAYS(report.warnings.at(0).text, "groups of different sizes");
        QVERIFY(imported.units.at(0).notes.size() >= 1);
    }
    void lostRow() {
        std::string text = "timestamp, power.draw [W]\n";
        for (int group = 0; group < 20; ++group) {
            for (int gpu = group == 10 ? 1 : 0; gpu < 4; ++gpu)
                text += stampAt(1000 * group + gpu) + ", 100 W\n";
        }
        const ImportedLog imported(text);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{4});
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        QVERIFY(report.warnings.at(0).text.starts_with("In 1 group of rows"));
    }
    void nothingUsable_data() {
        const auto row = columns<std::string, QString>("text", "says");
        row("header only", "timestamp, index, power.draw [W]\n", "No usable row");
        row("no stamps", "index, power.draw [W]\n0, 70 W\n", "no time stamps");
        row("only a message", "timestamp, index, power.draw [W]\nNo devices were found\n",
            "No devices were found");
        row("memory of processes",
            "timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
            "2026/04/22 00:00:00.000, GPU-aa, 11, python, 7000 MiB\n"
            "2026/04/22 00:00:00.000, GPU-aa, 12, python, 1000 MiB\n",
            "memory of each process");
        row("snapshot",
            "+---------+\n| NVIDIA-SMI 565.57.01  Driver Version: 565.57.01 |\n"
            "|   0  NVIDIA H100 80GB HBM3   On  |   00000000:18:00.0 Off |  0 |\n"
            "| N/A   30C    P0   100W /  700W |   1MiB /  81559MiB |  0%   Default |\n",
            "snapshot");
    }
    void nothingUsable() {
        QFETCH(std::string, text);
        QFETCH(QString, says);
        const ImportedLog imported(text);
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY(!imported.reports[0].hasValue());
        const QString message = QString::fromStdString(imported.reports[0].error().describe());
        VERIFY_SAYS(message, says);
        QVERIFY(message.contains(QStringLiteral("log.csv")));
    }
    void gaps() {
        std::string text = kReportHeader;
        for (const int second : {0, 1, 2, 3, 14, 15, 16, 26, 40})
            text += rowAt(second, "X, 0, 100 W");
        const ImportedLog imported(text);
        // The steps 1 1 1 11 1 1 10 14 have a median of 1 s: 11 and 14 exceed ten periods, 10 does
        // not.
        QCOMPARE(imported.reports.at(0).value().gaps, std::int64_t{2});
    }
    void clockSetBack() {
        // Fewer forward steps than backward ones, years apart: no period, no gap, and all rows
        // kept.
        const ImportedLog imported(kReportHeader
            + "2199/01/01 00:00:00.000, X, 0, 5 W\n2150/01/01 00:00:00.000, X, 0, 6 W\n"
              "1991/01/01 00:00:00.000, X, 0, 7 W\n");
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.rows, std::int64_t{3});
        QCOMPARE(report.gaps, std::int64_t{0});
        QVERIFY(!report.facts.contains("sampling_period"));
    }
    void clockFalls_data() {
        // line: 0: no warning
        const auto row = columns<std::string, int, QString>("rows", "line", "says");
        const auto at = [](const std::string& clock, int gpu) {
            return "2026/10/25 " + clock + ", X, " + std::to_string(gpu) + ", 100 W\n";
        };
        row("end of summer time",
            at("02:59:40.000", 0) + at("02:59:40.000", 1) + at("02:59:50.000", 0)
                + at("02:59:50.000", 1) + at("02:00:00.000", 0) + at("02:00:00.000", 1)
                + at("02:00:10.000", 0),
            6, "Summer time ends here");
        row("the same in unix time",
            "1776816000, X, 0, 100 W\n1776816010, X, 0, 100 W\n"
            "1776812420, X, 0, 100 W\n",
            4, "The time goes back by 3590.0 s");
        row("two logs in one file",
            at("00:00:00.000", 0) + at("00:00:01.000", 0) + at("00:00:02.000", 0)
                + at("00:00:00.000", 0) + at("00:00:01.000", 0) + at("00:00:02.000", 0)
                + at("00:00:00.000", 0),
            5, "In all it goes back 2 times");
        row("less than a period",
            at("00:00:00.000", 0) + at("00:00:01.000", 0) + at("00:00:00.500", 0), 0, QString());
        row("one GPU behind the other",
            at("00:00:00.000", 0) + at("00:00:01.000", 0) + at("00:00:00.000", 1)
                + at("00:00:01.000", 1),
            0, QString());
    }
    void clockFalls() {
        QFETCH(std::string, rows);
        QFETCH(int, line);
        QFETCH(QString, says);
        const ImportedLog imported(kReportHeader + rows);
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{line > 0 ? 1 : 0});
        if (line == 0)
            return;
        QCOMPARE(report.warnings.at(0).line, std::int64_t{line});
        const QString text = QString::fromStdString(report.warnings.at(0).text);
        VERIFY_SAYS(text, says);
        if (!says.startsWith(QStringLiteral("Summer")))
            return;
        // The hour that comes twice is unfolded: readings stay 10 s apart.
        const auto times = imported.times("gpu_power", 0);
        QCOMPARE(times.size(), std::size_t{4});
        for (std::size_t i = 1; i < times.size(); ++i)
            QCOMPARE(times[i] - times[i - 1], std::int64_t{10'000'000'000});
    }
    void unitThatNobodyKnows() {
        const ImportedLog imported("timestamp, index, temperature.gpu [K], power.draw [W]\n"
                                   "2026/04/22 00:00:00.000, 0, 313, 100 W\n");
        QCOMPARE(imported.sink.allSeries.size(), std::size_t{1}); // the power
        const ImportReport& report = imported.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        VERIFY_SAYS(report.warnings.at(0).text, "its unit \"K\"");
    }
    void powerBesideAnEmptyOne() {
        const std::string head = "timestamp, index, power.draw [W], power.draw.instant [W]\n";
        const ImportedLog none(head + "2026/04/22 00:00:00.000, 0, 10 W, [N/A]\n");
        const ImportReport& told = none.reports.at(0).value();
        VERIFY_SAYS(told.facts.at("columns"), "\"power.draw.instant [W]\" has no values");
        QCOMPARE(told.warningCount, std::int64_t{0});
        const ImportedLog one(head
            + "2026/04/22 00:00:00.000, 0, 10 W, 30 W\n"
              "2026/04/22 00:00:00.000, 1, 20 W, [N/A]\n");
        const ImportReport& report = one.reports.at(0).value();
        QCOMPARE(report.warningCount, std::int64_t{1});
        VERIFY_SAYS(report.warnings.at(0).text, "rank 1;");
    }
    void cancel() {
        std::string text = kReportHeader;
        for (int i = 0; i < 5000; ++i)
            text += rowAt(i % 60, "X, 0, 100 W");
        const auto tree = importers::memoryTree({{"log.csv", text}});
        const importers::Importer& importer = importers::meters::kLogImporter;
        RecordingSink sink;
        const auto report = importer.import(*tree, importer.plan(*tree, tree->files()).at(0), sink,
            [](const ProgressState&) { return false; });
        QVERIFY(!report.hasValue());
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
    }
    void failingSink() {
        const auto tree
            = importers::memoryTree({{"log.csv", kReportHeader + rowAt(0, "X, 0, 100 W")}});
        const importers::Importer& importer = importers::meters::kLogImporter;
        const auto unit = importer.plan(*tree, tree->files()).at(0);
        for (int call = 1; call <= 5; ++call) {
            RecordingSink sink;
            sink.failAt = call;
            const auto report = importer.import(*tree, unit, sink, {});
            QVERIFY(!report.hasValue());
            QCOMPARE(report.error().code, ErrorCode::Io);
        }
    }
};

TRAINSCOPE_TEST(tst_LogReport)
#include "tst_LogReport.moc"
