// `kernels --json` and `import --json` on Kineto traces, small ones and, where they are, the real
// ones, against the figures computed beside them.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

nlohmann::json truthOf(const std::string& root) {
    QFile file(QString::fromStdString(root + "/data/kineto_truth.json"));
    if (!file.open(QIODevice::ReadOnly))
        return nlohmann::json::array();
    return nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
}

// To the nanosecond; the figures themselves are decimals of µs in doubles.
bool sameMicroseconds(const nlohmann::json& actual, double expected) {
    return actual.is_number()
        && std::abs(actual.get<double>() - expected) < 0.0006 + std::abs(expected) * 1e-12;
}

struct Expected {
    nlohmann::json entry;
    std::string path;
};

// Times of one traced device, µs.
struct Phases {
    double forward, backward, optimizer, exposed, hidden, copy, idle;
    int joined;
    double medianDelay, meanDelay, longestDelay;
    int iterations;
};

} // namespace

Q_DECLARE_METATYPE(Expected)

class tst_Kernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void traces_data() {
        const auto row = columns<Expected>("expected");
        for (const auto& root : testRoots()) {
            for (const auto& entry : truthOf(root)) {
                const auto file = entry["file"].get<std::string>();
                row(file.c_str(), Expected{entry, root + "/data/" + file});
            }
        }
    }

    void realTracesAreHere() {
        if (realFiles().empty() || truthOf(realFiles()).empty())
            QSKIP("kineto_truth.json is not here (TRAINSCOPE_SHARED)");
    }

    void traces() {
        QFETCH(Expected, expected);
        const auto& entry = expected.entry;
        QTemporaryDir folder;
        const auto database = pathIn(folder, "trace.trainscope");
        const auto imported = runCli({"import", expected.path, "--into", database, "--json"});
        QVERIFY2(imported.status == 0 || imported.status == 1, imported.err.c_str());
        const auto report = imported.json()["sources"][0]["report"];
        QCOMPARE(
            report["counts"]["events"].get<std::int64_t>(), entry["n_events"].get<std::int64_t>());

        const auto json = jsonOf({"kernels", database});
        // Traces without kernels have no such figures.
        const auto perDevice = entry.value("per_device", nlohmann::json::object());
        QCOMPARE(json["ranks"].size(), perDevice.size());
        for (const auto& device : json["ranks"])
            compareDevice(device, perDevice);
        compareTopKernels(json["ranks"], entry.value("top10_kernels", nlohmann::json::array()));
    }

    void ranksOfOneFolderJoin_data() { addFolders(); }
    void ranksOfOneFolderJoin() {
        QFETCH(const QString, path);
        QFETCH(const int, ranks);
        const auto count = static_cast<std::size_t>(ranks);
        QTemporaryDir folder;
        const auto database = pathIn(folder, "ranks.trainscope");
        QCOMPARE(
            jsonOf({"import", path.toStdString(), "--into", database})["sources"].size(), count);
        const auto json = jsonOf({"kernels", database});
        QCOMPARE(json["ranks"].size(), count);
        for (std::size_t i = 0; i < count; ++i)
            QCOMPARE(json["ranks"][i]["rank"].get<std::size_t>(), i);
        const auto info = jsonOf({"info", database});
        QCOMPARE(info["runs"].size(), std::size_t{1});
    }

    void filesGivenByNameJoinAsTheirFolderWould_data() { addFolders(); }
    void filesGivenByNameJoinAsTheirFolderWould() {
        QFETCH(const QString, path);
        QFETCH(const QString, prefix);
        QTemporaryDir folder;
        const auto database = pathIn(folder, "two.trainscope");
        const std::string trace = (path + prefix).toStdString();
        QVERIFY(succeeds(
            {"import", trace + "0.json", trace + "1.json", "--into", database, "--name", "pair"}));
        const auto json = jsonOf({"kernels", database, "--run", "pair"});
        QCOMPARE(json["run"], "pair");
        QCOMPARE(json["ranks"].size(), std::size_t{2});
    }

    void tableForPeople_data() { addTraces("kineto/pair", "kineto/megatron_tp2_v100"); }
    void tableForPeople() {
        QFETCH(const QString, path);
        QTemporaryDir folder;
        const auto database = pathIn(folder, "table.trainscope");
        QVERIFY(succeeds({"import", path.toStdString(), "--into", database}));
        const auto ran = runCli({"kernels", database});
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.out, "exposed communication");
        VERIFY_SAYS(ran.out, "AllReduce");
    }

    // The stand-in by hand: of 161 µs the matrix product runs 40 µs, its backward pass 50 µs, of
    // which 20 µs lie under the all-reduce of 40 µs, and the optimizer 20.25 µs; a copy
    // and a set take 4.5 µs alone. The kernels start
    // 10.5, 10, 15 and 40 µs after their launches. The real trace by another program: by brute
    // force over the enclosing operators of each launch, in doubles of µs.
    void phasesAndLaunches_data() {
        addTraces("kineto/pair/rank0.json", "kineto/hta_nccl_data.json.gz");
    }
    void phasesAndLaunches() {
        QFETCH(const QString, path);
        const bool isReal = path.contains(QStringLiteral("hta"));
        const Phases want = isReal
            ? Phases{37921.540, 68339.000, 2078.276, 39559.466, 7317.026, 2284.699, 503050.991,
                2700, 12.786, 42.2787, 969.786, 3}
            : Phases{40.0, 30.0, 20.25, 20.0, 20.0, 4.5, 26.25, 4, 12.75, 18.875, 40.0, 1};
        QTemporaryDir folder;
        const auto database = pathIn(folder, "ddp.trainscope");
        QVERIFY(succeeds({"import", path.toStdString(), "--into", database}));
        const auto rank = jsonOf({"kernels", database})["ranks"][0];
        const auto near = [](const nlohmann::json& actual, double expected) {
            return std::abs(actual.get<double>() - expected) < 0.02;
        };
        QVERIFY(near(rank["phases"]["forward_us"], want.forward));
        QVERIFY(near(rank["phases"]["backward_us"], want.backward));
        QVERIFY(near(rank["phases"]["optimizer_us"], want.optimizer));
        QVERIFY(near(rank["phases"]["communication_exposed_us"], want.exposed));
        QVERIFY(near(rank["phases"]["communication_hidden_us"], want.hidden));
        QVERIFY(near(rank["phases"]["copy_us"], want.copy));
        QVERIFY(near(rank["phases"]["idle_us"], want.idle));
        QCOMPARE(rank["launch"]["joined"], want.joined);
        QVERIFY(near(rank["launch"]["delay_us"]["median"], want.medianDelay));
        QVERIFY(near(rank["launch"]["delay_us"]["mean"], want.meanDelay));
        QVERIFY(near(rank["launch"]["delay_us"]["max"], want.longestDelay));
        QCOMPARE(rank["iterations"].size(), static_cast<std::size_t>(want.iterations));
    }

