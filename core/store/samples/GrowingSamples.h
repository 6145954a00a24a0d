#pragma once
// The samples of a source that is written while it happens. Each write() adds what is new as small
// chunks; every kMergeEvery writes these become one chunk a series, and chunks of kWholeChunk
// samples are left alone for good. So a sample is written three times, however long it goes on, and
// a reader finds no more than a block of each series without a pyramid (SeriesPyramid.h).
//
// One write() is a part of the caller's transaction; until written() says that it holds, nothing
// that it did is remembered, and the next one does it again.

#include "core/store/database/Database.h"
#include "core/store/samples/ChunkRows.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/samples/SeriesPyramid.h"

#include <cmath>

namespace trainscope::store {

class GrowingSamples {
public:
    static constexpr std::int64_t kWholeChunk = 4096;
    static constexpr int kMergeEvery = 16;

    GrowingSamples(Database& database, SourceId source)
        : m_database(database)
        , m_source(source) { }

    void open(SeriesId series, const SeriesDescription& description) {
        Growing& growing = m_series[series];
        growing.scale = description.scale;
        growing.counterBits = description.counterBits;
        growing.peakRate = peakRate(description.metric);
    }

    // One that holds samples of an earlier recording, which stay as they are; a missing sample
    // stands between them and the next one. A part of the caller's transaction.
    // Whole chunks stay; what lies behind them waits to be written with what comes. The pyramid is
    // made anew, block by block: that of a recording that ended is of all its samples.
    Status reopen(SeriesId series, const SeriesDescription& description) {
        open(series, description);
        Growing& growing = m_series[series];
        growing.held = {};
        growing.times.clear();
        growing.values.clear();
        ASSIGN_OR_RETURN(const auto count,
            m_database.number("SELECT sum(count) FROM sample_chunk WHERE series=?", series.value));
        ASSIGN_OR_RETURN(const auto rest,
            m_database.single(
                "SELECT first_index FROM sample_chunk WHERE series=? AND count<>?"
                " ORDER BY first_index LIMIT 1",
                [](const Row& row) { return row.integer(0); }, series.value, kWholeChunk));
        growing.held.whole = rest.value_or(count);
        SampleReader reader(m_database, series);
        RETURN_IF_ERROR(reader.forEach(0, count, [&growing](auto times, auto values) {
            SampleFigures& figures = growing.held.figures;
            if (figures.count > 0)
                growing.held.periods.add(clampedDifference(times.front(), figures.end));
            growing.held.periods.addBetween(times);
            if (figures.count >= growing.held.whole) {
                growing.times.insert(growing.times.end(), times.begin(), times.end());
                growing.values.insert(growing.values.end(), values.begin(), values.end());
            }
            figures.append(figuresOf(times, values));
            return true;
        }));
        RETURN_IF_ERROR(m_database.execute("DELETE FROM bucket_page WHERE series=?", series.value));
        growing.over.reset();
        if (count > 0)
            growing.over = clampedSum(
                growing.held.figures.end, std::max<std::int64_t>(growing.held.periods.period(), 1));
        return {};
    }

    // In memory until they are written. A time before the last one counts as that.
    void add(SeriesId series, TimeNs time, double value) {
        Growing& growing = m_series[series];
        if (const auto over = std::exchange(growing.over, std::nullopt))
            add(series, {std::min(*over, time.ns)}, std::nan(""));
        growing.times.push_back(std::max(time.ns, growing.lastTime()));
        growing.values.push_back(value);
        ++m_count;
    }

    Status write() {
        prepare();
        return m_nextWrites < kMergeEvery ? addNew() : merge(false);
    }

    void written() {
        m_loose = std::move(m_nextLoose);
        m_levels = std::move(m_nextLevels);
        m_writes = m_nextWrites;
        for (auto& [id, series] : m_series) {
            const auto stay = static_cast<std::ptrdiff_t>(series.next.whole - series.held.whole);
            series.times.erase(series.times.begin(), series.times.begin() + stay);
            series.values.erase(series.values.begin(), series.values.begin() + stay);
            series.held = series.next;
        }
    }

