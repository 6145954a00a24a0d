#include "core/figures/timeline/DerivedCache.h"

#include "core/model/Import.h"
#include "core/model/Try.h"

namespace trainscope::figures {
namespace {

constexpr std::size_t kMostCachedBytes = 256U << 20U;
constexpr std::size_t kMostWaiting = 1024;

} // namespace

DerivedCache& DerivedCache::shared() {
    static DerivedCache cache;
    return cache;
}

Result<DerivedCache::Answer> DerivedCache::find(const store::Store& store,
    const analysis::StepProgram& program, Patience patience,
    const std::function<bool()>& isCancelled) {
    const std::string key = store.uuid() + program.key();
    std::unique_lock lock(m_mutex);
    auto& place = m_entries[key];
    const bool isNew = place == nullptr;
    if (isNew)
        place = std::make_shared<Entry>();
    const EntryPtr entry = place;
    entry->lastUse = ++m_uses;
    if (entry->error) {
        m_entries.erase(key);
        return *entry->error;
    }
    if (entry->pyramid)
        return Answer{entry->pyramid, 1.0};
    const bool isSmall = program.changes() <= kChangesAtOnce;
    if (!isSmall && patience == Patience::None) {
        if (isNew)
            submit(store.path(), key, program);
        return Answer{nullptr, entry->done};
    }
    lock.unlock();
    auto built = analysis::StepPyramid::build(
        store, program, [&isCancelled](double /*done*/) { return !isCancelled || !isCancelled(); });
    lock.lock();
    if (!built.hasValue()) {
        if (isNew)
            m_entries.erase(key);
        return built.error();
    }
    entry->pyramid = std::make_shared<const analysis::StepPyramid>(std::move(built).value());
    Answer answer{entry->pyramid, 1.0};
    forgetOldest();
    return answer;
}

void DerivedCache::forgetOldest() {
    while (m_entries.size() > 1) {
        std::size_t bytes = 0;
        auto oldest = m_entries.end();
        for (auto at = m_entries.begin(); at != m_entries.end(); ++at) {
            if (!at->second->pyramid)
                continue;
            bytes += at->second->pyramid->bytes();
            if (oldest == m_entries.end() || at->second->lastUse < oldest->second->lastUse)
                oldest = at;
        }
        if (bytes <= kMostCachedBytes || oldest == m_entries.end()
            || oldest->second->lastUse == m_uses)
            return;
        m_entries.erase(oldest);
    }
}

// A newer one takes the place of the oldest where too many wait: the user has moved past these
// alignments.
void DerivedCache::submit(const std::filesystem::path& database, const std::string& key,
    const analysis::StepProgram& program) {
    m_waiting.push_back(key);
    if (m_waiting.size() > kMostWaiting) {
        m_entries.erase(m_waiting.front());
        m_waiting.pop_front();
    }
    m_worker.submit([this, database, key, program] {
        EntryPtr entry;
        {
            const std::lock_guard lock(m_mutex);
            const auto wanted = m_entries.find(key);
            if (m_ending || std::erase(m_waiting, key) == 0 || wanted == m_entries.end())
                return;
            entry = wanted->second;
        }
        const auto build = [&]() -> Result<analysis::StepPyramid> {
            ASSIGN_OR_RETURN(
                const auto store, store::Store::open(database, store::OpenMode::ReadOnly));
            return analysis::StepPyramid::build(store, program, [&](double done) {
                entry->done = done;
                return !m_ending;
            });
        };
        auto built = build();
        const std::lock_guard lock(m_mutex);
        if (!built.hasValue()) {
            entry->error = built.error();
            return;
        }
        entry->pyramid = std::make_shared<const analysis::StepPyramid>(std::move(built).value());
        forgetOldest();
    });
}

} // namespace trainscope::figures
