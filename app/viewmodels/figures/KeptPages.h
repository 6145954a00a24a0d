#pragma once
// The pages of a view that were read last, so that going back costs nothing. One thread at a time.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace trainscope::app {

template <typename Data>
class KeptPages {
public:
    using Page = std::shared_ptr<const Data>;

    // The newest page for which isWanted(data); nullptr: none.
    template <typename IsWanted>
    [[nodiscard]] Page find(const IsWanted& isWanted) const {
        const auto found = std::ranges::find_if(
            m_pages, [&isWanted](const Page& page) { return isWanted(*page); });
        return found == m_pages.end() ? nullptr : *found;
    }
    Page keep(Data data) {
        m_pages.push_front(std::make_shared<const Data>(std::move(data)));
        if (m_pages.size() > kMost)
            m_pages.pop_back();
        return m_pages.front();
    }
    void clear() { m_pages.clear(); }

private:
    static constexpr std::size_t kMost = 8;
    std::deque<Page> m_pages; // newest first
};

} // namespace trainscope::app
