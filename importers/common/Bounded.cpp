#include "importers/common/Bounded.h"

namespace trainscope::importers {

namespace {

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
