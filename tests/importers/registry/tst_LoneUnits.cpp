// Sources that name no run: which of them become one.
#include "importers/registry/LoneUnits.h"
#include "support/TestProgram.h"

#include <QTest>

#include <numeric>
#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

struct Lone {
    std::string format;
    std::string path;
    std::string start = {}; // in days
};

// The runs' names, unit by unit; a unit that joined nothing keeps "own".
std::vector<std::string> runsOf(
    const std::vector<Lone>& all, const std::vector<Lone>& withRuns = {}) {
    std::vector<std::pair<std::string, std::string>> files;
    std::vector<ImportUnit> units;
    for (const auto* list : {&all, &withRuns}) {
        for (const Lone& one : *list) {
            ImportUnit unit;
            unit.importer = one.format;
            unit.path = one.path;
            // Several files of one source: its path is their folder.
            const bool isFolder = one.path.ends_with('/');
            if (isFolder)
                unit.path.pop_back();
            unit.files = {isFolder ? one.path + "node_0.txt" : one.path};
            unit.runName = list == &all ? "own" : "run of " + one.path;
            if (!one.start.empty())
                unit.start = TimeNs{std::stoll(one.start) * 86'400'000'000'000};
            files.emplace_back(unit.files.front(), "");
            units.push_back(std::move(unit));
        }
    }
    const auto tree = memoryTree(files);
    std::vector<std::size_t> lone(all.size());
    std::iota(lone.begin(), lone.end(), std::size_t{0});
    std::vector<PlannedUnit> planned;
    for (ImportUnit& unit : units)
        planned.push_back({tree.get(), &unit});
    MachineEvidence evidence(std::move(planned));
    joinLoneUnits(RunFolders(*tree), units, lone, evidence);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i)
        names.push_back(units[i].runName);
    return names;
}

using Names = std::vector<std::string>;

} // namespace

class tst_LoneUnits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneOfEachInAFolder() {
        QCOMPARE(
            runsOf({{"smi", "a/diag_nvsmi.csv"}, {"log", "a/train.txt"}, {"power", "a/nodes.txt"}}),
            (Names{"a", "a", "a"}));
        // Named one by one, so that their folder says nothing.
        QCOMPARE(runsOf({{"smi", "x_8xH100_019b_diag.csv"}, {"log", "x_8xH100_019b_train.txt"}}),
            (Names{"x_8xH100_019b", "x_8xH100_019b"}));
    }
    void aFolderAboveThem() {
        QCOMPARE(runsOf({{"smi", "job/telemetry/gpus.csv"}, {"log", "job/logs/train.txt"}}),
            (Names{"job", "job"}));
    }
    void alone() {
        QCOMPARE(runsOf({{"smi", "a/smi.csv"}}), Names{"own"});
        QCOMPARE(runsOf({{"log", "one.log"}, {"log", "two.log"}}), (Names{"own", "own"}));
    }
    void pairsByName() {
        QCOMPARE(runsOf({{"smi", "x_019b_diag_nvsmi.csv"}, {"smi", "x_021_jp_diag_nvsmi.csv"},
                     {"log", "x_019b_train.txt"}, {"log", "x_021_jp_train.txt"}}),
            (Names{"x_019b", "x_021_jp", "x_019b", "x_021_jp"}));
        // One log too many: it stays alone.
        QCOMPARE(runsOf({{"smi", "r/one.csv"}, {"log", "r/one.log"}, {"log", "r/two.log"}}),
            (Names{"r/one", "r/one", "own"}));
    }
    // As MLPerf's submissions lie: logs above, power in a folder for each.
    void pairsOfFolders() {
        QCOMPARE(runsOf({{"log", "lora/result_0.txt"}, {"log", "lora/result_1.txt"},
                     {"power", "lora/power/result_0/"}, {"power", "lora/power/result_1/"}}),
            (Names{"lora/result_0", "lora/result_1", "lora/result_0", "lora/result_1"}));
    }
    void namesThatDecideNothing() {
        QCOMPARE(runsOf({{"smi", "a/gpu.csv"}, {"log", "a/one.log"}, {"log", "a/two.log"}}),
            (Names{"own", "own", "own"}));
        QCOMPARE(runsOf({{"smi", "a/x_gpu.csv"}, {"log", "a/x_one.log"}, {"log", "a/x_two.log"}}),
            (Names{"own", "own", "own"}));
        // One word is not enough across folders.
        QCOMPARE(runsOf({{"smi", "a/h100.csv"}, {"smi", "a/v100.csv"}, {"log", "b/h100.log"}}),
            (Names{"own", "own", "own"}));
    }
    void weeksApart() {
        QCOMPARE(runsOf({{"smi", "a/smi.csv", "100"}, {"log", "a/train.txt", "108"}}),
            (Names{"own", "own"}));
        QCOMPARE(runsOf({{"smi", "a/smi.csv", "100"}, {"log", "a/train.txt", "101"}}),
            (Names{"a", "a"}));
    }
    void theOnlyRunOfTheFolderAbove() {
        QCOMPARE(runsOf({{"smi", "job/gpus/smi.csv"}}, {{"kineto", "job/traces/rank0.json"}}),
            Names{"run of job/traces/rank0.json"});
        QCOMPARE(runsOf({{"smi", "job/gpus/smi.csv"}},
                     {{"kineto", "job/a/rank0.json"}, {"kineto", "job/b/rank0.json"}}),
            Names{"own"});
    }
    void namesThatAreTaken() {
        const Names names = runsOf({{"smi", "x_1_a_gpu.csv"}, {"log", "x_1_a_train.txt"},
            {"smi", "x_1_b_gpu.csv"}, {"log", "x_1_b_train.txt"}});
        QCOMPARE(names, (Names{"x_1_a", "x_1_a", "x_1_b", "x_1_b"}));
    }
};

TRAINSCOPE_TEST(tst_LoneUnits)
#include "tst_LoneUnits.moc"
