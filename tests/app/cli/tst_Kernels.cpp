// `kernels --json` and `import --json` on real Kineto traces, against the figures computed beside
// them.

#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace trainscope::test;

namespace {

nlohmann::json truth() {
    QFile file(
        qEnvironmentVariable("TRAINSCOPE_SHARED") + QStringLiteral("/data/kineto_truth.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
}

std::string dataPath(const std::string& file) {
    return qEnvironmentVariable("TRAINSCOPE_SHARED").toStdString() + "/data/" + file;
}

// To the nanosecond; the figures themselves are decimals of µs in doubles.
bool sameMicroseconds(const nlohmann::json& actual, double expected) {
    return actual.is_number()
        && std::abs(actual.get<double>() - expected) < 0.0006 + std::abs(expected) * 1e-12;
}

struct Expected {
    nlohmann::json entry;
};

} // namespace

Q_DECLARE_METATYPE(Expected)

class tst_Kernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_truth = truth();
        if (!m_truth.is_array() || m_truth.empty())
            QSKIP("kineto_truth.json is not here (TRAINSCOPE_SHARED)");
    }

    void traces_data() {
        QTest::addColumn<Expected>("expected");
        for (const auto& entry : m_truth)
            QTest::newRow(entry["file"].get<std::string>().c_str()) << Expected{entry};
    }

    void traces() {
        QFETCH(Expected, expected);
        const auto& entry = expected.entry;
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("trace.trainscope")).toStdString();
        const auto imported = runCli(
            {"import", dataPath(entry["file"].get<std::string>()), "--into", database, "--json"});
        QVERIFY2(imported.status == 0 || imported.status == 1, imported.err.c_str());
        const auto report = imported.json()["sources"][0]["report"];
        QCOMPARE(
            report["counts"]["events"].get<std::int64_t>(), entry["n_events"].get<std::int64_t>());

        const auto ran = runCli({"kernels", database, "--json"});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const auto json = ran.json();
        // Traces without kernels have no such figures.
        const auto perDevice = entry.value("per_device", nlohmann::json::object());
        QCOMPARE(json["ranks"].size(), perDevice.size());
        for (const auto& device : json["ranks"])
            compareDevice(device, perDevice);
        compareTopKernels(json["ranks"], entry.value("top10_kernels", nlohmann::json::array()));
    }

    void ranksOfOneFolderJoin() {
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("tp8.trainscope")).toStdString();
        const auto imported = runCli(
            {"import", dataPath("kineto/astra_megatron_tp8"), "--into", database, "--json"});
        QVERIFY2(imported.status == 0, imported.err.c_str());
        QCOMPARE(imported.json()["sources"].size(), std::size_t{8});
        const auto json = runCli({"kernels", database, "--json"}).json();
        QCOMPARE(json["ranks"].size(), std::size_t{8});
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE(json["ranks"][i]["rank"].get<std::size_t>(), i);
        const auto info = runCli({"info", database, "--json"}).json();
        QCOMPARE(info["runs"].size(), std::size_t{1});
    }

    void filesGivenByNameJoinAsTheirFolderWould() {
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("two.trainscope")).toStdString();
        const std::string trace = dataPath("kineto/astra_megatron_tp8/megatron_kineto_");
        QCOMPARE(runCli({"import", trace + "0.json", trace + "1.json", "--into", database, "--name",
                            "pair"})
                     .status,
            0);
        const auto json = runCli({"kernels", database, "--run", "pair", "--json"}).json();
        QCOMPARE(json["run"].get<std::string>(), std::string("pair"));
        QCOMPARE(json["ranks"].size(), std::size_t{2});
    }

    void tableForPeople() {
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("v100.trainscope")).toStdString();
        QCOMPARE(
            runCli({"import", dataPath("kineto/megatron_tp2_v100"), "--into", database}).status, 0);
        const auto ran = runCli({"kernels", database});
        QCOMPARE(ran.status, 0);
        QVERIFY(ran.out.find("exposed communication") != std::string::npos);
        QVERIFY(ran.out.find("AllReduce") != std::string::npos);
    }

    // Worked out from the file by another program: by brute force over the enclosing operators of
    // each launch, in doubles of µs.
    void phasesAndLaunches() {
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("ddp.trainscope")).toStdString();
        const auto file = dataPath("kineto/hta_nccl_data.json.gz");
        QCOMPARE(runCli({"import", file, "--into", database}).status, 0);
        const auto rank = runCli({"kernels", database, "--json"}).json()["ranks"][0];
        const auto near = [](const nlohmann::json& actual, double expected) {
            return std::abs(actual.get<double>() - expected) < 0.02;
        };
        QVERIFY(near(rank["phases"]["forward_us"], 37921.540));
        QVERIFY(near(rank["phases"]["backward_us"], 68339.000));
        QVERIFY(near(rank["phases"]["optimizer_us"], 2078.276));
        QVERIFY(near(rank["phases"]["communication_exposed_us"], 39559.466));
        QVERIFY(near(rank["phases"]["communication_hidden_us"], 7317.026));
        QVERIFY(near(rank["phases"]["idle_us"], 505335.697));
        QCOMPARE(rank["launch"]["joined"].get<int>(), 2700);
        QVERIFY(near(rank["launch"]["delay_us"]["median"], 12.786));
        QVERIFY(near(rank["launch"]["delay_us"]["mean"], 42.2787));
        QVERIFY(near(rank["launch"]["delay_us"]["max"], 969.786));
        QCOMPARE(rank["iterations"].size(), std::size_t{3});
    }

private:
    static void compareDevice(const nlohmann::json& device, const nlohmann::json& perDevice) {
        const auto key = std::to_string(device["device"].get<int>());
        QVERIFY2(perDevice.contains(key), key.c_str());
        const auto& want = perDevice[key];
        QCOMPARE(device["kernel_count"].get<std::int64_t>(), want["kernels"].get<std::int64_t>());
        const auto same = [&](const char* name, const char* expected) {
            const bool equal = sameMicroseconds(device[name], want[expected].get<double>());
            QVERIFY2(equal,
                (std::string(name) + ": " + device[name].dump() + " " + want[expected].dump())
                    .c_str());
        };
        same("busy_us", "busy_union_us");
        same("communication_us", "comm_union_us");
        same("compute_us", "compute_union_us");
        same("overlap_us", "overlap_us");
        same("exposed_communication_us", "exposed_comm_us");
        same("idle_us", "idle_in_kernel_span_us");
        const double sum
            = want["comm_total_dur_us"].get<double>() + want["compute_total_dur_us"].get<double>();
        QVERIFY(sameMicroseconds(device["kernel_time_us"], sum));
        std::int64_t counted = 0;
        for (const auto& kernel : device["kernels"])
            counted += kernel["count"].get<std::int64_t>();
        QCOMPARE(counted, want["kernels"].get<std::int64_t>());
    }

    static void compareTopKernels(const nlohmann::json& ranks, const nlohmann::json& top) {
        if (ranks.size() != 1)
            return;
        for (const auto& want : top) {
            // Long names are cut in the figures.
            const auto name = want["name"].get<std::string>();
            bool found = false;
            for (const auto& kernel : ranks[0]["kernels"]) {
                found = found
                    || (kernel["name"].get<std::string>().starts_with(name)
                        && kernel["count"] == want["count"]
                        && sameMicroseconds(kernel["time_us"], want["total_us"].get<double>()));
            }
            QVERIFY2(found, name.c_str());
        }
    }

    nlohmann::json m_truth;
};

TRAINSCOPE_TEST(tst_Kernels)
#include "tst_Kernels.moc"
