#pragma once
// A small HTTP server on the loopback, in a thread of its own, whose answers are made by the test:
// slow ones, broken ones, wrong ones.

#include <QFile>
#include <QMap>
#include <QProcess>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslServer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QThread>
#include <QTimer>
#include <QUrl>
#include <QUrlQuery>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
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

// A certificate that signs itself, for 127.0.0.1, made anew for each test.
struct OwnCertificate {
    OwnCertificate() {
        QProcess openssl;
        openssl.start(QStringLiteral("openssl"),
            {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                QStringLiteral("ec"), QStringLiteral("-pkeyopt"),
                QStringLiteral("ec_paramgen_curve:prime256v1"), QStringLiteral("-nodes"),
                QStringLiteral("-days"), QStringLiteral("1"), QStringLiteral("-subj"),
                QStringLiteral("/CN=engine"), QStringLiteral("-addext"),
                QStringLiteral("subjectAltName=IP:127.0.0.1"), QStringLiteral("-keyout"),
                folder.filePath(QStringLiteral("key.pem")), QStringLiteral("-out"), file()});
        isMade = openssl.waitForFinished() && openssl.exitCode() == 0;
    }
    [[nodiscard]] QString file() const { return folder.filePath(QStringLiteral("cert.pem")); }
    [[nodiscard]] QSslConfiguration configuration() const {
        QFile key(folder.filePath(QStringLiteral("key.pem")));
        QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
        if (key.open(QIODevice::ReadOnly))
            tls.setPrivateKey(QSslKey(&key, QSsl::Ec));
        tls.setLocalCertificateChain(QSslCertificate::fromPath(file()));
        return tls;
    }

    QTemporaryDir folder;
    bool isMade = false;
};

class FakeServer {
public:
    using Answer = std::function<Answered(const Asked&)>; // called in the server's thread

    // Without a certificate it speaks plainly.
    explicit FakeServer(Answer answer, const OwnCertificate* certificate = nullptr)
        : m_answer(std::move(answer))
        , m_isEncrypted(certificate != nullptr) {
        if (certificate != nullptr) {
            auto server = std::make_unique<QSslServer>();
            server->setSslConfiguration(certificate->configuration());
            m_listener = std::move(server);
        } else {
            m_listener = std::make_unique<QTcpServer>();
        }
        QTcpServer& server = *m_listener;
        server.moveToThread(&m_thread);
        QObject::connect(
            &server, &QTcpServer::pendingConnectionAvailable, &server, [this] { take(); });
        m_thread.start();
        QMetaObject::invokeMethod(
            &server,
            [this] {
                m_listener->listen(QHostAddress::LocalHost);
                m_port = m_listener->serverPort();
            },
            Qt::BlockingQueuedConnection);
    }
    ~FakeServer() {
        QMetaObject::invokeMethod(
            m_listener.get(),
            [this] {
                m_listener->close();
                // An encrypted socket holds one that goes with it.
                const auto sockets
                    = m_listener->findChildren<QTcpSocket*>(QString(), Qt::FindDirectChildrenOnly);
                for (QTcpSocket* socket : sockets)
                    delete socket;
            },
            Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    [[nodiscard]] std::string url() const {
        return (m_isEncrypted ? "https://127.0.0.1:" : "http://127.0.0.1:")
            + std::to_string(m_port);
    }
    [[nodiscard]] int count() const { return m_count; }
    // All that has come, as it came.
    [[nodiscard]] QByteArray bytes() const {
        const std::lock_guard lock(m_mutex);
        return m_bytes;
    }
    // Asks once itself, counted too: whoever connected before was read before.
    [[nodiscard]] bool isFirstHeard() const {
        const QByteArray request = "GET /first HTTP/1.1\r\n\r\n";
        QTcpSocket socket;
        socket.connectToHost(QHostAddress::LocalHost, static_cast<quint16>(m_port));
        socket.write(request);
        return socket.waitForReadyRead() && bytes() == request;
    }

private:
    void take() {
        while (QTcpSocket* socket = m_listener->nextPendingConnection()) {
            QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
            auto text = std::make_shared<QByteArray>();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, text] {
                const QByteArray come = socket->readAll();
                {
                    const std::lock_guard lock(m_mutex);
                    m_bytes.append(come);
                }
                text->append(come);
                while (serve(*socket, *text)) { }
            });
        }
    }

    // True when a whole request was there.
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
    bool m_isEncrypted;
    std::unique_ptr<QTcpServer> m_listener; // lives in the thread
    int m_port = 0;
    std::atomic<int> m_count = 0;
    mutable std::mutex m_mutex;
    QByteArray m_bytes;
};

} // namespace trainscope::test
