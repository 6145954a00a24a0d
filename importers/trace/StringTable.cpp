#include "importers/trace/StringTable.h"

#include <xxhash.h>

#define XXH_INLINE_ALL

namespace trainscope::importers {

namespace {

constexpr std::size_t kFirstSlots = 64;

} // namespace

std::uint64_t hashOf(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
}

StringTable::StringTable()
    : m_slots(kFirstSlots) { }

void StringTable::clear() {
    m_slots.assign(kFirstSlots, {});
    m_bytes.clear();
    m_count = 0;
}

StringTable::Found StringTable::add(std::string_view text) {
    const std::uint64_t hash = hashOf(text);
    for (std::size_t at = hash;; ++at) {
        Slot& slot = m_slots[at & (m_slots.size() - 1)];
        if (slot.index == kFree) {
            slot = {hash, static_cast<std::uint32_t>(m_bytes.size()),
                static_cast<std::uint32_t>(text.size()), m_count};
            m_bytes.append(text);
            if (2 * std::size_t{++m_count} > m_slots.size())
                grow();
            return {m_count - 1, true};
        }
        if (slot.hash == hash && std::string_view(m_bytes).substr(slot.begin, slot.size) == text)
            return {slot.index, false};
    }
}

void StringTable::grow() {
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    for (const Slot& slot : old) {
        if (slot.index == kFree)
            continue;
        std::size_t at = slot.hash;
        while (m_slots[at & (m_slots.size() - 1)].index != kFree)
            ++at;
        m_slots[at & (m_slots.size() - 1)] = slot;
    }
}

} // namespace trainscope::importers
