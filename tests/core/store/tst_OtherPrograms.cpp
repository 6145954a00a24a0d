// Two programs at one database: what one has committed stays, whatever the other does to it.

#include "core/store/Changes.h"
#include "core/store/FaultVfs.h"
#include "core/store/Recording.h"
#include "core/store/Writing.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <sys/stat.h>

#include <atomic>
#include <thread>

using namespace trainscope::store;
using namespace trainscope::test;

class tst_OtherPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installFaultVfs(); } // does not wait for the disk

    // The numbers of what was removed are those of the next import.
    void aRecordingStopsWhereItsRunWasRemoved() {
        const Fixture fixture;
        Store recorder = fixture.create();
        const auto recording
            = got(Recording::begin(recorder, {"record:a:0", 0, "", "job"}, runNamed("job")));
        const SeriesId series = got(recording->series(gauge("gpu_power", 0)));
        int time = 0;
        const auto commit = [&] {
            for (const int end = time + 50; time < end; ++time)
                recording->sample(series, {time * 1'000'000LL}, time);
            return recording->commit({});
        };
        ok(commit());
        ok(commit());
        {
            Store other = got(Store::open(fixture.path, OpenMode::ReadWrite));
            ok(store::removeRun(other, got(other.findRun("job")).id));
            ok(importRun(other, "victim"));
        }
        const std::string before = got(contentsOf(fixture.path));
        for (int i = 0; i < 20; ++i) {
            const Status status = commit();
            QVERIFY(!status.hasValue() && status.error().code == ErrorCode::Refused);
            VERIFY_SAYS(status.error().message, "\"job\" was removed");
        }
        QVERIFY(!recording->series(gauge("gpu_temperature", 0)).hasValue());
        QVERIFY(!recording->gpu({0, 0, 0, "H100", "GPU-0"}).hasValue());
        QVERIFY(!recording->finish({}, {}).hasValue());
        QVERIFY(got(contentsOf(fixture.path)) == before);
        QVERIFY(checkedWhole(fixture.path));
    }

    // A recorder writes into other rows each time.
    void aRecordingIsMergedAndCheckedAsItWasAtOneMoment() {
        const Fixture fixture;
        Store recorder = fixture.create();
        const auto recording
            = got(Recording::begin(recorder, {"record:a:0", 0, "", "job"}, runNamed("job")));
        std::array<SeriesId, 8> all;
        for (int rank = 0; rank < 8; ++rank)
            all[static_cast<std::size_t>(rank)] = got(recording->series(gauge("gpu_power", rank)));
        std::atomic<int> committed = 0;
        std::jthread program([&](const std::stop_token& isOver) {
            for (int time = 0; !isOver.stop_requested(); ++time) {
                for (const SeriesId series : all)
                    recording->sample(series, {time * 1'000'000LL}, time);
                if (time % 20 == 19 && recording->commit({}).hasValue())
                    committed = time + 1;
            }
        });
        QStringList found;
        for (int trial = 0; trial < 40; ++trial) {
            const int before = committed;
            const Store from = fixture.view();
            for (const std::string& text : got(from.check()).damage)
                found << QString::fromStdString(text);
            const Fixture other;
            {
                Store into = other.create();
                const auto merged = got(
                    store::mergeInto(into, from, [](const Run& run) { return run.name; }, {}));
                for (const std::string& remark : merged.remarks)
                    found << QString::fromStdString(remark);
            }
            const Store merged = other.view();
            for (const Series& series : got(merged.series(got(merged.findRun("job")).id))) {
                if (series.count < before)
                    found << QStringLiteral("%1 of %2 samples").arg(series.count).arg(before);
            }
        }
        program.request_stop();
        program.join();
        found.removeDuplicates();
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        QVERIFY(committed > 0);
    }

    void nobodyWritesWhileADatabaseIsCompacted() {
        const Fixture fixture;
        Store store = fixture.create();
        ok(importRun(store, "kept"));
        ok(importRun(store, "gone"));
        ok(store::removeRun(store, got(store.findRun("gone")).id));
        const Store viewer = fixture.view();
        Database other = got(openRaw(fixture.path, SQLITE_OPEN_READWRITE));
        int refused = 0;
        int calls = 0;
        const auto vacuumed = store::vacuum(store, [&](const ProgressState&) {
            // Before the first call nothing is locked.
            const bool isFree = other.script("PRAGMA busy_timeout=0; BEGIN IMMEDIATE").hasValue();
            if (isFree)
                ok(other.script("ROLLBACK"));
            refused += isFree ? 0 : 1;
            ++calls;
            return got(viewer.runs()).size() == 1;
        });
        QVERIFY(got(vacuumed).after < got(vacuumed).before);
        QVERIFY(calls > 1);
        QCOMPARE(refused, calls - 1);
        QVERIFY(checkedWhole(fixture.path));
        QVERIFY(store.findRun("kept").hasValue());
    }

    void twoMakeADatabaseOfOneEmptyFile() {
        for (int trial = 0; trial < 12; ++trial) {
            const Fixture fixture;
            if (trial % 2 == 0)
                write(fixture.path, {}); // else of none
            std::array<bool, 2> isDone{};
            std::array<std::thread, 2> programs;
            for (int i = 0; i < 2; ++i)
                programs[static_cast<std::size_t>(i)] = std::thread([&, i] {
                    auto store = Store::openOrCreate(fixture.path);
                    isDone[static_cast<std::size_t>(i)] = store.hasValue()
                        && importRun(store.value(), "of " + std::to_string(i)).hasValue();
                });
            for (std::thread& program : programs)
                program.join();
            const Store store = fixture.view();
            for (int i = 0; i < 2; ++i)
                QVERIFY(!isDone[static_cast<std::size_t>(i)]
                    || store.findRun("of " + std::to_string(i)).hasValue());
            QVERIFY(isDone[0] || isDone[1]);
            QVERIFY(checkedWhole(fixture.path));
        }
    }

    void otherProgramsReadAndDoNotWrite() {
        Fixture fixture;
        fixture.filled([&](Store& store) { ok(importRun(store, "run")); });
        const QByteArray good = bytesOf(fixture.path);
        QCOMPARE(asAnotherProgram(fixture.path, "SELECT sum(count) FROM series"),
            std::pair(SQLITE_OK, changeRows));
        QCOMPARE(asAnotherProgram(fixture.path, "PRAGMA integrity_check").first, SQLITE_OK);
        QCOMPARE(asAnotherProgram(fixture.path, "DELETE FROM series").first, SQLITE_READONLY);
        QCOMPARE(asAnotherProgram(fixture.path, "PRAGMA user_version=3").first, SQLITE_READONLY);
        QCOMPARE(bytesOf(fixture.path), good);
    }

    // A crash, and then another program that finds the log and brings it home.
    void pagesThatAnotherProgramBroughtHome() {
        Fixture fixture;
        const std::filesystem::path killed = fixture.path.string() + ".killed";
        std::string contents;
        {
            Store store = fixture.create();
            ok(importRun(store, "run"));
            std::filesystem::copy_file(fixture.path, killed);
            std::filesystem::copy_file(fixture.path.string() + "-wal", killed.string() + "-wal");
            contents = got(contentsOf(fixture.path));
        }
        QCOMPARE(asAnotherProgram(killed, "SELECT sum(count) FROM series"),
            std::pair(SQLITE_OK, changeRows));
        QVERIFY(!std::filesystem::exists(killed.string() + "-wal"));
        QCOMPARE(got(contentsOf(killed)), contents);
        QCOMPARE(checked(killed).damageCount, 0);
        {
            Store store = got(Store::open(killed, OpenMode::ReadWrite));
            ok(importRun(store, "new"));
            ok(store::removeRun(store, got(store.findRun("new")).id));
        }
        QCOMPARE(checked(killed).damageCount, 0);
        QCOMPARE(got(contentsOf(killed)), contents);
    }

    // And writes, which it could not without that log: those pages are not as they were written.
    void pagesThatAnotherProgramWroteAreToldAsDamage() {
        Fixture fixture;
        const std::filesystem::path killed = fixture.path.string() + ".killed";
        fixture.filled([&](Store& store) { ok(importRun(store, "run")); });
        {
            Store store = fixture.create();
            ok(importRun(store, "more"));
            std::filesystem::copy_file(fixture.path, killed);
            std::filesystem::copy_file(fixture.path.string() + "-wal", killed.string() + "-wal");
        }
        const char* change = "UPDATE sample_data SET data = zeroblob(length(data))";
        QCOMPARE(asAnotherProgram(killed, change).first, SQLITE_OK);
        QVERIFY(checked(killed).damageCount > 0);
    }

    void throughALink() {
        const Fixture fixture;
        { Store store = fixture.create(); }
        QTemporaryDir elsewhere;
        const std::filesystem::path link
            = elsewhere.filePath(QStringLiteral("latest")).toStdString();
        std::filesystem::create_symlink(fixture.path, link);
        ok(checkWritable(link));
        {
            Store store = got(Store::openOrCreate(link));
            ok(importRun(store, "run"));
            QCOMPARE(store.path(), fixture.path);
        }
        QVERIFY(got(Store::open(link, OpenMode::ReadOnly)).findRun("run").hasValue());
        QCOMPARE(QDir(elsewhere.path()).entryList(QDir::Files).size(), 1);
        // One that leads nowhere becomes a database where it leads.
        std::filesystem::remove(fixture.path);
        { const Store store = got(Store::openOrCreate(link)); }
        QVERIFY(std::filesystem::is_symlink(link) && std::filesystem::exists(fixture.path));
    }

    void whatIsOpenIsKnown() {
        const Fixture fixture;
        const auto isInUse = [&fixture](const char* suffix) {
            struct stat info { };
            return ::stat((fixture.path.string() + suffix).c_str(), &info) == 0
                && filesInUse().contains({info.st_dev, info.st_ino});
        };
        {
            Store store = fixture.create();
            ok(importRun(store, "run"));
            const Store reader = fixture.view();
            for (const char* suffix : {"", "-wal", "-shm"})
                QVERIFY2(isInUse(suffix), suffix);
        }
        QVERIFY(!isInUse(""));
        QVERIFY(filesInUse().empty());
    }
};

TRAINSCOPE_TEST(tst_OtherPrograms)
#include "tst_OtherPrograms.moc"
