#include "core/store/tables/Names.h"

#include <xxhash.h>

namespace trainscope::store {
namespace {

std::uint8_t byteAt(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
}

// Length of the well-formed sequence at i (Unicode 15, table 3-7), 0 when there is none.
std::size_t sequenceLength(std::string_view text, std::size_t i) {
    const std::uint8_t lead = byteAt(text, i);
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
    if (lead == 0xE0)
        low = 0xA0;
    if (lead == 0xED)
        high = 0x9F;
    if (lead == 0xF0)
        low = 0x90;
    if (lead == 0xF4)
        high = 0x8F;
    const std::size_t length = lead < 0xE0 ? 2 : (lead < 0xF0 ? 3 : 4);
    const std::uint8_t second = byteAt(text, i + 1);
    if (second < low || second > high)
        return 0;
    for (std::size_t k = 2; k < length; ++k) {
        if ((byteAt(text, i + k) & 0xC0U) != 0x80U)
            return 0;
    }
    return length;
}

} // namespace

std::string validUtf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequenceLength(text, i);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
            continue;
        }
        out += text.substr(i, length);
        i += length;
    }
    return out;
}

std::int64_t hashOf(std::string_view text) {
    return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

Result<NameId> Names::intern(std::string_view text) {
    const auto cached = m_cache.find(text);
    if (cached != m_cache.end())
        return cached->second;
    const Result<NameId> id = findOrAdd(validUtf8(text));
    if (!id.hasValue())
        return id;
    m_used.add(id.value().value);
    m_cachedBytes += text.size() + 64;
    if (m_cachedBytes > kCacheBytes) {
        m_cache.clear();
        m_cachedBytes = text.size() + 64;
    }
    m_cache.emplace(text, id.value());
    return id;
}

Result<NameId> Names::findOrAdd(const std::string& text) {
    const std::int64_t hash = hashOf(text);
    NameId id;
    Status found = m_database.forEach(
        "SELECT id FROM name WHERE hash=? AND text=?",
        [&id](const Row& row) {
            id.value = row.integer(0);
            return false;
        },
        hash, text);
    if (!found.hasValue())
        return found.error();
    if (id.isValid())
        return id;
    Status added = m_database.execute("INSERT INTO name(hash, text) VALUES(?, ?)", hash, text);
    if (!added.hasValue())
        return added.error();
    return NameId{m_database.lastRowId()};
}

} // namespace trainscope::store
