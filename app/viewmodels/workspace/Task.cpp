#include "app/viewmodels/workspace/Task.h"

#include "core/model/InteractiveThread.h"

#include <malloc.h>

namespace trainscope::app {
namespace {

// Threads that jobs of an urgency and of all lower ones may take together.
constexpr std::array<int, 3> kMost{ReaderPool::kThreads, 4, 2};
constexpr std::chrono::seconds kRest{2}; // without a job

Error nothingOpen() {
    return {ErrorCode::NotFound, "No run database is open.", {}};
}

} // namespace

ReaderPool::ReaderPool(QObject* parent)
    : QObject(parent) { }

ReaderPool::~ReaderPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    m_changed.notify_all();
    for (auto& thread : m_threads)
        thread.join();
}

void ReaderPool::use(const Database& database) {
    m_database = database;
    {
        const std::lock_guard lock(m_mutex);
        m_opening = database.opening;
    }
    m_changed.notify_all();
}

void ReaderPool::post(Urgency urgency, Database database, Job job) {
    {
        const std::lock_guard lock(m_mutex);
        m_waiting[static_cast<std::size_t>(urgency)].push_back(
            {std::move(database), std::move(job)});
    }
    if (m_threads.empty()) {
        for (int i = 0; i < kThreads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    m_changed.notify_all();
}

// The most urgent queue whose jobs may take one more thread.
std::optional<std::size_t> ReaderPool::nextQueue() const {
    for (std::size_t urgency = 0; urgency < kUrgencies; ++urgency) {
        int running = 0;
        for (std::size_t lower = urgency; lower < kUrgencies; ++lower)
            running += m_running[lower];
        if (!m_waiting[urgency].empty() && running < kMost[urgency])
            return urgency;
    }
    return std::nullopt;
}

void ReaderPool::work() {
    giveWayToInteractiveThread();
    const text::WordingFor screen(text::Medium::Screen);
    Connection connection;
    std::unique_lock lock(m_mutex);
    while (!m_isStopping) {
        if (const auto urgency = nextQueue()) {
            const Posted posted = std::move(m_waiting[*urgency].front());
            m_waiting[*urgency].pop_front();
            ++m_running[*urgency];
            ++m_jobs;
            m_hasLitter = true;
            lock.unlock();
            run(connection, posted);
            lock.lock();
            --m_running[*urgency];
            m_changed.notify_all();
        } else if (connection.store && connection.opening < m_opening) {
            // Nobody reads that one any more: a database that was closed has no connections.
            lock.unlock();
            connection = {};
            lock.lock();
        } else if (m_hasLitter) {
            const auto jobs = m_jobs;
            const bool isRest = m_changed.wait_for(lock, kRest) == std::cv_status::timeout;
            if (isRest && m_jobs == jobs && std::exchange(m_hasLitter, false)) {
                // Memory that jobs freed stays with their threads, tens of megabytes each, unless
                // it is asked back.
                lock.unlock();
                malloc_trim(0);
                lock.lock();
            }
        } else {
            m_changed.wait(lock);
        }
    }
}

void ReaderPool::run(Connection& connection, const Posted& posted) const {
    // A database that could not be opened may have come back.
    if (connection.opening != posted.database.opening || !connection.store
        || !connection.store->hasValue()) {
        connection.store.reset();
        connection.store.emplace(posted.database.path.empty()
                ? Result<store::Store>(nothingOpen())
                : store::Store::open(posted.database.path, store::OpenMode::ReadOnly));
        connection.opening = posted.database.opening;
    }
    posted.job(*connection.store);
}

} // namespace trainscope::app
