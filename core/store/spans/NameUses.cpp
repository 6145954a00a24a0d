#include "core/store/spans/NameUses.h"

#include <algorithm>
#include <utility>

namespace trainscope::store {

NameUse& NameUses::at(std::int64_t name) {
    if (m_uses.size() * 2 >= m_slots.size())
        grow();
    std::size_t slot = slotOf(name);
    while (m_slots[slot] != 0) {
        NameUse& use = m_uses[m_slots[slot] - 1];
        if (use.name == name)
            return use;
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    m_uses.push_back({name, 0, 0, 0});
    m_slots[slot] = static_cast<std::uint32_t>(m_uses.size());
    return m_uses.back();
}

void NameUses::grow() {
    m_slots.assign(std::max<std::size_t>(m_slots.size() * 2, 64), 0);
    for (std::size_t i = 0; i < m_uses.size(); ++i) {
        std::size_t slot = slotOf(m_uses[i].name);
        while (m_slots[slot] != 0)
            slot = (slot + 1) & (m_slots.size() - 1);
        m_slots[slot] = static_cast<std::uint32_t>(i + 1);
    }
}

std::vector<NameUse> NameUses::take() {
    m_slots.clear();
    std::vector<NameUse> uses = std::exchange(m_uses, {});
    std::sort(uses.begin(), uses.end(),
        [](const NameUse& a, const NameUse& b) { return a.name < b.name; });
    return uses;
}

} // namespace trainscope::store
