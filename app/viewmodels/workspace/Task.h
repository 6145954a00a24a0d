#pragma once
// Questions that another thread answers, to the open database, to the disk, or of any long work,
// and what is done with the answer here. GUI thread; questions must hold all that they need and
// touch nothing of the GUI. Work that must be done whoever waits for it, such as writing, is no
// question.

#include "core/store/Store.h"
#include "core/text/NumberMarks.h"

#include <QCoreApplication>
#include <QFuture>
#include <QObject>
#include <QQmlEngine>
#include <QString>
#include <QThreadPool>
#include <QtConcurrentRun>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace trainscope::app {

// Progress of a job, 0..1; −1: not known.
inline double fractionOf(const ProgressState& state) {
    if (state.bytesTotal == 0)
        return -1.0;
    return static_cast<double>(state.bytesDone) / static_cast<double>(state.bytesTotal);
}

struct WorkProgress {
    Q_GADGET
    QML_VALUE_TYPE(workProgress)
    Q_PROPERTY(QString text MEMBER text CONSTANT FINAL)
    Q_PROPERTY(double fraction MEMBER fraction CONSTANT FINAL)

public:
    QString text; // phase; may name a file
    double fraction = -1.0; // 0..1; below 0: not known
};

enum class Urgency {
    Pointer, // follows the pointer or the window
    View, // fills an open view
    Background, // nobody waits for it
};

// The reader threads of a workspace. Each keeps one read-only Store of the open database, so that
// the GUI thread never waits for the disk. More urgent jobs go first, and the less urgent never
// take all threads. All members are for the GUI thread where nothing else is said; jobs run on the
// pool's threads and must not touch objects of the GUI.
class ReaderPool : public QObject {
    Q_OBJECT

public:
    static constexpr int kThreads = 6;
    using Job = std::function<void(const Result<store::Store>&)>;

    // A database as jobs see it. Another opening of the same file is another one.
    struct Database {
        std::filesystem::path path;
        std::int64_t opening = 0;
    };

    explicit ReaderPool(QObject* parent = nullptr);
    // Waits for the jobs under way; those that have not begun are dropped.
    ~ReaderPool() override;

    // A database to look at before it becomes the open one.
    [[nodiscard]] Database candidate(const std::filesystem::path& path) {
        return {path, ++m_openings};
    }
    // Jobs posted from now on read this one. An empty path means none is open: jobs get an error.
    void use(const Database& database);
    void setDatabase(const std::filesystem::path& path) { use(candidate(path)); }
    [[nodiscard]] const Database& database() const { return m_database; }

    void post(Urgency urgency, Database database, Job job);
    // Runs `call` on the GUI thread, unless the pool is gone by then. Thread-safe.
    void reply(std::function<void()> call) {
        QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
    }
    // The pool is being destroyed. Thread-safe.
    [[nodiscard]] bool isStopping() const { return m_isStopping; }

private:
    static constexpr std::size_t kUrgencies = 3;
    struct Posted {
        Database database;
        Job job;
    };
    struct Connection {
        std::int64_t opening = -1;
        std::optional<Result<store::Store>> store;
    };

    void work();
    void run(Connection& connection, const Posted& posted) const;
    [[nodiscard]] std::optional<std::size_t> nextQueue() const;

    Database m_database;
    std::int64_t m_openings = 0;
    std::atomic<bool> m_isStopping = false;
    // The members below are shared with the threads.
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::array<std::deque<Posted>, kUrgencies> m_waiting;
    std::array<int, kUrgencies> m_running{};
    std::int64_t m_jobs = 0; // jobs begun so far
    bool m_hasLitter = false; // memory that they freed
    std::int64_t m_opening = 0; // number of the open database
    std::vector<std::thread> m_threads;
};

// Threads of their own: a disk that does not answer holds up no other work, and no work them.
inline QThreadPool& diskThreads() {
    static QThreadPool pool;
    return pool;
}

