// `compare` on databases in which winner and cause are planted.

#include "app/sample/Sample.h"
#include "core/analysis/comparison/PlantedPair.h"
#include "core/store/Writing.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <unistd.h>

using namespace trainscope::test;

namespace {

class Pair {
public:
    Pair(const PlantedSide& a, const PlantedSide& b) {
        auto store = m_fixture.create();
        plant(store, a);
        plant(store, b);
    }
    [[nodiscard]] std::string path() const { return m_fixture.path.string(); }
    [[nodiscard]] Ran compare(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"compare", path()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runCli(arguments);
    }

private:
    test::Fixture m_fixture;
};

PlantedSide slowSide() {
    PlantedSide side = smallSide();
    side.stepS = 1.25;
    side.stepNoiseS = 0.005;
    return side;
}

bool isNear(const nlohmann::json& value, double expected, double tolerance = 1e-6) {
    return value.is_number()
        && std::abs(value.get<double>() - expected) <= tolerance * std::abs(expected);
}

} // namespace

class tst_Compare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theShapeOfTheDesign() {
        const Pair pair(largeSide(), slowSide());
        const Ran ran = pair.compare({"--run", "large", "--run", "small", "--json"});
        QCOMPARE(ran.status, 0);
        const auto json = ran.json();
        QCOMPARE(json["runs"].size(), 2U);
        const auto& a = json["runs"][0];
        QCOMPARE(a["name"], "large");
        // As in `summary`.
        for (const char* key : {"kind", "status", "start_ns", "duration_s", "gpu_count", "energy_j",
                 "energy_coverage", "metrics", "gpus", "nodes", "window"})
            QVERIFY2(a.contains(key), key);
        QVERIFY(isNear(a["step_time_s"], 2.0));
        QVERIFY(isNear(a["tokens_per_s"], 8000.0));
        QVERIFY(isNear(a["tokens_per_s_per_gpu"], 2000.0));
        QVERIFY(isNear(a["tokens_per_j"], 4.0));
        QVERIFY(isNear(a["samples_per_s_per_mj"], 8.0 / 0.04));
        QVERIFY(isNear(a["peak_power_w"], 2000.0));
        QCOMPARE(a["throttled_fraction"].get<double>(), 0.0);
        // Not traced: absent, never 0, and the reason is told.
        QVERIFY(!a.contains("exposed_communication_fraction"));
        QVERIFY(a["missing"].contains("exposed_communication_fraction"));
        QVERIFY(!json["ratios"].contains("exposed_communication_fraction"));
        QVERIFY(isNear(json["ratios"]["step_time_s"], 0.625, 0.01));
        QCOMPARE(json["significant"]["step_time_s"], true);
        QCOMPARE(a["spread"]["step_time_s"]["count"], 10);
        const auto& verdict = json["verdict"];
        QCOMPARE(verdict["winner"], "scale-up");
        QCOMPARE(verdict["by"], "tokens_per_j");
        QCOMPARE(verdict["scale_up"], "large");
        QVERIFY(verdict["statements"].size() >= 4);
        for (const auto& statement : verdict["statements"]) {
            QVERIFY(!statement["text"].get<std::string>().empty());
            QVERIFY(!statement["quantity"].get<std::string>().empty());
        }
    }

    // In the other order the ratios turn round, and the verdict is the same.
    void theOrderOfTheRuns() {
        const Pair pair(largeSide(), slowSide());
        const auto json = pair.compare({"--run", "small", "--run", "large", "--json"}).json();
        QVERIFY(isNear(json["ratios"]["step_time_s"], 1.6, 0.01));
        QCOMPARE(json["verdict"]["winner"], "scale-up");
    }

    void normalised() {
        const Pair pair(largeSide(), slowSide());
        const auto json = pair.compare({"--json", "--normalise", "per-gpu"}).json();
        const auto& by = json["normalised"];
        QCOMPARE(by["by"], "per-gpu");
        QCOMPARE(by["units"]["mean_power_w"], "W/GPU");
        QVERIFY(isNear(by["runs"][0]["mean_power_w"], 500.0));
        QVERIFY(isNear(by["runs"][1]["mean_power_w"], 500.0));
        QVERIFY(isNear(by["ratios"]["mean_power_w"], 1.0));
        VERIFY_SAYS(by["wording"]["mean_power_w"].get<std::string>(), "GPUs of the job");
        QVERIFY(!by["ratios"].contains("mean_temperature_c"));
        QVERIFY(isNear(json["ratios"]["mean_power_w"], 2.0)); // stays absolute
    }

    void theWholeRun() {
        const Pair pair(largeSide(), slowSide());
        const auto settled = pair.compare({"--json"}).json()["runs"][0];
        const auto whole = pair.compare({"--json", "--whole-run"}).json()["runs"][0];
        QVERIFY(isNear(settled["duration_s"], 20.0));
        QVERIFY(isNear(whole["duration_s"], 30.0, 1e-3));
        VERIFY_SAYS(whole["window"]["wording"].get<std::string>(), "whole run");
    }

    void forPeople() {
        const Pair pair(largeSide(), slowSide());
        const Ran ran = pair.compare();
        QCOMPARE(ran.status, 0);
        QVERIFY(ran.out.starts_with("small takes "));
        VERIFY_SAYS(ran.out, "\nScale-up wins per joule and per GPU");
        for (const char* text : {"Tokens / J", "beyond the spread", "configured differently",
                 "2 of warm-up left out", "A  large (4 × H200 SXM"})
            QVERIFY2(ran.out.find(text) != std::string::npos, text);
        QVERIFY(ran.out.find("nan") == std::string::npos);
    }

    void moreThanTwo() {
        PlantedSide third = slowSide();
        third.name = "third";
        third.launch.globalBatch = 32;
        const test::Fixture fixture;
        {
            auto store = fixture.create();
            plant(store, largeSide());
            plant(store, slowSide());
            plant(store, third);
        }
        const std::string path = fixture.path.string();
        const auto json
            = jsonOf({"compare", path, "--run", "large", "--run", "small", "--run", "third"});
        QCOMPARE(json["runs"].size(), 3U);
        QCOMPARE(json["comparisons"].size(), 2U);
        QCOMPARE(json["comparisons"][1]["b"], "third");
        QCOMPARE(json["comparisons"][1]["verdict"]["winner"], "undecided");
        QCOMPARE(json["verdict"]["winner"], "scale-up");
        QCOMPARE(runCli({"compare", path}).status, 2); // three runs: two have to be named
    }

    // A large cluster with half the GPUs, and traces of a whole step.
    void theSample() {
        const QTemporaryDir folder;
        const std::string path = test::pathIn(folder, "s.trainscope");
        QVERIFY(app::writeSample(path).hasValue());
        const auto json = jsonOf({"compare", path});
        const auto& verdict = json["verdict"];
        QCOMPARE(verdict["winner"], "scale-up");
        VERIFY_SAYS(verdict["scale_up"].get<std::string>(), "H200");
        std::set<std::string> told;
        for (const auto& statement : verdict["statements"])
            told.insert(statement["quantity"].get<std::string>());
        for (const char* quantity : {"tokens_per_s", "tokens_per_s_per_gpu", "tokens_per_j",
                 "memory_headroom_b", "exposed_communication_fraction", "peak_power_w",
                 "throttled_fraction", "inter_node_bandwidth", "global_batch"})
            QVERIFY2(told.contains(quantity), quantity);
        for (const auto& run : json["runs"]) {
            double sum = 0.0;
            for (const auto& [category, seconds] : run["breakdown"]["categories"].items())
                sum += seconds.get<double>();
            QVERIFY(isNear(run["breakdown"]["seconds"], sum, 1e-9));
        }
    }

    // Nobody else has it open, and its own reading keeps nobody from writing.
    void saves() {
        const Pair pair(largeSide(), slowSide());
        const Ran ran = pair.compare({"--save", "first look", "--json"});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        QCOMPARE(ran.json()["runs"].size(), 2U);
        const auto saved = pair.compare({"--list", "--json"}).json()["comparisons"];
        QCOMPARE(saved.size(), 1U);
        QCOMPARE(saved[0]["name"], "first look");
        QCOMPARE(saved[0]["runs"].size(), 2U);
    }

    void whatCannotBeSavedIsPrinted() {
        const Pair pair(largeSide(), slowSide());
        std::filesystem::permissions(pair.path(), std::filesystem::perms::owner_read);
        if (::access(pair.path().c_str(), W_OK) == 0)
            QSKIP("this user may write everything");
        const Ran ran = pair.compare({"--save", "first look", "--json"});
        QCOMPARE(ran.status, 4);
        QCOMPARE(ran.json()["runs"].size(), 2U);
        VERIFY_SAYS(ran.err, "read-only");
    }

    void savedComparisonsAreListed() {
        const test::Fixture fixture;
        {
            auto store = fixture.create();
            plant(store, largeSide());
            test::ok(store::saveComparison(store, "first look", R"({"runs":["large"]})"));
        }
        const std::string path = fixture.path.string();
        const auto json = jsonOf({"info", path});
        QCOMPARE(json["comparisons"].size(), 1U);
        QCOMPARE(json["comparisons"][0]["name"], "first look");
        VERIFY_SAYS(runCli({"info", path}).out, "first look");
    }

    void wrongUse() {
        const Pair pair(largeSide(), smallSide());
        QCOMPARE(pair.compare({"--run", "large"}).status, 2);
        const Ran twice = pair.compare({"--run", "large", "--run", "large"});
        QCOMPARE(twice.status, 2);
        VERIFY_SAYS(twice.err, "twice");
        const Ran unknown = pair.compare({"--run", "large", "--run", "nothing"});
        QCOMPARE(unknown.status, 2);
        VERIFY_SAYS(unknown.err, "Its runs are: large, small");
        QCOMPARE(pair.compare({"--normalise", "per-rack"}).status, 2);
        QCOMPARE(runCli({"compare", "/nowhere.trainscope"}).status, 3);
        QVERIFY(pair.compare({"--run", "large", "--json"}).out.empty());
    }
};

TRAINSCOPE_TEST(tst_Compare)
#include "tst_Compare.moc"
