#pragma once
// Derived series that were computed, for the process: small ones at once, large ones on a thread of
// their own while others are drawn. The least used are forgotten beyond 256 MB.

#include "core/analysis/derived/DerivedSteps.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/parallel/WorkerPool.h"

#include <atomic>

namespace trainscope::figures {

// Windows with more changes than that are drawn from the pyramid, the others from the samples; and
// series with more are computed in the background.
inline constexpr std::int64_t kChangesAtOnce = 2'000'000;

class DerivedCache {
public:
    DerivedCache() = default;
    ~DerivedCache() { m_ending = true; } // stops what is under way

    static DerivedCache& shared();

    struct Answer {
        std::shared_ptr<const analysis::StepPyramid> pyramid; // nullptr: not there yet
        double done = 0.0; // the fraction of it that is computed
    };
    // Any thread. An error of what was computed in the background is told once.
    Result<Answer> find(const store::Store& store, const analysis::StepProgram& program,
        Patience patience, const std::function<bool()>& isCancelled);

private:
    struct Entry {
        std::shared_ptr<const analysis::StepPyramid> pyramid;
        std::optional<Error> error;
        std::uint64_t lastUse = 0;
        std::atomic<double> done = 0.0;
    };
    using EntryPtr = std::shared_ptr<Entry>;
    // With the mutex.
    void submit(const std::filesystem::path& database, const std::string& key,
        const analysis::StepProgram& program);
    void forgetOldest();

    std::mutex m_mutex;
    std::map<std::string, EntryPtr> m_entries; // by database and key
    std::deque<std::string> m_waiting; // keys of those to be computed
    std::uint64_t m_uses = 0;
    std::atomic<bool> m_ending = false;
    WorkerPool m_worker{1};
};

} // namespace trainscope::figures
