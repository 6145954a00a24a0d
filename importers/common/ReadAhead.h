#pragma once
// A stream whose bytes are made by a thread of its own, a few blocks ahead of the reader, so that
// decompression and what is done with the result overlap. Short streams have no thread: it starts
// when more than kAlone bytes have been read. The wrapped stream is used by that thread alone from
// then on; destroying the stream waits for at most one block.

#include "importers/common/Source.h"

#include <memory>

namespace trainscope::importers {

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

} // namespace trainscope::importers
