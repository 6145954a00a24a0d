#pragma once
// The work behind the import sheet, for a worker thread, and the board on which worker and window
// leave each other word: the worker its progress, the window its wish to stop.

#include "app/importing/ImportRunner.h"
#include "importers/common/Source.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace trainscope::app {

// Thread-safe.
class ImportBoard {
public:
    void stop() { m_stopped = true; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    void report(const ImportProgress& progress);
    [[nodiscard]] ImportProgress progress() const;

private:
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_mutex;
    ImportProgress m_progress;
};

struct PlannedImport {
    std::shared_ptr<const importers::SourceTree> tree;
    importers::ImportPlan plan;
};

struct FinishedImport {
    std::vector<UnitOutcome> outcomes;
    bool wroteAnything = false;
};

Result<PlannedImport> planDropped(
    const std::vector<std::filesystem::path>& paths, ImportBoard& board);

Result<FinishedImport> importPlanned(
    const PlannedImport& planned, const std::filesystem::path& database, ImportBoard& board);

} // namespace trainscope::app
