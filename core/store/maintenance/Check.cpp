#include "core/store/maintenance/Maintenance.h"

#include "core/model/Time.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/database/PageSums.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/spans/LodPage.h"
#include "core/store/tables/StringTable.h"

#include <algorithm>

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
        const ReadSnapshot snapshot(m_database); // of one moment, whoever writes meanwhile
        for (const Step& step :
            {Step{"the file", &Checker::measure}, {"the pages", &Checker::checkSums},
                {"the structure", &Checker::checkStructure}, {"the spans", &Checker::checkSpans},
                {"the numbers of spans", &Checker::checkSpanCounts},
                {"the overviews of spans", &Checker::checkPages},
                {"the samples", &Checker::checkSeries},
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
        m_report.hasSums = hasPageSums(m_database);
        if (!m_report.hasSums)
            m_report.remarks.emplace_back(
                "The database is from an earlier version and its pages have no checksums, so that "
                "damage shows only where it makes no sense; importing it into a new database gives "
                "it some.");
        std::int64_t without = 0;
        RETURN_IF_ERROR(forEachPage(m_database, [&](std::int64_t page, PageState state) -> Status {
            without += state == PageState::WithoutSum ? 1 : 0;
            if (state == PageState::Damaged) {
                ++m_damagedPages;
                damage("Page " + std::to_string(page) + " of the file (4096 bytes from byte "
                    + std::to_string((page - 1) * kPageSize) + " on) is not as it was written.");
            }
            const auto done = static_cast<std::uint64_t>(page) * kPageSize;
            const bool goesOn
                = !m_progress || m_progress({kPages, std::min(done, m_total), m_total});
            return goesOn ? Status() : Status(cancelled());
        }));
        if (without > 0)
            m_report.remarks.push_back(std::to_string(without)
                + " pages have no checksum, because another program wrote them after a crash; "
                  "they get one as soon as something is written to the database.");
        return {};
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

    Status measure() {
        ASSIGN_OR_RETURN(const auto bytes,
            m_database.number(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
        m_total = static_cast<std::uint64_t>(bytes);
        return {};
    }

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

    static std::string trackText(const Row& row, int from) {
        return "the track \"" + row.string(from + 1) + "\"" + ofRank(row.integer(from))
            + " in the run \"" + row.string(from + 2) + "\"";
    }

    Status checkSpans() {
        SpanChunk chunk;
        std::int64_t track = 0;
        std::int64_t next = 0;
        return m_database.forEach(
            "SELECT track.id, span_chunk.sequence, span_chunk.count, span_chunk.data, track.rank, "
            "track.name, run.name FROM track JOIN run ON run.id=track.run JOIN span_chunk ON "
            "span_chunk.track=track.id ORDER BY track.id, span_chunk.sequence",
            [&](const Row& row) -> Status {
                if (std::exchange(track, row.integer(0)) != row.integer(0))
                    next = 0;
                if (row.integer(1) != next)
                    damage("Spans are missing before chunk " + std::to_string(row.integer(1))
                        + " of " + trackText(row, 4) + ".");
                next = clampedSum(row.integer(1), 1);
                const bool isGood = decodeSpans(row.blob(3), chunk)
                    && std::cmp_equal(chunk.own.size(), row.integer(2))
                    && std::is_sorted(chunk.own.begin(), chunk.own.end(),
                        [](const Span& a, const Span& b) { return a.start < b.start; });
                if (!isGood)
                    damage("Up to " + std::to_string(row.integer(2)) + " spans of "
                        + trackText(row, 4) + " cannot be read (chunk "
                        + std::to_string(row.integer(1)) + ").");
                return look(row.blob(3).size());
            });
    }

    // Chunks that are lost behind the last one, or all of a track's, leave no hole.
    Status checkSpanCounts() {
        return m_database.forEach(
            "SELECT rank, track.name, run.name, track.count - coalesce((SELECT sum(count) FROM "
            "span_chunk WHERE span_chunk.track=track.id), 0) AS lacking FROM track JOIN run ON "
            "run.id=track.run WHERE lacking>0",
            [this](const Row& row) {
                damage("Of " + trackText(row, 0) + " " + std::to_string(row.integer(3))
                    + " spans are missing.");
            });
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
                    damage("The overview of " + trackText(row, 3) + " cannot be read at level "
                        + std::to_string(row.integer(0)) + "; its spans may still be whole.");
                return look(row.blob(1).size());
            });
    }

    struct SeriesEntry {
        SeriesId id;
        std::int64_t count;
        std::string text;
    };
    Status checkSeries() {
        ASSIGN_OR_RETURN(const auto all,
            m_database.rows("SELECT series.id, series.count, metric, rank, run.name FROM series "
                            "JOIN run ON run.id=series.run WHERE series.source NOT IN (SELECT "
                            "source FROM run_link)",
                [](const Row& row) {
                    return SeriesEntry{{row.integer(0)}, row.integer(1),
                        row.string(2) + ofRank(row.integer(3)) + " in the run \"" + row.string(4)
                            + "\""};
                }));
        for (const SeriesEntry& series : all)
            RETURN_IF_ERROR(checkSamples(series));
        return {};
    }

    // Chunk by chunk, so that one that is damaged does not hide those behind it.
    Status checkSamples(const SeriesEntry& series) {
        struct Piece {
            std::int64_t first;
            std::int64_t count;
            std::uint64_t bytes;
        };
        ASSIGN_OR_RETURN(const auto pieces,
            m_database.rows(
                "SELECT first_index, count, values_size + times_size FROM "
                "sample_chunk WHERE series=? ORDER BY first_index",
                [](const Row& row) {
                    return Piece{
                        row.integer(0), row.integer(1), static_cast<std::uint64_t>(row.integer(2))};
                },
                series.id.value));
        SampleReader reader(m_database, series.id);
        std::int64_t next = 0;
        for (const Piece& piece : pieces) {
            if (piece.first != next)
                damage("Samples are missing of " + series.text + ", from sample "
                    + std::to_string(next) + " on.");
            next = clampedSum(piece.first, piece.count);
            const auto chunk = reader.at(piece.first);
            const bool isGood = chunk.hasValue() && chunk.value() != nullptr
                && std::cmp_equal(chunk.value()->values.size(), piece.count);
            if (!isGood)
                damage(std::to_string(piece.count) + " samples of " + series.text
                    + " cannot be read, from sample " + std::to_string(piece.first) + " on.");
            RETURN_IF_ERROR(look(piece.bytes));
        }
        if (next != series.count)
            damage("Samples are missing at the end of " + series.text + ".");
        return {};
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

Result<CheckReport> checkDatabase(Database& database, const Progress& progress) {
    return Checker(database, progress).run();
}

} // namespace trainscope::store
