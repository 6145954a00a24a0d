#pragma once
// The thread that speaks HTTP: questions go in from any thread, what comes back lies in their
// states.

#include "core/model/Result.h"

#include <QByteArray>
#include <QList>
#include <QSslCertificate>
#include <QThread>
#include <QUrl>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {

class HttpWorker;

struct HttpSettings {
    QByteArray authorization; // empty: none
    std::vector<std::pair<QByteArray, QByteArray>> headers; // more of them
    QList<QSslCertificate> certificates; // beside the system's
    std::chrono::milliseconds connectTime{};
    std::chrono::milliseconds silence{};
    qint64 mostBytes = 0;
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
    std::optional<Error> error;
    int status = 0;
    int retryAfterSeconds = 0;
    QByteArray body; // as it came
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
