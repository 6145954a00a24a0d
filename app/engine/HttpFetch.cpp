#include "app/engine/HttpFetch.h"

#include "core/model/AsciiText.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Secrets.h"
#include "core/model/Try.h"
#include "importers/common/Decompress.h"

#include <QHostAddress>
#include <QNetworkAccessManager>
#include <QNetworkProxyFactory>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <QTimer>
#include <QUrlQuery>

#include <cstdlib>
#include <fstream>

namespace trainscope::app {

namespace {

// The proxy that the environment names (http_proxy, no_proxy); none for this machine itself.
class ProxyChoice final : public QNetworkProxyFactory {
public:
    explicit ProxyChoice(bool isOwnMachine)
        : m_isOwnMachine(isOwnMachine) { }
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override {
        return m_isOwnMachine ? QList{QNetworkProxy(QNetworkProxy::NoProxy)}
                              : systemProxyForQuery(query);
    }

private:
    bool m_isOwnMachine;
};

Error failureOf(const QNetworkReply& reply, const std::string& host) {
    const std::string said = reply.errorString().toStdString();
    switch (reply.error()) {
    case QNetworkReply::ConnectionRefusedError:
        return {ErrorCode::Unreadable,
            "Nothing answers at " + host + "; is the engine running, and is this its port?", {}};
    case QNetworkReply::HostNotFoundError:
        return {ErrorCode::Refused, "There is no host of the name in " + host + ".", {}};
    case QNetworkReply::SslHandshakeFailedError:
        return {ErrorCode::Refused,
            "The certificate of " + host + " is not trusted (" + said
                + "); give that of its authority (--ca FILE).",
            {}};
    case QNetworkReply::InsecureRedirectError:
    case QNetworkReply::TooManyRedirectsError:
        return {ErrorCode::Refused,
            host + " sends elsewhere ("
                + reply.attribute(QNetworkRequest::RedirectionTargetAttribute)
                      .toUrl()
                      .toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery)
                      .toStdString()
                + "), which is not followed; give the address that answers itself.",
            {}};
    default:
        return {ErrorCode::Unreadable, host + " broke off or did not answer (" + said + ").", {}};
    }
}

using importers::engine::Fetcher;
using importers::engine::HttpAnswer;
using importers::engine::HttpRequest;
using importers::engine::IsCancelled;
using importers::engine::PendingAnswer;

constexpr int kLongestUrl = 1800; // longer questions are posted
constexpr std::chrono::milliseconds kLook{50};

// Absent: it is too large.
Result<std::optional<std::string>> unpacked(const QByteArray& bytes, AnswerBytes& account) {
    const std::string_view packed(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    const auto kind = importers::compressionOf(packed.substr(0, 4));
    if (kind == importers::Compression::None)
        return std::optional(bytes.toStdString());
    ASSIGN_OR_RETURN(
        auto stream, importers::decompressed(kind, importers::memoryStream(packed), "the answer"));
    std::string text;
    std::array<std::byte, 65536> buffer{};
    while (true) {
        ASSIGN_OR_RETURN(const auto count, stream->read(buffer));
        if (count == 0)
            return std::optional(std::move(text));
        text.append(reinterpret_cast<const char*>(buffer.data()), count);
        if (!account.take(static_cast<std::int64_t>(packed.size() + text.size())))
            return std::optional<std::string>();
    }
}

class PendingHttp final : public PendingAnswer {
public:
    PendingHttp(HttpThread& thread, HttpQuestion question)
        : m_thread(thread)
        , m_state(std::make_shared<HttpState>()) {
        m_thread.send(std::move(question), m_state);
    }
    ~PendingHttp() override { m_thread.giveUp(m_state); }

    Result<HttpAnswer> wait(const IsCancelled& isCancelled) override {
        std::unique_lock lock(m_state->mutex);
        while (!m_state->isDone) {
            m_state->changed.wait_for(lock, kLook);
            lock.unlock();
            if (isCancelled && isCancelled())
                return cancelled();
            lock.lock();
        }
        if (m_state->error)
            return *m_state->error;
        HttpAnswer answer;
        answer.status = m_state->status;
        answer.retryAfterSeconds = m_state->retryAfterSeconds;
        const QByteArray body = std::exchange(m_state->body, {});
        answer.wireBytes = static_cast<std::uint64_t>(body.size());
        answer.isTooLarge = m_state->isTooLarge;
        if (!answer.isTooLarge) {
            ASSIGN_OR_RETURN(auto text, unpacked(body, m_state->bytes));
            answer.isTooLarge = !text;
            answer.body = std::move(text).value_or(std::string());
        }
        m_state->bytes.take(0);
        return answer;
    }

private:
    HttpThread& m_thread;
    std::shared_ptr<HttpState> m_state;
};

class HttpFetcher final : public Fetcher {
public:
    HttpFetcher(const importers::engine::Address& address, HttpSettings settings)
        : m_base(QString::fromStdString(address.url) + QLatin1Char('/'))
        , m_thread(std::move(settings)) { }

    std::unique_ptr<PendingAnswer> ask(HttpRequest request) override {
        QUrlQuery query;
        for (const auto& [name, value] : request.parameters) {
            query.addQueryItem(
                QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(name))),
                QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(value))));
        }
        HttpQuestion question;
        question.url = m_base.resolved(QUrl(QString::fromStdString(request.path)));
        const QString text = query.query(QUrl::FullyEncoded);
        if (text.size() > kLongestUrl)
            question.form = text.toLatin1();
        else
            question.url.setQuery(text, QUrl::StrictMode);
        return std::make_unique<PendingHttp>(m_thread, std::move(question));
    }

