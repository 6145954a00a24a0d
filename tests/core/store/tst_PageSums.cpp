// Checksums of pages: one byte that is wrong, wherever it is, is found by a check and never read as
// data; and databases from before there were checksums.
// TRAINSCOPE_FLIP_EVERY=1 flips each byte of the file, which takes longer than Qt Test lets a
// function take: set QTEST_FUNCTION_TIMEOUT=3600000 as well.

#include "core/store/Contents.h"
#include "core/store/FaultVfs.h"
#include "core/store/Merge.h"
#include "core/store/database/OpenFile.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

// A page of every kind: inner nodes and leaves of tables and of indices, overflow pages, the list
// of free pages and its leaves.
void fill(Store& store, const std::string& name, int rows) {
    auto session = got(store::beginImport(store, {"/data/" + name, 1, "", name}));
    const RunId run = got(session->run(runNamed(name)));
    const SeriesId series = got(session->series(run, gauge("gpu_power", 0)));
    std::vector<TimeNs> at;
    std::vector<double> values;
    std::vector<Span> spans;
    for (int i = 0; i < rows; ++i) {
        at.push_back({i * 1'000'003LL + i * 31LL % 1009});
        values.push_back(i * 7919 % 4999 / 8.0);
        Span span;
        span.start = {i * 1000LL};
        span.duration = {500};
        span.name = got(session->intern("a kernel with a long name, number " + std::to_string(i)));
        spans.push_back(span);
        ok(session->iteration(run, {i, {{i * 1000LL}, {i * 1000LL + 900}}, 0, false}));
    }
    ok(session->samples(series, at, values));
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.name = "stream 7";
    ok(session->spans(got(session->track(run, description)), spans));
    ok(session->finish({}, "", 0, {}));
}

// Looks at the file: refused or reported, or else what is wrong with that.
std::string missedIn(const std::filesystem::path& path, const std::string& contents) {
    const auto store = Store::open(path, OpenMode::ReadOnly);
    if (!store.hasValue())
        return store.error().message.empty() ? "refused without a word" : "";
    const auto report = store.value().check();
    if (!report.hasValue())
        return "the check failed: " + report.error().describe();
    if (report.value().damageCount == 0)
        return "the check found nothing";
    const auto read = contentsOf(path);
    return read.hasValue() && read.value() != contents ? "read as other data" : "";
}

} // namespace

