#pragma once
// Tables of texts: maps that are searched by views, numbers for texts, and interned names.

#include "core/model/Import.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trainscope::importers::kineto {

// Lets maps with string keys be searched by views.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// Asks the sink once for each text. Bounded: when it has grown too large it starts anew, which only
// costs time.
class NameCache {
public:
    explicit NameCache(Sink& sink)
        : m_sink(sink) { }

    Result<NameId> text(std::string_view text);

private:
    Sink& m_sink;
    TextMap<NameId> m_ids;
    std::size_t m_bytes = 0;
};

std::uint64_t hashOf(std::string_view text);

// Numbers texts from 0 in the order of their first appearance, with one hash and one comparison for
// a text that is known.
class StringTable {
public:
    struct Found {
        std::uint32_t index = 0;
        bool isNew = false;
    };

    StringTable();

    Found add(std::string_view text);
    [[nodiscard]] std::size_t bytes() const {
        return m_bytes.size() + m_slots.size() * sizeof(Slot);
    }
    void clear();

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        std::uint32_t index = kFree;
    };
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};

    void grow();

    std::vector<Slot> m_slots; // a power of two, at most half full
    std::string m_bytes;
    std::uint32_t m_count = 0;
};

} // namespace trainscope::importers::kineto
