#pragma once
// The string table: interned texts, one row per different text, found by its hash, and which of
// them each source uses, so that those of a removed source can go when no other has them.

#include "core/model/Id.h"
#include "core/store/codec/Bytes.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// A set of ids that were given out one after the other, as bits. Ids beyond 2^30 are not kept.
//
// Format: varint number of ids, then columns (IntColumn.h) of at most kMaxColumn ids, ascending.
class IdSet {
public:
    void add(std::int64_t id);
    void add(const IdSet& other);
    void remove(const IdSet& other);
    [[nodiscard]] bool contains(std::int64_t id) const;
    [[nodiscard]] std::vector<std::int64_t> list() const; // ascending

    void encode(Bytes& out) const;
    // False when the bytes are no such set; it is empty then.
    bool decode(ByteView bytes);

private:
    std::vector<std::uint64_t> m_words;
};

// The hash by which a text is found in the name table; different texts may share one.
std::int64_t hashOf(std::string_view text);

// Memory is bounded: the cache of a session is dropped when it has grown beyond kCacheBytes, and
// found again through the index.
class StringTable {
public:
    explicit StringTable(Database& database)
        : m_database(database) { }
    Result<NameId> intern(std::string_view text);
    // Every id that was given out.
    [[nodiscard]] const IdSet& used() const { return m_used; }

private:
    static constexpr std::size_t kCacheBytes = std::size_t{32} << 20U;
    Result<NameId> findOrAdd(const std::string& text);

    Database& m_database;
    std::unordered_map<std::string, NameId, TextHash, std::equal_to<>> m_cache;
    std::size_t m_cachedBytes = 0;
    IdSet m_used;
};

// These are part of the caller's transaction.
Status writeSourceNames(Database& database, SourceId source, const IdSet& names);
// Adds the names of the source to `names`; nothing where the list is damaged.
Status readSourceNames(Database& database, SourceId source, IdSet& names);
// Deletes those of `names` that no source in the database uses; none where a list is damaged. Runs
// `proceed` now and then; when it says false, the answer is Cancelled.
Status deleteUnusedNames(Database& database, IdSet names, const std::function<bool()>& proceed);

} // namespace trainscope::store
