// Merging databases: what is another source stays, what people said comes along, and a source that
// is damaged is left out.

#include "core/store/Connection.h"
#include "core/store/Contents.h"
#include "core/store/Merge.h"
#include "core/store/RunNotes.h"
#include "support/TestProgram.h"

#include <sqlite3.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr const char* kLog = "/var/log/smi.csv";

MergeOutcome merge(Store& into, const Fixture& from) {
    const Store other = from.view();
    return got(mergeInto(into, other, [](const Run& run) { return run.name; }, {}));
}

// One GPU's readings at 1, 2, 3… ns, all of that value.
void import(
    Store& store, const std::string& run, const std::string& hash, int samples, double value) {
    auto session = got(store::beginImport(store, {kLog, 9, hash, run}));
    const RunId id = got(session->run(runNamed(run)));
    const SeriesId series = got(session->series(id, gauge("m", 0)));
    for (int i = 1; i <= samples; ++i)
        ok(session->samples(series, times({i}), std::vector<double>{value}));
    ok(session->finish({}, hash, 9, {}));
}

void import(
    const Fixture& at, const std::string& run, const std::string& hash, int samples, double value) {
    Store store = at.create();
    import(store, run, hash, samples, value);
}

// The number of samples and the first of each series, of all runs by name: "smi: 2x7, 3x1.5".
QString contents(const Store& store) {
    QStringList runs;
    for (const Run& run : got(store.runs())) {
        QStringList all;
        for (const Series& series : got(store.series(run.id)))
            all << QStringLiteral("%1x%2").arg(series.count).arg(series.first);
        all.sort();
        runs << QString::fromStdString(run.name) + QStringLiteral(": ")
                + all.join(QStringLiteral(", "));
    }
    return runs.join(QStringLiteral("; "));
}

QStringList paths(const Store& store) {
    QStringList all;
    for (const Source& source : got(store.sources()))
        all << QString::fromStdString(source.path);
    return all;
}

std::string noteOf(const Store& store, const std::string& run) {
    const RunId id = got(store.findRun(run)).id;
    for (const RunLabels& labels : got(runLabels(store))) {
        if (labels.run == id)
            return labels.note;
    }
    return {};
}

constexpr int kSamples = 40'000; // three chunks
constexpr int kSpans = 50'000;

// Two GPUs' power and a track, in one source.
void importParts(const Fixture& at) {
    Store store = at.create();
    auto session = got(store::beginImport(store, {"/parts", 9, "h", "run"}));
    const RunId run = got(session->run(runNamed("run")));
    for (int rank = 0; rank < 2; ++rank) {
        const SeriesId series = got(session->series(run, gauge("gpu_power", rank)));
        for (int i = 0; i < kSamples; ++i)
            ok(session->samples(series, times({i * 1000LL}), std::vector<double>{i % 7 + 0.5}));
    }
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.rank = 1;
    description.name = "stream 7";
    std::vector<Span> spans(kSpans);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        spans[i].start = {static_cast<std::int64_t>(i) * 1000};
        spans[i].duration = {500};
    }
    ok(session->spans(got(session->track(run, description)), spans));
    ok(session->finish({}, "h", 9, {}));
}

void damage(const Fixture& at, const std::string& sql) {
    Database database = got(openRaw(at.path, SQLITE_OPEN_READWRITE));
    ok(database.script(sql));
    QVERIFY(database.changes() > 0);
}

bool anyContains(const std::vector<std::string>& remarks, const char* text) {
    return std::any_of(remarks.begin(), remarks.end(),
        [text](const std::string& one) { return one.find(text) != std::string::npos; });
}

