#include "core/analysis/StudyPass.h"

namespace trainscope::analysis {

SharedReading::SharedReading(const RunStudy& study, std::string_view phase, std::size_t parts)
    : m_study(study)
    , m_phase(phase)
    , m_parts(parts)
    , m_isShared(parts > 1 && study.store.isReadOnly()) { }

Result<std::unique_ptr<store::Store>> SharedReading::takeStore() {
    {
        const std::lock_guard lock(m_storing);
        if (!m_stores.empty()) {
            auto store = std::move(m_stores.back());
            m_stores.pop_back();
            return store;
        }
    }
    ASSIGN_OR_RETURN(auto store, m_study.store.another());
    return std::make_unique<store::Store>(std::move(store));
}

void SharedReading::giveBack(std::unique_ptr<store::Store> store) {
    const std::lock_guard lock(m_storing);
    m_stores.push_back(std::move(store));
}

// Another thread that is telling meanwhile speaks for all.
bool SharedReading::goesOn() {
    const std::unique_lock lock(m_telling, std::try_to_lock);
    if (!m_isStopped && lock && m_study.progress && !m_study.progress({m_phase, m_taken, m_parts}))
        m_isStopped = true;
    return !m_isStopped;
}

} // namespace trainscope::analysis
