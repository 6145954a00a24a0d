#include "app/engine/TileQueue.h"

#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::app {

namespace {

constexpr int kAskingThreads = 3;
constexpr std::size_t kMostWishes = 48;
constexpr std::chrono::seconds kTryAgainAfter{15};

} // namespace

TileQueue::TileQueue(LaneTiles& tiles, std::function<void()> changed)
    : m_tiles(tiles)
    , m_changed(std::move(changed)) {
    for (int i = 0; i < kAskingThreads; ++i)
        m_threads.emplace_back([this] { work(); });
}

TileQueue::~TileQueue() {
    assertMayBlock("waits for the threads that ask an engine");
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
        m_wishes.clear();
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

std::string TileQueue::nameOf(const TileWish& wish) {
    return fmt::format("{} {} {}", wish.link->keyOf(wish.scope), wish.stepMs, wish.first);
}

void TileQueue::wish(TileWish wish) {
    const std::lock_guard lock(m_mutex);
    if (m_error && std::chrono::steady_clock::now() - m_failed < kTryAgainAfter)
        return;
    const std::string name = nameOf(wish);
    if (m_underway.contains(name))
        return;
    std::erase_if(m_wishes, [&name](const TileWish& other) { return nameOf(other) == name; });
    m_wishes.push_back(std::move(wish));
    if (m_wishes.size() > kMostWishes)
        m_wishes.pop_front();
    m_wake.notify_one();
}

bool TileQueue::isAsking() const {
    const std::lock_guard lock(m_mutex);
    return !m_wishes.empty() || !m_underway.empty();
}

std::optional<Error> TileQueue::error() const {
    const std::lock_guard lock(m_mutex);
    return m_error;
}

void TileQueue::forgetError() {
    const std::lock_guard lock(m_mutex);
    m_error.reset();
}

void TileQueue::work() {
    while (true) {
        TileWish wish;
        std::string name;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_isStopping || !m_wishes.empty(); });
            if (m_isStopping)
                return;
            wish = std::move(m_wishes.back());
            m_wishes.pop_back();
            name = nameOf(wish);
            m_underway.insert(name);
        }
        const Status status = run(wish, [this] { return m_isStopping.load(); });
        {
            const std::lock_guard lock(m_mutex);
            m_underway.erase(name);
            if (status.hasValue())
                m_error.reset();
            else if (status.error().code != ErrorCode::Cancelled) {
                m_error = status.error();
                m_failed = std::chrono::steady_clock::now();
                m_wishes.clear();
            }
        }
        if (m_isStopping)
            return;
        if (m_changed)
            m_changed();
    }
}

Status TileQueue::fetch(
    const std::vector<TileWish>& wishes, const std::function<bool()>& isCancelled) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> hasFailed = false;
    std::mutex mutex;
    Status status;
    const auto stop = [&] { return hasFailed || (isCancelled && isCancelled()); };
    const auto take = [&] {
        for (std::size_t at = next++; at < wishes.size() && !hasFailed; at = next++) {
            if (Status one = run(wishes[at], stop); !one.hasValue()) {
                const std::lock_guard lock(mutex);
                // Only the first error counts: the others come from being stopped for it.
                if (!hasFailed.exchange(true))
                    status = std::move(one);
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(kAskingThreads, wishes.size()); ++i)
        threads.emplace_back(take);
    take();
    for (std::thread& thread : threads)
        thread.join();
    return status;
}

Status TileQueue::run(const TileWish& wish, const std::function<bool()>& isCancelled) {
    ASSIGN_OR_RETURN(const auto fetched,
        wish.link->fetch(wish.scope, wish.stepMs, wish.first, wish.count, isCancelled));
    const std::string scope = wish.link->keyOf(wish.scope);
    for (std::size_t i = 0; i < fetched.size(); ++i)
        m_tiles.put({scope, wish.stepMs, wish.first + static_cast<std::int64_t>(i)}, fetched[i]);
    return {};
}

} // namespace trainscope::app
