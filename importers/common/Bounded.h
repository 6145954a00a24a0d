#pragma once
// A stream that ends with an error where it makes far more of its source than any recording was
// seen to compress to, so that a small file cannot fill the disk or keep a machine busy for days.

#include "importers/common/Source.h"

#include <functional>
#include <memory>
#include <string>

namespace trainscope::importers {

// Real traces, logs and databases compress to between a third and a fortieth; deflate ends at 1032.
inline constexpr std::uint64_t kMostRatio = 250;
inline constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 30; // bytes, whatever the ratio

class Bounded final : public ByteStream {
public:
    // Asked every few MiB; false ends the stream with Cancelled.
    using GoesOn = std::function<bool(std::uint64_t consumed)>;

    // `size` of the source; 0: what has been taken from it so far.
    Bounded(std::unique_ptr<ByteStream> inner, std::uint64_t size, std::string where,
        GoesOn goesOn = {});

    Result<std::size_t> read(std::span<std::byte> buffer) override;
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_inner->bytesConsumed(); }

private:
    std::unique_ptr<ByteStream> m_inner;
    std::uint64_t m_size;
    std::string m_where;
    GoesOn m_goesOn;
    std::uint64_t m_made = 0;
    std::uint64_t m_askedAt = 0;
};

} // namespace trainscope::importers
