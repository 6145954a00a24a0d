// Other programs take an open file away, put another in its place, or write to it as well.

#include "core/store/Connection.h"
#include "core/store/Contents.h"
#include "core/store/Recording.h"
#include "support/Lasting.h"
#include "support/TestProgram.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <semaphore>
#include <thread>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

// Counts what happens to a file, by whomever.
class Watched {
public:
    Watched(const std::filesystem::path& path, std::uint32_t events)
        : m_queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        QVERIFY(::inotify_add_watch(m_queue, path.c_str(), events) >= 0);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { ::close(m_queue); }

    // Since the last time.
    int count() {
        int events = 0;
        alignas(inotify_event) std::array<char, 4096> bytes{};
        for (ssize_t got = 0; (got = ::read(m_queue, bytes.data(), bytes.size())) > 0;)
            events += static_cast<int>(got / static_cast<ssize_t>(sizeof(inotify_event)));
        return events;
    }

private:
    int m_queue;
};

// Takes the right to write to a database and its folder, also from root, until it ends.
class WithoutWriting {
public:
    explicit WithoutWriting(const Fixture& fixture)
        : m_file(fixture.path.string())
        , m_folder(fixture.path.parent_path().string()) {
        chmod(m_file.c_str(), 0444);
        chmod(m_folder.c_str(), 0555);
        become(kNobody);
    }
    ~WithoutWriting() {
        become(0);
        chmod(m_folder.c_str(), 0755);
        chmod(m_file.c_str(), 0644);
    }
    Q_DISABLE_COPY_MOVE(WithoutWriting)

private:
    static constexpr uid_t kNobody = 65534;

    void become(uid_t user) const {
        if (m_isRoot && setresuid(user, user, 0) != 0)
            QTest::qFail("Root's rights could not be laid down and taken up.", __FILE__, __LINE__);
    }

    const bool m_isRoot = geteuid() == 0;
    std::string m_file;
    std::string m_folder;
};

} // namespace

