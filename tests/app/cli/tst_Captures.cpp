// Captures as parts of a run: told by `info`, chosen by --capture, compared with each other. Two
// stretches of one process whose figures can be read off, and the recording of a real GPU.

#include "support/RunCli.h"
#include "support/StepTrace.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// µs. A product of 40 and a copy of 10, in a step of 65 whose work ends at 70.
constexpr const char* kShort = R"json({"schemaVersion": 1, "distributedInfo": {"rank": 0},
"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":4077,"tid":4077,"ts":0,"dur":65},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":4077,"tid":4077,"ts":2,"dur":10},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4077,"tid":4077,"ts":3,"dur":1,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"my_gemm_kernel","pid":0,"tid":7,"ts":5,"dur":40,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":60,"dur":10,"args":{"device":0,"stream":7,"correlation":2,"bytes":1000000}}
], "baseTimeNanoseconds": 1700000000000000000})json";

// A second later: a product of 100, whose last 10 run beside a collective of 50.
constexpr const char* kLong = R"json({"schemaVersion": 1, "distributedInfo": {"rank": 0},
"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":4077,"tid":4077,"ts":1000000,"dur":150},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":4077,"tid":4077,"ts":1000002,"dur":10},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4077,"tid":4077,"ts":1000005,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"my_gemm_kernel","pid":0,"tid":7,"ts":1000010,"dur":100,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":9,"ts":1000100,"dur":50,"args":{"device":0,"stream":9,"correlation":3}}
], "baseTimeNanoseconds": 1700000000000000000})json";

bool writeTrace(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

// As counted in the JSON of the traces by a script of its own.
struct RealCapture {
    const char* name;
    int kernels;
    double computeUs; // union of the kernels
    double windowUs; // from the first work of the GPU to the last
    double firstStepUs; // from the first work to the end of what Optimizer.step launched
};
constexpr std::array<RealCapture, 4> kReal{
    {{"eager-16", 6'716, 517'854.603, 533'780.207, 267'099.371},
        {"compiled-16", 5'836, 441'307.842, 454'899.851, 228'792.092},
        {"eager-16-recompute", 8'444, 606'262.176, 626'197.037, 312'318.777},
        {"eager-64", 1'538, 499'015.062, 502'790.062, 250'635.577}}};

bool isToTheNanosecond(const nlohmann::json& value, double expectedUs) {
    return value.is_number() && std::abs(value.get<double>() - expectedUs) <= 0.0005;
}

// Seconds of a part of the step, in µs.
double partUs(const nlohmann::json& run, const char* category) {
    const auto& parts = run["breakdown"]["categories"];
    return parts.contains(category) ? parts[category].get<double>() * 1e6 : -1.0;
}

} // namespace

