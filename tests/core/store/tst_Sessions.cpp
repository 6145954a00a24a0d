// An import is all or nothing, replaces what the same source wrote, and leaves what was there
// before alone.

#include "core/parallel/WorkerPool.h"
#include "core/store/Fixture.h"
#include "core/store/Merge.h"
#include "core/store/Recording.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

struct Many {
    std::vector<TimeNs> times;
    std::vector<double> values;
};

Many manySamples(int count) {
    Many many;
    for (int i = 0; i < count; ++i) {
        many.times.push_back({i * 1000LL + i * 7919LL % 13});
        many.values.push_back(std::sqrt(i));
    }
    return many;
}

std::size_t runCount(const Store& store) {
    return got(store.runs()).size();
}

// Tables that hold something, besides the identity.
std::string leftOvers(const std::filesystem::path& path) {
    Database database = got(Database::open(StoreFile(path), SQLITE_OPEN_READONLY));
    std::vector<std::string> tables;
    ok(database.forEach(
        "SELECT name FROM sqlite_master WHERE type='table' AND name NOT IN ('meta', 'name')",
        [&tables](const Row& row) { tables.push_back(row.string(0)); }));
    std::string filled;
    for (const std::string& table : tables) {
        std::int64_t rows = 0;
        ok(database.forEach(
            "SELECT count(*) FROM " + table, [&rows](const Row& row) { rows = row.integer(0); }));
        if (rows > 0)
            filled += table + " ";
    }
    return filled;
}

constexpr std::int64_t kBegun = 1'700'000'000'000'000'000;

struct RecordedNode {
    std::string host;
    std::vector<int> locals; // local indices of its GPUs
    double watts; // each GPU's
    std::string node = "0 of 1";
};

// A file as a recorder on that host writes it: two samples of each GPU, and a link of the node.
void record(const Fixture& fixture, const RecordedNode& one) {
    Store store = fixture.create();
    Run run = runNamed("job x");
    const int gpus = static_cast<int>(one.locals.size());
    run.worldSize = gpus;
    const int node = one.node.front() - '0';
    const auto recording = got(Recording::begin(store,
        {"record:" + one.host + ":" + std::to_string(one.locals.front()), 0, "", "job x"}, run));
    const TimeNs begin{kBegun};
    const TimeNs end{kBegun + 1'000'000'000};
    for (int i = 0; i < gpus; ++i) {
        const int rank = node * gpus + i;
        ok(recording->gpu({rank, node, one.locals[static_cast<std::size_t>(i)], "H100", ""}));
        SeriesDescription power = gauge("gpu_power", rank);
        power.subject.node = node;
        const auto id = got(recording->series(power));
        recording->sample(id, begin, one.watts);
        recording->sample(id, end, one.watts);
    }
    SeriesDescription card = counter("ib_rx", -1, 64);
    card.subject = {SubjectKind::Link, -1, node, "mlx5_0"};
    recording->sample(got(recording->series(card)), begin, 1.0);
    Iteration iteration;
    iteration.rank = node * gpus;
    iteration.range = {begin, end};
    recording->iteration(iteration);
    ImportReport report;
    report.importer = "record 1";
    report.facts = {{"host", one.host}, {"node", one.node}, {"job", "x"}};
    ok(recording->finish(report, {}));
}

std::vector<std::string> mergeInto(const Fixture& all, const Fixture& part) {
    Store into = all.create();
    const Store from = part.view();
    const auto nameOf = got(joinByJob(into, from));
    return got(store::mergeInto(into, from, nameOf, {})).remarks;
}

// Watts and node by rank.
std::map<int, std::pair<double, int>> ranksOf(const Store& store) {
    std::map<int, std::pair<double, int>> ranks;
    const RunId run = got(store.runs()).front().id;
    for (const Series& series : got(store.series(run))) {
        const Subject& subject = series.description.subject;
        if (series.description.metric.name == "gpu_power")
            ranks[subject.rank] = {series.mean, subject.node};
    }
    return ranks;
}

} // namespace

