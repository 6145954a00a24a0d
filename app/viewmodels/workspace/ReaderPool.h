#pragma once
// The reader threads of a workspace. Each keeps one read-only Store of the open database, so that
// the GUI thread never waits for the disk. More urgent jobs go first, and the less urgent never
// take all threads.
//
// All members are for the GUI thread where nothing else is said; jobs run on the pool's threads and
// must not touch objects of the GUI.

#include <QObject>

#include "core/store/Store.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace trainscope::app {

enum class Urgency {
    Pointer, // follows the pointer or the window
    View, // fills an open view
    Background, // nobody waits for it
};

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
    [[nodiscard]] Database candidate(const std::filesystem::path& path);
    // Jobs posted from now on read this one. An empty path means none is open: jobs get an error.
    void use(const Database& database);
    void setDatabase(const std::filesystem::path& path) { use(candidate(path)); }
    [[nodiscard]] const Database& database() const { return m_database; }

    void post(Urgency urgency, Database database, Job job);
    // Runs `call` on the GUI thread, unless the pool is gone by then. Thread-safe.
    void reply(std::function<void()> call);
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

} // namespace trainscope::app