    // The last write(): every level of every pyramid, and nothing left to be merged.
    Status finish(const IndexProceed& proceed) {
        prepare();
        RETURN_IF_ERROR(merge(true));
        RETURN_IF_ERROR(removeRows(m_levels));
        m_nextLevels.clear();
        DataWriter data(m_database);
        data.setSource(m_source.value);
        std::uint64_t done = 0;
        for (const auto& [id, series] : m_series) {
            RETURN_IF_ERROR(m_database.execute("DELETE FROM bucket_page WHERE series=?", id.value));
            RETURN_IF_ERROR(indexSeries(
                m_database, data, shapeOf(id, series),
                [&](std::uint64_t within, std::uint64_t) {
                    return proceed(done + within, static_cast<std::uint64_t>(m_count));
                },
                Squeeze::IfMuchSmaller));
            done += static_cast<std::uint64_t>(series.next.figures.count);
        }
        return data.flush();
    }

private:
    // The part of a series that the database holds.
    struct Held {
        std::int64_t whole = 0; // samples in chunks that stay
        std::int64_t indexed = 0; // those under a pyramid
        SampleFigures figures; // figures of all
        PeriodHistogram periods;
    };
    struct Growing {
        double scale = 1.0;
        int counterBits = 0;
        std::optional<double> peakRate;
        Held held;
        Held next; // held once the transaction holds
        // Time at which the last value ends, until the first sample behind an earlier recording.
        std::optional<std::int64_t> over;
        // Samples behind those in chunks that stay.
        std::vector<std::int64_t> times;
        std::vector<double> values;

        // The first, in `times`.
        [[nodiscard]] std::size_t unwritten() const {
            return static_cast<std::size_t>(held.figures.count - held.whole);
        }
        [[nodiscard]] std::int64_t lastTime() const {
            if (!times.empty())
                return times.back();
            return held.figures.count > 0 ? held.figures.end : kAllTime.begin.ns;
        }
    };
    // Rows of sample_data whose chunks the next merge replaces: first, and behind the last.
    using Rows = std::pair<std::int64_t, std::int64_t>;
    // Chunks that are written into one stretch of rows.
    class Chunks {
    public:
        Chunks(Database& database, SourceId source)
            : m_writer(database) {
            m_writer.data().setSource(source.value);
        }

        DataWriter& data() { return m_writer.data(); }

        // The samples [from, to) of what waits, as a chunk. Those that stay are worth squeezing:
        // most readings repeat the one before, since devices renew them more slowly than they are
        // asked.
        Status add(SeriesId id, const Growing& series, std::size_t from, std::size_t to,
            Squeeze squeeze = Squeeze::No) {
            if (from == to)
                return {};
            const auto times = std::span(series.times).subspan(from, to - from);
            const auto values = std::span(series.values).subspan(from, to - from);
            ChunkInput input;
            input.times
                = std::make_shared<const std::vector<std::int64_t>>(times.begin(), times.end());
            input.values.assign(values.begin(), values.end());
            input.share = m_writer.share(input.times);
            const std::int64_t first = series.held.whole + static_cast<std::int64_t>(from);
            return m_writer.write(id, first, input.share, encodeChunk(input, squeeze));
        }

    private:
        ChunkWriter m_writer;
    };

    void prepare() {
        m_nextLoose = m_loose;
        m_nextLevels = m_levels;
        m_nextWrites = m_writes + 1;
        for (auto& [id, series] : m_series) {
            series.next = series.held;
            const std::size_t from = series.unwritten();
            if (from == series.times.size())
                continue;
            const auto times = std::span(series.times).subspan(from);
            if (series.held.figures.count > 0)
                series.next.periods.add(clampedDifference(times.front(), series.held.figures.end));
            series.next.periods.addBetween(times);
            series.next.figures.append(figuresOf(times, std::span(series.values).subspan(from)));
        }
    }

    Status addNew() {
        Chunks chunks(m_database, m_source);
        ASSIGN_OR_RETURN(const auto firstRow, nextRow());
        for (const auto& [id, series] : m_series) {
            if (series.unwritten() == series.times.size())
                continue;
            RETURN_IF_ERROR(chunks.add(id, series, series.unwritten(), series.times.size()));
            RETURN_IF_ERROR(describe(id, series));
        }
        RETURN_IF_ERROR(chunks.data().flush());
        ASSIGN_OR_RETURN(const auto behind, nextRow());
        m_nextLoose.emplace_back(firstRow, behind);
        return {};
    }

