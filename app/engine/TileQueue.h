#pragma once
// Tiles that are wanted, asked for by threads of its own, the latest wish first; a wish that has
// waited behind many others is dropped: whoever still wants it asks again. Thread-safe.

#include "app/engine/EngineLink.h"
#include "app/engine/LaneTiles.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace trainscope::app {

struct TileWish {
    std::shared_ptr<EngineLink> link;
    LaneScope scope;
    std::int64_t stepMs = 0;
    std::int64_t first = 0;
    int count = 0; // 0: only what the link has to learn of its engine
};

class TileQueue {
public:
    // `changed` is called by its threads when something came or failed.
    TileQueue(LaneTiles& tiles, std::function<void()> changed);
    // Gives up what is under way.
    ~TileQueue();
    TileQueue(const TileQueue&) = delete;
    TileQueue& operator=(const TileQueue&) = delete;

    void wish(TileWish wish); // nothing where it is under way, or the engine is gone
    // Asks for all of them and waits; several at once.
    Status fetch(const std::vector<TileWish>& wishes, const std::function<bool()>& isCancelled);
    [[nodiscard]] bool isAsking() const;
    [[nodiscard]] std::optional<Error> error() const;
    void forgetError();

private:
    using Time = std::chrono::steady_clock::time_point;
    void work();
    Status run(const TileWish& wish, const std::function<bool()>& isCancelled);
    static std::string nameOf(const TileWish& wish);

    LaneTiles& m_tiles;
    std::function<void()> m_changed;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<TileWish> m_wishes; // the latest at the back
    std::set<std::string> m_underway;
    std::optional<Error> m_error;
    Time m_failed;
    std::atomic<bool> m_isStopping = false;
    std::vector<std::thread> m_threads;
};

} // namespace trainscope::app
