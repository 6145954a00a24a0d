// Sources that are imported when their run is there already.

#include "app/importing/Import.h"
#include "app/importing/ImportRunner.h"
#include "core/store/Store.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/TracedGpus.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using namespace trainscope::test;
using importers::ImportUnit;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

class tst_RunsThere : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aLogJoinsTheTraceThatIsThere() {
        const Work work = workFrom(1, 100.0, 160.0);
        bring({{"trace.json", traceOf(work)}});
        const auto units = bring({{"smi.csv", logFollowing(work, 90.0)}});
        QCOMPARE(units.front().runName, std::string("trace"));
        VERIFY_SAYS(units.front().notes.back(),
            "that run of the database was recorded of the same "
            "GPUs at the same time");
        QCOMPARE(seriesByRun(), (std::map<std::string, int>{{"trace", 1}}));
        // The same again is the same.
        bring({{"smi.csv", logFollowing(work, 90.0)}});
        QCOMPARE(seriesByRun(), (std::map<std::string, int>{{"trace", 1}}));
    }
    // One of four GPUs of the run that is there.
    void aTraceJoinsTheLogThatIsThere() {
        const Work work = workFrom(1, 100.0, 160.0);
        bring({{"smi.csv", logOf(90.0, 170.0, {0, 1, 2, 3}, [&](int gpu, double now) {
                    return gpu == 2 && isIn(work, now);
                })}});
        const auto units = bring({{"trace.json", traceOf(work)}});
        QCOMPARE(units.front().runName, std::string("smi"));
        QCOMPARE(units.front().rank, std::optional(2));
    }
    // Power at other times, and another hour.
    void whatContradictsStaysApart() {
        const Work work = workFrom(1, 100.0, 160.0);
        bring({{"trace.json", traceOf(work)}});
        bring({{"other.csv", logFollowing(workFrom(99, 92.0, 168.0), 90.0)}});
        bring({{"later.csv", logFollowing(workFrom(98, 7'292.0, 7'368.0), 7'290.0)}});
        QCOMPARE(
            seriesByRun(), (std::map<std::string, int>{{"trace", 0}, {"other", 1}, {"later", 1}}));
    }
    // Ranks 0 and 1 are there, with the log of their node; the other node comes later.
    void theSecondHostOfAJob() {
        for (const int node : {0, 1}) {
            Files files{
                {"smi.csv", logOf(90.0 + node, 120.0, {0, 1}, [](int, double) { return true; })}};
            for (const int local : {0, 1})
                files.emplace_back("rank" + std::to_string(2 * node + local) + ".json",
                    traceOf({{100.0, 102.0}}, {2 * node + local, 4, 100 + local, 2, local}));
            const auto units = bring(files, node == 0 ? "alpha" : "beta");
            QCOMPARE(units.front().runName, std::string("alpha"));
        }
        const auto store = store::Store::open(path("db.trainscope"), store::OpenMode::ReadOnly);
        const Run run = store.value().findRun("alpha").value();
        QCOMPARE(run.gpuCount, 4);
        QCOMPARE(run.nodeCount, 2);
        QCOMPARE(seriesByRun(), (std::map<std::string, int>{{"alpha", 4}}));
    }
    // Half a second of kernels tells no zone; where it is said, the folder is that of one run, as
    // it is where the log is in UTC.
    void aSaidZoneJoinsTheFolder() {
        const auto working = [](int, double now) { return now > 39'995.0; };
        write("job/trace.json", traceOf({{40'000.0, 40'000.5}}));
        const auto runs = [this](const SaidOfAll& said) {
            std::set<std::string> names;
            bool isTold = false;
            const auto planned = planGiven({.paths = {path("job")}, .said = said}, {}).value();
            for (const ImportUnit& unit : planned.plan.units) {
                names.insert(unit.runName);
                isTold |= std::ranges::any_of(unit.notes, importers::saysOtherTime);
            }
            return std::pair(names.size(), isTold);
        };
        write("job/smi.csv", logOf(39'990.0, 40'070.0, {0}, working));
        QCOMPARE(runs({}), std::pair(std::size_t{1}, false));
        write("job/smi.csv", logOf(39'990.0, 40'070.0, {0}, working, -25'200));
        QCOMPARE(runs({}), std::pair(std::size_t{2}, true));
        QCOMPARE(runs({{"zone", "-07:00"}}), std::pair(std::size_t{1}, false));
    }
    // Two logs of one name: of other GPUs it gets another, and keeps it when it comes again.
    void anotherMachineOfTheSameName() {
        bring({{"smi.csv", logFollowing({}, 90.0)}});
        std::string amd = logFollowing({}, 90.0);
        for (std::size_t at = amd.find("H100 80GB HBM3"); at != std::string::npos;
             at = amd.find("H100 80GB HBM3"))
            amd.replace(at, 14, "A100-SXM4-80GB");
        for (int i = 0; i < 2; ++i) {
            const auto units = bring({{"elsewhere/smi.csv", amd}}, "second");
            QCOMPARE(units.front().runName, std::string("elsewhere/smi"));
            VERIFY_SAYS(units.front().notes.back(), "Another run is called \"smi\"");
            QCOMPARE(seriesByRun(), (std::map<std::string, int>{{"smi", 1}, {"elsewhere/smi", 1}}));
        }
    }
    // Traces of one rank, and logs, of two experiments, one import after the other: their folders
    // tell them apart. A copy is the run that is there.
    void filesOfOneNameInTwoFolders_data() {
        const auto row
            = columns<QString, std::string, std::string, QString>("file", "first", "second", "run");
        const auto steps = [](int minute) {
            std::string text;
            for (int i = 1; i < 5; ++i)
                text += " [2026-04-22 00:0" + std::to_string(minute) + ":0" + std::to_string(i)
                    + "] iteration " + std::to_string(i)
                    + "/ 9 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.0 |\n";
            return text;
        };
        row("traces", "rank0.json", traceOf({{100.0, 102.0}}), traceOf({{200.0, 202.0}}), "rank0");
        row("training logs", "train.log", steps(1), steps(5), "train");
    }
    void filesOfOneNameInTwoFolders() {
        QFETCH(QString, file);
        QFETCH(std::string, first);
        QFETCH(std::string, second);
        QFETCH(QString, run);
        const std::string name = file.toStdString();
        const std::string own = run.toStdString();
        QCOMPARE(bring({{name, first}}, "a").front().runName, own);
        const auto series = seriesByRun().at(own);
        for (int i = 0; i < 2; ++i)
            QCOMPARE(bring({{name, second}}, "b").front().runName, "b/" + own);
        QCOMPARE(seriesByRun(), (std::map<std::string, int>{{own, series}, {"b/" + own, series}}));
        QCOMPARE(bring({{name, first}}, "copy").front().runName, own);
        QCOMPARE(seriesByRun(), (std::map<std::string, int>{{own, series}, {"b/" + own, series}}));
    }
    void nothingOfAFileThatIsNoDatabase() {
        write("db.trainscope", "no database");
        auto units = planned({{"smi.csv", logFollowing({}, 90.0)}}, "first");
        QCOMPARE(units.units.front().runName, std::string("smi"));
    }

private:
    static std::string logFollowing(const Work& work, double from) {
        return logOf(from, from + 80.0, {0}, [&work](int, double now) { return isIn(work, now); });
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return m_folder->path().toStdString() + "/" + name;
    }
    void write(const std::string& name, const std::string& content) const {
        const std::filesystem::path file = path(name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << content;
    }
    // With the runs of the database.
    importers::ImportPlan planned(const Files& files, const std::string& folder) {
        for (const auto& [name, content] : files)
            write(folder + "/" + name, content);
        m_tree = importers::openDiskTree(path(folder)).value();
        auto plan = importers::planImport(*m_tree, {}).value();
        std::vector<importers::PlannedUnit> units;
        for (ImportUnit& unit : plan.units)
            units.push_back({m_tree.get(), &unit});
        joinRunsThere(std::move(units), path("db.trainscope"), {});
        return plan;
    }
    std::vector<ImportUnit> bring(const Files& files, std::string folder = {}) {
        if (folder.empty())
            folder = files.front().first + " in a folder";
        const auto plan = planned(files, folder);
        const auto done = runImport(*m_tree, plan, path("db.trainscope"), {});
        return done.hasValue() ? plan.units : std::vector<ImportUnit>(1);
    }
    // Power series by run.
    std::map<std::string, int> seriesByRun() const {
        const auto store = store::Store::open(path("db.trainscope"), store::OpenMode::ReadOnly);
        std::map<std::string, int> counts;
        for (const Run& run : store.value().runs().value())
            counts[run.name] = static_cast<int>(store.value().series(run.id).value().size());
        return counts;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<importers::SourceTree> m_tree;
};

} // namespace

TRAINSCOPE_TEST(tst_RunsThere)
#include "tst_RunsThere.moc"
