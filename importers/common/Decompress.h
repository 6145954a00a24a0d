#pragma once
// Streams that take gzip (RFC 1952), zstd (RFC 8878) or zlib (RFC 1950) off another stream. Both
// read concatenated members or frames to the end, end quietly at garbage behind a complete one, and
// after cut or damaged data deliver what was readable and then fail with Unreadable. Memory is
// bounded: zstd windows above 128 MiB are refused.

#include "importers/common/Source.h"

#include <mutex>
#include <unordered_map>

namespace trainscope::importers {

// A stream whose bytes are made by a thread of its own, a few blocks ahead of the reader, so that
// decompression and what is done with the result overlap. Short streams have no thread: it starts
// when more than kAlone bytes have been read. The wrapped stream is used by that thread alone from
// then on; destroying the stream waits for at most one block.

class ReadAhead final : public ByteStream {
public:
    static constexpr std::size_t kAlone = std::size_t{1} << 20;

    explicit ReadAhead(std::unique_ptr<ByteStream> inner);
    ~ReadAhead() override;

    Result<std::size_t> read(std::span<std::byte> buffer) override;
    // Compressed bytes behind the bytes that were read from here.
    [[nodiscard]] std::uint64_t bytesConsumed() const override;

private:
    class Producer;

    std::unique_ptr<ByteStream> m_inner; // until the producer has it
    std::unique_ptr<Producer> m_producer;
    std::size_t m_read = 0;
};

enum class Compression { None, Gzip, Zstd, Zlib };

inline constexpr std::size_t kMagicBytes = 4;

// Judged by the magic number at the start of `head`, which zlib has not.
Compression compressionOf(std::string_view head);

struct RestartPoint;

// Points inside gzip data from which reading can begin anew: copies of the decompressor, 97 KB
// each, kept at even distances while the data is read from front to end. There are kMost at most;
// with longer data they lie further apart.
struct RestartPoints {
    static constexpr std::size_t kMost = 256;

    std::vector<std::shared_ptr<const RestartPoint>> points; // ascending
    std::uint64_t distance = std::uint64_t{4} << 20; // decompressed bytes
};

// `where` names the source in errors. Points of gzip data are added to `keep`, which must outlive
// the stream.
Result<std::unique_ptr<ByteStream>> decompressed(Compression kind, std::unique_ptr<ByteStream> raw,
    const std::string& where, RestartPoints* keep = nullptr);

// The same gzip data again, from `offset` of what it decompresses to; `raw` stands at its front.
// The text between the point before and the offset is decompressed again.
Result<std::unique_ptr<ByteStream>> gunzippedFrom(std::uint64_t offset, const RestartPoints& points,
    std::unique_ptr<ByteStream> raw, const std::string& where);

// A stream that ends with an error where it makes far more of its source than any recording was
// seen to compress to, so that a small file cannot fill the disk or keep a machine busy for days;
// nor can one with many such members, whose sum is bounded alike.

// Real traces, logs and databases compress to between a third and a fortieth; deflate ends at 1032.
inline constexpr std::uint64_t kMostRatio = 250;
inline constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 30; // bytes, whatever the ratio

// Bytes that all members of an archive of that size have expanded to. Thread-safe.
class Expansion {
public:
    explicit Expansion(std::uint64_t size)
        : m_size(size) { }

    // So much was made of a member, of which each byte counts once, however often it is read.
    // False: that is not believed, and does not count.
    bool allows(std::uint64_t member, std::uint64_t made);

private:
    std::uint64_t m_size;
    std::mutex m_mutex;
    std::unordered_map<std::uint64_t, std::uint64_t> m_made; // by member
    std::uint64_t m_sum = 0;
};

class Bounded final : public ByteStream {
public:
    // Asked at first and then every few MiB that were made; false ends the stream with Cancelled.
    using GoesOn = std::function<bool(std::uint64_t consumed)>;

    // `size` of the source; 0: what has been taken from it so far.
    Bounded(std::unique_ptr<ByteStream> inner, std::uint64_t size, std::string where,
        GoesOn goesOn = {}, Allowance allowance = {});

    Result<std::size_t> read(std::span<std::byte> buffer) override;
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_inner->bytesConsumed(); }

private:
    std::unique_ptr<ByteStream> m_inner;
    std::uint64_t m_size;
    std::string m_where;
    GoesOn m_goesOn;
    Allowance m_allowance;
    std::uint64_t m_made = 0;
    std::uint64_t m_askedNext = 0;
};

} // namespace trainscope::importers
