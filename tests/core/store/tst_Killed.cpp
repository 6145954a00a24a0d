// Programs that are killed at a random moment of what changes a database: it is as before or as
// after, never between, and whole; of a recording, everything that was committed is there.
// TRAINSCOPE_KILLS=200 kills that often, TRAINSCOPE_SEED=n at other moments.

#include "core/store/Changes.h"
#include "core/store/FaultVfs.h"
#include "support/Lasting.h"
#include "support/TestProgram.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr int kKills = 12;

// A child that works, and the pipe by which it tells.
struct Child {
    pid_t id = 0;
    int pipe = -1;

    // Killed at that moment of its work, if one is given.
    template <typename Work>
    explicit Child(Work&& work, std::optional<std::chrono::microseconds> moment = {}) {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0)
            qFatal("no pipe");
        id = ::fork();
        if (id == 0) {
            if (moment)
                diesAfter(*moment);
            ::_exit(work(ends[1]).hasValue() ? 0 : 1);
        }
        ::close(ends[1]);
        pipe = ends[0];
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { ::close(pipe); }

    // True when it had ended by itself, with success.
    [[nodiscard]] bool hasEnded() const {
        int status = 0;
        ::waitpid(id, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
            QTest::qFail("the work failed", __FILE__, __LINE__);
        return WIFEXITED(status);
    }
    [[nodiscard]] int lastTold() const {
        int last = 0;
        int told = 0;
        while (::read(pipe, &told, sizeof told) == sizeof told)
            last = told;
        return last;
    }
};

struct KillSubject {
    const char* name;
    std::function<Status(const std::filesystem::path&, int pipe)> work;
    std::filesystem::path base;
    std::string before;
    std::string after;
    std::int64_t microseconds = 0; // taken undisturbed, at least
};

// Undisturbed; leaves what it made.
std::int64_t timeOf(const KillSubject& subject, const std::filesystem::path& path) {
    copyTo(subject.base, path);
    QElapsedTimer timer;
    timer.start();
    const Child child([&](int pipe) { return subject.work(path, pipe); });
    (void)child.hasEnded();
    return timer.nsecsElapsed() / 1000;
}

std::vector<KillSubject> subjects(const std::filesystem::path& path) {
    std::vector<KillSubject> all;
    for (const Operation& operation : kOperations) {
        const std::filesystem::path base = path.string() + "." + operation.name;
        makeBase(operation.work, base, path);
        all.push_back({operation.name,
            [work = operation.work](const auto& at, int) { return work(at); }, base, {}, {}, 0});
    }
    all.push_back({"record",
        [](const auto& at, int pipe) {
            return recordOne(
                at, [pipe](int samples) { (void)!::write(pipe, &samples, sizeof samples); });
        },
        all.front().base, {}, {}, 0});
    for (KillSubject& subject : all) {
        copyTo(subject.base, path);
        subject.before = got(contentsOf(path));
        subject.microseconds = std::min(timeOf(subject, path), timeOf(subject, path));
        subject.after = got(contentsOf(path));
    }
    return all;
}

} // namespace

class tst_Killed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installFaultVfs(); }

    void atAnyMoment() {
        changeRows = 4000;
        const Fixture fixture;
        const auto all = subjects(fixture.path);
        const int asked = qEnvironmentVariableIntValue("TRAINSCOPE_KILLS");
        std::mt19937 random(
            static_cast<unsigned>(qEnvironmentVariableIntValue("TRAINSCOPE_SEED")) + 1);
        std::map<std::string, std::array<int, 3>> counts; // as before, as after, ended by itself
        const int wanted = asked > 0 ? asked : kKills;
        int kills = 0;
        for (int trial = 0; kills < wanted && trial < 4 * wanted; ++trial) {
            const KillSubject& subject = all[static_cast<std::size_t>(trial) % all.size()];
            const auto moment
                = std::uniform_int_distribution<std::int64_t>(0, subject.microseconds)(random);
            const std::string where
                = std::string(subject.name) + " after " + std::to_string(moment) + " us";
            copyTo(subject.base, fixture.path);
            const Child child([&](int pipe) { return subject.work(fixture.path, pipe); },
                std::chrono::microseconds(moment));
            const bool hasEnded = child.hasEnded();
            kills += hasEnded ? 0 : 1;
            const std::string left
                = got(contentsOf(fixture.path, SQLITE_OPEN_READWRITE), where.c_str());
            const bool isAfter = left == subject.after;
            const bool isRecording = subject.name == all.back().name;
            QVERIFY2(isAfter || !hasEnded, where.c_str());
            QVERIFY2(isAfter || left == subject.before || isRecording, where.c_str());
            QVERIFY2(checkedWhole(fixture.path), where.c_str());
            if (isRecording)
                QVERIFY2(samplesIn(fixture.path, "job") >= child.lastTold(), where.c_str());
            ++counts[subject.name][hasEnded ? 2 : isAfter ? 1 : 0];
        }
        for (const auto& [name, count] : counts)
            qInfo("%s: killed with all as before or in parts %d, as after %d; too late %d",
                name.c_str(), count[0], count[1], count[2]);
        QCOMPARE(kills, wanted);
    }
};

TRAINSCOPE_TEST(tst_Killed)
#include "tst_Killed.moc"
