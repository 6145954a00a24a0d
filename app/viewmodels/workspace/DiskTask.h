#pragma once
// A question to the disk that is asked again and again, such as whether a file is there. It runs on
// another thread, one at a time; of those that are asked meanwhile the newest follows, and only the
// newest is answered. GUI thread.

#include "core/text/NumberMarks.h"

#include <QFutureWatcher>
#include <QThreadPool>
#include <QtConcurrentRun>

#include <functional>
#include <utility>

namespace trainscope::app {

// Threads of their own: a disk that does not answer holds up no other work, and no work them.
inline QThreadPool& diskThreads() {
    static QThreadPool pool;
    return pool;
}

template <typename T>
class DiskTask {
public:
    using Question = std::function<T()>;
    using Done = std::function<void(const T&)>;

    DiskTask() {
        QObject::connect(&m_watcher, &QFutureWatcherBase::finished, &m_watcher, [this] { take(); });
    }

    // `question` must hold all that it needs.
    void ask(Question question, Done done) {
        m_question = std::move(question);
        m_done = std::move(done);
        if (!m_watcher.isRunning())
            run();
    }
    // Nothing comes of what was asked.
    void cancel() {
        m_question = {};
        m_done = {};
    }

private:
    void run() {
        m_watcher.setFuture(
            QtConcurrent::run(&diskThreads(), [question = std::exchange(m_question, {})] {
                const text::WordingFor screen(text::Medium::Screen);
                return question();
            }));
    }
    void take() {
        if (m_question)
            return run();
        if (const auto done = std::exchange(m_done, {}))
            done(m_watcher.result());
    }

    QFutureWatcher<T> m_watcher;
    Question m_question; // that waits
    Done m_done; // of the newest
};

} // namespace trainscope::app