// Ten times a second at most.
class TaskPace {
public:
    bool isDue() {
        const auto now = Clock::now();
        if (now - m_last < std::chrono::milliseconds(100))
            return false;
        m_last = now;
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_last;
};

// A running job's view of its task: is somebody still waiting, and where do results go.
template <typename T>
class TaskStage {
public:
    using Reply = std::function<void(std::function<void()>)>; // calls on the GUI thread

    TaskStage(std::function<bool()> isCancelled, std::function<void(Result<T>)> publish, Reply tell)
        : m_isCancelled(std::move(isCancelled))
        , m_publish(std::move(publish))
        , m_tell(std::move(tell)) { }
    // Nobody waits any more, or the task was asked to stop.
    [[nodiscard]] bool isCancelled() const { return m_isCancelled(); }
    [[nodiscard]] const std::function<bool()>& cancelCheck() const { return m_isCancelled; }
    // Ends work that is cancelled.
    [[nodiscard]] Progress progress() const {
        return [isCancelled = m_isCancelled](const ProgressState&) { return !isCancelled(); };
    }
    // The same, with ten reports a second at most. `report` takes a ProgressState.
    template <typename Report>
    [[nodiscard]] Progress progress(Report report) const {
        return [isCancelled = m_isCancelled, report, pace = TaskPace()](
                   const ProgressState& state) mutable {
            if (pace.isDue())
                report(state);
            return !isCancelled();
        };
    }
    // The same, told on the GUI thread.
    [[nodiscard]] Progress telling(std::function<void(double fraction)> told) const {
        return progress([stage = *this, told = std::move(told)](const ProgressState& state) {
            stage.tell([told, fraction = fractionOf(state)] { told(fraction); });
        });
    }
    // Calls it on the GUI thread, if somebody waits then.
    void tell(std::function<void()> call) const { m_tell(std::move(call)); }
    // May be called several times: coarse first, exact later.
    void publish(Result<T> result) const { m_publish(std::move(result)); }

private:
    std::function<bool()> m_isCancelled;
    std::function<void(Result<T>)> m_publish;
    Reply m_tell;
};

// Answers that a task gives where it is asked again before it has answered.
enum class Asking {
    Latest, // the newest starts at once; the one under way is cancelled and never answered
    Steady, // one at a time, and the newest follows, so that answers keep coming; an error ends
            // what waits
    InTurn, // one at a time, since it cannot be hurried, and only the newest is answered
};

template <typename T>
class Task {
public:
    using Job = std::function<void(const store::Store&, const TaskStage<T>&)>;
    using Question = std::function<Result<T>(const store::Store&, const TaskStage<T>&)>;
    using Work = std::function<Result<T>(const TaskStage<T>&)>;
    using Done = std::function<void(Result<T>)>;

    explicit Task(Urgency urgency = Urgency::View, Asking asking = Asking::Latest)
        : m_urgency(urgency)
        , m_asking(asking) { }
    explicit Task(Asking asking)
        : m_asking(asking) { }
    ~Task() { forget(); }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    // A job that may publish several answers.
    void start(ReaderPool& pool, Job job, Done done) {
        start(pool, pool.database(), std::move(job), std::move(done));
    }
    void start(ReaderPool& pool, const ReaderPool::Database& database, Job job, Done done);
    // A question with one answer.
    void ask(ReaderPool& pool, Question question, Done done) {
        ask(pool, pool.database(), std::move(question), std::move(done));
    }
    void ask(ReaderPool& pool, const ReaderPool::Database& database, Question question, Done done) {
        start(
            pool, database,
            [question = std::move(question)](const store::Store& store, const TaskStage<T>& stage) {
                stage.publish(question(store, stage));
            },
            std::move(done));
    }
    // The same without a database.
    void ask(QThreadPool& threads, Work work, Done done);

