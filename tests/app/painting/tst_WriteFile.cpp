// Writing a file: all or nothing, and words that help when the folder or the disk refuses.

#include "app/painting/WriteFile.h"
#include "support/TestProgram.h"

#include <csignal>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope::app;

namespace {

constexpr uid_t kNobody = 65534;

// Permissions do not hold for root.
class Unprivileged {
public:
    Unprivileged()
        : m_before(geteuid()) {
        m_changed = m_before == 0 && seteuid(kNobody) == 0;
    }
    ~Unprivileged() {
        if (m_changed && seteuid(m_before) != 0)
            qFatal("The user could not be restored.");
    }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    uid_t m_before;
    bool m_changed = false;
};

// Files end at that size, as on a disk that is full.
class LimitedFiles {
public:
    explicit LimitedFiles(rlim_t bytes) {
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limited{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~LimitedFiles() {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    LimitedFiles(const LimitedFiles&) = delete;
    LimitedFiles& operator=(const LimitedFiles&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString textOf(const Status& status) {
    return status.hasValue() ? QString() : QString::fromStdString(status.error().describe());
}

} // namespace

class tst_WriteFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString at(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name));
    }
    [[nodiscard]] QStringList entries() const {
        return QDir(m_folder.path()).entryList(QDir::Files, QDir::Name);
    }

private Q_SLOTS:
    // A database that is open stays locked: opened and closed by other means than SQLite's it would
    // not.
    void databasesStayAsTheyAreAndLocked() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("open.sqlite"));
        sqlite3* open = nullptr;
        QCOMPARE(sqlite3_open(path.toUtf8(), &open), SQLITE_OK);
        QCOMPARE(
            sqlite3_exec(open, "CREATE TABLE t(x); BEGIN IMMEDIATE", nullptr, nullptr, nullptr),
            SQLITE_OK);
        const auto refused = writeFile(path, "figure");
        QVERIFY(!refused.hasValue());
        QVERIFY(refused.error().code == ErrorCode::Usage);
        const pid_t other = ::fork();
        if (other == 0) {
            struct flock lock { };
            lock.l_type = F_WRLCK;
            lock.l_whence = SEEK_SET;
            lock.l_start = 0x40000001; // the byte of who writes (SQLite, "File Locking")
            lock.l_len = 1;
            const int file = ::open(path.toUtf8(), O_RDWR);
            ::_exit(::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(::waitpid(other, &status, 0), other);
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(sqlite3_close(open), SQLITE_OK);
    }
    void initTestCase() {
        QVERIFY(QFile::setPermissions(m_folder.path(), QFile::Permissions(0x7055)));
    }

    void writesAndReplaces() {
        QVERIFY(writeFile(at("a.txt"), "one").hasValue());
        QVERIFY(writeFile(at("a.txt"), "another").hasValue());
        QCOMPARE(bytesOf(at("a.txt")), QByteArray("another"));
        QCOMPARE(entries(), test::texts("a.txt"));
    }

    void folderWithoutPermission() {
        const QString locked = at("locked");
        QVERIFY(QDir().mkdir(locked));
        QVERIFY(QFile::setPermissions(locked, QFile::Permissions(0x5055)));
        Status written;
        {
            const Unprivileged nobody;
            written = writeFile(locked + QStringLiteral("/x.pdf"), "text");
        }
        QVERIFY(!written.hasValue());
        VERIFY_SAYS(textOf(written), "Permission denied");
        QVERIFY(textOf(written).contains(QStringLiteral("another folder")));
        QVERIFY(QDir(locked).isEmpty());
    }

    void protectedFile() {
        if (geteuid() == 0)
            QSKIP("Root may write every file: not tried.");
        const QString path = at("protected.pdf");
        QVERIFY(writeFile(path, "old").hasValue());
        QVERIFY(QFile::setPermissions(path, QFile::Permissions(0x4044)));
        const Status written = writeFile(path, "new");
        QVERIFY(!written.hasValue());
        VERIFY_SAYS(textOf(written), "write-protected");
        QCOMPARE(bytesOf(path), QByteArray("old"));
    }

    void fullDisk() {
        const QString path = at("kept.pdf");
        QVERIFY(writeFile(path, "old").hasValue());
        const QStringList before = entries();
        Status written;
        {
            const LimitedFiles full(4096);
            written = writeFile(path, QByteArray(1'000'000, 'x'));
        }
        QVERIFY(!written.hasValue());
        VERIFY_SAYS(textOf(written), "othing was changed");
        QCOMPARE(bytesOf(path), QByteArray("old"));
        QCOMPARE(entries(), before); // no temporary file is left
    }

    void fullDevice() {
        const QString path = qEnvironmentVariable("TRAINSCOPE_FULL_DISK");
        if (path.isEmpty())
            QSKIP("TRAINSCOPE_FULL_DISK names no folder on a small file system: not tried.");
        const Status written
            = writeFile(path + QStringLiteral("/x.pdf"), QByteArray(10'000'000, 'x'));
        QVERIFY(textOf(written).contains(QStringLiteral("disk is full")));
        QVERIFY(!QFile::exists(path + QStringLiteral("/x.pdf")));
    }

    void namesThatAreNoFiles() {
        QVERIFY(textOf(writeFile({}, "x")).contains(QStringLiteral("Choose a file")));
        QVERIFY(textOf(writeFile(m_folder.path(), "x")).contains(QStringLiteral("a folder")));
        QVERIFY(textOf(writeFile(at("none/x.pdf"), "x")).contains(QStringLiteral("create it")));
    }
};

TRAINSCOPE_TEST(tst_WriteFile)
#include "tst_WriteFile.moc"
