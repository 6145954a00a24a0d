#pragma once
// Streams that take gzip (RFC 1952), zstd (RFC 8878) or zlib (RFC 1950) off another stream. Both
// read concatenated members or frames to the end, end quietly at garbage behind a complete one, and
// after cut or damaged data deliver what was readable and then fail with Unreadable. Memory is
// bounded: zstd windows above 128 MiB are refused.

#include "importers/common/Source.h"

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

} // namespace trainscope::importers
