#pragma once
// HTTP by Qt Network for importers/engine: one thread of its own speaks with the engine, whoever
// asks waits elsewhere: questions go in from any thread, what comes back lies in their states.
// Redirects are followed within the same host and port and nowhere else, so that a token never goes
// to a stranger; proxies are those of the system's settings, none for the own machine. Needs a
// QCoreApplication.

#include "importers/engine/Asking.h"

#include <QByteArray>
#include <QList>
#include <QSslCertificate>
#include <QThread>
#include <QUrl>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace trainscope::app {

class HttpWorker;

// Memory that an answer takes, as it came and unpacked, until it is handed over. All answers of the
// program together have a bound. Any thread.
class AnswerBytes {
public:
    static constexpr std::int64_t kMostOfOne = std::int64_t{256} << 20;
    static constexpr std::int64_t kMostOfAll = 2 * kMostOfOne;

    ~AnswerBytes() { take(0); }
    // So many from now on; false where that is too much.
    bool take(std::int64_t bytes) {
        const std::int64_t more = bytes - m_own.exchange(bytes);
        return s_all.fetch_add(more) + more <= kMostOfAll && bytes <= kMostOfOne;
    }

private:
    inline static std::atomic<std::int64_t> s_all = 0;
    std::atomic<std::int64_t> m_own = 0;
};

struct HttpSettings {
    std::vector<std::pair<QByteArray, QByteArray>> headers; // already checked
    QList<QSslCertificate> certificates; // beside the system's
    std::chrono::milliseconds connectTime{};
    std::chrono::milliseconds silence{};
    std::string host; // for messages
    bool isOwnMachine = false; // no proxy
};

struct HttpQuestion {
    QUrl url;
    QByteArray form; // posted; empty: a GET
};

struct HttpState {
    std::mutex mutex;
    std::condition_variable changed;
    bool isDone = false;
    bool isGivenUp = false;
    bool isTooLarge = false;
    std::optional<Error> error;
    int status = 0;
    int retryAfterSeconds = 0;
    QByteArray body; // as it came
    AnswerBytes bytes;
};

class HttpThread {
public:
    explicit HttpThread(HttpSettings settings);
    // Gives up what is under way.
    ~HttpThread();
    HttpThread(const HttpThread&) = delete;
    HttpThread& operator=(const HttpThread&) = delete;

    // Any thread.
    void send(HttpQuestion question, std::shared_ptr<HttpState> state);
    void giveUp(const std::shared_ptr<HttpState>& state);

private:
    QThread m_thread;
    HttpWorker* m_worker; // lives in the thread
};

// Credentials for an engine; kept in memory only.
struct EngineAccess {
    std::string token; // bearer; empty: none
    std::string user; // basic; empty: none
    std::string password;
    std::string caFile; // PEM, trusted beside the system's; empty: those alone
    std::string tenant; // X-Scope-OrgID of Mimir and its relatives; empty: none
    std::vector<std::pair<std::string, std::string>> headers; // more of them
    std::chrono::milliseconds connectTime{10'000};
    std::chrono::milliseconds silence{120'000}; // without a byte
    bool operator==(const EngineAccess&) const = default;
};

// Usage for an address, tenant, token or header that checks of importers/engine/Asking.h refuse or
// for a file of certificates that holds none; Refused for a token or password that would travel
// unencrypted to another machine.
Result<std::unique_ptr<importers::engine::Fetcher>> openEngine(
    const importers::engine::Address& address, const EngineAccess& access);

// "NAME: VALUE" or "NAME:VALUE" becomes one of the headers, X-Scope-OrgID the tenant. Usage for
// anything else, and for headers that are HTTP's own.
Status addHeader(EngineAccess& access, std::string_view text);

// From files and the environment (TRAINSCOPE_ENGINE_TOKEN, TRAINSCOPE_ENGINE_PASSWORD), where
// nothing is in the file system: the first line of each. Headers also from each line of
// TRAINSCOPE_ENGINE_HEADERS.
struct AccessFiles {
    std::string tokenFile;
    std::string user;
    std::string passwordFile;
    std::string caFile;
    std::string tenant;
    std::vector<std::string> headers;
    bool operator==(const AccessFiles&) const = default;
};
Result<EngineAccess> accessFrom(const AccessFiles& files);

} // namespace trainscope::app