private:
    QUrl m_base;
    HttpThread m_thread;
};

bool isOwnMachine(const QString& host) {
    return host == QLatin1String("localhost") || QHostAddress(host).isLoopback();
}

Result<std::string> firstLine(const std::string& path, const char* variable) {
    if (path.empty()) {
        const char* value = std::getenv(variable);
        return std::string(value == nullptr ? "" : trimmed(value));
    }
    assertMayBlock("reads a file of a log-in");
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || trimmed(line).empty())
        return Error{ErrorCode::Usage,
            "The file cannot be read or is empty; its first line is what is sent.", path};
    return std::string(trimmed(line));
}

Result<QList<QSslCertificate>> certificatesOf(const std::string& path) {
    if (path.empty())
        return QList<QSslCertificate>();
    assertMayBlock("reads certificates");
    const auto found = QSslCertificate::fromPath(
        QString::fromStdString(path), QSsl::Pem, QSslCertificate::PatternSyntax::FixedString);
    if (found.isEmpty())
        return Error{ErrorCode::Usage,
            "There are no certificates in this file; expected is one in PEM form.", path};
    return found;
}

} // namespace

class HttpWorker : public QObject {
public:
    explicit HttpWorker(HttpSettings settings)
        : m_settings(std::move(settings)) { }

    void send(const HttpQuestion& question, const std::shared_ptr<HttpState>& state) {
        if (isGivenUp(*state))
            return;
        QNetworkReply* reply = question.form.isEmpty()
            ? manager().get(requestFor(question))
            : manager().post(requestFor(question), question.form);
        m_replies[state.get()] = reply;
        auto* connecting = new QTimer(reply);
        connecting->setSingleShot(true);
        connecting->start(m_settings.connectTime);
        const auto stop = [connecting] { connecting->stop(); };
        connect(reply, &QNetworkReply::requestSent, connecting, stop);
        connect(reply, &QNetworkReply::metaDataChanged, connecting, stop);
        connect(connecting, &QTimer::timeout, reply, [this, reply, state] {
            fail(state,
                {ErrorCode::Unreadable,
                    "No connection to " + m_settings.host + " within "
                        + std::to_string(m_settings.connectTime.count() / 1000) + " s.",
                    {}});
            reply->abort();
        });
        connect(reply, &QNetworkReply::downloadProgress, reply, [reply, state](qint64 received) {
            if (state->bytes.take(received))
                return;
            refuse(state);
            reply->abort();
        });
        connect(reply, &QNetworkReply::finished, this, [this, reply, state] {
            m_replies.erase(state.get());
            take(*reply, state);
            reply->deleteLater();
        });
    }

