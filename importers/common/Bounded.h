#pragma once
// A stream that ends with an error where it makes far more of its source than any recording was
// seen to compress to, so that a small file cannot fill the disk or keep a machine busy for days;
// nor can one with many such members, whose sum is bounded alike.

#include "importers/common/Source.h"

#include <mutex>
#include <unordered_map>

namespace trainscope::importers {

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
