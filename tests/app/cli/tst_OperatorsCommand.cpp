// `operators` on a small trace by hand, and on real ones against another tool's reports.

#include "support/RunCli.h"
#include "support/StepTrace.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

struct DirectTime {
    int count = 0;
    double microseconds = 0.0;
};

// Rows of ops_summary.csv: names have no commas; the columns that are read come before those that
// have.
std::map<std::string, DirectTime> reportOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    std::map<std::string, DirectTime> report;
    if (!file.open(QIODevice::ReadOnly))
        return report;
    const QList<QByteArray> header = file.readLine().trimmed().split(',');
    const auto time = header.indexOf("total_direct_kernel_time_sum");
    const auto count = header.indexOf("Count");
    while (!file.atEnd()) {
        const QList<QByteArray> row = file.readLine().trimmed().split(',');
        DirectTime& sum = report[row[0].toStdString()]; // recomputation has rows of its own
        sum.count += row[count].toInt();
        sum.microseconds += row[time].toDouble();
    }
    return report;
}

// A rank of two GPUs, and what it does on one of them.
const char* const kTwoGpusHead = R"({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}, {"id": 1, "name": "NVIDIA A100-SXM4-80GB"}],
"distributedInfo": {"rank": 0}, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":1000,"args":{}})";
const char* const kProductOnAGpu = R"(,
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%1,"dur":50,"args":{"Input Dims":[[1024,1024],[1024,1024]],"Input type":["c10::BFloat16","c10::BFloat16"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%2,"dur":10,"args":{"correlation":%4}},
{"ph":"X","cat":"kernel","name":"gemm","pid":%3,"tid":7,"ts":200,"dur":400,"args":{"device":%3,"stream":7,"correlation":%4}})";

// Two host threads of a rank and no device: in µs a step of 1000 with linear (400), which calls mm
// (300), and a collective of 700 beside it.
const char* const kHostAlone
    = R"json({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
"deviceProperties": [], "distributedInfo": {"rank": 0}, "traceEvents": [
{"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":0,"args":{"name":"thread 2 (pt_gloo)"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":1000,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":100,"dur":400,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":150,"dur":300,"args":{"Input Dims":[[8,4],[4,2]],"Input type":["float","float"]}},
{"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":2,"ts":200,"dur":700,"args":{}}]})json";

} // namespace

