#include "core/store/tables/StringTable.h"

#include "core/model/HarmlessText.h"
#include "core/model/Import.h"
#include "core/store/codec/IntColumn.h"

#include <xxhash.h>

#include <bit>

namespace trainscope::store {
namespace {

constexpr std::int64_t kHighest = std::int64_t{1}
    << 30U; // 128 MiB of bits; no file has so many names

std::size_t wordOf(std::int64_t id) {
    return static_cast<std::size_t>(id) / 64;
}
std::uint64_t bitOf(std::int64_t id) {
    return std::uint64_t{1} << (static_cast<std::uint64_t>(id) % 64U);
}

constexpr std::size_t kBetweenQuestions = 1024;

} // namespace

std::int64_t hashOf(std::string_view text) {
    return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

Result<NameId> StringTable::intern(std::string_view text) {
    const auto cached = m_cache.find(text);
    if (cached != m_cache.end())
        return cached->second;
    const Result<NameId> id = findOrAdd(harmless(text));
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

Result<NameId> StringTable::findOrAdd(const std::string& text) {
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
    RETURN_IF_ERROR(m_database.execute("INSERT INTO name(hash, text) VALUES(?, ?)", hash, text));
    return NameId{m_database.lastRowId()};
}

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
    ByteWriter(out).varint(ids.size());
    encodeInParts(std::span(ids), [&out](auto part) { encodeInts(part, out); });
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

Status writeSourceNames(Database& database, SourceId source, const IdSet& names) {
    Bytes data;
    names.encode(data);
    return database.execute(
        "INSERT OR REPLACE INTO source_name(source, data) VALUES(?,?)", source.value, data);
}

Status readSourceNames(Database& database, SourceId source, IdSet& names) {
    return database.forEach(
        "SELECT data FROM source_name WHERE source=?",
        [&](const Row& row) {
            IdSet own;
            if (own.decode(row.blob(0)))
                names.add(own);
        },
        source.value);
}

Status deleteUnusedNames(Database& database, IdSet names, const std::function<bool()>& proceed) {
    bool isKnown = true;
    Status status = database.forEach("SELECT data FROM source_name", [&](const Row& row) -> Status {
        IdSet used;
        isKnown = isKnown && used.decode(row.blob(0));
        names.remove(used);
        return proceed() ? Status() : Status(cancelled());
    });
    if (!isKnown)
        return status;
    std::size_t done = 0;
    for (const std::int64_t name : names.list()) {
        if (!status.hasValue())
            break;
        status = database.execute("DELETE FROM name WHERE id=?", name);
        if (status.hasValue() && ++done % kBetweenQuestions == 0 && !proceed())
            status = cancelled();
    }
    return status;
}

} // namespace trainscope::store
