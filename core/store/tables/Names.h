#pragma once
// Interned texts: one row per different text, found by its hash. Memory is bounded: the cache of a
// session is dropped when it has grown beyond kCacheBytes, and found again through the index.

#include "core/store/codec/IdSet.h"
#include "core/store/database/Database.h"

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/model/Id.h"

namespace trainscope::store {

// Every byte that is not part of well-formed UTF-8 becomes U+FFFD.
std::string validUtf8(std::string_view text);

// By which a text is found in the name table; different texts may share one.
std::int64_t hashOf(std::string_view text);

class Names {
public:
    explicit Names(Database& database)
        : m_database(database) { }
    Result<NameId> intern(std::string_view text);
    // Every id that was given out.
    [[nodiscard]] const IdSet& used() const { return m_used; }

private:
    static constexpr std::size_t kCacheBytes = std::size_t{32} << 20U;
    Result<NameId> findOrAdd(const std::string& text);

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    Database& m_database;
    std::unordered_map<std::string, NameId, TextHash, std::equal_to<>> m_cache;
    std::size_t m_cachedBytes = 0;
    IdSet m_used;
};

} // namespace trainscope::store
