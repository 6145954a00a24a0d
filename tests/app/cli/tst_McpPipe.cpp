// `mcp` as a program between pipes: answers in order, cancelled and long questions, lines without
// an end, and a reader that goes away.

#include "app/cli/support/Agent.h"
#include "app/cli/support/RunCli.h"
#include "support/TestProgram.h"

#include <QImage>
#include <QProcess>

using namespace trainscope::test;

namespace {

QByteArray line(const json& id, const std::string& method, const json& params = json::object()) {
    json message{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
    if (!id.is_null())
        message["id"] = id;
    return QByteArray::fromStdString(message.dump()) + '\n';
}
QByteArray initialize() {
    return line(0, "initialize", {{"protocolVersion", "2025-06-18"}});
}
QByteArray endless(const json& id) {
    return line(id, "tools/call", {{"name", "sql"}, {"arguments", {{"sql", kEndless}}}});
}

QString program() {
    return QString::fromUtf8(qgetenv("TRAINSCOPE_BINARY") + "/bin/trainscope-cli");
}

class Served {
public:
    explicit Served(const QStringList& arguments) {
        m_process.start(program(), QStringList{QStringLiteral("mcp")} + arguments);
    }
    void say(const QByteArray& lines) {
        m_process.write(lines);
        while (m_process.bytesToWrite() > 0 && m_process.waitForBytesWritten(-1)) { }
    }
    json next() {
        while (!m_process.canReadLine() && m_process.waitForReadyRead(-1)) { }
        return json::parse(m_process.readLine().toStdString(), nullptr, false);
    }
    // The status after the last line.
    int end() {
        m_process.closeWriteChannel();
        return m_process.waitForFinished(-1) && m_process.exitStatus() == QProcess::NormalExit
            ? m_process.exitCode()
            : -1;
    }
    QByteArray rest() { return m_process.readAllStandardOutput(); }
    long peakKib() const {
        QFile status(QStringLiteral("/proc/%1/status").arg(m_process.processId()));
        const bool isOpen = status.open(QIODevice::ReadOnly);
        for (const QByteArray& one : status.readAll().split('\n')) {
            if (isOpen && one.startsWith("VmHWM:"))
                return one.mid(6).trimmed().split(' ').front().toLong();
        }
        return -1;
    }

private:
    QProcess m_process;
};

} // namespace

class tst_McpPipe : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_database;

private Q_SLOTS:
    void initTestCase() {
        m_database = m_folder.filePath(QStringLiteral("one.trainscope"));
        const std::string log = pathIn(m_folder, "log.csv");
        QVERIFY(writeContent(log,
            "timestamp, index, power.draw [W]\n2026/01/31 12:00:00.000, 0, 200.00 W\n2026/01/31 "
            "12:00:01.000, 0, 200.00 W\n"));
        QVERIFY(succeeds({"import", log, "--into", m_database.toStdString(), "--name", "job"}));
    }

    void answersInOrderUntilTheEnd() {
        Served served({m_database});
        QByteArray all = initialize();
        for (int id = 1; id <= 50; ++id)
            all += line(id, id % 5 == 0 ? "tools/list" : "ping");
        all += line("last", "tools/call", {{"name", "runs"}}).chopped(1); // without a line's end
        served.say(all);
        QCOMPARE(served.end(), 0);
        const auto lines = served.rest().trimmed().split('\n');
        QCOMPARE(lines.size(), 52);
        for (int id = 0; id <= 50; ++id)
            QCOMPARE(json::parse(lines[id].toStdString())["id"], id);
        QVERIFY(lines.back().contains("job"));
    }

    // A cancelled question is not answered, also where it is cancelled before it is begun.
    void cancelled() {
        Served served({m_database, QStringLiteral("--longest"), QStringLiteral("100000")});
        const auto cancel = [](const json& id) {
            return line(nullptr, "notifications/cancelled", {{"requestId", id}});
        };
        served.say(initialize() + endless(1));
        QCOMPARE(served.next()["id"], 0);
        served.say(cancel(1) + endless("two") + cancel("two") + line(3, "ping"));
        QCOMPARE(served.next()["id"], 3);
        QCOMPARE(served.end(), 0);
        QVERIFY(served.rest().isEmpty());
    }

    void longQuestions() {
        Served served({m_database, QStringLiteral("--longest"), QStringLiteral("0.1")});
        served.say(initialize() + endless(1));
        served.next();
        const json result = served.next()["result"];
        QCOMPARE(result["isError"], true);
        VERIFY_SAYS(result["content"][0]["text"].get<std::string>(), "too long");
        QCOMPARE(served.end(), 0);
    }

    void aFigureIsAPicture() {
        Served served({m_database});
        served.say(initialize() + line(1, "tools/call", {{"name", "figure"}})
            + line(2, "tools/call",
                {{"name", "figure"}, {"arguments", {{"kind", "kernels"}, {"run", "job"}}}}));
        served.next();
        const json picture = served.next()["result"]["content"][0];
        QCOMPARE(picture["type"], "image");
        QCOMPARE(picture["mimeType"], "image/png");
        const auto bytes
            = QByteArray::fromBase64(QByteArray::fromStdString(picture["data"].get<std::string>()));
        const QImage image = QImage::fromData(bytes, "PNG");
        QCOMPARE(image.width(), 1417); // 120 mm at 300 dots an inch
        const json none = served.next()["result"]; // the run has no traces
        QCOMPARE(none["isError"], true);
        QCOMPARE(none["content"][0]["type"], "text");
        QCOMPARE(served.end(), 0);
    }

    void aLineWithoutEnd() {
        Served served({m_database});
        served.say(initialize());
        served.next();
        const long before = served.peakKib();
        QVERIFY(before > 0);
        for (int i = 0; i < 64; ++i)
            served.say(QByteArray(1 << 20, '['));
        served.say("\n" + line(1, "ping"));
        QCOMPARE(served.next()["error"]["code"], -32600);
        QCOMPARE(served.next()["id"], 1);
        QVERIFY(served.peakKib() - before < 16 * 1024);
        QCOMPARE(served.end(), 0);
    }

    void aReaderThatGoesAway() {
        QProcess shell;
        shell.start(QStringLiteral("/bin/bash"),
            {QStringLiteral("-c"),
                QStringLiteral(
                    "yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | \"$0\" mcp \"$1\" "
                    "| head -n 3"),
                program(), m_database});
        QVERIFY(shell.waitForFinished(-1));
        QCOMPARE(shell.readAllStandardOutput().count('\n'), 3);
    }

    void wrongUse() {
        QCOMPARE(runCli({"mcp", m_database.toStdString(), "--longest", "0"}).status, 2);
        QCOMPARE(runCli({"mcp", "one.trainscope", "two.trainscope"}).status, 2);
    }
};

TRAINSCOPE_TEST(tst_McpPipe)
#include "tst_McpPipe.moc"
