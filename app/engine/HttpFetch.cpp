#include "app/engine/HttpFetch.h"

#include "app/engine/HttpThread.h"
#include "core/model/AsciiText.h"
#include "core/model/Import.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Secrets.h"
#include "core/model/Try.h"
#include "importers/common/Decompress.h"

#include <QHostAddress>
#include <QSslCertificate>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace trainscope::app {

namespace {

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