    void giveUp(const HttpState* state) {
        if (const auto at = m_replies.find(state); at != m_replies.end())
            at->second->abort();
    }

    void giveUpAll() {
        while (!m_replies.empty())
            m_replies.begin()->second->abort();
        delete m_manager;
        m_manager = nullptr;
    }

private:
    static bool isGivenUp(HttpState& state) {
        const std::lock_guard lock(state.mutex);
        return state.isGivenUp;
    }

    QNetworkAccessManager& manager() {
        if (m_manager == nullptr) {
            m_manager = new QNetworkAccessManager(this);
            m_manager->setProxyFactory(new ProxyChoice(m_settings.isOwnMachine));
            m_manager->setRedirectPolicy(QNetworkRequest::SameOriginRedirectPolicy);
        }
        return *m_manager;
    }

    [[nodiscard]] QNetworkRequest requestFor(const HttpQuestion& question) const {
        QNetworkRequest request(question.url);
        request.setRawHeader("Accept-Encoding", "gzip");
        request.setRawHeader("User-Agent", "trainscope");
        if (!question.form.isEmpty())
            request.setHeader(QNetworkRequest::ContentTypeHeader,
                QStringLiteral("application/x-www-form-urlencoded"));
        for (const auto& [name, value] : m_settings.headers)
            request.setRawHeader(name, value);
        request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
        request.setAttribute(
            QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
        request.setTransferTimeout(static_cast<int>(m_settings.silence.count()));
        if (!m_settings.certificates.isEmpty()) {
            QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
            tls.setCaCertificates(tls.caCertificates() + m_settings.certificates);
            request.setSslConfiguration(tls);
        }
        return request;
    }

    static void refuse(const std::shared_ptr<HttpState>& state) {
        const std::lock_guard lock(state->mutex);
        state->isTooLarge = true;
        state->isDone = true;
        state->changed.notify_all();
    }

    // The first thing that is said of a question counts.
    static void fail(const std::shared_ptr<HttpState>& state, const Error& error) {
        const std::lock_guard lock(state->mutex);
        if (state->isDone)
            return;
        state->error = error;
        state->isDone = true;
        state->changed.notify_all();
    }

    void take(QNetworkReply& reply, const std::shared_ptr<HttpState>& state) const {
        const int status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        // From this status on an error of Qt's is the server's answer, not a failure to get one.
        constexpr int firstComplaint = 400;
        constexpr int firstOfNone = 600;
        const bool isComplaint = status >= firstComplaint && status < firstOfNone;
        if (reply.error() != QNetworkReply::NoError && !isComplaint)
            return fail(state, failureOf(reply, m_settings.host));
        QByteArray body = reply.readAll();
        const std::lock_guard lock(state->mutex);
        if (state->isDone)
            return;
        state->status = status;
        state->retryAfterSeconds = reply.rawHeader("Retry-After").toInt();
        state->body = std::move(body);
        state->isDone = true;
        state->changed.notify_all();
    }

    HttpSettings m_settings;
    QNetworkAccessManager* m_manager = nullptr;
    std::map<const HttpState*, QNetworkReply*> m_replies;
};

HttpThread::HttpThread(HttpSettings settings)
    : m_worker(new HttpWorker(std::move(settings))) {
    m_worker->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

HttpThread::~HttpThread() {
    assertMayBlock("waits for the thread that speaks HTTP");
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker] { worker->giveUpAll(); }, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void HttpThread::send(HttpQuestion question, std::shared_ptr<HttpState> state) {
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, question = std::move(question), state = std::move(state)] {
            worker->send(question, state);
        });
}

