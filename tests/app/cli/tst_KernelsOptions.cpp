// Options of `kernels`, on a small trace whose figures can be read off.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// µs: step 1 is [0, 100), step 2 [100, 200); a GEMM of 40 in each, a collective of 30 beside.
constexpr const char* kTrace = R"json({"schemaVersion": 1, "distributedInfo": {"rank": 3},
"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"user_annotation","name":"backward","pid":1,"tid":1,"ts":110,"dur":50},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":115,"dur":2,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"my_gemm_kernel","pid":0,"tid":7,"ts":10,"dur":40,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"my_gemm_kernel","pid":0,"tid":7,"ts":120,"dur":40,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":9,"ts":150,"dur":30,"args":{"device":0,"stream":9,"correlation":3}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":60,"dur":10,"args":{"device":0,"stream":7,"correlation":4,"bytes":1000000}}
], "baseTimeNanoseconds": 1700000000000000000})json";

} // namespace

class tst_KernelsOptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QFile trace(m_folder.filePath(QStringLiteral("trace.json")));
        QVERIFY(trace.open(QIODevice::WriteOnly));
        trace.write(kTrace);
        trace.close();
        m_database = pathIn(m_folder, "t.trainscope");
        QVERIFY(succeeds({"import", trace.fileName().toStdString(), "--into", m_database}));
    }
    void allOfIt() {
        const auto json = rank({});
        QCOMPARE(json["rank"], 3);
        QCOMPARE(json["window_us"].get<double>(), 170.0);
        QCOMPARE(json["compute_us"].get<double>(), 80.0);
        QCOMPARE(json["phases"]["forward_us"].get<double>(), 40.0);
        QCOMPARE(json["phases"]["backward_us"].get<double>(), 30.0);
        QCOMPARE(json["phases"]["communication_hidden_us"].get<double>(), 10.0);
        QCOMPARE(json["phases"]["communication_exposed_us"].get<double>(), 20.0);
        QCOMPARE(json["phases"]["copy_us"].get<double>(), 10.0);
        QCOMPARE(json["phases"]["idle_us"].get<double>(), 60.0);
        QCOMPARE(json["copy_us"].get<double>(), 10.0);
        QCOMPARE(json["busy_us"].get<double>(), 110.0);
        QCOMPARE(json["phases"].size(), std::size_t{8});
        QCOMPARE(json["launch"]["joined"], 2);
        QCOMPARE(json["launch"]["unjoined"], 1);
        QCOMPARE(json["launch"]["delay_us"]["median"].get<double>(), 5.0);
        QCOMPARE(json["copies"]["count"], 1);
        QCOMPARE(json["copies"]["kinds"]["HtoD"]["bytes"], 1'000'000);
        QCOMPARE(json["copies"]["kinds"]["HtoD"]["bandwidth_b_per_s"].get<double>(), 1e11);
        QCOMPARE(json["iterations"].size(), std::size_t{2});
        const auto& second = json["iterations"][1];
        QCOMPARE(second["index"], 2);
        QCOMPARE(second["window_us"].get<double>(), 100.0);
        QCOMPARE(second["compute_us"].get<double>(), 40.0);
        QCOMPARE(second["overlap_us"].get<double>(), 10.0);
        QCOMPARE(second["idle_us"].get<double>(), 40.0);
        QCOMPARE(second["phases"]["backward_us"].get<double>(), 30.0);
        QVERIFY(!json.contains("bubble_us")); // no pipeline is known
        const auto text = runCli({"kernels", m_database}).out;
        VERIFY_SAYS(text, "communication hidden");
        VERIFY_SAYS(text, "copies HtoD: 1");
    }
    void oneIteration() {
        const auto all = rank({});
        const auto json = rank({"--iteration", "2"});
        for (const char* key : {"window_us", "busy_us", "compute_us", "communication_us", "idle_us",
                 "exposed_communication_us", "overlap_us", "copy_us", "kernel_count", "categories",
                 "phases"})
            QVERIFY2(json[key] == all["iterations"][1][key], key);
        QCOMPARE(json["kernels"].size(), std::size_t{2});
    }
    // 130 to 170 µs cut the second GEMM at its begin and the collective at its end.
    void aPartOfTheRun() {
        const auto json = rank({"--from", "130e-6", "--to", "170e-6"});
        QCOMPARE(json["window_us"].get<double>(), 40.0);
        QCOMPARE(json["busy_us"].get<double>(), 40.0);
        QCOMPARE(json["compute_us"].get<double>(), 30.0);
        QCOMPARE(json["communication_us"].get<double>(), 20.0);
        QCOMPARE(json["overlap_us"].get<double>(), 10.0);
        QCOMPARE(json["exposed_communication_us"].get<double>(), 10.0);
        QCOMPARE(json["idle_us"].get<double>(), 0.0);
        QCOMPARE(json["kernels"].size(), std::size_t{2});
        // Open at its end: the second GEMM and the collective, no copy.
        const auto rest = rank({"--from", "100e-6"});
        QCOMPARE(rest["compute_us"].get<double>(), 40.0);
        QCOMPARE(rest["copies"]["count"], 0);
        for (const char* from : {"2", "170e-6"}) {
            const auto ran = runCli({"kernels", m_database, "--from", from, "--to", "130e-6"});
            QCOMPARE(ran.status, 2);
            VERIFY_SAYS(ran.err, "--from must lie before --to");
        }
        QCOMPARE(runCli({"kernels", m_database, "--from", "0", "--steady"}).status, 2);
    }
    // The same stretch: the GEMM with 30 µs, the collective with 20 of its 30, whole in its own
    // table.
    void whatASelectionShows() {
        const std::vector<std::string> stretch{
            "kernels", m_database, "--from", "130e-6", "--to", "170e-6", "--selection"};
        const auto ran = runCli(stretch);
        QCOMPARE(ran.status, 0);
        for (const char* title : {"Time of the GPUs", "Kernels by name", "Collectives"})
            QVERIFY2(ran.out.find(title) != std::string::npos, title);
        auto csv = stretch;
        csv.push_back("--csv");
        const auto table = runCli(csv).out;
        for (const char* line : {"\nmy_gemm_kernel,1,3e-05,", "\nAllReduce,1,2e-05,", // kernels
                 "\nAllReduce,1,3e-05,"}) // calls
            VERIFY_SAYS(table, line);
        auto json = stretch;
        json.push_back("--json");
        QCOMPARE(runCli(json).status, 2);
        QCOMPARE(runCli({"kernels", m_database, "--csv"}).status, 2);
    }
    void categories() {
        QVERIFY(rank({})["categories"].contains("gemm"));
        const auto charllm = rank({"--categories", "charllm"});
        QCOMPARE(charllm["categories"]["compute"]["time_us"].get<double>(), 80.0);
        QCOMPARE(charllm["categories"]["all_reduce"]["time_us"].get<double>(), 30.0);
        QFile table(m_folder.filePath(QStringLiteral("table.json")));
        QVERIFY(table.open(QIODevice::WriteOnly));
        table.write(R"({"rules": [{"category": "mine", "any": ["MY_"]}]})");
        table.close();
        const auto own = rank({"--categories", table.fileName().toStdString()});
        QCOMPARE(own["categories"]["mine"]["count"], 2);
        QCOMPARE(own["kernels"][0]["category"], "mine");
        // The table of the configuration folder holds for exports as it does here.
        const QString folder = m_folder.filePath(QStringLiteral("config/Trainscope"));
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(table.copy(folder + QStringLiteral("/kernel_categories.json")));
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", m_folder.filePath(QStringLiteral("config")).toUtf8());
        const QString out = m_folder.filePath(QStringLiteral("csv"));
        const auto exported = runCli({"export", m_database, "--out", out.toStdString()});
        // A broken one is told of by whoever would use it.
        QFile broken(folder + QStringLiteral("/kernel_categories.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{\"rules\": 5}") > 0);
        broken.close();
        const std::string picture = pathIn(m_folder, "flame.svg");
        const auto kernelsRan = runCli({"kernels", m_database});
        const auto flameRan
            = runCli({"figure", m_database, "--kind", "operators-flame", "--out", picture});
        qputenv("XDG_CONFIG_HOME", before);
        for (const auto& ran : {kernelsRan, flameRan}) {
            QCOMPARE(ran.status, 3);
            VERIFY_SAYS(ran.err, "kernel_categories.json");
        }
        QVERIFY(!QFile::exists(QString::fromStdString(picture)));
        QVERIFY2(exported.status == 0, exported.err.c_str());
        QVERIFY(
            contentOf(out + QStringLiteral("/kernels.csv")).contains(",my_gemm_kernel,mine,2,"));
    }
    void mistakes() {
        auto ran = runCli({"kernels", m_database, "--iteration", "9"});
        QVERIFY(ran.status != 0);
        VERIFY_SAYS(ran.err, "no traced iteration 9");
        ran = runCli({"kernels", m_database, "--categories", "charlm"});
        QCOMPARE(ran.status, 3);
        VERIFY_SAYS(ran.err, "default, charllm");
    }

private:
    nlohmann::json rank(const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"kernels", m_database, "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto json = runCli(arguments).json();
        return json.is_null() || json["ranks"].empty() ? nlohmann::json() : json["ranks"][0];
    }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_KernelsOptions)
#include "tst_KernelsOptions.moc"
