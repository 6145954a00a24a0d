#include "importers/common/Bounded.h"

#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::uint64_t kAskedAfter = std::uint64_t{4} << 20;

} // namespace

Bounded::Bounded(
    std::unique_ptr<ByteStream> inner, std::uint64_t size, std::string where, GoesOn goesOn)
    : m_inner(std::move(inner))
    , m_size(size)
    , m_where(std::move(where))
    , m_goesOn(std::move(goesOn)) { }

Result<std::size_t> Bounded::read(std::span<std::byte> buffer) {
    if (m_goesOn && m_made >= m_askedAt + kAskedAfter) {
        m_askedAt = m_made;
        if (!m_goesOn(m_inner->bytesConsumed()))
            return cancelled();
    }
    const std::uint64_t source = m_size > 0 ? m_size : m_inner->bytesConsumed();
    if (m_made > kAlwaysAllowed && m_made / kMostRatio > source)
        return Error{ErrorCode::Unreadable,
            "It decompresses to more than " + std::to_string(kMostRatio)
                + " times its size, which no recording does; the rest is not read.",
            m_where};
    auto got = m_inner->read(buffer);
    m_made += got.valueOr(0);
    return got;
}

} // namespace trainscope::importers
