#include "importers/common/Decompress.h"

#include "core/model/Try.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <isa-l/igzip_lib.h>
#include <thread>
#include <zstd.h>

namespace trainscope::importers {

struct RestartPoint {
    inflate_state state{}; // holds the window and what it has read ahead; no pointers into itself
    std::uint64_t taken = 0; // the gzip data's
    std::uint64_t made = 0; // decompressed before
    std::uint64_t parts = 0;
    std::uint64_t partBytes = 0;
};

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

// The compressed side of a decompressing stream: a block of input bytes and what is left of it.
class CompressedInput {
public:
    explicit CompressedInput(std::unique_ptr<ByteStream> raw)
        : m_raw(std::move(raw))
        , m_memory(std::make_unique_for_overwrite<std::byte[]>(kBlock))
        , m_block(m_memory.get(), kBlock) { }

    // Makes at least `wanted` bytes visible if the file has them; false where there are none.
    Result<bool> ensure(std::size_t wanted) {
        while (left().size() < wanted) {
            std::move(m_block.begin() + static_cast<std::ptrdiff_t>(m_used),
                m_block.begin() + static_cast<std::ptrdiff_t>(m_size), m_block.begin());
            m_size -= m_used;
            m_used = 0;
            ASSIGN_OR_RETURN(const auto count, m_raw->read(m_block.subspan(m_size)));
            if (count == 0)
                break;
            m_size += count;
        }
        return !left().empty();
    }
    [[nodiscard]] std::span<std::byte> left() { return m_block.subspan(m_used, m_size - m_used); }
    void take(std::size_t count) { m_used += count; }
    [[nodiscard]] std::uint64_t bytesTaken() const {
        return m_raw->bytesConsumed() - (m_size - m_used);
    }

private:
    static constexpr std::size_t kBlock = std::size_t{128} << 10;

    std::unique_ptr<ByteStream> m_raw;
    // Not filled: an archive of small members makes many.
    std::unique_ptr<std::byte[]> m_memory;
    std::span<std::byte> m_block;
    std::size_t m_used = 0;
    std::size_t m_size = 0;
};

// A sequence of compressed parts: the members of a gz file, the frames of a zstd file.
class PartStream : public ByteStream {
public:
    PartStream(Compression kind, std::unique_ptr<ByteStream> raw, std::string where)
        : m_input(std::move(raw))
        , m_kind(kind)
        , m_where(std::move(where)) { }

    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_input.bytesTaken(); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        std::size_t made = 0;
        while (made < buffer.size() && !m_isOver && !m_failure) {
            const auto hasInput = m_input.ensure(1);
            if (!hasInput.hasValue()) {
                m_failure = hasInput.error();
                break;
            }
            // Without input there may still be output that had no room before.
            const std::size_t count
                = hasInput.value() || m_isInside ? some(buffer.subspan(made)) : 0;
            made += count;
            if (!hasInput.value() && count == 0 && !m_isOver) {
                // Between parts nothing is missing; inside one the rest is.
                m_isOver = true;
                if (m_isInside)
                    fail(" end before they are complete: the file was cut short. Copy it again.");
            }
        }
        if (made == 0 && m_failure)
            return *m_failure;
        return made;
    }

protected:
    enum class State { Inside, PartEnds, Broken };
    struct Step {
        State state = State::Inside;
        std::size_t taken = 0;
        std::size_t made = 0;
        std::string problem; // the broken part's, in brackets
    };
    virtual Step decompress(std::span<std::byte> in, std::span<std::byte> out) = 0;
    // Between two steps inside a part.
    virtual void between() { }

    CompressedInput m_input;
    std::uint64_t m_made = 0; // by all parts
    bool m_isInside = false; // a part
    std::uint64_t m_parts = 0;
    std::uint64_t m_partBytes = 0;

private:
    std::size_t some(std::span<std::byte> out) {
        if (m_isInside)
            between();
        m_isInside = true;
        const Step step = decompress(m_input.left(), out);
        m_input.take(step.taken);
        m_partBytes += step.made;
        m_made += step.made;
        if (step.state == State::PartEnds)
            endOfPart();
        else if (step.state == State::Broken)
            brokenPart(step.problem);
        return step.made;
    }

