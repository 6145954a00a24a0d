// Telemetry and traces that become one run: by time, model, number and readings, on small files
// whose stamps are written by hand, and on real files.

#include "importers/kineto/TraceText.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "importers/registry/TracedGpus.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

// A trace of a millisecond that begins so many seconds after midnight.
std::string kernelAt(int second, const char* model = "NVIDIA H100 80GB HBM3") {
    return test::traceText(
        {test::kernelText("k", std::to_string((kLogMidnight + second) * 1'000'000), "1000")},
        fmt::format(", \"deviceProperties\": [{{\"id\": 0, \"name\": \"{}\"}}]", model));
}

// A minute of readings, one a second, from so many seconds after midnight.
std::string smiAt(int second, int gpus, double watts, const char* model) {
    std::string text = "timestamp, index, name, power.draw [W]\n";
    for (int i = second; i < second + 60; ++i) {
        for (int gpu = 0; gpu < gpus; ++gpu)
            text += fmt::format("2026/04/22 {:02}:{:02}:{:02}.000, {}, {}, {:.1f} W\n", i / 3600,
                i / 60 % 60, i % 60, gpu, model, watts + 10.0 * gpu);
    }
    return text;
}
std::string smiAt(int second, int gpus = 1, double watts = 300.0) {
    return smiAt(second, gpus, watts, "NVIDIA H100 80GB HBM3");
}

std::vector<ImportUnit> unitsOf(std::vector<std::pair<std::string, std::string>> files) {
    const auto tree = memoryTree(std::move(files));
    return planImport(*tree, {}).valueOr(ImportPlan{}).units;
}

std::set<std::string> joinedRuns(std::vector<std::pair<std::string, std::string>> files) {
    std::set<std::string> names;
    for (const ImportUnit& unit : unitsOf(std::move(files)))
        names.insert(unit.runName);
    return names;
}

bool hasNote(const ImportUnit& unit, std::string_view part) {
    return std::any_of(unit.notes.begin(), unit.notes.end(),
        [part](const std::string& note) { return note.find(part) != std::string::npos; });
}

const ImportUnit& unitAt(const std::vector<ImportUnit>& units, std::string_view path) {
    const auto found = std::find_if(
        units.begin(), units.end(), [path](const ImportUnit& unit) { return unit.path == path; });
    return found == units.end() ? units.front() : *found;
}

const std::vector<int> kEight{0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<int> kFour{0, 1, 2, 3};

std::set<std::string> plannedRuns(const std::filesystem::path& folder) {
    const auto tree = openDiskTree(folder.string());
    std::set<std::string> names;
    for (const ImportUnit& unit : planImport(*tree.value(), {}).valueOr(ImportPlan{}).units)
        names.insert(unit.runName);
    return names;
}

using RunNames = std::set<std::string>;

// A trace whose kernels ran on GPU `device` of those that the process saw, with more members.
std::string kernelsOn(int device, const std::string& properties, const std::string& members = {}) {
    std::string text = test::traceText({test::kernelText("k", "1000", "1000")},
        fmt::format(", \"deviceProperties\": [{}]{}", properties, members));
    const std::string_view first = "\"device\": 0";
    return text.replace(text.find(first), first.size(), fmt::format("\"device\": {}", device));
}

constexpr const char* kTwo = R"({"id": 0, "name": "H100"}, {"id": 1, "name": "H100"})";
constexpr const char* kOne = R"({"id": 0, "name": "H100"})";

// Four GPUs of which the programs saw those of ranks 2 and 1, in that order.
RecordedGpus recordedGpus() {
    return {{{0, -1, "GPU-a0", "00000000:01:00.0"}, {1, 1, "GPU-a1", "00000000:1B:00.0"},
                {2, 0, "GPU-a2", "00000000:2C:00.0"}, {3, -1, "GPU-a3", ""}},
        2};
}

// The rank that such a trace gets, and what is said of it.
std::pair<int, std::string> placed(
    const std::string& trace, const RecordedGpus& recorded, const char* name = "trace.json") {
    const auto tree = memoryTree({{name, trace}});
    auto plan = planImport(*tree, {}).valueOr(ImportPlan{});
    const Status status = placeOnRecordedGpus({{tree.get(), &plan.units.front()}}, recorded, {});
    const ImportUnit& unit = plan.units.front();
    return {status.hasValue() ? unit.rank.value_or(-1) : -2,
        unit.notes.empty() ? std::string() : unit.notes.back()};
}

// A log with stamps that say so.
std::string inUtc(std::string text) {
    constexpr std::string_view day = "2026/04/22 ";
    for (std::size_t at = text.find(day); at != std::string::npos; at = text.find(day, at)) {
        text.replace(at, day.size(), "2026-04-22T");
        text.insert(text.find(',', at), "Z");
    }
    return text;
}

} // namespace

