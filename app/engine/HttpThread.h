#pragma once
// The thread that speaks HTTP: questions go in from any thread, what comes back lies in their
// states.

#include "core/model/Result.h"

#include <QByteArray>
#include <QList>
#include <QSslCertificate>
#include <QThread>
#include <QUrl>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

} // namespace trainscope::app
