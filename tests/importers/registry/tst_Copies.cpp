// Sources that are there twice, and attempts that recorded nothing.

#include "importers/perfetto/MadeTrace.h"
#include "importers/registry/JoinSuggestions.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

using CopiedFiles = std::vector<std::pair<std::string, std::string>>;
using CopiedPaths = std::set<std::string>;

ImportPlan planWithCopies(CopiedFiles files) {
    const auto tree = memoryTree(std::move(files));
    return planImport(*tree, {}).valueOr(ImportPlan{});
}

CopiedPaths imported(const ImportPlan& plan) {
    CopiedPaths paths;
    for (const ImportUnit& unit : plan.units) {
        if (unit.enabled)
            paths.insert(unit.path);
    }
    return paths;
}

// Steps of a training whose losses depend on `seed`, each behind `prefix`.
std::string stepLines(int seed, const std::string& prefix = {}, int steps = 40) {
    std::string text;
    for (int step = 1; step <= steps; ++step)
        text += fmt::format("{}[2026-04-22 {:02}:{:02}:00] iteration {} | elapsed time per "
                            "iteration (ms): {}.0 | lm loss: {}.{:03}\n",
            prefix, 10 + step / 60, step % 60, step, 900 + step % 7 + seed, 9 - step / 10,
            (step * 37 + seed * 101) % 1000);
    return text;
}

const std::string kTraceback
    = "Traceback (most recent call last):\n"
      "  File \"/w/train.py\", line 12, in <module>\n"
      "    main()\n"
      "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n";

using JoinedFiles = std::vector<std::pair<std::string, std::string>>;
using JoinedNames = std::vector<std::string>;

const std::vector<int> kPair{0, 1};

std::string pairLogFrom(double second) {
    return logOf(second, second + 60.0, kPair, [](int, double) { return true; });
}