class tst_OneMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The programs saw GPU 2 as number 0 and GPU 1 as number 1.
    void tracesStandWithTheirGpu_data() {
        const auto row = columns<QString, QString, int, QString>("trace", "name", "rank", "said");

        const std::string uuid = R"({"id": 0, "name": "H100", "uuid": "A3"})";
        const std::string pci = R"({"id": 0, "name": "H100", "pciBusId": "0000:1b:00.0"})";
        const std::string third = R"(, "distributedInfo": {"rank": 3, "world_size": 4})";
        row("number 1", kernelsOn(1, kTwo), "t.json", 1, "its number, 1");
        row("number 0", kernelsOn(0, kTwo), "t.json", 2, "its number, 0");
        row("number before rank", kernelsOn(1, kTwo, third), "t.json", 1, "its number, 1");
        row("UUID", kernelsOn(0, uuid), "t.json", 3, "its UUID");
        row("UUID before rank and number", kernelsOn(0, uuid + R"(, {"id": 1})", third),
            "rank_1.json", 3, "");
        row("PCI address", kernelsOn(0, pci), "t.json", 1, "its PCI address");
        row("one seen of two, with a rank", kernelsOn(0, kOne, third), "t.json", 3, "");
        row("one seen of two, named", kernelsOn(0, kOne), "rank_1.json", 1, "");
        row("number 1 alone", kernelsOn(1, ""), "t.json", 1, "its number, 1");
    }
    void tracesStandWithTheirGpu() {
        QFETCH(QString, trace);
        QFETCH(QString, name);
        QFETCH(int, rank);
        QFETCH(QString, said);
        const auto [found, words]
            = placed(trace.toStdString(), recordedGpus(), name.toUtf8().constData());
        QCOMPARE(found, rank);
        QVERIFY2(QString::fromStdString(words).contains(said), words.c_str());
    }
    // Whatever rank it says.
    void aTraceStandsWithTheOnlyGpu() {
        const RecordedGpus one{{{4, 0, "GPU-a0", ""}}, 1};
        QCOMPARE(placed(kernelsOn(0, kOne), one).first, 4);
    }
    // Number 1 of two was recorded, as rank 0; this one ran on number 0.
    void aTraceOfAnotherGpuStandsBehind() {
        const RecordedGpus one{{{0, 1, "GPU-a1", ""}}, 2};
        const auto [rank, said] = placed(kernelsOn(0, kTwo), one);
        QCOMPARE(rank, 1);
        VERIFY_SAYS(said, "was not recorded");
        QCOMPARE(placed(kernelsOn(1, kTwo), one).first, 0);
    }

    void aTraceIsOfTheLogOfItsMinutes() {
        QCOMPARE(
            joinedRuns({{"job/prof/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0)}}).size(),
            std::size_t{1});
    }
    void aLogOfAnotherHourIsAnotherRun() {
        QCOMPARE(
            joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(7200)}}).size(),
            std::size_t{2});
    }
    void otherGpusAreAnotherRun() {
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30)},
                                {"job/smi.csv", smiAt(0, 1, 300.0, "NVIDIA A100-SXM4-80GB")}})
                     .size(),
            std::size_t{2});
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30, "AMD Instinct MI250X")},
                                {"job/smi.csv", smiAt(0)}})
                     .size(),
            std::size_t{2});
    }
    // GPU 0 of eight.
    void aTraceOfOneOfItsGpusIsOfANode() {
        QCOMPARE(
            joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0, 8)}}).size(),
            std::size_t{1});
    }
    // Two logs of one program alone may be of two jobs.
    void logsWithoutATraceStayApart() {
        QCOMPARE(joinedRuns({{"job/smi.csv", smiAt(0)}, {"job/other.csv", smiAt(0)}}).size(),
            std::size_t{2});
    }
    void logsThatReadAlikeAreOfOneGpu() {
        const auto with = [](double watts) {
            return joinedRuns({{"job/trace.json", kernelAt(30)},
                {"job/smi.csv", smiAt(0, 1, 300.0)}, {"job/other.csv", smiAt(1, 1, watts)}});
        };
        QCOMPARE(with(301.0).size(), std::size_t{1});
        QCOMPARE(with(400.0).size(), std::size_t{3});
    }
    // Two jobs at one time: whose log is it?
    void aLogOfTwoJobsStaysAlone() {
        QCOMPARE(joinedRuns({{"a/trace.json", kernelAt(30)}, {"b/trace.json", kernelAt(31)},
                     {"smi.csv", smiAt(0)}}),
            (RunNames{"a", "b", "smi"}));
    }
    void aTraceOfTwoLogsStaysAlone() {
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0, 1, 300.0)},
                                {"job/other.csv", smiAt(0, 1, 600.0)}})
                     .size(),
            std::size_t{3});
    }

    // One process sees GPU 3 of eight as its device 0: its trace says rank 0.
    void powerTellsWhichGpuItWas() {
        const Work work = workFrom(1, 100.0, 160.0);
        for (const bool hasIndex : {true, false}) {
            const auto units = unitsOf({{"job/trace.json", traceOf(work)},
                {"job/smi.csv",
                    logOf(
                        90.0, 170.0, kEight,
                        [&](int gpu, double now) {
                            return gpu == 3 ? isIn(work, now)
                                : gpu == 5  ? isIn(workFrom(55, 90.0, 170.0), now)
                                            : false;
                        },
                        0, hasIndex)}});
            QCOMPARE(units.size(), std::size_t{2});
            QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(3));
            QVERIFY(
                hasNote(unitAt(units, "job/trace.json"), "It ran on GPU 3 of the 8 of the log"));
            QCOMPARE(units[0].runName, units[1].runName);
        }
    }
    // Two seconds are too short for a pattern; but seven GPUs are at rest.
    void theOnlyGpuThatDrewPower() {
        const auto units = unitsOf({{"job/trace.json", traceOf({{100.0, 102.0}})},
            {"job/smi.csv", logOf(90.0, 170.0, kEight, [](int gpu, double) { return gpu == 6; })}});
        QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(6));
    }
    void wherePowerDoesNotTellItIsSaid() {
        const auto units = unitsOf({{"job/trace.json", traceOf({{100.0, 102.0}})},
            {"job/smi.csv", logOf(90.0, 170.0, kEight, [](int, double) { return true; })}});
        QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(0));
        QVERIFY(hasNote(unitAt(units, "job/trace.json"),
            "Nothing tells on which of the 8 GPUs of the log it ran"));
        QCOMPARE(units[0].runName, units[1].runName);
    }
    // It saw all eight and used the sixth.
    void aTraceThatSaysItsGpu() {
        TraceOf said;
        said.seen = 8;
        said.device = 5;
        const auto units = unitsOf({{"job/trace.json", traceOf({{100.0, 102.0}}, said)},
            {"job/smi.csv", logOf(90.0, 170.0, kEight, [](int, double) { return true; })}});
        QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(5));
    }
    void ranksOfAWorldKeepTheirNumbers() {
        const Work work = workFrom(1, 100.0, 160.0);
        const auto units = unitsOf({{"job/rank0.json", traceOf(work, {0, 2, 100, 2, 0})},
            {"job/rank1.json", traceOf(work, {1, 2, 101, 2, 1})},
            {"job/smi.csv",
                logOf(90.0, 170.0, kEight, [&](int, double now) { return isIn(work, now); })}});
        QCOMPARE(unitAt(units, "job/rank0.json").rank, std::optional(0));
        QCOMPARE(unitAt(units, "job/rank1.json").rank, std::optional(1));
    }
    // The log of GPU 3 alone.
    void theOnlyGpuOfALog() {
        const auto units = unitsOf({{"job/trace.json", traceOf({{100.0, 102.0}})},
            {"job/smi.csv", logOf(90.0, 170.0, {3}, [](int, double) { return true; })}});
        QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(3));
        QCOMPARE(units[0].runName, units[1].runName);
    }
    // Minutes, model and number are the same; but the GPU worked at other times, or not at all.
    void powerThatContradictsIsOfAnotherMachine() {
        const Work work = workFrom(1, 100.0, 160.0);
        const Work other = workFrom(99, 92.0, 168.0);
        QCOMPARE(joinedRuns({{"job/trace.json", traceOf(work)},
                                {"job/smi.csv",
                                    logOf(90.0, 170.0, {0},
                                        [&](int, double now) { return isIn(other, now); })}})
                     .size(),
            std::size_t{2});
        QCOMPARE(joinedRuns({{"job/trace.json", traceOf(work)},
                                {"job/smi.csv",
                                    logOf(90.0, 170.0, {0}, [](int, double) { return false; })}})
                     .size(),
            std::size_t{2});
    }
    void powerTellsWhichOfTwoLogsItWas() {
        const Work work = workFrom(1, 100.0, 160.0);
        const Work other = workFrom(99, 92.0, 168.0);
        const auto log = [](const Work& of) {
            return logOf(90.0, 170.0, {0}, [&of](int, double now) { return isIn(of, now); });
        };
        const auto units = unitsOf({{"job/trace.json", traceOf(work)},
            {"job/smi_alpha.csv", log(work)}, {"job/smi_beta.csv", log(other)}});
        QCOMPARE(
            unitAt(units, "job/smi_alpha.csv").runName, unitAt(units, "job/trace.json").runName);
        QVERIFY(
            unitAt(units, "job/smi_beta.csv").runName != unitAt(units, "job/trace.json").runName);
    }
    // nvidia-smi wrote local time, seven hours behind UTC.
    void powerTellsTheZone() {
        const Work work = workFrom(1, 40'000.0, 40'060.0);
        const auto units = unitsOf({{"job/trace.json", traceOf(work)},
            {"job/smi.csv",
                logOf(
                    39'990.0, 40'070.0, {0}, [&](int, double now) { return isIn(work, now); },
                    -25'200)}});
        const ImportUnit& log = unitAt(units, "job/smi.csv");
        QCOMPARE(log.utcOffsetSeconds, std::optional<std::int64_t>(-25'200));
        QVERIFY(hasNote(log, "Its clock is taken as UTC"));
        QCOMPARE(units[0].runName, units[1].runName);
    }
    // A tracker stamps in UTC, nvidia-smi beside it in local time: both read one GPU, of work that
    // changes, or in one folder of work that does not. Other work tells nothing.
    void anotherLogTellsTheZone() {
        const Work work = workFrom(1, 40'000.0, 40'060.0);
        const auto zoneOf = [](const Work& own, const Work& other, const std::string& folder) {
            const auto log = [](const Work& of, double from, int ahead) {
                return logOf(
                    from, 40'070.0, {0}, [&of](int, double now) { return isIn(of, now); }, ahead);
            };
            // The tracker begins before, so that the noise of the two is another.
            const auto units = unitsOf({{"job/utc.csv", inUtc(log(other, 39'980.0, 0))},
                {folder + "/smi.csv", log(own, 39'990.0, -25'200)}});
            return unitAt(units, folder + "/smi.csv").utcOffsetSeconds;
        };
        QCOMPARE(zoneOf(work, work, "logs"), std::optional<std::int64_t>(-25'200));
        QCOMPARE(zoneOf({}, {}, "job"), std::optional<std::int64_t>(-25'200));
        QVERIFY(!zoneOf({}, {}, "logs"));
        QVERIFY(!zoneOf(workFrom(99, 40'000.0, 40'060.0), work, "logs"));
        QVERIFY(!zoneOf({}, {{39'990.0, 40'070.0}}, "job"));
    }
    // Steps of one second look alike at any hour, and those of another job, too.
    void steadyStepsTellNoZone() {
        Work work;
        for (double now = 40'000.0; now < 40'060.0; now += 1.0)
            work.emplace_back(now, now + 0.5);
        const auto units = unitsOf({{"job/trace.json", traceOf(work)},
            {"job/smi.csv",
                logOf(
                    39'990.0, 40'070.0, {0}, [&](int, double now) { return isIn(work, now); },
                    -25'200)}});
        const ImportUnit& log = unitAt(units, "job/smi.csv");
        QVERIFY(!log.utcOffsetSeconds);
        QVERIFY(hasNote(log, "of another time than trace.json"));
        QVERIFY(units[0].runName != units[1].runName);
    }

    // Ranks 0 to 3 on one host, 4 to 7 on the other; each log numbers its GPUs from 0.
    void foldersOfHostsAreOneJob() {
        std::vector<std::pair<std::string, std::string>> files;
        for (int rank = 0; rank < 8; ++rank)
            files.emplace_back(
                fmt::format("job/{}/traces/rank{}.json", rank < 4 ? "alpha" : "beta", rank),
                traceOf({{100.0, 102.0}}, {rank, 8, 100 + rank, 4, rank % 4}));
        for (const std::string host : {"alpha", "beta"})
            files.emplace_back("job/" + host + "/smi.csv",
                logOf(
                    host == "alpha" ? 90.0 : 90.5, 120.0, kFour, [](int, double) { return true; }));
        const auto units = unitsOf(files);
        for (const ImportUnit& unit : units)
            QCOMPARE(unit.runName, std::string("job"));
        QVERIFY(unitAt(units, "job/alpha/smi.csv").place == PlaceInRun());
        QVERIFY((unitAt(units, "job/beta/smi.csv").place == PlaceInRun{4, 1, 0}));
    }
    // The second host alone: its log numbers GPUs from 0, its traces are ranks 4 to 7 of eight.
    void aLogOfTheSecondNode() {
        std::vector<std::pair<std::string, std::string>> files{
            {"beta/smi.csv", logOf(90.0, 120.0, kFour, [](int, double) { return true; })}};
        for (int rank = 4; rank < 8; ++rank)
            files.emplace_back(fmt::format("beta/rank{}.json", rank),
                traceOf({{100.0, 102.0}}, {rank, 8, 100 + rank, 4, rank % 4}));
        const auto units = unitsOf(files);
        const ImportUnit& log = unitAt(units, "beta/smi.csv");
        QVERIFY((log.place == PlaceInRun{4, 1, 0}));
        QVERIFY(hasNote(log, "taken as ranks 4 to 7"));
        QCOMPARE(unitAt(units, "beta/rank6.json").rank, std::optional(6));
    }
    // Two processes at one time that nobody calls ranks; GPUs 4 and 5 follow both: one job or two.
    void twoProcessesOnTwoGpus() {
        const Work work = workFrom(1, 100.0, 160.0);
        Work later = work;
        for (auto& [from, until] : later)
            until += 0.02;
        const auto units = unitsOf({{"job/trace_0.json", traceOf(work, {-1, 1, 100})},
            {"job/trace_1.json", traceOf(later, {-1, 1, 101})},
            {"job/smi.csv", logOf(90.0, 170.0, kEight, [&](int gpu, double now) {
                 return (gpu == 4 || gpu == 5) && isIn(work, now);
             })}});
        QVERIFY(
            unitAt(units, "job/trace_0.json").runName != unitAt(units, "job/trace_1.json").runName);
    }
    // Ranks 0 to 3 of two jobs.
    void foldersOfTwoJobsAreTwo() {
        std::vector<std::pair<std::string, std::string>> files;
        for (int i = 0; i < 8; ++i)
            files.emplace_back(fmt::format("jobs/{}/rank{}.json", i < 4 ? "a" : "b", i % 4),
                traceOf({{100.0, 102.0}}, {i % 4, 4, 100 + i, 4, i % 4}));
        QCOMPARE(joinedRuns(files), (RunNames{"a", "b"}));
    }
    void logsOfOneGpuEachAreOneRun() {
        for (const bool hasIndex : {true, false}) {
            std::vector<std::pair<std::string, std::string>> files;
            for (const int gpu : kFour)
                files.emplace_back(fmt::format("job/gpu{}.csv", gpu),
                    logOf(
                        90.0 + 0.1 * gpu, 120.0, {gpu}, [](int, double) { return true; }, 0,
                        hasIndex));
            const auto logs = unitsOf(files);
            for (const ImportUnit& unit : logs)
                QCOMPARE(unit.runName, std::string("job"));
            QCOMPARE(unitAt(logs, "job/gpu3.csv").place.rank, hasIndex ? 0 : 3);
            for (const int rank : kFour)
                files.emplace_back(fmt::format("job/traces/rank{}.json", rank),
                    traceOf({{100.0, 102.0}}, {rank, 4, 100 + rank, 4, rank}));
            QCOMPARE(joinedRuns(files).size(), std::size_t{1});
        }
    }
    // Nodes that the folders number: GPUs of both, each from 0 on.
    void logsOfNodesAreOneRun() {
        const auto units = unitsOf(
            {{"job/node0/smi.csv", logOf(90.0, 120.0, kFour, [](int, double) { return true; })},
                {"job/node1/smi.csv",
                    logOf(91.0, 121.0, kFour, [](int, double) { return true; })}});
        QCOMPARE(units[0].runName, units[1].runName);
        QVERIFY((unitAt(units, "job/node1/smi.csv").place == PlaceInRun{4, 1, 0}));
        // Other numbers, and hosts that are not numbered, are no nodes of one job.
        for (const auto& [first, second] : {std::pair("job/try0/smi.csv", "job/try1/smi.csv"),
                 std::pair("a/smi.csv", "b/smi.csv")})
            QCOMPARE(joinedRuns(
                         {{first, logOf(90.0, 120.0, kFour, [](int, double) { return true; })},
                             {second, logOf(91.0, 121.0, kFour, [](int, double) { return true; })}})
                         .size(),
                std::size_t{2});
    }
    // Two processes, one after the other, in folders of their own; the log above is of both.
    void aLogOfJobsBehindEachOtherStaysAlone() {
        const auto units = unitsOf({{"a/trace.json", traceOf({{100.0, 101.0}}, {-1, 1, 100})},
            {"b/trace.json", traceOf({{140.0, 141.0}}, {-1, 1, 200})},
            {"smi.csv", logOf(90.0, 170.0, {0}, [](int, double) { return true; })}});
        RunNames names;
        for (const ImportUnit& unit : units)
            names.insert(unit.runName);
        QCOMPARE(names, (RunNames{"a", "b", "smi"}));
    }
    // amd-smi names no GPU, but is AMD's: the folder is of two machines, and power tells whose.
    void amdBesideNvidia() {
        const Work work = workFrom(1, 100.0, 160.0);
        std::string amd = "timestamp,gpu,socket_power,gfx_0_clk\n";
        for (int i = 90; i < 170; ++i) {
            for (const int gpu : kEight)
                amd += fmt::format("{},{},{},2100\n", kLogMidnight + i, gpu, 400 + gpu);
        }
        const auto units = unitsOf({{"job/trace.json", traceOf(work)},
            {"job/nv.csv",
                logOf(90.0, 170.0, {0}, [&](int, double now) { return isIn(work, now); })},
            {"job/amd.csv", amd}});
        QCOMPARE(unitAt(units, "job/nv.csv").runName, unitAt(units, "job/trace.json").runName);
        QVERIFY(unitAt(units, "job/amd.csv").runName != unitAt(units, "job/nv.csv").runName);
    }
    // 19 MB of five hours; the trace begins when they are long over, or late in them.
    void longLogsAreLookedAt() {
        const auto text = [](const Work& work) {
            return logOf(0.0, 20'000.0, kEight,
                [&work](int gpu, double now) { return gpu == 2 && isIn(work, now); });
        };
        const Work late = workFrom(1, 15'000.0, 15'040.0);
        const std::string log = text(late);
        QVERIFY(log.size() > std::size_t{16} << 20);
        const auto units = unitsOf({{"job/trace.json", traceOf(late)}, {"job/smi.csv", log}});
        QCOMPARE(units[0].runName, units[1].runName);
        QCOMPARE(unitAt(units, "job/trace.json").rank, std::optional(2));
        QCOMPARE(joinedRuns({{"job/trace.json", traceOf(workFrom(1, 30'000.0, 30'040.0))},
                                {"job/smi.csv", log}})
                     .size(),
            std::size_t{2});
    }

    void theRealRecordingIsOneRun() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        QCOMPARE(plannedRuns(root + "/data/h100_recording/training"), RunNames{"training"});
    }
    // Four answers of one metric each, of the same 16 GPUs; the log of GPUs and that of the
    // training.
    void realFilesOfOneMachine() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        QTemporaryDir folder;
        const auto place = [&](const char* below, const char* file) {
            const auto to = std::filesystem::path(folder.path().toStdString()) / below;
            std::filesystem::create_directories(to);
            const std::filesystem::path from = root + "/data/" + file;
            std::filesystem::create_symlink(from, to / from.filename());
            return to;
        };
        std::filesystem::path answers;
        for (const char* file : {"prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_0.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_1.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_2.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_3.json"})
            answers = place("answers", file);
        QCOMPARE(plannedRuns(answers), RunNames{"aicr_accelerator-metrics_gpu-node-1_promapi"});
        place("pair", "nvidia_smi/pgolf_8xH100_019b_diag_nvsmi.csv");
        QCOMPARE(
            plannedRuns(place("pair", "train_logs/pgolf_8xH100_019b_train.txt")), RunNames{"pair"});
    }
};

TRAINSCOPE_TEST(tst_OneMachine)
#include "tst_OneMachine.moc"
