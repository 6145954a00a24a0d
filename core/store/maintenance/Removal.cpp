#include "core/store/maintenance/Maintenance.h"

#include "core/model/Try.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StringTable.h"

#include <algorithm>

namespace trainscope::store {
namespace {

constexpr std::string_view kRemoving = "Removing";

struct Extent {
    std::int64_t removed = 0; // samples and spans that go
    std::int64_t all = 0;
    std::uint64_t fileBytes = 0;
};

Result<Extent> measure(Database& database, RunId run) {
    constexpr std::string_view ofRun
        = "SELECT (SELECT coalesce(sum(count), 0) FROM series WHERE source IN (SELECT source FROM "
          "source_run WHERE run=?1)) + (SELECT coalesce(sum(count), 0) FROM track WHERE source IN "
          "(SELECT source FROM source_run WHERE run=?1))";
    constexpr std::string_view ofAll
        = "SELECT (SELECT coalesce(sum(count), 0) FROM series) + (SELECT coalesce(sum(count), 0) "
          "FROM track)";
    constexpr std::string_view bytes
        = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
          "pragma_freelist_count, pragma_page_size";
    ASSIGN_OR_RETURN(const auto removed, database.number(ofRun, run.value));
    ASSIGN_OR_RETURN(const auto all, database.number(ofAll));
    ASSIGN_OR_RETURN(const auto size, database.number(bytes));
    return Extent{removed, all, static_cast<std::uint64_t>(size)};
}

// Says the removed share of the file in bytes.
class RemovalProgress {
public:
    RemovalProgress(const Progress& progress, const Extent& extent)
        : m_progress(progress)
        , m_extent(extent)
        , m_total(share(extent.removed)) { }

    bool add(std::int64_t count) {
        m_done += count;
        return proceed();
    }
    bool proceed() {
        return !m_progress || m_progress({kRemoving, std::min(share(m_done), m_total), m_total});
    }

private:
    [[nodiscard]] std::uint64_t share(std::int64_t count) const {
        const double part = m_extent.all > 0
            ? static_cast<double>(count) / static_cast<double>(m_extent.all)
            : 0.0;
        return static_cast<std::uint64_t>(part * static_cast<double>(m_extent.fileBytes));
    }

    const Progress& m_progress;
    Extent m_extent;
    std::int64_t m_done = 0;
    std::uint64_t m_total;
};

} // namespace

Status removeRun(Database& database, RunId run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto extent, measure(database, run));
    RemovalProgress done(progress, extent);
    const Watch watch(
        database, progress ? std::function<bool()>([&done] { return done.proceed(); }) : nullptr);
    IdSet names;
    RETURN_IF_ERROR(
        deleteRun(database, run, names, [&done](std::int64_t count) { return done.add(count); }));
    return deleteUnusedNames(database, std::move(names), [&done] { return done.proceed(); });
}

} // namespace trainscope::store