    // Asks the job under way to end, whose answer is still given.
    void stop() {
        if (m_run)
            m_run->isStopped = true;
    }
    // Nothing comes of what was asked.
    void cancel() {
        m_next = {};
        if (m_asking == Asking::InTurn) {
            m_isDropped = m_isRunning;
            return;
        }
        forget();
        m_isRunning = false;
    }
    [[nodiscard]] bool isRunning() const { return m_isRunning; }
    // Ends with the work that was last given to threads without a database.
    [[nodiscard]] QFuture<void> ending() const { return m_ending; }

private:
    // The GUI thread tells the thread of one asking by these.
    struct Run {
        std::atomic<bool> isForgotten = false;
        std::atomic<bool> isStopped = false;
    };
    using RunPtr = std::shared_ptr<Run>;
    using Start = std::function<void(const RunPtr&)>;

    void begin(Start start) {
        if (m_asking != Asking::Latest && m_isRunning) {
            m_next = std::move(start);
            m_isDropped = m_asking == Asking::InTurn;
            return;
        }
        forget();
        run(start);
    }
    void run(const Start& start) {
        m_run = std::make_shared<Run>();
        m_isRunning = true;
        m_isDropped = false;
        start(m_run);
    }
    void forget() {
        if (m_run)
            m_run->isForgotten = true;
    }
    TaskStage<T> stageOf(const RunPtr& run, std::function<bool()> isOver,
        const typename TaskStage<T>::Reply& reply, Done done);
    void take(Result<T> result, const Done& done);

    Urgency m_urgency = Urgency::View;
    Asking m_asking = Asking::Latest;
    RunPtr m_run; // the last
    bool m_isRunning = false;
    bool m_isDropped = false; // the answer of the one under way
    Start m_next;
    QFuture<void> m_ending;
};

template <typename T>
TaskStage<T> Task<T>::stageOf(const RunPtr& run, std::function<bool()> isOver,
    const typename TaskStage<T>::Reply& reply, Done done) {
    auto tell = [run, reply](std::function<void()> call) {
        reply([run, call = std::move(call)] {
            if (!run->isForgotten)
                call();
        });
    };
    auto publish = [this, tell, done = std::move(done)](Result<T> result) {
        auto shared = std::make_shared<Result<T>>(std::move(result));
        tell([this, done, shared] { take(std::move(*shared), done); });
    };
    auto isCancelled = [run, isOver = std::move(isOver)] {
        return run->isForgotten || run->isStopped || isOver();
    };
    return {std::move(isCancelled), std::move(publish), std::move(tell)};
}

template <typename T>
void Task<T>::take(Result<T> result, const Done& done) {
    const RunPtr run = m_run;
    m_isRunning = false;
    const Start next = std::exchange(m_next, {});
    const bool goesOn = next && (m_asking == Asking::InTurn || result.hasValue());
    if (!std::exchange(m_isDropped, false))
        done(std::move(result));
    // It may have asked again, or ended this task.
    if (!run->isForgotten && goesOn && !m_isRunning)
        this->run(next);
}

template <typename T>
void Task<T>::start(ReaderPool& pool, const ReaderPool::Database& database, Job job, Done done) {
    begin([this, pool = &pool, database, job = std::move(job), done = std::move(done)](
              const RunPtr& run) {
        const auto reply = [pool](std::function<void()> call) { pool->reply(std::move(call)); };
        const auto stage = stageOf(
            run, [pool] { return pool->isStopping(); }, reply, done);
        pool->post(m_urgency, database, [pool, run, job, stage](const Result<store::Store>& store) {
            if (run->isForgotten || pool->isStopping())
                return;
            if (!store.hasValue())
                return stage.publish(store.error());
            job(store.value(), stage);
        });
    });
}

template <typename T>
void Task<T>::ask(QThreadPool& threads, Work work, Done done) {
    begin([this, threads = &threads, work = std::move(work), done = std::move(done)](
              const RunPtr& run) {
        const auto reply = [](std::function<void()> call) {
            if (auto* application = QCoreApplication::instance())
                QMetaObject::invokeMethod(application, std::move(call), Qt::QueuedConnection);
        };
        const auto stage = stageOf(
            run, [] { return false; }, reply, done);
        m_ending = QtConcurrent::run(threads, [run, work, stage] {
            const text::WordingFor screen(text::Medium::Screen);
            if (!run->isForgotten)
                stage.publish(work(stage));
        });
    });
}

} // namespace trainscope::app
