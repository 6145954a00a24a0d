#pragma once
// A small HTTP server on the loopback, in a thread of its own, whose answers are made by the test:
// slow ones, broken ones, wrong ones.

#include <QMap>
#include <QTcpServer>
#include <QTcpSocket>
#include <QThread>
#include <QTimer>
#include <QUrl>
#include <QUrlQuery>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct Asked {
    std::string path; // "api/v1/query"
    std::vector<std::pair<std::string, std::string>> parameters;
    QMap<QByteArray, QByteArray> headers; // names in lower case
};
struct Answered {
    int status = 200;
    QByteArray body;
    QByteArray headers; // more of them, each with \r\n
    int delayMs = 0;
    qsizetype breakAfter = -1; // bytes of the body; −1: whole
};

class FakeServer {
public:
    using Answer = std::function<Answered(const Asked&)>; // called in the server's thread

    explicit FakeServer(Answer answer)
        : m_answer(std::move(answer)) {
        m_server.moveToThread(&m_thread);
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] { take(); });
        m_thread.start();
        QMetaObject::invokeMethod(
            &m_server,
            [this] {
                m_server.listen(QHostAddress::LocalHost);
                m_port = m_server.serverPort();
            },
            Qt::BlockingQueuedConnection);
    }
    ~FakeServer() {
        QMetaObject::invokeMethod(
            &m_server,
            [this] {
                m_server.close();
                const auto sockets = m_server.findChildren<QTcpSocket*>();
                for (QTcpSocket* socket : sockets)
                    delete socket;
            },
            Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }
    [[nodiscard]] int count() const { return m_count; }

private:
    void take() {
        while (QTcpSocket* socket = m_server.nextPendingConnection()) {
            QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
            auto text = std::make_shared<QByteArray>();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, text] {
                text->append(socket->readAll());
                while (serve(*socket, *text)) { }
            });
        }
    }

    // Whether a whole request was there.
    bool serve(QTcpSocket& socket, QByteArray& text) {
        const auto end = text.indexOf("\r\n\r\n");
        if (end < 0)
            return false;
        Asked asked;
        const auto lines = text.left(end).split('\n');
        for (const QByteArray& line : lines.mid(1)) {
            const auto colon = line.indexOf(':');
            asked.headers[line.left(colon).trimmed().toLower()] = line.mid(colon + 1).trimmed();
        }
        const auto length = asked.headers.value("content-length", "0").toLongLong();
        if (text.size() < end + 4 + length)
            return false;
        const QUrl url(QString::fromLatin1(lines.first().split(' ').value(1)));
        QUrlQuery query(url.query(QUrl::FullyEncoded));
        if (length > 0)
            query = QUrlQuery(QString::fromLatin1(text.mid(end + 4, length)));
        asked.path = url.path().mid(1).toStdString();
        for (const auto& [name, value] : query.queryItems(QUrl::FullyDecoded))
            asked.parameters.emplace_back(name.toStdString(), value.toStdString());
        text.remove(0, end + 4 + length);
        ++m_count;
        const Answered answer = m_answer(asked);
        QTimer::singleShot(answer.delayMs, &socket, [&socket, answer] { write(socket, answer); });
        return true;
    }

    static void write(QTcpSocket& socket, const Answered& answer) {
        socket.write("HTTP/1.1 " + QByteArray::number(answer.status) + " X\r\nContent-Length: "
            + QByteArray::number(answer.body.size()) + "\r\n" + answer.headers + "\r\n");
        socket.write(answer.breakAfter < 0 ? answer.body : answer.body.left(answer.breakAfter));
        if (answer.breakAfter >= 0)
            socket.disconnectFromHost();
    }

    Answer m_answer;
    QThread m_thread;
    QTcpServer m_server;
    int m_port = 0;
    std::atomic<int> m_count = 0;
};

} // namespace trainscope::test