    Status merge(bool isLast) {
        constexpr auto whole = static_cast<std::size_t>(kWholeChunk);
        RETURN_IF_ERROR(removeRows(m_loose));
        m_nextLoose.clear();
        m_nextWrites = 0;
        Chunks stay(m_database, m_source);
        for (auto& [id, series] : m_series) {
            RETURN_IF_ERROR(
                m_database.execute("DELETE FROM sample_chunk WHERE series=? AND first_index>=?",
                    id.value, series.held.whole));
            std::size_t done = 0;
            for (; done + whole <= series.times.size(); done += whole)
                RETURN_IF_ERROR(stay.add(id, series, done, done + whole, Squeeze::Repeating));
            if (isLast) {
                RETURN_IF_ERROR(
                    stay.add(id, series, done, series.times.size(), Squeeze::Repeating));
                done = series.times.size();
            }
            series.next.whole += static_cast<std::int64_t>(done);
            RETURN_IF_ERROR(describe(id, series));
        }
        RETURN_IF_ERROR(stay.data().flush());
        if (isLast)
            return {};
        RETURN_IF_ERROR(indexBlocks(stay.data()));
        ASSIGN_OR_RETURN(const auto firstRow, nextRow());
        Chunks loose(m_database, m_source);
        for (const auto& [id, series] : m_series) {
            const auto rest = static_cast<std::size_t>(series.next.whole - series.held.whole);
            RETURN_IF_ERROR(loose.add(id, series, rest, series.times.size()));
        }
        RETURN_IF_ERROR(loose.data().flush());
        ASSIGN_OR_RETURN(const auto behind, nextRow());
        m_nextLoose.emplace_back(firstRow, behind);
        return {};
    }

    Status removeRows(const std::vector<Rows>& rows) const {
        for (const auto& [first, behind] : rows)
            RETURN_IF_ERROR(
                m_database.execute("DELETE FROM sample_data WHERE id>=? AND id<? AND source=?",
                    first, behind, m_source.value));
        return {};
    }

    Status indexBlocks(DataWriter& data) {
        ASSIGN_OR_RETURN(const auto first, nextRow());
        for (auto& [id, series] : m_series)
            RETURN_IF_ERROR(indexBlocks(id, series, data));
        RETURN_IF_ERROR(data.flush());
        ASSIGN_OR_RETURN(const auto behind, nextRow());
        if (behind > first)
            m_nextLevels.emplace_back(first, behind);
        return {};
    }

    Status indexBlocks(SeriesId id, Growing& series, DataWriter& data) const {
        constexpr std::int64_t needed = kBlockSamples + 1 + kRateLookAhead;
        while (series.next.whole - series.next.indexed >= needed) {
            RETURN_IF_ERROR(indexBlock(m_database, data, shapeOf(id, series), series.next.indexed));
            series.next.indexed += kBlockSamples;
        }
        return {};
    }

    Status describe(SeriesId id, const Growing& series) const {
        return updateSeries(m_database, shapeOf(id, series), series.next.figures);
    }

    [[nodiscard]] static SeriesShape shapeOf(SeriesId id, const Growing& series) {
        return {id, series.scale, series.counterBits, series.next.figures.count,
            series.next.periods.period(), series.peakRate};
    }

    Result<std::int64_t> nextRow() const {
        return m_database.number("SELECT coalesce(max(id), 0) + 1 FROM sample_data");
    }

    Database& m_database;
    SourceId m_source;
    std::map<SeriesId, Growing> m_series;
    std::vector<Rows> m_loose;
    std::vector<Rows> m_nextLoose;
    // Rows with the levels of blocks alone, which the whole pyramid replaces in the end.
    std::vector<Rows> m_levels;
    std::vector<Rows> m_nextLevels;
    int m_writes = 0; // since the last merge
    int m_nextWrites = 0;
    std::int64_t m_count = 0;
};

} // namespace trainscope::store
