#pragma once
// One background thread with its own read-only Store, kept open between jobs, so that the GUI
// thread never touches the disk. Jobs run in the order they were posted. All members are for the
// GUI thread; jobs run on the worker's thread and must not touch objects of the GUI.

#include <QObject>
#include <QThreadPool>

#include "core/store/Store.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace trainscope::app {

class StoreWorker : public QObject {
    Q_OBJECT

public:
    using Job = std::function<void(const Result<store::Store>&)>;

    explicit StoreWorker(QObject* parent = nullptr);
    // Waits for the job under way; jobs that have not begun are dropped.
    ~StoreWorker() override;

    // Jobs posted from now on see this database, opened anew. Empty: none, jobs get an error.
    void setDatabase(const std::filesystem::path& path);
    void post(Job job);
    // Runs `call` on the GUI thread, unless the worker is gone by then. Thread-safe.
    void reply(std::function<void()> call);

private:
    struct State;
    QThreadPool m_pool;
    std::filesystem::path m_path;
    std::int64_t m_epoch = 0;
    std::shared_ptr<State> m_state; // touched by the worker's thread only
};

// What a running job sees of its task: whether somebody still waits, and where results go.
template <typename T>
class TaskStage {
public:
    TaskStage(std::function<bool()> isCancelled, std::function<void(Result<T>)> publish)
        : m_isCancelled(std::move(isCancelled))
        , m_publish(std::move(publish)) { }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled(); }
    [[nodiscard]] const std::function<bool()>& cancelCheck() const { return m_isCancelled; }
    // May be called several times: coarse first, exact later.
    void publish(Result<T> result) const { m_publish(std::move(result)); }

private:
    std::function<bool()> m_isCancelled;
    std::function<void(Result<T>)> m_publish;
};

// A question whose last asking counts: starting it again cancels the job under way, and a result of
// an older start is never delivered. Results come on the GUI thread. Must not outlive its worker.
template <typename T>
class LatestTask {
public:
    using Job = std::function<void(const store::Store&, const TaskStage<T>&)>;
    using Done = std::function<void(Result<T>)>;

    explicit LatestTask(StoreWorker& worker)
        : m_worker(worker) { }
    ~LatestTask() { cancel(); }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;

    void start(Job job, Done done);
    void cancel() { ++*m_generation; }

private:
    StoreWorker& m_worker;
    std::shared_ptr<std::atomic<std::uint64_t>> m_generation
        = std::make_shared<std::atomic<std::uint64_t>>(0);
};

template <typename T>
void LatestTask<T>::start(Job job, Done done) {
    const std::uint64_t mine = ++*m_generation;
    auto isStale = [generation = m_generation, mine] { return generation->load() != mine; };
    auto publish = [worker = &m_worker, isStale, done = std::move(done)](Result<T> result) {
        auto shared = std::make_shared<Result<T>>(std::move(result));
        worker->reply([isStale, done, shared] {
            if (!isStale())
                done(std::move(*shared));
        });
    };
    m_worker.post([job = std::move(job), isStale, publish](const Result<store::Store>& store) {
        if (isStale())
            return;
        if (!store.hasValue())
            return publish(store.error());
        job(store.value(), TaskStage<T>(isStale, publish));
    });
}

} // namespace trainscope::app
