#include "importers/common/ReadAhead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace trainscope::importers {

namespace {

constexpr std::size_t kReadBlock = std::size_t{512} << 10;
constexpr std::size_t kMostBlocks = 6;

struct Block {
    std::vector<std::byte> bytes;
    std::size_t size = 0; // 0: the end, or the error
    std::size_t used = 0;
    std::uint64_t consumed = 0;
    std::optional<Error> error;
};

} // namespace

class ReadAhead::Producer {
public:
    explicit Producer(std::unique_ptr<ByteStream> inner)
        : m_inner(std::move(inner))
        , m_consumed(m_inner->bytesConsumed())
        , m_thread([this] { produce(); }) { }
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;
    ~Producer() {
        {
            const std::lock_guard lock(m_mutex);
            m_isStopping = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }

    Result<std::size_t> read(std::span<std::byte> buffer) {
        if (m_current.used == m_current.size && !m_isOver)
            next();
        if (m_current.error)
            return *m_current.error;
        const std::size_t count = std::min(buffer.size(), m_current.size - m_current.used);
        if (count > 0)
            std::memcpy(buffer.data(), m_current.bytes.data() + m_current.used, count);
        m_current.used += count;
        return count;
    }
    [[nodiscard]] std::uint64_t consumed() const { return m_consumed; }

private:
    void next() {
        std::unique_lock lock(m_mutex);
        m_empty.push_back(std::move(m_current));
        m_changed.wait(lock, [this] { return !m_full.empty(); });
        m_current = std::move(m_full.front());
        m_full.pop_front();
        m_isOver = m_current.size == 0;
        m_consumed = m_current.consumed;
        lock.unlock();
        m_changed.notify_all();
    }

    std::optional<Block> emptyBlock() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isStopping || m_full.size() < kMostBlocks; });
        if (m_isStopping)
            return std::nullopt;
        Block block;
        if (!m_empty.empty()) {
            block = std::move(m_empty.back());
            m_empty.pop_back();
        }
        block.bytes.resize(kReadBlock);
        block.used = 0;
        return block;
    }

    void produce() {
        for (bool goesOn = true; goesOn;) {
            auto block = emptyBlock();
            if (!block)
                return;
            const auto got = m_inner->read(block->bytes);
            block->size = got.valueOr(0);
            block->consumed = m_inner->bytesConsumed();
            if (!got.hasValue())
                block->error = got.error();
            goesOn = block->size > 0;
            {
                const std::lock_guard lock(m_mutex);
                m_full.push_back(std::move(*block));
            }
            m_changed.notify_all();
        }
    }

    std::unique_ptr<ByteStream> m_inner;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Block> m_full;
    std::vector<Block> m_empty;
    bool m_isStopping = false;
    Block m_current; // the reader's, as what follows
    bool m_isOver = false;
    std::uint64_t m_consumed = 0;
    std::thread m_thread;
};

ReadAhead::ReadAhead(std::unique_ptr<ByteStream> inner)
    : m_inner(std::move(inner)) { }

ReadAhead::~ReadAhead() = default;

Result<std::size_t> ReadAhead::read(std::span<std::byte> buffer) {
    if (m_producer)
        return m_producer->read(buffer);
    const auto got = m_inner->read(buffer);
    m_read += got.valueOr(0);
    if (m_read > kAlone && got.valueOr(0) > 0)
        m_producer = std::make_unique<Producer>(std::move(m_inner));
    return got;
}

std::uint64_t ReadAhead::bytesConsumed() const {
    return m_producer ? m_producer->consumed() : m_inner->bytesConsumed();
}

} // namespace trainscope::importers