    void endOfPart() {
        m_isInside = false;
        ++m_parts;
        m_partBytes = 0;
        if (auto ensured = m_input.ensure(kMagicBytes); !ensured.hasValue()) {
            m_failure = ensured.error();
            return;
        }
        const auto next = m_input.left();
        const std::string_view head(reinterpret_cast<const char*>(next.data()), next.size());
        m_isOver = compressionOf(head) != m_kind;
    }

    // Bytes that only look like a further part are garbage behind the last one.
    void brokenPart(const std::string& problem) {
        m_isOver = true;
        if (m_parts == 0 || m_partBytes > 0)
            fail(" are damaged" + problem
                + "; what came before the damage was read. Copy the file again.");
    }

    void fail(const std::string& what) {
        m_failure = Error{ErrorCode::Unreadable,
            (m_kind == Compression::Zstd ? "the zstd data" : "the gzip data") + what, m_where};
    }

    Compression m_kind;
    std::string m_where;
    bool m_isOver = false;
    std::optional<Error> m_failure;
};

class GunzipStream final : public PartStream {
public:
    GunzipStream(
        Compression kind, std::unique_ptr<ByteStream> raw, std::string where, RestartPoints* keep)
        : PartStream(kind, std::move(raw), std::move(where))
        , m_wrapper(kind == Compression::Zlib ? ISAL_ZLIB : ISAL_GZIP)
        , m_keep(keep) {
        isal_inflate_init(&m_inflate);
        m_inflate.crc_flag = m_wrapper;
    }
    // `raw` stands where the point was.
    GunzipStream(std::unique_ptr<ByteStream> raw, std::string where, const RestartPoint& point)
        : PartStream(Compression::Gzip, std::move(raw), std::move(where))
        , m_inflate(point.state) {
        m_made = point.made;
        m_isInside = true;
        m_parts = point.parts;
        m_partBytes = point.partBytes;
    }

private:
    Step decompress(std::span<std::byte> in, std::span<std::byte> out) override {
        const std::size_t room
            = std::min<std::size_t>(out.size(), std::numeric_limits<std::uint32_t>::max());
        m_inflate.next_in = reinterpret_cast<std::uint8_t*>(in.data());
        m_inflate.avail_in = static_cast<std::uint32_t>(in.size());
        m_inflate.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        m_inflate.avail_out = static_cast<std::uint32_t>(room);
        const int state = isal_inflate(&m_inflate);
        Step step{State::Inside, in.size() - m_inflate.avail_in, room - m_inflate.avail_out, {}};
        if (state < 0 || state == ISAL_NEED_DICT) {
            step.state = State::Broken;
        } else if (m_inflate.block_state == ISAL_BLOCK_FINISH) {
            step.state = State::PartEnds;
            isal_inflate_reset(&m_inflate);
            m_inflate.crc_flag = m_wrapper;
        }
        return step;
    }

    void between() override {
        if (m_keep == nullptr)
            return;
        auto& points = m_keep->points;
        const std::uint64_t last = points.empty() ? 0 : points.back()->made;
        if (m_made < last + m_keep->distance)
            return;
        points.push_back(std::make_shared<RestartPoint>(
            RestartPoint{m_inflate, bytesConsumed(), m_made, m_parts, m_partBytes}));
        if (points.size() < RestartPoints::kMost)
            return;
        for (std::size_t i = 0; i + 1 < points.size(); i += 2)
            points[i / 2] = std::move(points[i + 1]);
        points.resize(points.size() / 2);
        m_keep->distance *= 2;
    }

    std::uint32_t m_wrapper = ISAL_GZIP;
    inflate_state m_inflate{};
    RestartPoints* m_keep = nullptr;
};

class UnzstdStream final : public PartStream {
public:
    UnzstdStream(std::unique_ptr<ByteStream> raw, std::string where)
        : PartStream(Compression::Zstd, std::move(raw), std::move(where))
        , m_zstd(ZSTD_createDStream()) { }
    ~UnzstdStream() override { ZSTD_freeDStream(m_zstd); }

    [[nodiscard]] bool isReady() const { return m_zstd != nullptr; }

private:
    Step decompress(std::span<std::byte> in, std::span<std::byte> out) override {
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        const std::size_t state = ZSTD_decompressStream(m_zstd, &to, &from);
        Step step{State::Inside, from.pos, to.pos, {}};
        if (ZSTD_isError(state) != 0) {
            step.state = State::Broken;
            step.problem = std::string(" (") + ZSTD_getErrorName(state) + ")";
        } else if (state == 0) {
            step.state = State::PartEnds;
        }
        return step;
    }

