#include "core/parallel/WorkerPool.h"

#include "core/model/InteractiveThread.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace trainscope {

namespace {

constexpr unsigned kMostThreads = 64;

std::atomic<unsigned> askedFor = 0;

// The threads of the process, those that hand out the jobs included.
unsigned wantedThreads() {
    if (const unsigned threads = askedFor; threads > 0)
        return std::min(threads, kMostThreads);
    // Read once, before any thread of the pool runs.
    const char* asked = std::getenv("TRAINSCOPE_THREADS"); // NOLINT(concurrency-mt-unsafe)
    unsigned threads = 0;
    if (asked != nullptr)
        std::from_chars(asked, asked + std::strlen(asked), threads);
    if (threads == 0)
        threads = std::thread::hardware_concurrency();
    return std::clamp(threads, 1U, kMostThreads);
}

} // namespace

WorkerPool::WorkerPool(unsigned workers) {
    m_threads.reserve(workers);
    for (unsigned i = 0; i < workers; ++i)
        m_threads.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_waiting.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
    while (runOne()) { }
}

WorkerPool& WorkerPool::shared() {
    static WorkerPool pool(wantedThreads() - 1);
    return pool;
}

void WorkerPool::askFor(unsigned threads) {
    askedFor = threads;
}

void WorkerPool::submit(std::function<void()> job) {
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }
    m_waiting.notify_one();
}

bool WorkerPool::runOne() {
    std::function<void()> job;
    {
        const std::lock_guard lock(m_mutex);
        if (m_jobs.empty())
            return false;
        job = std::move(m_jobs.front());
        m_jobs.pop_front();
    }
    job();
    return true;
}

void WorkerPool::work() {
    giveWayToInteractiveThread();
    while (true) {
        std::function<void()> job;
        {
            std::unique_lock lock(m_mutex);
            m_waiting.wait(lock, [this] { return m_ending || !m_jobs.empty(); });
            if (m_jobs.empty())
                return;
            job = std::move(m_jobs.front());
            m_jobs.pop_front();
        }
        job();
    }
}

} // namespace trainscope
