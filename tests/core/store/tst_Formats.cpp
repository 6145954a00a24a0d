// A database of each format there was, written by the store of its day (formats/README.md), opens
// here: it is brought up, has the tables of a new one, and every number and word that was written.

#include "core/store/FormatSample.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QFile>
#include <QObject>

#include <sqlite3.h>
#include <zlib.h>

#include <algorithm>
#include <tuple>

using namespace trainscope;
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
                        "c.\"notnull\"||' '||coalesce(c.dflt_value,'')||' '||c.pk, m.sql, '')"
                        " FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1",
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

} // namespace

class tst_Formats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The program's own format; the README says how it is kept.
    void current() {
        Fixture fixture;
        {
            Store store = fixture.create();
            format::write(store);
        }
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
        QTest::addColumn<QString>("file");
        const QStringList names{QStringLiteral("format_*.trainscope.gz")};
        for (const QString& name : formatsFolder().entryList(names, QDir::Files))
            QTest::newRow(qPrintable(name)) << formatsFolder().filePath(name);
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
        QVERIFY2(message.contains(QStringLiteral("Update Trainscope")), qPrintable(message));
        QCOMPARE(formatOf(fixture.path), schemaVersion() + 1);
    }
};

TRAINSCOPE_TEST(tst_Formats)
#include "tst_Formats.moc"
