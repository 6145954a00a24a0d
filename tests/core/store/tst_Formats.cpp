// A database of each format there was, written by the store of its day (formats/README.md), opens
// here: it is brought up, has the tables of a new one, and every number and word that was written.

#include "core/model/LaunchConfig.h"
#include "core/store/Fixture.h"
#include "core/store/FormatSample.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "core/store/tables/StoredJson.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <sqlite3.h>
#include <zlib.h>

#include <type_traits>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

QDir formatsFolder() {
    return {QString::fromStdString(folderFrom("TRAINSCOPE_SOURCE"))
        + QStringLiteral("/tests/core/store/formats")};
}

QString keptFile(int format) {
    return formatsFolder().filePath(QStringLiteral("format_%1.trainscope.gz").arg(format));
}

QByteArray unzipped(const QString& path) {
    gzFile file = gzopen(path.toUtf8().constData(), "rb");
    QByteArray bytes(4 << 20, '\0');
    const int size
        = file == nullptr ? -1 : gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    if (file != nullptr)
        gzclose(file);
    bytes.truncate(std::max(size, 0));
    return bytes;
}

void place(const std::filesystem::path& path, const QByteArray& bytes) {
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    QCOMPARE(file.write(bytes), bytes.size());
}

Database rawDatabase(const std::filesystem::path& path, int flags = SQLITE_OPEN_READONLY) {
    return got(Database::open(StoreFile(path), flags), "database");
}

int formatOf(const std::filesystem::path& path) {
    Database database = rawDatabase(path);
    return got(userVersion(database), "format");
}

// Every table with its columns, every index.
QStringList tablesOf(const std::filesystem::path& path) {
    Database database = rawDatabase(path);
    QStringList lines;
    ok(database.forEach("SELECT m.type||' '||m.name||' '||coalesce(c.name||' '||c.type||' '||"
                        "c.\"notnull\"||' '||coalesce(c.dflt_value,'')||' '||c.pk, m.sql, '') FROM "
                        "sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1",
        [&lines](const Row& row) { lines << QString::fromStdString(row.string(0)); }));
    return lines;
}

void compareSamples(const Store& store, const Series& series) {
    const std::string& metric = series.description.metric.name;
    const int rank = series.description.subject.rank;
    QCOMPARE(series.missing, metric == "gpu_temperature" ? 1 : 0);
    int i = 0;
    int wrong = 0;
    ok(store.forEachSample(series.id, kAllTime, [&](auto ns, auto values) {
        for (std::size_t k = 0; k < ns.size(); ++k, ++i) {
            const double expected = format::sampleAt(metric, rank, i);
            const bool isSame = std::isnan(expected) ? std::isnan(values[k])
                                                     : std::abs(values[k] - expected) < 1e-12;
            wrong += isSame && ns[k].ns == format::kBegin + i * format::kSecond ? 0 : 1;
        }
        return true;
    }));
    QCOMPARE(i, format::kSamples);
    QCOMPARE(wrong, 0);
}