class tst_Captures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("job")));
        QVERIFY(writeTrace(file("job/short.json"), kShort));
        QVERIFY(writeTrace(file("job/long.json"), kLong));
        m_database = file("t.trainscope").toStdString();
        QVERIFY(succeeds({"import", file("job").toStdString(), "--into", m_database}));
    }
    void infoListsThem() {
        const auto runs = told({"info"})["runs"];
        QCOMPARE(runs.size(), 1U);
        const auto captures = runs[0]["captures"];
        QCOMPARE(captures.size(), 2U);
        QCOMPARE(captures[0]["name"], "short");
        QCOMPARE(captures[0]["rank"], 0);
        QCOMPARE(captures[0]["start_ns"].get<std::int64_t>(), 1'700'000'000'000'000'000);
        QCOMPARE(captures[0]["duration_s"].get<double>(), 70e-6);
        QCOMPARE(captures[1]["name"], "long");
        QCOMPARE(captures[1]["start_ns"].get<std::int64_t>(), 1'700'000'001'000'000'000);
        QCOMPARE(captures[1]["duration_s"].get<double>(), 150e-6);
        const auto text = runCli({"info", m_database}).out;
        VERIFY_SAYS(text, "Captures of job");
        VERIFY_SAYS(text, "short");
    }
    void kernels() {
        const auto all = told({"kernels"})["ranks"][0];
        QCOMPARE(all["kernel_count"], 3);
        const auto json = told({"kernels", "--capture", "short"});
        QCOMPARE(json["window"], "the capture 'short'");
        const auto& first = json["ranks"][0];
        QCOMPARE(first["kernel_count"], 1);
        QCOMPARE(first["window_us"].get<double>(), 65.0); // 5 to 70
        QCOMPARE(first["compute_us"].get<double>(), 40.0);
        QCOMPARE(first["communication_us"].get<double>(), 0.0);
        QCOMPARE(first["copies"]["count"], 1);
        QCOMPARE(first["iterations"].size(), std::size_t{1});
        QCOMPARE(first["iterations"][0]["index"], 1);
        const auto second = told({"kernels", "--capture", "long"})["ranks"][0];
        QCOMPARE(second["kernel_count"], 2);
        QCOMPARE(second["kernel_time_us"].get<double>(), 150.0);
        QCOMPARE(second["compute_us"].get<double>(), 100.0);
        QCOMPARE(second["overlap_us"].get<double>(), 10.0);
        QCOMPARE(second["exposed_communication_us"].get<double>(), 40.0);
        QCOMPARE(second["copies"]["count"], 0);
        const auto tables
            = runCli({"kernels", m_database, "--capture", "long", "--selection", "--csv"}).out;
        VERIFY_SAYS(tables, "\nmy_gemm_kernel,1,0.0001,");
    }
    void operators() {
        const auto timeOf = [this](std::vector<std::string> more) {
            more.insert(more.begin(), {"operators", "--by", "operator"});
            const auto rows = told(more)["ranks"][0]["operators"];
            for (const auto& row : rows) {
                if (row["name"] == "aten::mm")
                    return row["kernel_time_us"].get<double>();
            }
            return -1.0;
        };
        QCOMPARE(timeOf({}), 140.0);
        QCOMPARE(timeOf({"--capture", "short"}), 40.0);
        QCOMPARE(timeOf({"--capture", "long"}), 100.0);
    }
    void summary() {
        const auto run = told({"summary", "--capture", "long"})["runs"][0];
        QCOMPARE(run["duration_s"].get<double>(), 150e-6);
        QCOMPARE(run["window"]["basis"], "capture");
        QCOMPARE(run["window"]["start_ns"].get<std::int64_t>(), 1'700'000'001'000'000'000);
        QCOMPARE(run["window"]["iterations"], 1);
        QCOMPARE(run["efficiency"]["step_time_s"].get<double>(), 150e-6);
        const auto other = told({"summary", "--capture", "short"})["runs"][0];
        QCOMPARE(other["efficiency"]["step_time_s"].get<double>(), 65e-6);
        const auto text = runCli({"summary", m_database, "--capture", "long"}).out;
        VERIFY_SAYS(text, "only the capture 'long'");
        QCOMPARE(told({"summary", "--capture", "long", "--detail"})["runs"].size(), 1U);
    }
    // Communication is exposed in the second stretch alone, for 40 of its 140 or 150 µs.
    void findings() {
        const auto rulesOf = [this](const char* capture) {
            const auto json = told({"findings", "--capture", capture});
            std::map<std::string, nlohmann::json> rules;
            for (const auto& one : json["findings"])
                rules[one["rule"].get<std::string>()] = one;
            return rules;
        };
        QVERIFY(!rulesOf("short").contains("exposed_communication"));
        const auto found = rulesOf("long");
        QVERIFY(found.contains("exposed_communication"));
        const auto& evidence = found.at("exposed_communication")["evidence"];
        QVERIFY(evidence["start_ns"].get<std::int64_t>() >= 1'700'000'001'000'000'000);
        QVERIFY(!found.contains("out_of_memory"));
        const auto text = runCli({"findings", m_database, "--capture", "long"}).out;
        QVERIFY2(text.starts_with("job · long: "), text.c_str());
        VERIFY_SAYS(text, "the capture 'long'");
    }
    // Two ranks that were captured twice: 3 steps, and 5 steps a second later, with a collective
    // each.
    void collectives() {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("two")));
        for (const int rank : {0, 1}) {
            const QString name = QStringLiteral("two/rank%1_%2.json");
            const StepTrace early{rank, 2, 0, 3, 1'000, 100};
            const StepTrace late{rank, 2, 1'000'000, 5, 1'000, 100};
            QVERIFY(early.write(
                m_folder.filePath(name.arg(rank).arg(QLatin1String("early"))).toStdString()));
            QVERIFY(late.write(
                m_folder.filePath(name.arg(rank).arg(QLatin1String("late"))).toStdString()));
        }
        const auto database = file("two.trainscope").toStdString();
        QVERIFY(succeeds({"import", file("two").toStdString(), "--into", database}));
        const auto matched = [&database](std::vector<std::string> more) {
            more.insert(more.begin(), {"collectives", database, "--json"});
            const auto json = runCli(more).json();
            return json.is_null() ? -1 : json["collectives"].get<int>();
        };
        QCOMPARE(matched({}), 8);
        QCOMPARE(matched({"--capture", "early"}), 3);
        QCOMPARE(matched({"--capture", "late"}), 5);
    }
    void comparison() {
        const auto json = told({"compare", "--capture", "short", "--capture", "long"});
        QCOMPARE(json["runs"].size(), 2U);
        const auto& a = json["runs"][0];
        const auto& b = json["runs"][1];
        QCOMPARE(a["name"], "job · short");
        QCOMPARE(b["name"], "job · long");
        QCOMPARE(a["step_time_s"].get<double>(), 65e-6);
        QCOMPARE(b["step_time_s"].get<double>(), 150e-6);
        QVERIFY(std::abs(json["ratios"]["step_time_s"].get<double>() - 150.0 / 65.0) < 1e-9);
        QCOMPARE(b["breakdown"]["basis"], "iterations");
        QCOMPARE(b["breakdown"]["kernels"].size(), std::size_t{2});
        QCOMPARE(partUs(b, "all_reduce_exposed"), 40.0);
        QCOMPARE(partUs(b, "gemm"), 100.0);
        QCOMPARE(partUs(a, "gemm"), 40.0);
        QCOMPARE(partUs(a, "all_reduce_exposed"), -1.0);
        const auto text
            = runCli({"compare", m_database, "--capture", "short", "--capture", "long"}).out;
        VERIFY_SAYS(text, "A  job · short");
    }
    void keptByName() {
        const auto kept
            = told({"compare", "--capture", "long", "--capture", "short", "--save", "both"});
        const auto listed = told({"compare", "--list"})["comparisons"][0];
        QCOMPARE(listed["runs"][0], "job · long");
        QCOMPARE(listed["runs"][1], "job · short");
        QVERIFY(told({"compare", "--saved", "both"}) == kept);
        const QString out = file("saved.svg");
        QVERIFY(succeeds({"figure", m_database, "--kind", "comparison-board", "--saved", "both",
            "--out", out.toStdString()}));
        QFile csv(file("saved.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly) && csv.readAll().contains("job · long"));
    }
    void figure() {
        const QString out = file("captures.svg");
        QVERIFY(succeeds({"figure", m_database, "--kind", "comparison", "--capture", "short",
            "--capture", "long", "--out", out.toStdString()}));
        const QByteArray numbers = contentOf(file("captures.csv"));
        QVERIFY2(numbers.contains("job · short") && numbers.contains("job · long"), numbers);
        const auto one = runCli({"figure", m_database, "--kind", "comparison", "--capture", "short",
            "--out", out.toStdString()});
        QCOMPARE(one.status, 2);
    }
    // The same stretch of two runs, and of each its own.
    void severalRuns() {
        const auto database = file("pair.trainscope").toStdString();
        for (const char* name : {"first", "second"}) {
            const QString folder = file(name);
            QVERIFY(QDir().mkpath(folder));
            for (const auto& [capture, text] :
                {std::pair("short", kShort), std::pair("long", kLong)}) {
                const auto own = QByteArray(text).replace("my_gemm", QByteArray(name) + "_gemm");
                QVERIFY(writeTrace(
                    QStringLiteral("%1/%2.json").arg(folder, QString::fromLatin1(capture)), own));
            }
            QVERIFY(succeeds({"import", folder.toStdString(), "--name", name, "--into", database}));
        }
        const std::vector<std::string> both{"compare", database, "--run", "first", "--run",
            "second", "--json", "--capture", "long"};
        const auto ran = runCli(both);
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const auto same = ran.json();
        QCOMPARE(same["runs"][0]["name"], "first · long");
        QCOMPARE(same["runs"][1]["name"], "second · long");
        QCOMPARE(same["ratios"]["step_time_s"].get<double>(), 1.0);
        auto own = both;
        own.insert(own.end(), {"--capture", "short"});
        const auto crossed = runCli(own).json();
        QCOMPARE(crossed["runs"][1]["name"], "second · short");
        own.insert(own.end(), {"--capture", "short"});
        QCOMPARE(runCli(own).status, 2);
    }
    void mistakes_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        const QString unknown = QStringLiteral("The captures of the run are: short, long.");
        for (const char* command :
            {"kernels", "operators", "collectives", "summary", "findings", "compare"}) {
            QStringList arguments = texts(QString::fromLatin1(command), "--capture", "shrt");
            if (arguments.front() == QStringLiteral("compare"))
                arguments << QStringLiteral("--capture") << QStringLiteral("long");
            QTest::newRow(command) << arguments << unknown;
        }
        const auto row = [](const char* text, const char* said) {
            QTest::newRow(text) << QString::fromLatin1(text).split(QLatin1Char(' '))
                                << QString::fromLatin1(said);
        };
        row("kernels --capture short --from 0", "--from");
        row("kernels --capture short --steady", "--steady");
        row("operators --capture short --to 1", "--to");
        row("summary --capture short --steady", "--steady");
        row("compare --capture short --capture short", "was given twice");
        row("compare --capture short", "");
        row("compare --run job --capture short", "nothing to be compared with");
        row("compare --capture short --capture long --saved x", "--saved");
    }
    void mistakes() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        std::vector<std::string> all;
        for (const QString& one : arguments)
            all.push_back(one.toStdString());
        all.insert(all.begin() + 1, m_database);
        const auto ran = runCli(all);
        QCOMPARE(ran.status, 2);
        QVERIFY2(QString::fromStdString(ran.err).contains(said), ran.err.c_str());
    }
    void theRecording() {
        const std::string traces = realFiles() + "/data/h100_recording/training/traces";
        if (realFiles().empty() || !std::filesystem::exists(traces))
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const auto database = file("real.trainscope").toStdString();
        QVERIFY(succeeds({"import", traces, "--into", database}));
        for (const RealCapture& one : kReal) {
            const auto json = jsonOf({"kernels", database, "--capture", one.name});
            const auto& device = json["ranks"][0];
            QCOMPARE(device["kernel_count"], one.kernels);
            QVERIFY2(isToTheNanosecond(device["compute_us"], one.computeUs), one.name);
            QVERIFY2(isToTheNanosecond(device["window_us"], one.windowUs), one.name);
        }
        const auto json
            = jsonOf({"compare", database, "--capture", "eager-16", "--capture", "compiled-16"});
        QCOMPARE(json["runs"][1]["name"], "traces · compiled-16");
        // Each of the traces is of two iterations, the second of which ends with its last work.
        for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
            const auto& run = json["runs"][place];
            QCOMPARE(run["breakdown"]["basis"], "iterations");
            QVERIFY(isToTheNanosecond(
                run["breakdown"]["seconds"].get<double>() * 2e6, kReal[place].windowUs));
            QVERIFY(
                isToTheNanosecond(run["step_time_s"].get<double>() * 2e6, kReal[place].windowUs));
        }
        for (const RealCapture& one : kReal) {
            const auto run = jsonOf({"summary", database, "--capture", one.name, "--detail"});
            const auto& iterations = run["runs"][0]["iterations"];
            QCOMPARE(iterations.size(), std::size_t{2});
            QVERIFY2(
                isToTheNanosecond(iterations[0]["duration_s"].get<double>() * 1e6, one.firstStepUs),
                one.name);
        }
    }

private:
    // The command on the database of both stretches, as JSON.
    [[nodiscard]] nlohmann::json told(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin() + 1, m_database);
        arguments.emplace_back("--json");
        return runCli(arguments).json();
    }
    QString file(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_Captures)
#include "tst_Captures.moc"