    ZSTD_DStream* m_zstd = nullptr;
};

constexpr std::uint64_t kAskedAfter = std::uint64_t{4} << 20;

bool isTooMuch(std::uint64_t made, std::uint64_t size) {
    return made > kAlwaysAllowed && made / kMostRatio > size;
}

Error tooMuch(const std::string& what, const std::string& where) {
    return {ErrorCode::Unreadable,
        what + " decompresses to more than " + std::to_string(kMostRatio)
            + " times its size, which no recording does; the rest is not read.",
        where};
}

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

Compression compressionOf(std::string_view head) {
    const auto byte = [head](std::size_t i) { return i < head.size() ? head[i] & 0xFF : -1; };
    if (byte(0) == 0x1F && byte(1) == 0x8B)
        return Compression::Gzip;
    const bool zstdFrame = byte(0) == 0x28 && byte(1) == 0xB5 && byte(2) == 0x2F && byte(3) == 0xFD;
    const bool skippable
        = (byte(0) & 0xF0) == 0x50 && byte(1) == 0x2A && byte(2) == 0x4D && byte(3) == 0x18;
    return zstdFrame || skippable ? Compression::Zstd : Compression::None;
}

Result<std::unique_ptr<ByteStream>> decompressed(Compression kind, std::unique_ptr<ByteStream> raw,
    const std::string& where, RestartPoints* keep) {
    if (kind == Compression::None)
        return raw;
    if (kind != Compression::Zstd)
        return std::unique_ptr<ByteStream>(
            std::make_unique<GunzipStream>(kind, std::move(raw), where, keep));
    auto stream = std::make_unique<UnzstdStream>(std::move(raw), where);
    if (!stream->isReady())
        return Error{
            ErrorCode::Internal, "There is not enough memory to decompress this file.", where};
    return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> gunzippedFrom(std::uint64_t offset, const RestartPoints& points,
    std::unique_ptr<ByteStream> raw, const std::string& where) {
    const auto behind = std::upper_bound(points.points.begin(), points.points.end(), offset,
        [](std::uint64_t place, const auto& point) { return place < point->made; });
    std::unique_ptr<ByteStream> stream;
    std::uint64_t left = offset;
    if (behind == points.points.begin()) {
        stream = std::make_unique<GunzipStream>(Compression::Gzip, std::move(raw), where, nullptr);
    } else {
        const RestartPoint& point = **std::prev(behind);
        RETURN_IF_ERROR(raw->skip(point.taken));
        left = offset - point.made;
        stream = std::make_unique<GunzipStream>(std::move(raw), where, point);
    }
    RETURN_IF_ERROR(stream->skip(left));
    return stream;
}

bool Expansion::allows(std::uint64_t member, std::uint64_t made) {
    const std::lock_guard lock(m_mutex);
    std::uint64_t& before = m_made[member];
    if (made <= before)
        return true;
    const std::uint64_t sum = m_sum + (made - before);
    if (isTooMuch(sum, m_size))
        return false;
    m_sum = sum;
    before = made;
    return true;
}

Bounded::Bounded(std::unique_ptr<ByteStream> inner, std::uint64_t size, std::string where,
    GoesOn goesOn, Allowance allowance)
    : m_inner(std::move(inner))
    , m_size(size)
    , m_where(std::move(where))
    , m_goesOn(std::move(goesOn))
    , m_allowance(std::move(allowance)) { }

Result<std::size_t> Bounded::read(std::span<std::byte> buffer) {
    if (m_goesOn && m_made >= m_askedNext) {
        m_askedNext = m_made + kAskedAfter;
        if (!m_goesOn(m_inner->bytesConsumed()))
            return cancelled();
    }
    if (isTooMuch(m_made, m_size > 0 ? m_size : m_inner->bytesConsumed()))
        return tooMuch("It", m_where);
    if (m_allowance && !m_allowance(m_made))
        return tooMuch("The archive that it lies in", m_where);
    auto got = m_inner->read(buffer);
    m_made += got.valueOr(0);
    return got;
}

} // namespace trainscope::importers
