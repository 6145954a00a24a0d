#include "core/store/maintenance/Maintenance.h"

#include "core/store/database/PageSums.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/spans/LodPage.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StringTable.h"

namespace trainscope::store {

namespace {

constexpr std::string_view kPages = "Checking the pages";
constexpr std::string_view kStructure = "Checking the structure";
constexpr std::string_view kContents = "Checking the contents";

std::string ofRank(std::int64_t rank) {
    return rank < 0 ? std::string() : " of rank " + std::to_string(rank);
}

class Checker {
public:
    Checker(Database& database, const Progress& progress)
        : m_database(database)
        , m_progress(progress) { }

    Result<CheckReport> run() {
        const ReadSnapshot snapshot(m_database); // one moment, whoever writes meanwhile
        for (const Step& step : {Step{"the file", &Checker::measure},
                 {"the pages", &Checker::checkSums}, {"the structure", &Checker::checkStructure},
                 {"the samples and spans", &Checker::checkRuns},
                 {"the overviews of spans", &Checker::checkPages},
                 {"the overviews of samples", &Checker::checkBuckets},
                 {"the lists of names", &Checker::checkSourceNames}}) {
            const Status status = (this->*step.check)();
            // A part too broken to be read on is a finding, not a failure, of the check.
            if (!status.hasValue() && status.error().code != ErrorCode::Unreadable)
                return status.error();
            if (!status.hasValue())
                damage("Of " + std::string(step.of)
                    + " nothing further can be read: " + status.error().message);
        }
        return std::move(m_report);
    }

private:
    struct Step {
        std::string_view of;
        Status (Checker::*check)();
    };

    Status checkSums() {
        return forEachPage(m_database, [&](std::int64_t page, PageState state) -> Status {
            if (state == PageState::Damaged) {
                ++m_damagedPages;
                damage("Page " + std::to_string(page) + " of the file (4096 bytes from byte "
                    + std::to_string((page - 1) * kPageSize) + " on) is not as it was written.");
            }
            const auto done = static_cast<std::uint64_t>(page) * kPageSize;
            const bool goesOn
                = !m_progress || m_progress({kPages, std::min(done, m_total), m_total});
            return goesOn ? Status() : Status(cancelled());
        });
    }

    Status checkStructure() {
        const Watch watch(m_database, [this] {
            return !m_progress || m_progress({kStructure, 0, 0});
        });
        return m_database.forEach("PRAGMA integrity_check", [this](const Row& row) {
            // For a page known to be damaged, SQLite only says that it cannot be read.
            const bool isKnown = m_damagedPages > 0
                && row.text(0).find("unable to get the page") != std::string_view::npos;
            if (row.text(0) != "ok" && !isKnown)
                damage("The structure of the file is damaged: " + row.string(0) + ".");
        });
    }

    Status measure() { return assign(m_database.bytes(), m_total); }

    // Counts one piece of that many bytes.
    Status look(std::uint64_t bytes) {
        ++m_report.pieces;
        m_report.bytes += bytes;
        const bool goesOn
            = !m_progress || m_progress({kContents, std::min(m_report.bytes, m_total), m_total});
        return goesOn ? Status() : Status(cancelled());
    }

    void damage(std::string text) {
        ++m_report.damageCount;
        if (m_report.damage.size() < CheckReport::kMaxListed)
            m_report.damage.push_back(std::move(text));
    }

    Status checkRuns() {
        ASSIGN_OR_RETURN(const auto samples, m_database.number("SELECT sum(count) FROM series"));
        ASSIGN_OR_RETURN(const auto spans, m_database.number("SELECT sum(count) FROM track"));
        m_total = static_cast<std::uint64_t>(samples) * sizeof(std::int64_t)
            + static_cast<std::uint64_t>(spans) * sizeof(Span);
        ASSIGN_OR_RETURN(const auto linked,
            m_database.rows("SELECT source FROM run_link",
                [](const Row& row) { return SourceId{row.integer(0)}; }));
        ASSIGN_OR_RETURN(const auto runs, readRuns(m_database));
        for (const Run& run : runs) {
            const std::string ofRun = " in the run \"" + run.name + "\"";
            ASSIGN_OR_RETURN(const auto series, readSeries(m_database, run.id));
            for (const Series& one : series) {
                const SeriesDescription& said = one.description;
                if (std::find(linked.begin(), linked.end(), one.source) == linked.end())
                    RETURN_IF_ERROR(
                        note("samples of " + said.metric.name + ofRank(said.subject.rank) + ofRun,
                            readAll(m_database, one,
                                [this](auto times, auto) { return look(times.size_bytes()); })));
            }
            ASSIGN_OR_RETURN(const auto tracks, readTracks(m_database, run.id));
            for (const Track& one : tracks)
                RETURN_IF_ERROR(note("spans of the track \"" + one.description.name + "\""
                        + ofRank(one.description.rank) + ofRun,
                    readAll(m_database, one,
                        [this](std::span<const Span> some) { return look(some.size_bytes()); })));
        }
        return {};
    }

    Status note(const std::string& what, const Status& read) {
        if (!read.hasValue() && read.error().code != ErrorCode::Unreadable)
            return read;
        if (!read.hasValue())
            damage("Not all " + what + " can be read: some are damaged or missing.");
        return {};
    }