class tst_SharedFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // One look at the file, and SQLite's own opening.
    void openingLooksOnce() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        Watched opened(fixture.path, IN_OPEN | IN_CLOSE_NOWRITE);
        Watched written(fixture.path, IN_CLOSE_WRITE);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{0});
        QCOMPARE(opened.count(), 2 + 2); // and as often closed
        QCOMPARE(written.count(), 0);
    }

    // A log that a writer left because others read is taken away once, by whoever reads last.
    void theLastReaderLeavesOneFile() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        const std::string log = fixture.path.string() + "-wal";
        auto last = std::make_unique<Store>(fixture.view());
        auto first = std::make_unique<Store>(fixture.view());
        {
            Store writer = fixture.create();
            addSeries(writer, gauge("gpu_power", 0), {0, 1000}, {1.0, 2.0});
            QCOMPARE(got(first->runs()).size(), std::size_t{1});
            QCOMPARE(got(last->runs()).size(), std::size_t{1});
        }
        Watched written(fixture.path, IN_CLOSE_WRITE);
        first.reset();
        QCOMPARE(written.count(), 0);
        QVERIFY(std::filesystem::exists(log));
        last.reset();
        QCOMPARE(written.count(), 1);
        QVERIFY(!std::filesystem::exists(log));
    }

    void movedOrReplacedWhileOpen_data() {
        const auto row = columns<bool, QString>("isReplaced", "says");
        row("moved", false, "removed or renamed while it was open");
        row("replaced", true, "in the place of the database");
    }
    void movedOrReplacedWhileOpen() {
        QFETCH(bool, isReplaced);
        QFETCH(QString, says);
        const Fixture fixture;
        const Fixture other;
        { const Store store = other.create(); }
        Store store = fixture.create();
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
        const Store view = fixture.view();
        auto session = got(store::beginImport(store, {"/data/b", 1, "", "b"}));
        (void)got(session->run(runNamed("b")));
        const std::filesystem::path away = fixture.path.string() + ".away";
        std::filesystem::rename(fixture.path, away);
        if (isReplaced)
            std::filesystem::copy_file(other.path, fixture.path);
        for (const Error& error :
            {view.runs().error(), session->finish({}, "", 0, {}).error(), store.runs().error()}) {
            QVERIFY(error.code == ErrorCode::Refused);
            QVERIFY2(QString::fromStdString(error.message).contains(says), error.message.c_str());
        }
        session.reset();
        std::filesystem::rename(away, fixture.path);
        QCOMPARE(got(view.runs()).size(), std::size_t{1});
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
        QCOMPARE(got(view.runs()).size(), std::size_t{2});
    }

    // A program that has it open may write to the end; one that opens it then is told, and reads
    // all of it.
    void madeReadOnlyWhileOpen() {
        const Fixture fixture;
        Store store = fixture.create();
        const SeriesId series = addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
        const Store view = fixture.view();
        auto session = got(store::beginImport(store, {"/data/b", 1, "", "b"}));
        (void)got(session->run(runNamed("b")));
        {
            const WithoutWriting rights(fixture);
            ok(session->finish({}, "", 0, {}));
            session.reset();
            QCOMPARE(got(view.runs()).size(), std::size_t{2});
            const auto second = Store::open(fixture.path, OpenMode::ReadWrite);
            QVERIFY(!second.hasValue() && second.error().code == ErrorCode::Refused);
            QVERIFY2(second.error().message.starts_with("The database is read-only: "),
                second.error().message.c_str());
            const Store late = fixture.view();
            QCOMPARE(got(late.runs()).size(), std::size_t{2});
            QCOMPARE(got(late.statistics(series, kAllTime)).count, 2);
        }
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/data/c", "c");
        QCOMPARE(got(view.runs()).size(), std::size_t{3});
    }

    void aRecordingOfAFileThatIsAwayWaits() {
        const Fixture fixture;
        Store store = fixture.create();
        auto recording
            = got(Recording::begin(store, {"record:a:0", 0, "", "job"}, runNamed("job")));
        const SeriesId series = got(recording->series(gauge("gpu_power", 0)));
        recording->sample(series, {1000}, 1.0);
        ok(recording->commit({}));
        const std::filesystem::path away = fixture.path.string() + ".away";
        std::filesystem::rename(fixture.path, away);
        recording->sample(series, {2000}, 2.0);
        QVERIFY(!recording->commit({}).hasValue());
        std::filesystem::rename(away, fixture.path);
        recording->sample(series, {3000}, 3.0);
        ok(recording->finish({}, {}));
        QCOMPARE(got(fixture.view().statistics(series, kAllTime)).count, 3);
    }

    void theSecondOfTwoWritersIsTold() {
        const Fixture fixture;
        Store first = fixture.create();
        Store second = fixture.create();
        sqlite3_busy_timeout(second.connection().database.handle(), 20);
        auto session = got(store::beginImport(first, {"/data/a", 1, "", "a"}));
        (void)got(session->run(runNamed("a")));
        const auto refused = store::beginImport(second, {"/data/b", 1, "", "b"});
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().message,
            std::string(
                "Another program is writing to the database; try again when it has finished."));
        QCOMPARE(got(second.runs()).size(), std::size_t{0});
        ok(session->finish({}, "", 0, {}));
        addSeries(second, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
        QCOMPARE(got(first.runs()).size(), std::size_t{2});
    }

    // And not after it has read all that it was to write.
    void aWriterIsToldOfAReaderBeforeItBegins() {
        const Fixture fixture;
        fixture.filled([&](Store& store) {
            addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/data/a", "a");
        });
        Store reader = fixture.view();
        {
            const ReadSnapshot reading(reader.connection().database);
            QCOMPARE(got(reader.runs()).size(), std::size_t{1});
            const auto refused = Store::open(fixture.path, OpenMode::ReadWrite);
            QVERIFY(!refused.hasValue() && refused.error().code == ErrorCode::Refused);
            QCOMPARE(refused.error().message,
                std::string("Another program has been reading the database, or writing to it, for "
                            "more than 5 seconds; try again when it has finished."));
        }
        Store writer = got(Store::open(fixture.path, OpenMode::ReadWrite));
        {
            const ReadSnapshot reading(reader.connection().database);
            QCOMPARE(got(reader.runs()).size(), std::size_t{1});
            addSeries(writer, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
            QCOMPARE(got(reader.runs()).size(), std::size_t{1});
        }
        QCOMPARE(got(reader.runs()).size(), std::size_t{2});
    }

    void aWriterWaitsForAReader() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        std::binary_semaphore isReading(0);
        std::jthread other([&] {
            Store reader = fixture.view();
            const ReadSnapshot reading(reader.connection().database);
            (void)reader.runs();
            isReading.release();
            lasts(std::chrono::milliseconds(600));
        });
        isReading.acquire();
        const Store writer = got(Store::open(fixture.path, OpenMode::ReadWrite));
        QVERIFY(std::filesystem::exists(fixture.path.string() + "-wal"));
    }
};

TRAINSCOPE_TEST(tst_SharedFile)
#include "tst_SharedFile.moc"