private:
    static void addTraces(const char* standIn, const char* real) {
        const auto row = columns<QString>("path");
        row("stand-in", QString::fromStdString(standIns() + "/data/" + standIn));
        if (!realFiles().empty())
            row("real", QString::fromStdString(realFiles() + "/data/" + real));
    }
    static void addFolders() {
        const auto row = columns<QString, QString, int>("path", "prefix", "ranks");
        row("stand-in", QString::fromStdString(standIns() + "/data/kineto/pair"),
            QStringLiteral("/rank"), 2);
        if (!realFiles().empty())
            row("real", QString::fromStdString(realFiles() + "/data/kineto/astra_megatron_tp8"),
                QStringLiteral("/megatron_kineto_"), 8);
    }

    static void compareDevice(const nlohmann::json& device, const nlohmann::json& perDevice) {
        const auto key = std::to_string(device["device"].get<int>());
        QVERIFY2(perDevice.contains(key), key.c_str());
        const auto& want = perDevice[key];
        QCOMPARE(device["kernel_count"].get<std::int64_t>(), want["kernels"].get<std::int64_t>());
        const auto sameAs = [&](const char* name, const nlohmann::json& expected) {
            const bool equal = sameMicroseconds(device[name], expected.get<double>());
            QVERIFY2(equal,
                (std::string(name) + ": " + device[name].dump() + " " + expected.dump()).c_str());
        };
        const auto same
            = [&](const char* name, const char* expected) { sameAs(name, want[expected]); };
        const auto& work = want["device_work"];
        sameAs("window_us", work["window_us"]);
        sameAs("busy_us", work["busy_us"]);
        sameAs("copy_us", work["copy_only_us"]);
        sameAs("idle_us", work["idle_us"]);
        same("communication_us", "comm_union_us");
        same("compute_us", "compute_union_us");
        same("overlap_us", "overlap_us");
        same("exposed_communication_us", "exposed_comm_us");
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
};

TRAINSCOPE_TEST(tst_Kernels)
#include "tst_Kernels.moc"
