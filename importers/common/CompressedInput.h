#pragma once
// The compressed side of a decompressing stream: a block of input bytes and what is left of it.

#include "importers/common/Source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace trainscope::importers {

class CompressedInput {
public:
    explicit CompressedInput(std::unique_ptr<ByteStream> raw)
        : m_raw(std::move(raw))
        , m_block(kBlock) { }

    // Reads on when everything was taken; false at the end of the file.
    Result<bool> fill() {
        if (m_used < m_size)
            return true;
        const auto count = m_raw->read(m_block);
        if (!count.hasValue())
            return count.error();
        m_used = 0;
        m_size = count.value();
        return m_size > 0;
    }

    // Makes at least `wanted` bytes visible if the file has them.
    Status ensure(std::size_t wanted) {
        while (left().size() < wanted) {
            std::move(m_block.begin() + static_cast<std::ptrdiff_t>(m_used),
                m_block.begin() + static_cast<std::ptrdiff_t>(m_size), m_block.begin());
            m_size -= m_used;
            m_used = 0;
            const auto count = m_raw->read(std::span(m_block).subspan(m_size));
            if (!count.hasValue())
                return count.error();
            if (count.value() == 0)
                break;
            m_size += count.value();
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> left() {
        return std::span(m_block).subspan(m_used, m_size - m_used);
    }
    void take(std::size_t count) { m_used += count; }
    [[nodiscard]] std::uint64_t bytesTaken() const {
        return m_raw->bytesConsumed() - (m_size - m_used);
    }

private:
    static constexpr std::size_t kBlock = std::size_t{128} << 10;

    std::unique_ptr<ByteStream> m_raw;
    std::vector<std::byte> m_block;
    std::size_t m_used = 0;
    std::size_t m_size = 0;
};

} // namespace trainscope::importers