// Work of SQLite on both databases to merge a job of so many nodes, each with a source of two
// series, a track, iterations and a capture: steps of its machine.
std::int64_t stepsToMerge(int nodes) {
    const Fixture from;
    {
        Store store = from.create();
        for (int node = 0; node < nodes; ++node) {
            const std::string path = "/node" + std::to_string(node);
            auto session = got(store::beginImport(store, {path, 9, path, "job"}));
            const RunId run = got(session->run(runNamed("job")));
            for (const char* metric : {"gpu_power", "sm_clock"})
                ok(session->samples(got(session->series(run, gauge(metric, node))), times({1, 2}),
                    std::vector<double>{1, 2}));
            TrackDescription description;
            description.rank = node;
            std::vector<Span> spans(1);
            spans[0].duration = {5};
            ok(session->spans(got(session->track(run, description)), spans));
            for (int i = 0; i < 4; ++i)
                ok(session->iteration(run, {i, {{i}, {i + 1}}, node, false}));
            ok(session->capture(run, {"c", node, {{0}, {9}}}));
            ok(session->finish({}, path, 9, {}));
        }
    }
    const Fixture at;
    Store into = at.create();
    const Store other = from.view();
    std::int64_t steps = 0;
    const auto count = [](void* counted) {
        ++*static_cast<std::int64_t*>(counted);
        return 0;
    };
    for (Database* database : {&into.connection().database, &other.connection().database})
        sqlite3_progress_handler(database->handle(), 10, count, &steps);
    const auto merged = mergeInto(into, other, [](const Run& run) { return run.name; }, {});
    for (Database* database : {&into.connection().database, &other.connection().database})
        sqlite3_progress_handler(database->handle(), 0, nullptr, nullptr);
    if (got(merged).sources != nodes)
        QTest::qFail("sources are missing", __FILE__, __LINE__);
    return steps * 10;
}

} // namespace

