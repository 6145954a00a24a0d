#pragma once
// Threads that run jobs. Jobs own what they read, be it a store of their own, and touch no state
// that others change. A job that waits for others runs waiting jobs meanwhile, as OrderedJobs.h
// does, through which results go that must stay in order.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trainscope {

class WorkerPool {
public:
    // workers 0: every job runs in the thread that waits for it.
    explicit WorkerPool(unsigned workers);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    ~WorkerPool(); // runs what is still waiting

    // The pool of the process. Its size and the threads that wait for it are as many as the
    // processors this process may use, or as TRAINSCOPE_THREADS says (1: no thread of its own), or
    // as askFor() said.
    static WorkerPool& shared();
    // Wins over the environment; 0 leaves it to that. To be called before the first shared().
    static void askFor(unsigned threads);

    [[nodiscard]] unsigned workers() const { return static_cast<unsigned>(m_threads.size()); }
    // Jobs must not throw. Any thread.
    void submit(std::function<void()> job);
    // Runs one waiting job in this thread; false when none waits. Any thread.
    bool runOne();

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_waiting;
    std::deque<std::function<void()>> m_jobs;
    bool m_ending = false;
    std::vector<std::thread> m_threads;
};

} // namespace trainscope