class tst_PageSums : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installFaultVfs(); }

    void everyFlippedByteIsFound() {
        Fixture fixture;
        {
            Store store = fixture.create();
            fill(store, "kept", 400);
            fill(store, "gone", 300);
            ok(store::removeRun(store, got(store.findRun("gone")).id));
        }
        const std::string contents = got(contentsOf(fixture.path));
        const QByteArray good = bytesOf(fixture.path);
        QCOMPARE(checked(fixture.path).damageCount, 0);
        const int step = std::max(1, qEnvironmentVariableIntValue("TRAINSCOPE_FLIP_EVERY"));
        const bool isSampled = !qEnvironmentVariableIsSet("TRAINSCOPE_FLIP_EVERY");
        std::fstream file(fixture.path, std::ios::in | std::ios::out | std::ios::binary);
        int flips = 0;
        for (int at = 0; at < good.size(); ++at) {
            // All of the header, and of a sum; elsewhere one in a thousand.
            if (isSampled ? at >= 120 && at / 8 != 511 && at % 997 != 0 : at % step != 0)
                continue;
            const auto put = [&](int byte) {
                file.seekp(at);
                file.put(static_cast<char>(byte));
                file.flush();
            };
            put(good[at] ^ (1 << (at % 8)));
            const std::string missed = missedIn(fixture.path, contents);
            QVERIFY2(missed.empty(), ("byte " + std::to_string(at) + ": " + missed).c_str());
            put(good[at]);
            ++flips;
        }
        qInfo("%d of %d bytes, each found", flips, static_cast<int>(good.size()));
        QCOMPARE(bytesOf(fixture.path), good);
        QCOMPARE(checked(fixture.path).damageCount, 0);
    }

    void pagesInOthersPlacesAndCutOnesAreFound() {
        Fixture fixture;
        fixture.filled([&](Store& store) { fill(store, "run", 300); });
        const QByteArray good = bytesOf(fixture.path);
        const std::string contents = got(contentsOf(fixture.path));
        QByteArray swapped = good;
        swapped.replace(5 * kPageSize, kPageSize, good.mid(6 * kPageSize, kPageSize));
        const QByteArray cut = good.left(good.size() - 100);
        const QByteArray without = good.left(good.size() - kPageSize);
        QByteArray blank = good;
        blank.replace(good.size() - kPageSize, 512, QByteArray(512, '\0'));
        for (const QByteArray& bad : {swapped, cut, without, blank}) {
            write(fixture.path, bad);
            QCOMPARE(missedIn(fixture.path, contents), std::string());
        }
    }

    // As a disk that lost a page gives it: zeros, with no sum to be compared.
    void blankPagesAreFound() {
        Fixture fixture;
        fixture.filled([&](Store& store) { fill(store, "run", 2000); });
        const QByteArray good = bytesOf(fixture.path);
        const std::string contents = got(contentsOf(fixture.path));
        QCOMPARE(asAnotherProgram(fixture.path, "PRAGMA freelist_count").second, 0);
        for (qsizetype at = 0; at < good.size(); at += kPageSize) {
            QByteArray bad = good;
            bad.replace(at, kPageSize, QByteArray(kPageSize, '\0'));
            write(fixture.path, bad);
            const std::string missed = missedIn(fixture.path, contents);
            QVERIFY2(missed.empty(), (std::to_string(at / kPageSize + 1) + ": " + missed).c_str());
        }
    }

    // Pages out of use may be blank: nobody reads them, and writers take them into use.
    void blankPagesOutOfUseAreNoDamage() {
        Fixture fixture;
        {
            Store store = fixture.create();
            fill(store, "gone", 2000);
            fill(store, "kept", 500);
            ok(store::removeRun(store, got(store.findRun("gone")).id));
        }
        const std::string contents = got(contentsOf(fixture.path));
        QByteArray holed = bytesOf(fixture.path);
        const int free = asAnotherProgram(fixture.path, "PRAGMA freelist_count").second;
        QVERIFY(free > 10);
        int blank = 0;
        for (qsizetype at = kPageSize; at < holed.size(); at += kPageSize) {
            QByteArray trial = holed;
            trial.replace(at, kPageSize, QByteArray(kPageSize, '\0'));
            write(fixture.path, trial);
            const auto store = Store::open(fixture.path, OpenMode::ReadOnly);
            if (!store.hasValue() || got(store.value().check()).damageCount > 0)
                continue;
            holed = trial;
            ++blank;
        }
        QVERIFY2(blank > free / 2 && blank <= free, std::to_string(blank).c_str());
        write(fixture.path, holed);
        QCOMPARE(checked(fixture.path).damageCount, 0);
        QVERIFY(got(contentsOf(fixture.path)) == contents);
        {
            Store store = got(Store::open(fixture.path, OpenMode::ReadWrite));
            fill(store, "new", 2000);
            ok(store::removeRun(store, got(store.findRun("new")).id));
            fill(store, "new", 1000);
            QVERIFY(got(store::vacuum(store)).after > 0);
        }
        QCOMPARE(checked(fixture.path).damageCount, 0);
    }

    void damageIsToldByWhatItHits() {
        Fixture fixture;
        fixture.filled([&](Store& store) { fill(store, "run", 300); });
        QByteArray bad = bytesOf(fixture.path);
        bad[3 * kPageSize + 77] = static_cast<char>(~bad[3 * kPageSize + 77]);
        write(fixture.path, bad);
        const CheckReport report = checked(fixture.path);
        QCOMPARE(report.damage.front(),
            std::string(
                "Page 4 of the file (4096 bytes from byte 12288 on) is not as it was written."));
    }

    // Not as another program's file or that of a newer version; and nobody is told to check what
    // cannot be opened.
    void aDamagedHeaderIsToldAsDamage() {
        Fixture fixture;
        fixture.filled([&](Store& store) { fill(store, "run", 300); });
        const QByteArray good = bytesOf(fixture.path);
        for (int at = 0; at < 100; ++at) {
            QByteArray bad = good;
            bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
            write(fixture.path, bad);
            for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
                const auto opened = Store::open(fixture.path, mode);
                QVERIFY2(!opened.hasValue(), std::to_string(at).c_str());
                const std::string said
                    = "byte " + std::to_string(at) + ": " + opened.error().message;
                QVERIFY2(opened.error().code == ErrorCode::Unreadable, said.c_str());
                VERIFY_SAYS(said, "The database is damaged");
                QVERIFY2(said.find("check it") == std::string::npos, said.c_str());
            }
            QCOMPARE(bytesOf(fixture.path), bad);
        }
    }

    void aNewerVersionIsNoDamage() {
        Fixture fixture;
        { const Store store = fixture.create(); }
        sqlite3* handle = nullptr;
        sqlite3_open_v2(fixture.path.c_str(), &handle, SQLITE_OPEN_READWRITE, summingVfs());
        sqlite3_exec(handle, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
        sqlite3_close(handle);
        const auto opened = Store::open(fixture.path, OpenMode::ReadOnly);
        VERIFY_FAILS(opened, "newer Trainscope");
    }

    // Whatever page is damaged: the merge fails and says so, or takes over each source that is
    // whole.
    void aMergeSavesWholeSources() {
        Fixture fixture;
        {
            Store store = fixture.create();
            fill(store, "a", 2000);
            fill(store, "b", 2000);
        }
        const QByteArray good = bytesOf(fixture.path);
        int saved = 0;
        for (qsizetype at = 0; at < good.size(); at += 13 * kPageSize) {
            QByteArray bad = good;
            bad[at + 2000] = static_cast<char>(~bad[at + 2000]);
            write(fixture.path, bad);
            const auto from = Store::open(fixture.path, OpenMode::ReadOnly);
            if (!from.hasValue())
                continue;
            Fixture other;
            Store fresh = other.create();
            const auto merged = store::mergeInto(
                fresh, from.value(), [](const Run& run) { return run.name; }, {});
            if (!merged.hasValue()) {
                VERIFY_SAYS(merged.error().message, "damaged");
                QVERIFY(got(fresh.runs()).empty());
                continue;
            }
            QCOMPARE(got(fresh.runs()).size(), merged.value().runs.size());
            for (const Run& run : got(fresh.runs())) {
                QCOMPARE(got(fresh.series(run.id)).front().count, 2000);
                QCOMPARE(got(fresh.tracks(run.id)).front().count, 2000);
                QCOMPARE(got(fresh.iterations(run.id)).size(), std::size_t{2000});
            }
            QCOMPARE(merged.value().remarks.size() + merged.value().runs.size(), std::size_t{2});
            QCOMPARE(got(fresh.check()).damageCount, 0);
            saved += merged.value().runs.size() == 1 ? 1 : 0;
        }
        QVERIFY(saved > 0);
    }

    // As versions before there were sums made them.
    void aFileWithoutSumsIsRefusedAndLeft() {
        Fixture fixture;
        const std::string sql = "PRAGMA application_id=" + std::to_string(kApplicationId)
            + "; PRAGMA user_version=" + std::to_string(schemaVersion())
            + "; CREATE TABLE meta(key, value)";
        QCOMPARE(asAnotherProgram(fixture.path, sql.c_str()).first, SQLITE_OK);
        const QByteArray before = bytesOf(fixture.path);
        for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
            const auto opened = Store::open(fixture.path, mode);
            QVERIFY(!opened.hasValue() && opened.error().code == ErrorCode::Refused);
            VERIFY_SAYS(opened.error().message, "no longer read");
        }
        QCOMPARE(bytesOf(fixture.path), before);
    }

    // No sum at all is none that fits.
    void aForeignPageThatEndsInZerosIsNoneOfOurs() {
        const Fixture fixture;
        write(fixture.path, QByteArray(kPageSize - kSumSize, 'x') + QByteArray(kSumSize, '\0'));
        const auto opened = Store::open(fixture.path, OpenMode::ReadOnly);
        QVERIFY(!opened.hasValue() && opened.error().code == ErrorCode::Refused);
        VERIFY_SAYS(opened.error().message, "not a Trainscope database");
    }

    // Looking at a file must not give up the locks by which this process uses it.
    void lookingAtAnOpenFileKeepsItsLocks() {
        Fixture fixture;
        { const Store store = fixture.create(); }
        std::array<int, 2> begin{};
        QCOMPARE(::pipe(begin.data()), 0);
        const pid_t child = ::fork(); // before SQLite here has the file open
        if (child == 0) {
            char byte = 0;
            (void)!::read(begin[0], &byte, 1);
            sqlite3* handle = nullptr;
            sqlite3_open(fixture.path.c_str(), &handle);
            std::string mode;
            sqlite3_exec(
                handle, "PRAGMA journal_mode=DELETE",
                [](void* to, int, char** row, char**) {
                    *static_cast<std::string*>(to) = row[0];
                    return 0;
                },
                &mode, nullptr);
            ::_exit(mode == "delete" ? 1 : 0);
        }
        const Store store = fixture.create();
        QCOMPARE(got(store.runs()).size(), std::size_t{0});
        QCOMPARE(got(StoreFile(fixture.path).state()), FileState::Present);
        QVERIFY(StoreFile(fixture.path).isRunDatabase());
        QCOMPARE(::write(begin[1], "x", 1), ssize_t{1});
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
};

TRAINSCOPE_TEST(tst_PageSums)
#include "tst_PageSums.moc"
