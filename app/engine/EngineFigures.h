#pragma once
// Figures of a stretch of time of linked runs, computed by the engine, metric by metric on a thread
// of its own. Whoever shows them never waits: what came is told by `changed`. Thread-safe.

#include "core/model/Result.h"
#include "core/model/Series.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trainscope::app {

class EngineLink;

// Statistics of one series. SI.
struct SeriesFigure {
    std::string metric; // ours
    Subject subject;
    double mean = 0.0; // over its samples
    double min = 0.0;
    double max = 0.0;
    double count = 0.0; // samples; 0: none of the numbers before it counts
    double coveredSeconds = 0.0; // seconds of the stretch that samples at their usual period cover
    std::optional<double> total; // counters only: growth
};

struct StretchFigures {
    std::vector<SeriesFigure> series;
    std::size_t metrics = 0; // there are
    std::size_t told = 0; // are here
    std::optional<Error> error; // reason that nothing comes
};

class EngineFigures {
public:
    // It waits while `isBusy`: lanes come first.
    EngineFigures(std::function<bool()> isBusy, std::function<void()> changed);
    // Gives up what is under way.
    ~EngineFigures();
    EngineFigures(const EngineFigures&) = delete;
    EngineFigures& operator=(const EngineFigures&) = delete;

    // Returns the known values of that stretch and asks for the rest, in place of the last wish for
    // that run.
    StretchFigures of(const std::shared_ptr<EngineLink>& link, TimeRange stretch);
    void forgetError();

private:
    using Figures = std::vector<SeriesFigure>;
    struct Wanted {
        std::shared_ptr<EngineLink> link;
        TimeRange stretch;
        bool operator==(const Wanted&) const = default;
    };
    struct Job {
        Wanted wanted;
        std::string metric;
        std::string key;
    };
    static std::string keyOf(const Wanted& wanted, const std::string& metric);
    void work();
    std::optional<Job> next(); // with the mutex held
    bool isWanted(const Wanted& wanted);
    void keep(const std::string& key, Figures figures);

    std::function<bool()> m_isBusy;
    std::function<void()> m_changed;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::map<RunId, Wanted> m_wanted;
    std::map<std::pair<RunId, std::string>, Wanted> m_shown; // last, of a metric
    std::map<std::string, Figures> m_kept;
    std::list<std::string> m_order; // keys of m_kept, the oldest first
    std::optional<Error> m_error;
    std::chrono::steady_clock::time_point m_failed;
    std::atomic<bool> m_isStopping = false;
    std::thread m_thread;
};

} // namespace trainscope::app
