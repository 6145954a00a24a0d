#include "core/figures/timeline/DerivedCache.h"

#include "core/model/Import.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::figures {
namespace {

constexpr std::size_t kMostCachedBytes = 256U << 20U;
constexpr std::size_t kMostJobs = 1024;

} // namespace

DerivedCache& DerivedCache::shared() {
    static DerivedCache cache;
    return cache;
}

DerivedCache::~DerivedCache() {
    m_ending = true;
    m_waiting.notify_all();
    if (m_thread.joinable())
        m_thread.join();
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
    const std::shared_ptr<Entry> entry = place;
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
            m_jobs.push_back({store.path(), key, program, entry});
        if (m_jobs.size() > kMostJobs) { // the user has moved past these alignments
            m_entries.erase(m_jobs.front().key);
            m_jobs.pop_front();
        }
        if (!m_thread.joinable())
            m_thread = std::thread([this] { work(); });
        m_waiting.notify_one();
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

void DerivedCache::work() {
    while (true) {
        std::unique_lock lock(m_mutex);
        m_waiting.wait(lock, [this] { return m_ending || !m_jobs.empty(); });
        if (m_ending)
            return;
        const Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        lock.unlock();
        run(job);
    }
}

void DerivedCache::run(const Job& job) {
    const auto build = [this, &job]() -> Result<analysis::StepPyramid> {
        ASSIGN_OR_RETURN(
            const auto store, store::Store::open(job.database, store::OpenMode::ReadOnly));
        return analysis::StepPyramid::build(store, job.program, [this, &job](double done) {
            job.entry->done = done;
            return !m_ending;
        });
    };
    auto built = build();
    const std::lock_guard lock(m_mutex);
    if (!built.hasValue()) {
        job.entry->error = built.error();
        return;
    }
    job.entry->pyramid = std::make_shared<const analysis::StepPyramid>(std::move(built).value());
    forgetOldest();
}

} // namespace trainscope::figures
