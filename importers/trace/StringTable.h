#pragma once
// Tables of texts: maps that are searched by views, and numbers for texts.

#include "core/model/AsciiText.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace trainscope::importers {

// Searched by views.
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

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

} // namespace trainscope::importers