void HttpThread::giveUp(const std::shared_ptr<HttpState>& state) {
    {
        const std::lock_guard lock(state->mutex);
        state->isGivenUp = true;
        if (state->isDone)
            return;
    }
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, state] { worker->giveUp(state.get()); });
}

Status addHeader(EngineAccess& access, std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view name = trimmed(text.substr(0, colon));
    const std::string_view value
        = colon == std::string_view::npos ? std::string_view() : trimmed(text.substr(colon + 1));
    RETURN_IF_ERROR(importers::engine::checkHeader(name, value));
    if (equalsIgnoringCase(name, importers::engine::kTenantHeader))
        access.tenant = value;
    else
        access.headers.emplace_back(name, value);
    return {};
}

Result<std::unique_ptr<Fetcher>> openEngine(
    const importers::engine::Address& named, const EngineAccess& access) {
    // Nothing else goes into a request, wherever it comes from.
    ASSIGN_OR_RETURN(const auto address, importers::engine::addressFrom(named.url));
    const QUrl url(QString::fromStdString(address.url));
    auto headers = access.headers;
    if (!access.token.empty())
        headers.emplace_back("Authorization", "Bearer " + access.token);
    else if (!access.user.empty())
        headers.emplace_back("Authorization",
            "Basic "
                + QByteArray::fromStdString(access.user + ":" + access.password)
                      .toBase64()
                      .toStdString());
    const bool hasSecret = std::ranges::any_of(
        headers, [](const auto& header) { return isSecret(header.first, {}); });
    if (hasSecret && !address.isEncrypted() && !isOwnMachine(url.host())) {
        return Error{ErrorCode::Refused,
            "A token or password would travel unencrypted over the network to " + address.host()
                + "; use prom+https://, or a tunnel to this machine (ssh -L).",
            {}};
    }
    if (!access.tenant.empty())
        headers.emplace_back(importers::engine::kTenantHeader, access.tenant);
    HttpSettings settings;
    for (const auto& [name, value] : headers) {
        RETURN_IF_ERROR(importers::engine::checkHeader(name, value));
        settings.headers.emplace_back(
            QByteArray::fromStdString(name), QByteArray::fromStdString(value));
    }
    ASSIGN_OR_RETURN(settings.certificates, certificatesOf(access.caFile));
    settings.connectTime = access.connectTime;
    settings.silence = access.silence;
    settings.host = address.host();
    settings.isOwnMachine = isOwnMachine(url.host());
    return std::unique_ptr<Fetcher>(std::make_unique<HttpFetcher>(address, std::move(settings)));
}

Result<EngineAccess> accessFrom(const AccessFiles& files) {
    EngineAccess access;
    access.user = files.user;
    access.caFile = files.caFile;
    const char* lines = std::getenv("TRAINSCOPE_ENGINE_HEADERS");
    for (const std::string_view line : words(lines == nullptr ? "" : lines, "\n")) {
        if (!trimmed(line).empty())
            RETURN_IF_ERROR(addHeader(access, line));
    }
    for (const std::string& header : files.headers)
        RETURN_IF_ERROR(addHeader(access, header));
    if (!files.tenant.empty())
        RETURN_IF_ERROR(
            addHeader(access, std::string(importers::engine::kTenantHeader) + ":" + files.tenant));
    if (files.user.empty()) {
        ASSIGN_OR_RETURN(access.token, firstLine(files.tokenFile, "TRAINSCOPE_ENGINE_TOKEN"));
    } else {
        ASSIGN_OR_RETURN(
            access.password, firstLine(files.passwordFile, "TRAINSCOPE_ENGINE_PASSWORD"));
    }
    return access;
}

} // namespace trainscope::app
