#pragma once
// Counts how often each name occurs, for how long, and in which of the children of a page.

#include "core/model/Id.h"

#include <cstdint>
#include <vector>

namespace trainscope::store {

struct NameUse {
    std::int64_t name = 0;
    std::int64_t count = 0;
    std::int64_t total = 0; // ns
    std::uint32_t children = 0; // bit i: the i-th
};

class NameUses {
public:
    void add(NameId name, std::int64_t duration, std::uint32_t child) {
        add({name.value, 1, duration, std::uint32_t{1} << child});
    }
    void add(const NameUse& use) {
        NameUse& known = at(use.name);
        known.count += use.count;
        known.total = static_cast<std::int64_t>(
            static_cast<std::uint64_t>(known.total) + static_cast<std::uint64_t>(use.total));
        known.children |= use.children;
    }
    [[nodiscard]] bool isEmpty() const { return m_uses.empty(); }
    // In order of name; empty afterwards.
    std::vector<NameUse> take();

private:
    NameUse& at(std::int64_t name);
    void grow();
    [[nodiscard]] std::size_t slotOf(std::int64_t name) const {
        return static_cast<std::size_t>(
                   (static_cast<std::uint64_t>(name) * 0x9E3779B97F4A7C15U) >> 32U)
            & (m_slots.size() - 1);
    }

    std::vector<NameUse> m_uses; // as they came
    std::vector<std::uint32_t> m_slots; // open addressing: 1 + the place in m_uses
};

} // namespace trainscope::store
