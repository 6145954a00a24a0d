#pragma once
// Questions that another thread answers, to the open database, to the disk, or of any long work,
// and what is done with the answer here. GUI thread; questions must hold all that they need and
// touch nothing of the GUI. Work that must be done whoever waits for it, such as writing, is no
// question.

#include "app/viewmodels/workspace/ReaderPool.h"
#include "app/viewmodels/workspace/WorkProgress.h"
#include "core/model/Import.h"
#include "core/text/NumberMarks.h"

#include <QCoreApplication>
#include <QFuture>
#include <QThreadPool>
#include <QtConcurrentRun>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace trainscope::app {

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