void compareSpans(const Store& store, RunId run) {
    using Line = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;
    std::vector<Line> expected;
    for (const auto& one : format::spanList())
        expected.emplace_back(one.track, one.name, format::kBegin + one.begin, one.duration);
    std::vector<Line> read;
    for (const Track& track : got(store.tracks(run))) {
        for (const Span& span : readBack(store, track.id))
            read.emplace_back(track.description.name, got(store.name(span.name)), span.start.ns,
                span.duration.ns);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(read.begin(), read.end());
    QVERIFY(read == expected);
    QCOMPARE(got(store.iterations(run)).size(), std::size_t{1});
}

void compareCaptures(const Store& store, RunId run, int format) {
    const std::vector<Capture> expected{format::kCapture};
    QVERIFY(got(store.captures(run)) == (format >= 11 ? expected : std::vector<Capture>{}));
}

void compareWords(const Store& store, RunId run) {
    QVERIFY(got(store.airflow(run)) == format::kAir);
    const auto comparisons = got(store.comparisons());
    QCOMPARE(comparisons.size(), std::size_t{1});
    QCOMPARE(comparisons.front().spec, format::kComparison);
    QCOMPARE(got(store.enteredLayout(run)).value_or(""), format::kLayout);
    QCOMPARE(got(store.machine(run)).value_or(""), format::kMachine);
    const auto labels = got(runLabels(store));
    QCOMPARE(labels.size(), std::size_t{1});
    QVERIFY(labels.front().tags == std::vector<std::string>{"kept"});
    QCOMPARE(labels.front().note, std::string("what people say stays"));
}

void compareAll(const Store& store, int format) {
    const Run run = got(store.findRun("job"));
    QCOMPARE(got(store.gpus(run.id)).size(), std::size_t{format::kGpus});
    const auto series = got(store.series(run.id));
    QCOMPARE(series.size(), std::size(format::kMetrics) * format::kGpus);
    for (const Series& one : series)
        compareSamples(store, one);
    compareSpans(store, run.id);
    compareCaptures(store, run.id, format);
    compareWords(store, run.id);
    const CheckReport check = got(store.check());
    QVERIFY2(check.damageCount == 0, check.damage.empty() ? "" : check.damage.front().c_str());
}

// A value of its own in every field.
LaunchConfig filled() {
    LaunchConfig launch;
    int next = 2;
    forEachLaunchField([&](const char* name, auto member) {
        using Value = typename std::decay_t<decltype(launch.*member)>::value_type;
        if constexpr (std::is_same_v<Value, int>)
            launch.*member = next++;
        else if constexpr (std::is_same_v<Value, bool>)
            launch.*member = next++ % 2 == 0;
        else if constexpr (std::is_same_v<Value, Workload>)
            launch.*member = Workload::Lora;
        else
            launch.*member = std::string(name) + " é";
    });
    launch.origin = "a.yaml";
    return launch;
}

void addRun(Store& store, const LaunchConfig& launch, const std::string& source) {
    auto session = got(store::beginImport(store, {source, 1, "", "run"}));
    Run run = runNamed("run");
    run.launch = launch;
    const RunId id = got(session->run(run));
    const SeriesId series = got(session->series(id, gauge("gpu_power" + source, 0)));
    ok(session->samples(series, times({1, 2}), std::vector<double>{3.0, 4.0}));
    ok(session->finish({}, "", 0, {}));
}

// A database as the oldest version that is read wrote it, with one run.
void makeOldest(const std::filesystem::path& path) {
    Database database
        = got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    ok(database.script("PRAGMA application_id=" + std::to_string(kApplicationId)));
    ok(migrate(database, migrations().first(static_cast<std::size_t>(oldestSchemaVersion()))));
    ok(database.script(R"(
INSERT INTO meta VALUES('uuid', '00000000-0000-4000-8000-000000000000');
INSERT INTO run(id, name, imported_name, begin_ns, end_ns) VALUES(1, 'old', 'old', 5, 9);
INSERT INTO launch(run, model, precision, nodes, gpus_per_node, tensor_parallel, pipeline_parallel,
  virtual_pipeline, context_parallel, expert_parallel, data_parallel, micro_batch, global_batch,
  sequence_length, layers, hidden_size, recompute, overlap, origin)
  VALUES(1, 'gpt3-175b', 'bf16', 4, 8, 2, 16, NULL, NULL, NULL, 1, 1, 128, 2048,
  96, 12288, 1, 0, 'old.yaml');
INSERT INTO source VALUES(7, '/old', 1, 'abc', 3, 'charllm 1', '{}');
INSERT INTO source_run VALUES(7, 1, '{"launch":{"model":"gpt3-175b","origin":"old.yaml"}}');
PRAGMA journal_mode=WAL;)"));
}

} // namespace

class tst_Formats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The program's own format; the README says how it is kept.
    void current() {
        Fixture fixture;
        fixture.filled([&](Store& store) { format::write(store); });
        compareAll(fixture.view(), schemaVersion());
        const QString kept = qEnvironmentVariable("TRAINSCOPE_KEEP_FORMAT");
        if (!kept.isEmpty())
            QVERIFY(QFile::copy(QString::fromStdString(fixture.path.string()), kept));
    }

    void everyEarlierFormatIsKept() {
        for (int format = oldestSchemaVersion(); format < schemaVersion(); ++format)
            QVERIFY2(QFile::exists(keptFile(format)), qPrintable(keptFile(format)));
    }

    void opens_data() {
        const auto row = columns<QString>("file");
        const QStringList names{QStringLiteral("format_*.trainscope.gz")};
        for (const QString& name : formatsFolder().entryList(names, QDir::Files))
            row(qPrintable(name), formatsFolder().filePath(name));
    }
    void opens() {
        QFETCH(QString, file);
        Fixture fresh;
        { const Store made = fresh.create(); }
        Fixture fixture;
        place(fixture.path, unzipped(file));
        const int format = formatOf(fixture.path);
        QCOMPARE(keptFile(format), file);
        compareAll(fixture.view(), format); // brings it up
        QCOMPARE(formatOf(fixture.path), schemaVersion());
        QCOMPARE(tablesOf(fixture.path), tablesOf(fresh.path));
    }

    // A source beside what was there.
    void takesAnImport_data() { opens_data(); }
    void takesAnImport() {
        QFETCH(QString, file);
        Fixture fixture;
        place(fixture.path, unzipped(file));
        const int format = formatOf(fixture.path);
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3, 4}, "/data/b.csv", "later");
        QCOMPARE(got(store.runs()).size(), std::size_t{2});
        compareAll(store, format);
    }

    void newerIsRefusedAndLeft() {
        Fixture fixture;
        { const Store made = fixture.create(); }
        {
            Database database = rawDatabase(fixture.path, SQLITE_OPEN_READWRITE);
            ok(database.script("PRAGMA user_version=" + std::to_string(schemaVersion() + 1)));
        }
        const auto opened = Store::open(fixture.path, OpenMode::ReadWrite);
        QVERIFY(!opened.hasValue() && opened.error().code == ErrorCode::Refused);
        const auto message = QString::fromStdString(opened.error().message);
        VERIFY_SAYS(message, "Update Trainscope");
        QCOMPARE(formatOf(fixture.path), schemaVersion() + 1);
    }

    // Reports and runs as JSON.

    // They stay what they are where nothing was said.
    void numbersThatDoNotFit() {
        const ImportReport report = reportFromJson(
            R"({"rows":1e300,"skipped":-9223372036854775809,"samples":18446744073709551615,)"
            R"("spans":5,"bytes":-1,"ranks_expected":4294967297,)"
            R"("ranks_found":[1,4294967298,2.5,-3],"counts":{"a":7,"b":1e19}})");
        QCOMPARE(report.rows, 0);
        QCOMPARE(report.skipped, 0);
        QCOMPARE(report.samples, 0);
        QCOMPARE(report.spans, 5);
        QCOMPARE(report.bytes, 0U);
        QCOMPARE(report.ranksExpected, 0);
        QVERIFY((report.ranksFound == std::vector<int>{1, -3}));
        QVERIFY((report.counts == std::map<std::string, std::int64_t>{{"a", 7}}));
        const Run run = factsFromJson(
            R"({"world_size":4294967304,"launch":{"nodes":4294967298,"layers":2}})");
        QCOMPARE(run.worldSize, 0);
        QVERIFY(!run.launch.nodes);
        QVERIFY(run.launch.layers == 2);
    }

    // Every field of a launch configuration is kept, and a database of an older version keeps what
    // it has when it is brought up.
    void everyFieldIsKept() {
        Fixture fixture;
        fixture.filled([&](Store& store) { addRun(store, filled(), "/a"); });
        const LaunchConfig found = got(fixture.view().runs()).front().launch;
        forEachLaunchField([&](const char* name, auto member) {
            QVERIFY2(found.*member == filled().*member, name);
        });
        QVERIFY(found == filled());
    }

    void aSecondSourceFillsWhatTheFirstLeftOpen() {
        FreshStore store;
        LaunchConfig first;
        first.model = "mixtral-8x7b";
        first.zeroStage = 0;
        first.origin = "first";
        addRun(store, first, "/a");
        addRun(store, filled(), "/b");
        LaunchConfig expected = filled();
        expected.model = first.model;
        expected.zeroStage = 0;
        expected.origin = "first";
        QVERIFY(got(store.runs()).front().launch == expected);
    }

    void nothingKnownStaysNothing() {
        FreshStore store;
        addRun(store, {}, "/a");
        QVERIFY(got(store.runs()).front().launch == LaunchConfig{});
    }

    void theOldestVersionIsBroughtUp_data() {
        const auto row = columns<bool>("forReading");
        row("opened for reading", true);
        row("opened for writing", false);
    }
    void theOldestVersionIsBroughtUp() {
        QFETCH(bool, forReading);
        Fixture fixture;
        makeOldest(fixture.path);
        const Store store
            = got(Store::open(fixture.path, forReading ? OpenMode::ReadOnly : OpenMode::ReadWrite));
        QCOMPARE(store.uuid(), std::string("00000000-0000-4000-8000-000000000000"));
        const auto runs = got(store.runs());
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs.front().name, std::string("old"));
        LaunchConfig expected;
        expected.model = "gpt3-175b";
        expected.precision = "bf16";
        expected.nodes = 4;
        expected.gpusPerNode = 8;
        expected.tensorParallel = 2;
        expected.pipelineParallel = 16;
        expected.dataParallel = 1;
        expected.microBatch = 1;
        expected.globalBatch = 128;
        expected.sequenceLength = 2048;
        expected.layers = 96;
        expected.hiddenSize = 12288;
        expected.recompute = true;
        expected.overlap = false;
        expected.origin = "old.yaml";
        QVERIFY(runs.front().launch == expected);
        QCOMPARE(got(store.sources()).front().path, std::string("/old"));
    }
};

TRAINSCOPE_TEST(tst_Formats)
#include "tst_Formats.moc"