class tst_Merge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Each node costs what it holds, however many there are.
    void workGrowsWithTheNodes() {
        const auto few = static_cast<double>(stepsToMerge(16));
        const auto many = static_cast<double>(stepsToMerge(128));
        QVERIFY2(
            many < 8.0 * 1.2 * few, qPrintable(QStringLiteral("%1 and %2").arg(few).arg(many)));
    }

    // The same source in both; one has lost which run it is of, or that run.
    void aSourceThatHasLostItsRun_data() {
        const auto row = columns<QString, QString, int>("damage", "says", "sources");
        row("which run", "DELETE FROM source_run", "Both are kept", 1);
        row("the run", "UPDATE source_run SET run = 77", "damaged; import it again", 0);
    }
    void aSourceThatHasLostItsRun() {
        QFETCH(QString, damage);
        QFETCH(QString, says);
        QFETCH(int, sources);
        const Fixture fixture;
        const Fixture other;
        Store store = fixture.create();
        const SeriesId series = addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
        {
            Store from = other.create();
            addSeries(from, gauge("m", 0), {1, 2}, {3, 4});
        }
        {
            const std::string path = other.path.string();
            auto damaged = got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE));
            ok(damaged.script("PRAGMA foreign_keys=OFF; " + damage.toStdString()));
        }
        const auto outcome
            = got(mergeInto(store, other.view(), [](const Run& run) { return run.name; }, {}));
        QCOMPARE(outcome.sources, sources);
        QCOMPARE(outcome.remarks.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(outcome.remarks.front()).contains(says),
            outcome.remarks.front().c_str());
        QCOMPARE(got(store.runs()).size(), std::size_t{1});
        QCOMPARE(got(store.statistics(series, kAllTime)).count, 2);
    }

    // Every node has its /var/log/smi.csv.
    void anotherFileOfTheSamePathIsKept() {
        const Fixture fixture;
        const Fixture other;
        Store store = fixture.create();
        import(store, "smi", "h1", 2, 1.0);
        import(other, "other", "h2", 3, 5.0);
        const auto first = merge(store, other);
        QCOMPARE(contents(store), QStringLiteral("other: 3x5; smi: 2x1"));
        QCOMPARE(first.remarks.size(), std::size_t{1});
        QVERIFY(anyContains(first.remarks, "/var/log/smi.csv (2)"));
        QCOMPARE(paths(store), texts("/var/log/smi.csv", "/var/log/smi.csv (2)"));
        QVERIFY(merge(store, other).remarks.empty());
        QCOMPARE(contents(store), QStringLiteral("other: 3x5; smi: 2x1"));
        // A path of one's own is imported again.
        import(store, "smi", "h3", 4, 2.0);
        QCOMPARE(contents(store), QStringLiteral("other: 3x5; smi: 4x2"));
    }

    // Two runs have one name, as that of the file is; then one of the logs has grown.
    void nodesOfOneRunKeepTheirLogs() {
        const Fixture all;
        const Fixture one;
        const Fixture two;
        import(one, "smi", "h1", 2, 1.0);
        import(two, "smi", "h2", 3, 5.0);
        Store store = all.create();
        QVERIFY(merge(store, one).remarks.empty());
        QCOMPARE(merge(store, two).remarks.size(), std::size_t{1});
        QCOMPARE(contents(store), QStringLiteral("smi: 2x1, 3x5"));
        import(one, "smi", "h3", 4, 1.0);
        import(two, "smi", "h4", 6, 5.0);
        QVERIFY(merge(store, one).remarks.empty());
        QVERIFY(merge(store, two).remarks.empty());
        QCOMPARE(contents(store), QStringLiteral("smi: 4x1, 6x5"));
        QCOMPARE(paths(store).size(), 2);
        // A second merge keeps what the first one gave.
        const Fixture further;
        Store last = further.create();
        QVERIFY(merge(last, all).remarks.empty());
        QVERIFY(merge(last, one).remarks.empty());
        QCOMPARE(contents(last), QStringLiteral("smi: 4x1, 6x5"));
    }

    void aCopyIsMergedAndAFileWithItselfIsNot() {
        const Fixture fixture;
        const Fixture copy;
        import(fixture, "smi", "h1", 2, 1.0);
        std::filesystem::copy_file(fixture.path, copy.path);
        {
            Store store = copy.create();
            QCOMPARE(store.uuid(), fixture.view().uuid());
            addSeries(store, gauge("m", 0), {1, 2, 3}, {7, 7, 7}, "/new", "new");
        }
        Store store = fixture.create();
        QVERIFY(merge(store, copy).remarks.empty());
        QCOMPARE(contents(store), QStringLiteral("new: 3x7; smi: 2x1"));
        const auto refused
            = mergeInto(store, fixture.view(), [](const Run& run) { return run.name; }, {});
        QVERIFY(!refused.hasValue() && refused.error().code == ErrorCode::Usage);
    }

    void whatPeopleSaidComesAlong() {
        const Fixture fixture;
        const Fixture other;
        Store store = fixture.create();
        import(store, "smi", "h1", 2, 1.0);
        ok(setNote(store, got(store.findRun("smi")).id, "fan 3 is loud"));
        ok(saveComparison(store, "both", "{\"a\":1}"));
        {
            Store from = other.create();
            import(from, "smi", "h1", 2, 1.0);
            ok(setNote(from, got(from.findRun("smi")).id, "after the update"));
            ok(saveComparison(from, "both", "{\"a\":2}"));
            ok(saveComparison(from, "mine", "{}"));
        }
        for (int again = 0; again < 2; ++again) {
            const auto outcome = merge(store, other);
            QCOMPARE(outcome.remarks.size(), std::size_t{again == 0 ? 1U : 0U});
            QCOMPARE(noteOf(store, "smi"), std::string("fan 3 is loud\n\nafter the update"));
            QStringList saved;
            for (const SavedComparison& one : got(store.comparisons()))
                saved << QString::fromStdString(one.name + one.spec);
            QCOMPARE(saved, texts("both{\"a\":1}", "both (2){\"a\":2}", "mine{}"));
        }
    }

    // The other database says more of the GPUs than was recorded here.
    void whatOneSaysOfTheGpusIsNotRecorded() {
        const Fixture from;
        import(from, "job", "h1", 1, 1.0);
        {
            Store other = from.create();
            const std::string said = R"({"gpu_model":"NVIDIA GB300 NVL72"})";
            ok(setMachine(other, got(other.findRun("job")).id, said));
        }
        const Fixture into;
        Store store = into.create();
        auto session = got(store::beginImport(store, {"/recorded", 9, "h2", "job"}));
        Run run = runNamed("job");
        run.gpuModel = "NVIDIA H100";
        const RunId id = got(session->run(run));
        ok(session->finish({}, "h2", 9, {}));
        session.reset();
        ok(setMachine(store, id, "{}")); // so that the other's is not taken over
        merge(store, from);
        QCOMPARE(got(store.sources()).size(), 2U);
        QCOMPARE(got(store.findRun("job")).gpuModel, std::string("NVIDIA H100"));
    }

    // Its source, imported again, is of the run that was renamed.
    void aRenamedRunIsFoundAgain() {
        const Fixture fixture;
        const Fixture other;
        {
            Store from = other.create();
            import(from, "smi", "h1", 2, 1.0);
            const RunId run = got(from.findRun("smi")).id;
            ok(renameRun(from, run, "Baseline"));
            ok(setNote(from, run, "quiet"));
        }
        Store store = fixture.create();
        merge(store, other);
        import(store, "smi", "h2", 3, 2.0);
        QCOMPARE(contents(store), QStringLiteral("Baseline: 3x2"));
        QCOMPARE(noteOf(store, "Baseline"), std::string("quiet"));
    }

    void aDamagedSourceIsLeftOut_data() {
        const auto row = columns<QByteArray, QByteArray>("sql", "lost");
        const QByteArray chunks = "DELETE FROM sample_chunk WHERE series=(SELECT id FROM series "
                                  "WHERE rank=1) AND first_index=";
        row("hole in samples", chunks + "16384", "gpu_power of rank 1 is damaged");
        row("first samples", chunks + "0", "gpu_power of rank 1 is damaged");
        row("last samples", chunks + "32768", "gpu_power of rank 1 is damaged");
        row("a chunk that cannot be read",
            "UPDATE sample_chunk SET values_size=3 WHERE first_index=16384 AND series=(SELECT id "
            "FROM series WHERE rank=1)",
            "gpu_power of rank 1 is damaged");
        row("hole in spans", "DELETE FROM span_chunk WHERE sequence=1",
            "stream 7 of rank 1 is damaged");
        row("last spans",
            "DELETE FROM span_chunk WHERE sequence=(SELECT max(sequence) FROM span_chunk)",
            "stream 7 of rank 1 is damaged");
    }
    void aDamagedSourceIsLeftOut() {
        QFETCH(QByteArray, sql);
        QFETCH(QByteArray, lost);
        const Fixture other;
        importParts(other);
        const Fixture whole;
        Store kept = whole.create();
        merge(kept, other);
        const QString sound = contents(kept);
        damage(other, sql.toStdString());
        FreshStore store;
        const auto outcome = merge(store, other);
        QCOMPARE(outcome.lost, 1);
        QCOMPARE(outcome.sources, 0);
        QCOMPARE(outcome.remarks.size(), std::size_t{1});
        QVERIFY2(anyContains(outcome.remarks, lost.constData()), outcome.remarks.front().c_str());
        QVERIFY(got(store.runs()).empty());
        QCOMPARE(got(store.check()).damageCount, 0);
        // Its runs that are there stay, and the whole of it is merged as ever.
        QCOMPARE(merge(kept, other).remarks.size(), std::size_t{1});
        QVERIFY(contents(kept) == sound);
        QVERIFY(merge(store, whole).remarks.empty());
        QVERIFY(contents(store) == sound);
    }
};

TRAINSCOPE_TEST(tst_Merge)
#include "tst_Merge.moc"