    Status checkPages() {
        LodPage page;
        std::vector<NameMask> names;
        return m_database.forEach(
            "SELECT group_page.level, group_page.data, group_page.names, track.rank, track.name, "
            "run.name FROM track JOIN run ON run.id=track.run JOIN group_page ON "
            "group_page.track=track.id",
            [&](const Row& row) -> Status {
                if (!decodePage(row.blob(1), page) || !decodeNames(row.blob(2), names))
                    damage("The overview of the track \"" + row.string(4) + "\""
                        + ofRank(row.integer(3)) + " in the run \"" + row.string(5)
                        + "\" cannot be read at level " + std::to_string(row.integer(0))
                        + "; its spans may still be whole.");
                return look(row.blob(1).size());
            });
    }

    Status checkBuckets() {
        std::vector<BucketNode> nodes;
        Bytes data;
        return m_database.forEach(
            "SELECT data_at, data_size, bucket_page.count, metric, rank, run.name FROM series JOIN "
            "run ON run.id=series.run JOIN bucket_page ON bucket_page.series=series.id",
            [&](const Row& row) -> Status {
                const bool isGood
                    = readData(m_database, {row.integer(0), row.integer(1)}, data).hasValue()
                    && decodeNodes(data, 1.0, nodes)
                    && std::cmp_equal(nodes.size(), row.integer(2));
                if (!isGood)
                    damage("The overview of " + row.string(3) + ofRank(row.integer(4))
                        + " in the run \"" + row.string(5)
                        + "\" cannot be read; its samples may still be whole.");
                return look(data.size());
            });
    }

    Status checkSourceNames() {
        return m_database.forEach(
            "SELECT source.path, source_name.data FROM source JOIN source_name ON "
            "source_name.source=source.id",
            [this](const Row& row) -> Status {
                IdSet names;
                if (!names.decode(row.blob(1)))
                    damage("The list of names of the source " + row.string(0)
                        + " cannot be read: when sources are removed, their names stay.");
                return look(row.blob(1).size());
            });
    }

    Database& m_database;
    const Progress& m_progress;
    CheckReport m_report;
    std::uint64_t m_total = 0;
    std::int64_t m_damagedPages = 0;
};

} // namespace

Status readAll(Database& database, const Series& series,
    const std::function<Status(std::span<const std::int64_t>, std::span<const double>)>& visit) {
    SampleReader reader(database, series.id);
    std::int64_t read = 0;
    Status visited;
    RETURN_IF_ERROR(reader.forEach(0, series.count, [&](auto times, auto values) {
        read += static_cast<std::int64_t>(times.size());
        visited = visit(times, values);
        return visited.hasValue();
    }));
    if (visited.hasValue() && read != series.count)
        return database.damaged("the index of samples");
    return visited;
}

Status readAll(Database& database, const Track& track,
    const std::function<Status(std::span<const Span>)>& visit) {
    SpanStream stream(database, track.id, kAllTime);
    std::int64_t read = 0;
    while (true) {
        ASSIGN_OR_RETURN(const auto spans, stream.next());
        if (spans.empty())
            break;
        read += static_cast<std::int64_t>(spans.size());
        RETURN_IF_ERROR(visit(spans));
    }
    return read == track.count ? Status() : Status(database.damaged("the index of spans"));
}

Result<CheckReport> checkDatabase(Database& database, const Progress& progress) {
    return Checker(database, progress).run();
}

// Shows samples and spans, each as the bytes that it takes in memory.
Status removeRun(Database& database, RunId run, const Progress& progress) {
    constexpr std::int64_t each = 16;
    ASSIGN_OR_RETURN(const auto total,
        database.number(
            "SELECT (SELECT coalesce(sum(count), 0) FROM series WHERE source IN (SELECT "
            "source FROM source_run WHERE run=?1)) + (SELECT coalesce(sum(count), 0) "
            "FROM track WHERE source IN (SELECT source FROM source_run WHERE run=?1))",
            run.value));
    std::int64_t done = 0;
    const auto proceed = [&] {
        return !progress
            || progress({"Removing", static_cast<std::uint64_t>(std::min(done, total) * each),
                static_cast<std::uint64_t>(total * each)});
    };
    const Watch watch(database, progress ? std::function<bool()>(proceed) : nullptr);
    IdSet names;
    RETURN_IF_ERROR(deleteRun(database, run, names, [&](std::int64_t count) {
        done += count;
        return proceed();
    }));
    return deleteUnusedNames(database, std::move(names), proceed);
}

Result<VacuumOutcome> vacuumDatabase(Database& database, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto before, database.bytes());
    const auto proceed = [&] { return !progress || progress({"Compacting", 0, 0}); };
    // The compact copy is as large as the database: it belongs on the disk.
    RETURN_IF_ERROR(database.script("PRAGMA temp_store=FILE"));
    Status status;
    {
        const Watch watch(database, proceed);
        status = proceed() ? database.script("VACUUM") : Status(cancelled());
    }
    RETURN_IF_ERROR(database.script("PRAGMA temp_store=MEMORY"));
    RETURN_IF_ERROR(std::move(status));
    // Moves what was written into the file, as far as its readers allow.
    RETURN_IF_ERROR(database.script("PRAGMA wal_checkpoint(TRUNCATE)"));
    ASSIGN_OR_RETURN(const auto after, database.bytes());
    return VacuumOutcome{before, after};
}

} // namespace trainscope::store
