#pragma once
// Blends one colour over runs of premultiplied pixels, four at a time: source + destination · (255
// − alpha) / 255, rounded, on every processor alike.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trainscope::app {

class BlendRun {
public:
    static constexpr int kStep = 4; // pixels

    // `source` premultiplied.
    explicit BlendRun(std::uint32_t source) {
        std::array<std::uint8_t, kBytes> color{};
        for (std::size_t i = 0; i < kBytes; i += sizeof source)
            std::memcpy(color.data() + i, &source, sizeof source);
        for (std::size_t count = 0; count < kStep; ++count) {
            for (std::size_t i = 0; i < kBytes; ++i) {
                const bool in = count == 0 || i < count * sizeof source;
                m_source[count][i] = in ? color[i] : std::uint16_t{0};
                m_keep[count][i]
                    = in ? static_cast<std::uint16_t>(255U - (source >> 24U)) : std::uint16_t{255};
            }
        }
    }
    // Reads and writes back up to kStep - 1 pixels behind the run, unchanged.
    [[gnu::always_inline]] void operator()(std::uint32_t* pixels, int count) const {
        for (; count >= kStep; count -= kStep, pixels += kStep)
            step(pixels, 0);
        if (count > 0)
            step(pixels, static_cast<std::size_t>(count));
    }

private:
    static constexpr std::size_t kBytes = 16;
    using Bytes = std::uint8_t __attribute__((vector_size(kBytes)));
    using Words = std::uint16_t __attribute__((vector_size(2 * kBytes)));

    [[gnu::always_inline]] void step(std::uint32_t* pixels, std::size_t count) const {
        Bytes bytes;
        std::memcpy(&bytes, pixels, sizeof bytes);
        Words words = __builtin_convertvector(bytes, Words) * m_keep[count] + 128;
        words = ((words + (words >> 8)) >> 8) + m_source[count];
        bytes = __builtin_convertvector(words, Bytes);
        std::memcpy(pixels, &bytes, sizeof bytes);
    }

    // [n]: for the first n pixels only; [0]: for all of them.
    std::array<Words, kStep> m_source;
    std::array<Words, kStep> m_keep;
};

} // namespace trainscope::app
