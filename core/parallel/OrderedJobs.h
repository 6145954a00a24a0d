#pragma once
// Jobs that run on a pool while their results come back one by one, in the order the jobs were
// handed in, to the thread that handed them in: whatever the number of threads, what is made of the
// results is the same. One thread uses an OrderedJobs; it runs waiting jobs itself instead of
// sleeping. An exception of a job comes out of the call that would have delivered its result.

#include "core/parallel/WorkerPool.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <utility>

namespace trainscope {

template <typename Output>
class OrderedJobs {
public:
    using Take = std::function<void(Output&&)>;

    // mostWaiting: jobs handed in and not yet delivered; with the size of an input and an output
    // it bounds the memory. 0: twice the threads.
    OrderedJobs(WorkerPool& pool, std::size_t mostWaiting, Take take)
        : m_pool(pool)
        , m_most(mostWaiting > 0 ? mostWaiting : 2 * (std::size_t{pool.workers()} + 1))
        , m_take(std::move(take)) { }
    OrderedJobs(const OrderedJobs&) = delete;
    OrderedJobs& operator=(const OrderedJobs&) = delete;
    ~OrderedJobs() { abandon(); }

    // Delivers what is ready, and waits for the oldest job where too many are under way.
    void submit(std::function<Output()> work) {
        auto job = std::make_shared<Job>(std::move(work));
        m_jobs.push_back(job);
        m_pool.submit([job] { job->run(); });
        while (!m_jobs.empty() && (m_jobs.size() >= m_most || m_jobs.front()->isDone()))
            deliver();
    }
    // Waits for every job and delivers its result.
    void finish() {
        while (!m_jobs.empty())
            deliver();
    }
    // Jobs that have not begun are dropped; returns when none runs any more.
    void abandon() {
        for (const auto& job : m_jobs)
            job->cancel();
        m_jobs.clear();
    }

private:
    class Job {
    public:
        explicit Job(std::function<Output()> work)
            : m_work(std::move(work)) { }

        void run() {
            if (m_isBegun.exchange(true))
                return;
            const auto work = std::exchange(m_work, nullptr); // its captures are freed with the job
            try {
                m_promise.set_value(work());
            } catch (...) {
                m_promise.set_exception(std::current_exception());
            }
        }
        [[nodiscard]] bool isDone() const {
            return m_output.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        }
        Output take() { return m_output.get(); }
        void cancel() {
            if (m_isBegun.exchange(true))
                m_output.wait();
        }

    private:
        std::atomic<bool> m_isBegun = false;
        std::function<Output()> m_work;
        std::promise<Output> m_promise;
        std::future<Output> m_output = m_promise.get_future();
    };

    void deliver() {
        const std::shared_ptr<Job> oldest = m_jobs.front();
        while (!oldest->isDone() && m_pool.runOne()) { }
        m_jobs.pop_front();
        m_take(oldest->take());
    }

    WorkerPool& m_pool;
    std::size_t m_most;
    Take m_take;
    std::deque<std::shared_ptr<Job>> m_jobs;
};

} // namespace trainscope