class tst_Sessions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two traces of one process, the later one first; the one that is imported again replaces its
    // own alone.
    void capturesAreThoseOfTheirSources() {
        FreshStore store;
        const auto import = [&store](const char* path, const Capture& capture) {
            auto session = got(beginImport(store, {path, 1, "", "job"}));
            const RunId run = got(session->run(runNamed("job")));
            ok(session->capture(run, capture));
            ok(session->finish({}, "", 0, {}));
            return run;
        };
        const Capture late{"late", 0, {{200}, {300}}};
        const Capture early{"early", 0, {{10}, {50}}};
        import("/data/late.json", late);
        const RunId run = import("/data/early.json", early);
        QVERIFY(got(store.captures(run)) == (std::vector<Capture>{early, late}));
        const Capture longer{"late", 1, {{200}, {400}}};
        import("/data/late.json", longer);
        QVERIFY(got(store.captures(run)) == (std::vector<Capture>{early, longer}));
    }

    // Some of these fork, and a forked process has none of the threads of the pool it inherits.
    void initTestCase() { WorkerPool::askFor(1); }

    void nothingIsVisibleBeforeFinish() {
        Fixture fixture;
        Store store = fixture.create();
        const Store viewer = fixture.view();
        {
            auto session = got(store::beginImport(store, {"/a", 1, "", "run"}));
            const RunId run = got(session->run(runNamed("run")));
            const SeriesId series = got(session->series(run, gauge("m", 0)));
            const Many many = manySamples(10'000);
            ok(session->samples(series, many.times, many.values));
            QCOMPARE(runCount(viewer), std::size_t{0});
            QVERIFY(!store::beginImport(store, {"/b", 1, "", "run"}).hasValue());
        }
        QCOMPARE(runCount(viewer), std::size_t{0});
        QCOMPARE(leftOvers(fixture.path), std::string());
        addSeries(store, gauge("m", 0), {1}, {1});
        QCOMPARE(runCount(viewer), std::size_t{1});
    }

    void cancelledInFinish() {
        Fixture fixture;
        Store store = fixture.create();
        auto session = got(store::beginImport(store, {"/a", 1, "", "run"}));
        const RunId run = got(session->run(runNamed("run")));
        const SeriesId series = got(session->series(run, gauge("m", 0)));
        ok(session->samples(series, times({1, 2}), std::vector<double>{1, 2}));
        const Status status
            = session->finish({}, "", 0, [](const ProgressState&) { return false; });
        QVERIFY(status.error().code == ErrorCode::Cancelled);
        QVERIFY(session->run(runNamed("x")).error().code == ErrorCode::Cancelled);
        session.reset();
        QCOMPARE(leftOvers(fixture.path), std::string());
    }

    void killedInMidImport_data() {
        const auto row = columns<bool>("inFinish");
        row("while writing", false);
        row("in finish", true);
    }
    void killedInMidImport() {
        QFETCH(bool, inFinish);
        Fixture fixture;
        fixture.filled([&](Store& store) {
            addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/old", "old");
        });
        const pid_t child = ::fork();
        if (child == 0) {
            // Nothing of Qt here: the child has only this thread.
            Result<Store> store = Store::open(fixture.path, OpenMode::ReadWrite);
            auto session = store::beginImport(store.value(), {"/new", 1, "", "new"});
            Run run;
            run.name = "new";
            const RunId id = session.value()->run(run).value();
            const SeriesId series = session.value()->series(id, gauge("m", 0)).value();
            const Many many = manySamples(3'000'000);
            (void)session.value()->samples(series, many.times, many.values);
            if (!inFinish)
                ::kill(::getpid(), SIGKILL);
            (void)session.value()->finish({}, "", 0, [](const ProgressState&) {
                ::kill(::getpid(), SIGKILL);
                return true;
            });
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        const Store viewer = fixture.view();
        QCOMPARE(runCount(viewer), std::size_t{1});
        QCOMPARE(got(viewer.findRun("old")).range, (TimeRange{{1}, {3}}));
        Store store = fixture.create();
        addSeries(store, gauge("m", 0), {1}, {1}, "/new", "new");
        QCOMPARE(runCount(viewer), std::size_t{2});
    }

    void diskFull() {
        Fixture fixture;
        fixture.filled([&](Store& store) {
            addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/old", "old");
        });
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{4U << 20U, 4U << 20U};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            Result<Store> store = Store::open(fixture.path, OpenMode::ReadWrite);
            if (!store.hasValue())
                ::_exit(1);
            auto session = store::beginImport(store.value(), {"/new", 1, "", "new"});
            Run run;
            run.name = "new";
            const RunId id = session.value()->run(run).value();
            const SeriesId series = session.value()->series(id, gauge("m", 0)).value();
            const Many many = manySamples(10'000'000);
            Status status = session.value()->samples(series, many.times, many.values);
            if (status.hasValue())
                status = session.value()->finish({}, "", 0, {});
            ::_exit(!status.hasValue() && status.error().code == ErrorCode::Io
                        && store.value().runs().value().size() == 1
                    ? 0
                    : 2);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        const Store viewer = fixture.view();
        QCOMPARE(runCount(viewer), std::size_t{1});
        const RunId run = got(viewer.findRun("old")).id;
        QCOMPARE(got(viewer.series(run)).at(0).mean, 3.0);
    }

    void samePathReplaces() {
        FreshStore store;
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/a", "run");
        addSeries(store, gauge("m", 1), {1, 2}, {3, 4}, "/b", "run");
        addSeries(store, gauge("m", 0), {1, 2, 3}, {5, 6, 7}, "/a", "run");
        const RunId run = got(store.findRun("run")).id;
        const auto series = got(store.series(run));
        QCOMPARE(series.size(), std::size_t{2});
        QCOMPARE(series[0].count, 3);
        QCOMPARE(got(store.sources()).size(), std::size_t{2});
    }

    void sameHashInTheSameRunReplaces() {
        FreshStore store;
        const auto import = [&store](const char* path, const char* hash, const char* run) {
            auto session = got(store::beginImport(store, {path, 1, "", run}));
            const RunId id = got(session->run(runNamed(run)));
            (void)got(session->series(id, gauge("m", 0)));
            ok(session->finish({}, hash, 9, {}));
        };
        import("/a", "h1", "run");
        import("/moved/a", "h1", "run");
        import("/a", "h1", "other");
        QCOMPARE(got(store.sources()).size(), std::size_t{2});
        QCOMPARE(got(store.series(got(store.findRun("run")).id)).size(), std::size_t{1});
        QCOMPARE(got(store.series(got(store.findRun("other")).id)).size(), std::size_t{1});
    }

    void anEmptiedRunGoesAndARenamedOneStays() {
        FreshStore store;
        addSeries(store, gauge("m", 0), {1}, {1}, "/a", "first");
        addSeries(store, gauge("m", 0), {1}, {1}, "/a", "second");
        QVERIFY(store.findRun("first").error().code == ErrorCode::NotFound);
        const RunId run = got(store.findRun("second")).id;
        ok(store::renameRun(store, run, "Baseline"));
        addSeries(store, gauge("m", 0), {1, 2}, {1, 2}, "/a", "second");
        QCOMPARE(runCount(store), std::size_t{1});
        QCOMPARE(got(store.findRun("Baseline")).id, run);
        addSeries(store, gauge("m", 0), {1}, {1}, "/b", "third");
        QVERIFY(!store::renameRun(store, run, "third").hasValue());
        QVERIFY(!store::renameRun(store, {77}, "x").hasValue());
    }

    void runFactsAreMerged() {
        FreshStore store;
        const auto import = [&store](const char* path, Run run, const Gpu& gpu) {
            auto session = got(store::beginImport(store, {path, 1, "", run.name}));
            const RunId id = got(session->run(run));
            ok(session->gpu(id, gpu));
            ok(session->finish({}, "", 0, {}));
        };
        Run telemetry = runNamed("run");
        telemetry.worldSize = 16;
        telemetry.status = RunStatus::Oom;
        Run launch = runNamed("run");
        launch.gpuModel = "NVIDIA H200";
        launch.launch.tensorParallel = 8;
        launch.launch.recompute = true;
        launch.launch.model = "gpt3-175b";
        launch.launch.origin = "conf.yaml";
        import("/a", telemetry, {0, 0, 0, "", "GPU-1"});
        import("/b", launch, {9, 1, 1, "", ""});
        import("/c", runNamed("run"), {0, 0, 0, "H200", ""});
        Run run = got(store.findRun("run"));
        QCOMPARE(run.worldSize, 16);
        QVERIFY(run.status == RunStatus::Oom);
        QCOMPARE(run.gpuModel, std::string("NVIDIA H200"));
        QCOMPARE(run.gpuCount, 2);
        QCOMPARE(run.nodeCount, 2);
        QVERIFY(run.launch == launch.launch);
        const auto gpus = got(store.gpus(run.id));
        QVERIFY(gpus.at(0) == (Gpu{0, 0, 0, "H200", "GPU-1"}));
        // A corrected configuration replaces what the old one said.
        launch.launch.tensorParallel = 4;
        import("/b", launch, {9, 1, 1, "", ""});
        run = got(store.findRun("run"));
        QCOMPARE(run.launch.tensorParallel.value_or(0), 4);
    }

    void reportIsKept() {
        FreshStore store;
        ImportReport report;
        report.importer = "kineto 1";
        report.rows = 12;
        report.ranksFound = {0, 3};
        report.counts["kernel"] = 5;
        report.facts["power"] = "average";
        report.warn("a \xFF file", 7, "bad line");
        auto session = got(store::beginImport(store, {"/a", 1, "", "run"}));
        (void)got(session->run(runNamed("run")));
        ok(session->finish(report, "abc", 99, {}));
        const Source source = got(store.sources()).at(0);
        QCOMPARE(source.size, 99U);
        QCOMPARE(source.hash, std::string("abc"));
        QCOMPARE(source.runs.size(), std::size_t{1});
        QCOMPARE(source.report.importer, report.importer);
        QCOMPARE(source.report.rows, 12);
        QVERIFY(source.report.ranksFound == report.ranksFound);
        QVERIFY(source.report.counts == report.counts);
        QVERIFY(source.report.facts == report.facts);
        QCOMPARE(source.report.warnings.at(0).line, 7);
        QCOMPARE(source.report.warningCount, 1);
    }

    void removedRunLeavesNothing() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, counter("m", 0, 32), {1, 2, 3}, {1, 2, 3}, "/a", "run");
        Span span;
        span.duration = {5};
        addTrack(store, std::vector<Span>(20'000, span), "/b", "run");
        ok(store::removeRun(store, got(store.findRun("run")).id));
        QCOMPARE(runCount(store), std::size_t{0});
        QCOMPARE(leftOvers(fixture.path), std::string());
    }

    void timesAreSharedBetweenSeries() {
        Fixture fixture;
        Store store = fixture.create();
        auto session = got(store::beginImport(store, {"/a", 1, "", "run"}));
        const RunId run = got(session->run(runNamed("run")));
        const Many many = manySamples(10'000);
        for (int rank = 0; rank < 8; ++rank) {
            const SeriesId series = got(session->series(run, gauge("m", rank)));
            ok(session->samples(series, many.times, many.values));
        }
        ok(session->finish({}, "", 0, {}));
        Database database = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READONLY));
        std::int64_t columns = 0;
        ok(database.forEach("SELECT count(DISTINCT times_at) FROM sample_chunk",
            [&columns](const Row& row) { columns = row.integer(0); }));
        QCOMPARE(columns, 1);
    }

    // Nodes of a job that nothing numbers: in the run that they join, host names order them.

    // Whatever the order in which they come, and when one comes again.
    void hostsOrderThem() {
        const Fixture beta;
        const Fixture gamma;
        const Fixture alpha;
        record(beta, {"beta", {0, 1}, 200.0});
        record(gamma, {"gamma", {0, 1, 2}, 300.0});
        record(alpha, {"alpha", {0}, 100.0});
        const Fixture all;
        QVERIFY(mergeInto(all, beta).empty());
        const auto two = mergeInto(all, gamma);
        QCOMPARE(two.size(), 1U);
        VERIFY_SAYS(two.front(), "beta is node 0, gamma is node 1");
        const auto three = mergeInto(all, alpha);
        VERIFY_SAYS(three.front(), "alpha is node 0, beta is node 1, gamma is node 2");
        for (int again = 0; again < 2; ++again) {
            const Store store = all.view();
            QCOMPARE(got(store.runs()).size(), 1U);
            const Run run = got(store.runs()).front();
            QCOMPARE(run.gpuCount, 6);
            QCOMPARE(run.nodeCount, 3);
            QCOMPARE(run.worldSize, 6);
            const std::map<int, std::pair<double, int>> expected{{0, {100.0, 0}}, {1, {200.0, 1}},
                {2, {200.0, 1}}, {3, {300.0, 2}}, {4, {300.0, 2}}, {5, {300.0, 2}}};
            QCOMPARE(ranksOf(store), expected);
            const auto gpus = got(store.gpus(run.id));
            QCOMPARE(gpus[5].rank, 5);
            QCOMPARE(gpus[5].local, 2);
            QCOMPARE(gpus[5].node, 2);
            std::vector<int> ofIterations;
            for (const Iteration& iteration : got(store.iterations(run.id)))
                ofIterations.push_back(iteration.rank);
            std::sort(ofIterations.begin(), ofIterations.end());
            QCOMPARE(ofIterations, (std::vector<int>{0, 1, 3}));
            for (const Source& source : got(store.sources()))
                QCOMPARE(source.report.facts.at("node order"),
                    std::string("alpha is node 0, beta is node 1, gamma is node 2"));
            QVERIFY(got(store.check()).damage.empty());
            mergeInto(all, beta);
        }
    }

    // Two recorders on one node, each with GPUs of its own.
    void gpusOfOneHost() {
        const Fixture upper;
        const Fixture lower;
        record(upper, {"alpha", {4, 5}, 500.0});
        record(lower, {"alpha", {0, 1}, 100.0});
        const Fixture all;
        mergeInto(all, upper);
        mergeInto(all, lower);
        const std::map<int, std::pair<double, int>> expected{
            {0, {100.0, 0}}, {1, {100.0, 0}}, {2, {500.0, 0}}, {3, {500.0, 0}}};
        QCOMPARE(ranksOf(all.view()), expected);
    }

    // Numbers that are told stay.
    void numbersStay() {
        const Fixture first;
        const Fixture second;
        record(first, {"zeta", {0, 1}, 100.0, "0 of 2"});
        record(second, {"alpha", {0, 1}, 200.0, "1 of 2"});
        const Fixture all;
        QVERIFY(mergeInto(all, first).empty());
        QVERIFY(mergeInto(all, second).empty());
        const std::map<int, std::pair<double, int>> expected{
            {0, {100.0, 0}}, {1, {100.0, 0}}, {2, {200.0, 1}}, {3, {200.0, 1}}};
        QCOMPARE(ranksOf(all.view()), expected);
    }
};

TRAINSCOPE_TEST(tst_Sessions)
#include "tst_Sessions.moc"
