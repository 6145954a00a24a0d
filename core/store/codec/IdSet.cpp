#include "core/store/codec/IdSet.h"

#include "core/store/codec/IntColumn.h"

#include <algorithm>
#include <bit>

namespace trainscope::store {
namespace {

constexpr std::int64_t kHighest = std::int64_t{1}
    << 34U; // 2 GiB of bits; no file has so many names

std::size_t wordOf(std::int64_t id) {
    return static_cast<std::size_t>(id) / 64;
}
std::uint64_t bitOf(std::int64_t id) {
    return std::uint64_t{1} << (static_cast<std::uint64_t>(id) % 64U);
}

} // namespace

void IdSet::add(std::int64_t id) {
    if (id < 0 || id > kHighest)
        return;
    if (wordOf(id) >= m_words.size())
        m_words.resize(std::max(wordOf(id) + 1, m_words.size() * 2));
    m_words[wordOf(id)] |= bitOf(id);
}

void IdSet::add(const IdSet& other) {
    m_words.resize(std::max(m_words.size(), other.m_words.size()));
    for (std::size_t i = 0; i < other.m_words.size(); ++i)
        m_words[i] |= other.m_words[i];
}

void IdSet::remove(const IdSet& other) {
    const std::size_t common = std::min(m_words.size(), other.m_words.size());
    for (std::size_t i = 0; i < common; ++i)
        m_words[i] &= ~other.m_words[i];
}

bool IdSet::contains(std::int64_t id) const {
    return id >= 0 && wordOf(id) < m_words.size() && (m_words[wordOf(id)] & bitOf(id)) != 0;
}

std::vector<std::int64_t> IdSet::list() const {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        for (std::uint64_t left = m_words[i]; left != 0; left &= left - 1)
            ids.push_back(static_cast<std::int64_t>(i * 64) + std::countr_zero(left));
    }
    return ids;
}

void IdSet::encode(Bytes& out) const {
    const std::vector<std::int64_t> ids = list();
    const std::span<const std::int64_t> all(ids);
    ByteWriter(out).varint(ids.size());
    for (std::size_t at = 0; at < all.size(); at += kMaxColumn)
        encodeInts(all.subspan(at, std::min(kMaxColumn, all.size() - at)), out);
}

bool IdSet::decode(ByteView bytes) {
    m_words.clear();
    ByteReader in(bytes);
    std::vector<std::int64_t> ids;
    for (std::uint64_t left = in.varint(); in.ok() && left > 0; left -= ids.size()) {
        ids.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, kMaxColumn)));
        const bool isGood = decodeInts(in, ids) && std::is_sorted(ids.begin(), ids.end())
            && ids.front() >= 0 && ids.back() <= kHighest;
        if (!isGood) {
            m_words.clear();
            return false;
        }
        for (const std::int64_t id : ids)
            add(id);
    }
    return in.ok() && in.left() == 0;
}

} // namespace trainscope::store
