#include "app/engine/HttpThread.h"

#include "core/model/InteractiveThread.h"

#include <QNetworkAccessManager>
#include <QNetworkProxyFactory>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <QTimer>

#include <map>

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

} // namespace trainscope::app
