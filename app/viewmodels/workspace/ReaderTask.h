#pragma once
// Questions to the open database: a job for a reader thread, and what is done with its result on
// the GUI thread. A late result never replaces a newer one. GUI thread.

#include "app/viewmodels/workspace/ReaderPool.h"
#include "core/model/Import.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace trainscope::app {

// Progress of a job, 0..1; −1: not known.
inline double fractionOf(const ProgressState& state) {
    if (state.bytesTotal == 0)
        return -1.0;
    return static_cast<double>(state.bytesDone) / static_cast<double>(state.bytesTotal);
}

// A running job's view of its task: is somebody still waiting, and where do results go.
template <typename T>
class TaskStage {
public:
    TaskStage(std::function<bool()> isCancelled, std::function<void(Result<T>)> publish)
        : m_isCancelled(std::move(isCancelled))
        , m_publish(std::move(publish)) { }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled(); }
    [[nodiscard]] const std::function<bool()>& cancelCheck() const { return m_isCancelled; }
    // Ends a reading when nobody waits any more.
    [[nodiscard]] Progress progress() const {
        return [isCancelled = m_isCancelled](const ProgressState&) { return !isCancelled(); };
    }
    // The same, with ten reports a second at most. `report` takes a ProgressState.
    template <typename Report>
    [[nodiscard]] Progress progress(Report report) const {
        using Clock = std::chrono::steady_clock;
        return [isCancelled = m_isCancelled, report, last = Clock::time_point()](
                   const ProgressState& state) mutable {
            const auto now = Clock::now();
            if (now - last >= std::chrono::milliseconds(100)) {
                last = now;
                report(state);
            }
            return !isCancelled();
        };
    }
    // May be called several times: coarse first, exact later.
    void publish(Result<T> result) const { m_publish(std::move(result)); }

private:
    std::function<bool()> m_isCancelled;
    std::function<void(Result<T>)> m_publish;
};

// A question whose last asking counts: starting it again cancels the job under way, and a result of
// an older start is never delivered.
template <typename T>
class LatestTask {
public:
    using Job = std::function<void(const store::Store&, const TaskStage<T>&)>;
    using Question = std::function<Result<T>(const store::Store&, const TaskStage<T>&)>;
    using Done = std::function<void(Result<T>)>;

    explicit LatestTask(Urgency urgency = Urgency::View)
        : m_urgency(urgency) { }
    ~LatestTask() { cancel(); }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;

    void start(ReaderPool& pool, Job job, Done done) {
        start(pool, pool.database(), std::move(job), std::move(done));
    }
    void start(ReaderPool& pool, const ReaderPool::Database& database, Job job, Done done);
    // A job with one answer.
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
    void cancel() { ++*m_generation; }

private:
    Urgency m_urgency;
    std::shared_ptr<std::atomic<std::uint64_t>> m_generation
        = std::make_shared<std::atomic<std::uint64_t>>(0);
};

template <typename T>
void LatestTask<T>::start(
    ReaderPool& pool, const ReaderPool::Database& database, Job job, Done done) {
    const std::uint64_t mine = ++*m_generation;
    auto isStale = [pool = &pool, generation = m_generation, mine] {
        return generation->load() != mine || pool->isStopping();
    };
    auto publish = [pool = &pool, isStale, done = std::move(done)](Result<T> result) {
        auto shared = std::make_shared<Result<T>>(std::move(result));
        pool->reply([isStale, done, shared] {
            if (!isStale())
                done(std::move(*shared));
        });
    };
    pool.post(m_urgency, database,
        [job = std::move(job), isStale, publish](const Result<store::Store>& store) {
            if (isStale())
                return;
            if (!store.hasValue())
                return publish(store.error());
            job(store.value(), TaskStage<T>(isStale, publish));
        });
}

// A question that is asked more often than it can be answered: one job at a time, and the newest
// question follows it, so that answers keep coming. An error ends what waits.
template <typename T>
class SteadyTask {
public:
    using Question = typename LatestTask<T>::Question;
    using Done = typename LatestTask<T>::Done;

    void ask(ReaderPool& pool, Question question, Done done) {
        if (m_isRunning)
            m_next = [this, &pool, question, done] { run(pool, question, done); };
        else
            run(pool, std::move(question), std::move(done));
    }
    void cancel() {
        m_task.cancel();
        m_isRunning = false;
        m_next = {};
    }

private:
    void run(ReaderPool& pool, Question question, Done done) {
        m_isRunning = true;
        m_task.ask(pool, std::move(question), [this, done = std::move(done)](Result<T> result) {
            m_isRunning = false;
            const auto next = std::exchange(m_next, {});
            const bool goesOn = result.hasValue() && next;
            done(std::move(result));
            if (goesOn && !m_isRunning)
                next();
        });
    }

    LatestTask<T> m_task{Urgency::Pointer};
    bool m_isRunning = false;
    std::function<void()> m_next;
};

} // namespace trainscope::app
