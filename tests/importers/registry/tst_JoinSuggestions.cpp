// Runs that could be one, and those that a user makes one.
#include "importers/registry/JoinSuggestions.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace trainscope;
using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

using JoinedFiles = std::vector<std::pair<std::string, std::string>>;
using JoinedNames = std::vector<std::string>;

const std::vector<int> kPair{0, 1};

std::string pairLogFrom(double second) {
    return logOf(second, second + 60.0, kPair, [](int, double) { return true; });
}

class tst_JoinSuggestions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesThatDifferInNumbers() {
        const auto found = suggestionsFor(
            {{"try1/smi.csv", pairLogFrom(90)}, {"try2/smi.csv", pairLogFrom(102)}});
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].runs, (JoinedNames{"try1/smi", "try2/smi"}));
        QCOMPARE(found[0].why,
            std::string("their names differ in numbers alone, and they begin within 12 s"));
        // An hour later.
        QVERIFY(
            suggestionsFor({{"try1/smi.csv", pairLogFrom(90)}, {"try2/smi.csv", pairLogFrom(3690)}})
                .empty());
    }
    void foldersSideBySide() {
        const auto found = suggestionsFor(
            {{"alpha/smi.csv", pairLogFrom(90)}, {"beta/smi.csv", pairLogFrom(95)}});
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found[0].why.starts_with("they lie side by side under one name"));
        QVERIFY(suggestionsFor(
            {{"alpha/smi.csv", pairLogFrom(90)}, {"beta/power.csv", pairLogFrom(95)}})
                    .empty());
    }
    // Two traces of one folder: the log is of one of them, and not of both.
    void aLogBesideTwoTraces() {
        const auto found = suggestionsFor({{"job/before.json", traceOf({{100.0, 101.0}})},
            {"job/after.json", traceOf({{140.0, 141.0}}, {-1, 1, 200})},
            {"job/smi.csv", pairLogFrom(90)}});
        QVERIFY(!found.empty());
        for (const JoinSuggestion& one : found)
            QVERIFY(std::ranges::find(one.runs, "smi") != one.runs.end());
    }
    void runsThatAreJoined() {
        plan({{"alpha/smi.csv", pairLogFrom(90)}, {"beta/smi.csv", pairLogFrom(95)}});
        m_plan.suggestions = suggestJoins(*m_tree, m_plan.units, {});
        const JoinedNames names = m_plan.suggestions.at(0).runs;
        QVERIFY(joinRuns(*m_tree, m_plan, names).hasValue());
        QVERIFY(m_plan.suggestions.empty());
        for (const ImportUnit& unit : m_plan.units)
            QCOMPARE(unit.runName, names[0]);
        // GPUs 0 and 1 of each, at one time.
        QVERIFY(m_plan.units[0].place == PlaceInRun());
        QVERIFY((m_plan.units[1].place == PlaceInRun{2, 1, 0}));
    }
    // A later log is a later part of the same GPUs.
    void partsBehindEachOtherKeepTheirGpus() {
        plan({{"alpha/smi.csv", pairLogFrom(90)}, {"beta/smi.csv", pairLogFrom(400)}});
        QVERIFY(joinRuns(*m_tree, m_plan, {"alpha/smi", "beta/smi"}).hasValue());
        QVERIFY(m_plan.units[1].place == PlaceInRun());
    }
    void aRunThatIsNotThere() {
        plan({{"alpha/smi.csv", pairLogFrom(90)}});
        const Status joined = joinRuns(*m_tree, m_plan, {"smi", "gamma"});
        QVERIFY(!joined.hasValue());
        QCOMPARE(joined.error().code, ErrorCode::Usage);
        QVERIFY2(joined.error().message.find("no run \"gamma\"") != std::string::npos,
            joined.error().message.c_str());
    }

private:
    void plan(JoinedFiles files) {
        m_tree = memoryTree(std::move(files));
        m_plan = planImport(*m_tree, {}).valueOr(ImportPlan{});
    }
    std::vector<JoinSuggestion> suggestionsFor(JoinedFiles files) {
        plan(std::move(files));
        return suggestJoins(*m_tree, m_plan.units, {});
    }

    std::unique_ptr<SourceTree> m_tree;
    ImportPlan m_plan;
};

} // namespace

TRAINSCOPE_TEST(tst_JoinSuggestions)
#include "tst_JoinSuggestions.moc"
