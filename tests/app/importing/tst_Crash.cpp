// An import that is killed, and one whose disk is full: every source is there as a whole or not at
// all, and what was there before is untouched.

#include "app/importing/Logs.h"
#include "support/Lasting.h"
#include "support/TestProgram.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope;
using namespace trainscope::test;

namespace {

constexpr int kSmall = 500;
constexpr int kLarge = 150'000;

// Runs `work` in a child process; the answer is its process id.
template <typename Work>
pid_t inChild(Work&& work) {
    const pid_t child = fork();
    if (child == 0)
        _exit(work());
    return child;
}

// In a process of its own: one that has threads must not fork.
bool importInChild(const QString& folder, const QString& database) {
    const pid_t child = inChild([&] { return importFolder(folder, database).hasValue() ? 0 : 1; });
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

class tst_Crash : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void killedAtAnyTime_data() {
        const auto row = columns<int>("milliseconds");
        for (const int milliseconds : {5, 40, 120, 250, 500, 900})
            row(qPrintable(QString::number(milliseconds)), milliseconds);
    }
    void killedAtAnyTime() {
        QFETCH(int, milliseconds);
        QTemporaryDir dir;
        const QString database = dir.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(writeFile(dir.filePath(QStringLiteral("before/old.csv")), logText(kSmall)));
        QVERIFY(importInChild(dir.filePath(QStringLiteral("before")), database));
        for (const char* name : {"in/a.csv", "in/b.csv", "in/c.csv"})
            QVERIFY(writeFile(dir.filePath(QString::fromLatin1(name)),
                logText(kLarge) + std::string(static_cast<std::size_t>(name[3] - 'a'), '\n')));

        const QString folder = dir.filePath(QStringLiteral("in"));
        const pid_t child = inChild([&] {
            diesAfter(std::chrono::milliseconds(milliseconds));
            return importFolder(folder, database).hasValue() ? 0 : 1;
        });
        QVERIFY(child > 0);
        int status = 0;
        waitpid(child, &status, 0);

        const auto samples = samplesByRun(database);
        QVERIFY2(samples.has_value(), "the database does not open any more");
        QCOMPARE(samples->at("old"), std::int64_t{2 * kSmall});
        for (const auto& [run, count] : *samples) {
            if (run != "old")
                QCOMPARE(count, std::int64_t{2 * kLarge});
        }
        // And it goes on from there.
        QVERIFY(importInChild(folder, database));
        QCOMPARE(samplesByRun(database)->size(), std::size_t{4});
    }
    void fullDisk() {
        QTemporaryDir dir;
        const QString database = dir.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(writeFile(dir.filePath(QStringLiteral("before/old.csv")), logText(kSmall)));
        QVERIFY(importInChild(dir.filePath(QStringLiteral("before")), database));
        QVERIFY(writeFile(dir.filePath(QStringLiteral("in/a.csv")), logText(kLarge)));
        const auto before = samplesByRun(database);

        const QString folder = dir.filePath(QStringLiteral("in"));
        const pid_t child = inChild([&] {
            // No file may grow beyond this: what writing to a full disk looks like to the program.
            const rlimit limit{200'000, 200'000};
            std::signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            const auto outcomes = importFolder(folder, database);
            if (!outcomes.hasValue())
                return outcomes.error().code == ErrorCode::Io ? 0 : 2;
            const auto& error = outcomes.value().back().error;
            return error && error->code == ErrorCode::Io && !error->message.empty() ? 0 : 3;
        });
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(samplesByRun(database), before);
    }
};

TRAINSCOPE_TEST(tst_Crash)
#include "tst_Crash.moc"