class tst_Copies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // PyTorch wrote one trace in two formats; those of another rank, name or time are others.
    void aTraceInTwoFormats() {
        const auto perfetto = [](std::int64_t ns) {
            MadePerfetto made;
            made.thread(2, 10, 11, "main").names({"step"}, {"cpu_op"});
            return made.begin(ns, 2, 1, 1).end(ns + 1000, 2).text();
        };
        const std::int64_t begin = 1'790'000'000'000'000'000;
        const std::string json = R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"step",)"
                                 R"("pid":10,"tid":11,"ts":1790000000000000.5,"dur":1}]})";
        const auto plan = planWithCopies({{"a/rank0.json", json},
            {"a/rank0.pftrace", perfetto(begin)}, {"a/rank1.pftrace", perfetto(begin)},
            {"b/rank0.pftrace", perfetto(begin)}, {"c/rank0.json", json + "\n"},
            {"c/rank0.pftrace", perfetto(begin + 60'000'000'000)}});
        QCOMPARE(imported(plan),
            (CopiedPaths{"a/rank0.json", "a/rank1.pftrace", "b/rank0.pftrace", "c/rank0.json",
                "c/rank0.pftrace"}));
        const auto copy = std::ranges::find(plan.units, "a/rank0.pftrace", &ImportUnit::path);
        QCOMPARE(copy->notes,
            std::vector<std::string>{
                "Left out: rank0.json holds the same trace in another format."});
    }

    // The container's runtime put a stamp before each line, and printed its own besides. Lines that
    // it has alone make it the source.
    void aLogOfAContainer() {
        const auto plan = planWithCopies({{"a/run_1.log", stepLines(1)},
            {"a/run_1_docker.log",
                "Pulling image nvcr.io/nvidia/pytorch:24.05\n"
                    + stepLines(1, "2026-04-22T10:00:00.123456789Z ") + "container exited\n"}});
        QCOMPARE(imported(plan), CopiedPaths{"a/run_1.log"});
        for (const ImportUnit& unit : plan.units) {
            if (!unit.enabled)
                QCOMPARE(unit.copyOf, std::string("a/run_1.log"));
        }
        const auto longer = planWithCopies({{"a/run_1.log", stepLines(1)},
            {"a/run_1_docker.log", "image\n" + stepLines(1, "trainer | ", 60)}});
        QCOMPARE(imported(longer), CopiedPaths{"a/run_1_docker.log"});
        QCOMPARE(longer.units.back().runName, std::string("a/run_1"));
        // Megatron-LM's lines end alike.
        const auto alike = [](const std::string& prefix) {
            std::string text = stepLines(1, prefix);
            for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 74)
                text.insert(
                    at, " | number of skipped iterations:   0 | number of nan iterations:   0 |");
            return text;
        };
        QCOMPARE(imported(planWithCopies({{"a/run_1.log", alike({})},
                     {"a/run_1_docker.log", "==\n" + alike("2026-04-22T10:00:00Z stdout F ")}})),
            CopiedPaths{"a/run_1.log"});
    }
    void otherStepsAreNoCopy() {
        QCOMPARE(imported(planWithCopies({{"a/run_1.log", stepLines(1)},
                              {"a/run_1_docker.log", stepLines(2)}}))
                     .size(),
            std::size_t{2});
        // A line in ten is another one.
        std::string other = stepLines(1);
        for (int step = 5; step <= 40; step += 10) {
            const auto at = other.find(fmt::format("iteration {} |", step));
            other.insert(other.find('\n', at), " nan");
        }
        QCOMPARE(imported(planWithCopies(
                              {{"a/run_1.log", stepLines(1)}, {"a/run_1b.log", other + other}}))
                     .size(),
            std::size_t{2});
    }
    // Another folder does not matter; a rank's own trace is none of another rank.
    void theSameBytes() {
        const std::string log = logOf(90.0, 120.0, {0}, [](int, double) { return true; });
        QCOMPARE(imported(planWithCopies({{"node/smi.csv", log}, {"backup/of/node/smi.csv", log}})),
            CopiedPaths{"node/smi.csv"});
        const std::string trace = traceOf({{100.0, 102.0}});
        QCOMPARE(
            imported(planWithCopies({{"t/rank0.json", trace}, {"t/rank1.json", trace}})).size(),
            std::size_t{2});
    }
    void attemptsThatRecordedNothing() {
        CopiedFiles files{{"exp/node1/run_4.log", stepLines(1)}};
        for (const int attempt : {1, 2, 3}) {
            const std::string log = "launching 8 processes\nloading weights\n" + kTraceback;
            files.emplace_back(fmt::format("exp/node1/run_{}.log", attempt), log);
            files.emplace_back(
                fmt::format("exp/node1/run_{}_docker.log", attempt), "image\n" + log + "exit 1\n");
        }
        const ImportPlan plan = planWithCopies(std::move(files));
        QCOMPARE(imported(plan), CopiedPaths{"exp/node1/run_4.log"});
        QCOMPARE(attemptLines(plan.unrecognised),
            (std::vector<std::string>{
                "exp/node1: 3 attempts recorded nothing (3 of their logs are there twice); "
                "3 ended by: "
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}));
    }
    // More than ten folders are told by those above them.
    void attemptsOfManyFolders() {
        std::vector<Unrecognised> files;
        for (const char* experiment : {"a", "b"}) {
            for (int attempt = 0; attempt < 6; ++attempt) {
                Unrecognised& file = files.emplace_back();
                file.path = fmt::format("{}/try_{}/run.log", experiment, attempt);
                file.isAttempt = true;
                file.error = attempt == 5 ? "Killed" : "";
            }
        }
        QCOMPARE(attemptLines(files),
            (std::vector<std::string>{"a: 6 attempts recorded nothing; run.log ended by: Killed",
                "b: 6 attempts recorded nothing; run.log ended by: Killed"}));
        files.resize(10);
        QCOMPARE(attemptLines(files).size(), std::size_t{10});
    }
    // NCCL's lines are no readings.
    void anAttemptThatReachedNccl() {
        const std::string nccl
            = "host1:101:101 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
              "host1:101:101 [0] NCCL INFO NCCL version 2.19.4+cuda12.3\n"
              "host1:101:121 [0] NCCL INFO comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId "
              "0b000 commId 0xab1 - Init COMPLETE\n";
        QCOMPARE(planWithCopies({{"a/run_1.log", nccl}}).units.size(), std::size_t{1});
        const ImportPlan ended = planWithCopies({{"a/run_1.log", nccl + kTraceback}});
        QVERIFY(ended.units.empty());
        QVERIFY(ended.unrecognised.at(0).isAttempt);
    }
    void theErrorThatEndedIt_data() {
        const auto row = columns<QString, QString>("text", "error");

        row("memory before all", kTraceback + "RuntimeError: NCCL error in: x.cpp\n",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
        row("Python",
            "x\nModuleNotFoundError: No module named 'flash_attn'\n"
            "srun: error: node1: task 0: Exited with exit code 1\n",
            "ModuleNotFoundError: No module named 'flash_attn'");
        row("launcher", "srun: error: Unable to create step for job 7: Invalid account\n",
            "srun: error: Unable to create step for job 7: Invalid account");
        row("shell", "run.sh: line 4: torchrun: command not found\n",
            "run.sh: line 4: torchrun: command not found");
        row("NCCL",
            "ncclSystemError: System call (e.g. socket, malloc) or external library call "
            "failed or device error.\n",
            "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or "
            "device error.");
        row("none", "loading weights\ndone\nErrors: 0\n", "");
    }
    void theErrorThatEndedIt() {
        QFETCH(QString, text);
        QFETCH(QString, error);
        QCOMPARE(QString::fromStdString(errorThatEnded(text.toStdString())), error);
    }

    // Runs that could be one, and those that a user makes one.
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
        VERIFY_SAYS(joined.error().message, "no run \"gamma\"");
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

TRAINSCOPE_TEST(tst_Copies)
#include "tst_Copies.moc"
