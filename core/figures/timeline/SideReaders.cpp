#include "core/figures/timeline/SideReaders.h"

#include "core/model/Try.h"

#include <utility>

namespace trainscope::figures {

SideReaders::SideReaders(const store::Store& store)
    : m_store(store)
    , m_free{&store} { }

Result<const store::Store*> SideReaders::take() {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_free.empty()) {
            const store::Store* const store = m_free.back();
            m_free.pop_back();
            return store;
        }
    }
    ASSIGN_OR_RETURN(auto opened, store::Store::open(m_store.path(), store::OpenMode::ReadOnly));
    auto store = std::make_unique<const store::Store>(std::move(opened));
    const std::lock_guard lock(m_mutex);
    return m_opened.emplace_back(std::move(store)).get();
}

void SideReaders::giveBack(const store::Store* store) {
    const std::lock_guard lock(m_mutex);
    m_free.push_back(store);
}

} // namespace trainscope::figures