class tst_OperatorsCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reports_data() {
        const auto row = columns<QString, int>("trace", "operators");
        if (realFiles().empty()) {
            row("no real files", QString(), 0);
            return;
        }
        row("Qwen, H100", "tracelens_h100_qwen", 20);
        row("BERT, H100", "tracelens_h100_bert_small", 10);
        row("BERT, MI300X", "tracelens_mi300_bert_small", 10);
        row("compiled, MI300X", "tracelens_torch_compile_triton", 6);
        row("ResNet with recomputation, MI300X", "tracelens_mi300_resnet_act_checkpoint", 21);
    }

    void reports() {
        QFETCH(QString, trace);
        QFETCH(int, operators);
        if (trace.isEmpty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const std::string name = trace.toStdString();
        const std::string database
            = m_folder.filePath(trace + QStringLiteral(".trainscope")).toStdString();
        QVERIFY(succeeds(
            {"import", realFiles() + "/data/kineto/" + name + ".json.gz", "--into", database}));
        const auto answer = jsonOf({"operators", database, "--by", "operator"});
        auto wanted
            = reportOf(realFiles() + "/data/tracelens_reference/" + name + "/ops_summary.csv");
        std::size_t met = 0;
        for (const auto& row : answer["ranks"][0]["operators"]) {
            const auto found = wanted.find(row["name"].get<std::string>());
            if (found == wanted.end()) {
                // The report leaves out communication.
                QCOMPARE(row["name"], "record_param_comms");
                continue;
            }
            ++met;
            QCOMPARE(row["count"], found->second.count);
            double expected = found->second.microseconds;
            // 33 and 48 memory sets that they launch, read off the trace: the report counts such
            // of NVIDIA's GPUs and leaves these out.
            if (found->first == "aten::convolution_backward")
                expected += 124.127;
            if (found->first == "aten::miopen_convolution")
                expected += 203.710;
            const double tolerance = 0.001 * row["kernel_count"].get<int>() + 1e-7 * expected;
            QVERIFY2(std::abs(row["kernel_time_us"].get<double>() - expected) <= tolerance,
                found->first.c_str());
        }
        QCOMPARE(met, wanted.size());
        QCOMPARE(static_cast<int>(met), operators);
    }

    // FLOP of shapes by hand: 2·8944·2816·1024 for each of 48 calls.
    void shapes() {
        const std::string database = pathIn(m_folder, "tracelens_h100_qwen.trainscope");
        if (!QFile::exists(QString::fromStdString(database)))
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const auto answer = jsonOf({"operators", database, "--rank", "0"});
        const auto row = answer["ranks"][0]["operators"][0];
        QCOMPARE(row["name"], "aten::mm");
        QCOMPARE(row["input_dims"].dump(), std::string("[[8944,1024],[1024,2816]]"));
        QCOMPARE(row["flop"].get<double>(), 48.0 * 2.0 * 8944.0 * 2816.0 * 1024.0);
        const double rate = row["flop"].get<double>() / row["busy_us"].get<double>() * 1e-6;
        QVERIFY(std::abs(row["tflops"].get<double>() - rate) < 1e-9 * rate);
        // H100 SXM: 989 TFLOP/s of bf16, dense.
        QVERIFY(std::abs(row["roofline_fraction"].get<double>() - rate / 989.0) < 1e-9);
        const auto stray = runCli({"operators", database, "--rank", "3"});
        QCOMPARE(stray.status, 2);
        VERIFY_SAYS(stray.err, "no trace of rank 3");
    }

    void withoutHost() {
        if (realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const std::string database = pathIn(m_folder, "gpu_only.trainscope");
        QVERIFY(succeeds({"import", realFiles() + "/data/kineto/tracelens_mi210_gpu_only.json.gz",
            "--into", database}));
        const auto answer = runCli({"operators", database, "--json"});
        VERIFY_SAYS(answer.err, "hangs under the root");
        QVERIFY(answer.json()["ranks"][0]["operators"].empty());
    }

    // A trace of CPU activity alone: self times on the host, by operator, and nothing of kernels.
    void hostsAlone() {
        const std::string trace = pathIn(m_folder, "host.json");
        QVERIFY(writeContent(QString::fromStdString(trace), kHostAlone));
        const std::string database = pathIn(m_folder, "host.trainscope");
        QVERIFY(succeeds({"import", trace, "--into", database}));
        const auto answer = runCli({"operators", database, "--by", "operator", "--json"});
        QVERIFY2(answer.err.find("has no traces") == std::string::npos, answer.err.c_str());
        const auto rank = answer.json()["ranks"][0];
        QCOMPARE(rank["host_self_time_us"].get<double>(), 1700.0); // 600 + 100 + 300 + 700
        QVERIFY(!rank.contains("kernel_time_us") && !rank.contains("busy_us"));
        const auto rows = rank["operators"];
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0]["name"], "aten::mm");
        QCOMPARE(rows[0]["host_self_time_us"].get<double>(), 300.0);
        QCOMPARE(rows[0]["count"], 1);
        QCOMPARE(rows[0]["flop"].get<double>(), 128.0); // 2 · 8 · 4 · 2
        QCOMPARE(rows[1]["name"], "aten::linear");
        QCOMPARE(rows[1]["host_self_time_us"].get<double>(), 100.0);
        QVERIFY(!rows[1].contains("kernel_time_us") && !rows[1].contains("kernel_count"));
        const auto text = runCli({"operators", database});
        VERIFY_SAYS(text.out, "rank 0: host only, 1.7 ms of self time in 4 calls");
        QCOMPARE(text.err, std::string());
        const auto ofAnnotations = jsonOf({"operators", database, "--by", "annotation"});
        QCOMPARE(ofAnnotations["ranks"][0]["operators"][0]["host_self_time_us"].get<double>(),
            1000.0); // the step with all in it

        const auto host = jsonOf({"summary", database})["runs"][0]["host"];
        QCOMPARE(host["self_time_us"].get<double>(), 1700.0);
        QCOMPARE(host["threads"], 2);
        QCOMPARE(host["operators"][0]["name"], "gloo:all_reduce");
        QCOMPARE(host["operators"][0]["self_time_us"].get<double>(), 700.0);
        const auto summary = runCli({"summary", database}).out;
        VERIFY_SAYS(summary,
            "Only the host was traced: 1.7 ms of self time in 4 calls, 2 threads "
            "of rank 0");
        const auto info = runCli({"info", database}).out;
        VERIFY_SAYS(info, "only the host was traced, 2 threads of rank 0, 4 spans");
        QVERIFY(jsonOf({"info", database})["runs"][0]["host_only"].get<bool>());
        const auto kernels = runCli({"kernels", database});
        VERIFY_SAYS(kernels.err, "only its host was traced");

        const std::string figure = pathIn(m_folder, "host.svg");
        const auto none = runCli({"figure", database, "--kind", "kernels", "--out", figure});
        QCOMPARE(none.status, 2);
        VERIFY_SAYS(none.err, "Operators shows the calls of the host.");
        QVERIFY(succeeds({"figure", database, "--kind", "operators-flame", "--out", figure}));
        const QByteArray lines = contentOf(m_folder.filePath(QStringLiteral("host.csv")));
        QVERIFY2(lines.contains(",annotation,,gloo:all_reduce,,1,1,0.0007,"), lines.constData());
        QVERIFY2(lines.contains(",self,,aten::linear,,1,1,0.0001,"), lines.constData());
    }
    void aRealHostAlone() {
        if (realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const std::string database = pathIn(m_folder, "cpu_only.trainscope");
        QVERIFY(
            succeeds({"import", realFiles() + "/data/kineto/hta_cpu_only_rank-34.pt.trace.json.gz",
                "--into", database}));
        const auto row
            = jsonOf({"operators", database, "--by", "operator"})["ranks"][0]["operators"][0];
        QCOMPARE(row["name"], "aten::empty");
        QCOMPARE(row["count"], 4);
        // The durations in the file: 2.503 + 0.473 + 0.401 + 0.587.
        QVERIFY(std::abs(row["host_self_time_us"].get<double>() - 3.964) < 1e-9);
    }

    // Rank 1's clock is 5 ms ahead. From 1.9 to 3.9 ms lie the steps 2 and 3 of both.
    void aWindowOnEveryClock() {
        const std::vector<StepTrace> traces{
            {0, 2, 0, 10, 1'000, 100}, {1, 2, 5'000, 10, 1'000, 200}};
        std::vector<std::string> imports{"import"};
        for (const StepTrace& trace : traces) {
            imports.push_back(
                m_folder.filePath(QStringLiteral("rank_%1.json").arg(trace.rank)).toStdString());
            QVERIFY(trace.write(imports.back()));
        }
        const std::string database = pathIn(m_folder, "two_ranks.trainscope");
        imports.insert(imports.end(), {"--name", "two", "--into", database});
        QVERIFY(succeeds(imports));
        const std::vector<std::string> asked{"operators", database, "--by", "operator"};
        const auto timeOf = [&asked](std::vector<std::string> more, std::size_t place) {
            more.insert(more.begin(), asked.begin(), asked.end());
            more.emplace_back("--json");
            const auto rows = runCli(more).json()["ranks"][place]["operators"];
            return rows.size() == 1 ? rows[0]["kernel_time_us"].get<double>() : -1.0;
        };
        const std::vector<std::string> window{"--from", "1.9e-3", "--to", "3.9e-3"};
        for (const std::size_t rank : {0U, 1U}) {
            QCOMPARE(timeOf({}, rank), static_cast<double>(traces[rank].productUs(0, 9)));
            QCOMPARE(timeOf(window, rank), static_cast<double>(traces[rank].productUs(2, 3)));
            // Open at its begin on both clocks.
            QCOMPARE(timeOf({"--to", "3.9e-3"}, rank),
                static_cast<double>(traces[rank].productUs(0, 3)));
        }
        const auto text = runCli({"operators", database, "--from", "1.9e-3", "--to", "3.9e-3"});
        VERIFY_SAYS(text.out, "on that of rank 0");
        const auto selection = runCli(
            {"kernels", database, "--from", "1.9e-3", "--to", "3.9e-3", "--selection", "--csv"});
        VERIFY_SAYS(selection.out, "\ngemm,4,0.00061");
        const auto csv = runCli({"operators", database, "--by", "operator", "--csv"});
        const auto lines = QString::fromStdString(csv.out).split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), qsizetype{4}); // one head, a row of each rank, and the end
        QCOMPARE(lines[0],
            QStringLiteral(
                "rank,time (s),of all,busy (s),calls,kernels,FLOP/s (FLOP/s),moved (B/s),"
                "of roofline,savable (s),operator"));
        // Steps 0 to 9 of rank 1: 10 · 200 + 45 µs.
        QVERIFY2(lines[1].startsWith(QStringLiteral("0,0.001045,")), qPrintable(lines[1]));
        QVERIFY2(lines[2].startsWith(QStringLiteral("1,0.002045,")), qPrintable(lines[2]));
        const auto ofWindow = runCli({"operators", database, "--to", "3.9e-3", "--csv"});
        VERIFY_SAYS(ofWindow.err, "on that of rank 0");
    }

    // A rank of two GPUs, a step of 1 ms: two products of 1024 × 1024 on an A100 of 312 TFLOP/s.
    void anIterationOfTwoGpus() {
        const auto path = m_folder.filePath(QStringLiteral("two_gpus.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kTwoGpusHead);
        for (const int device : {0, 1}) {
            QString gpu = QString::fromLatin1(kProductOnAGpu);
            file.write(gpu.arg(10 + 100 * device)
                           .arg(20 + 100 * device)
                           .arg(device)
                           .arg(device + 1)
                           .toUtf8());
        }
        file.write("\n]}\n");
        file.close();
        const std::string database = pathIn(m_folder, "two_gpus.trainscope");
        QVERIFY(succeeds({"import", path.toStdString(), "--into", database}));
        const auto rank = jsonOf({"operators", database})["ranks"][0];
        const auto step = rank["iterations"][0];
        QCOMPARE(step["duration_s"].get<double>(), 1e-3);
        const double peak = 2.0 * 312e12 * 1e-3; // both, in that time
        QVERIFY(std::abs(step["mfu"].get<double>() - 4.0 * 1024 * 1024 * 1024 / peak) < 1e-9);
        VERIFY_SAYS(runCli({"operators", database}).out, "% in 1 ms");
        // Both streams are numbered 7.
        const auto trace = m_folder.filePath(QStringLiteral("out.json"));
        QVERIFY(succeeds(
            {"export", database, "--format", "chrome-json", "--out", trace.toStdString()}));
        const QByteArray events = contentOf(trace);
        QVERIFY(events.contains("\"device 0 · stream 7\""));
        QVERIFY(events.contains("\"device 1 · stream 7\""));
    }

private:
    QTemporaryDir m_folder;
};

TRAINSCOPE_GUI_TEST(tst_OperatorsCommand)
#include "tst_OperatorsCommand.moc"
