#include "core/store/samples/WindowFigures.h"

#include "core/store/samples/SampleFigures.h"

#include <cmath>

namespace trainscope::store {
namespace {

// Sums of the held values over a window; source numbers.
class WindowSums {
public:
    explicit WindowSums(TimeRange window)
        : m_window(window) { }
    void sample(std::int64_t time, double value) {
        holdUntil(time);
        m_sums.last = value;
        m_sums.end = time;
        if (m_window.contains({time}))
            m_sums.include(value);
    }
    // A chunk whose samples all lie in the window.
    void chunk(const SampleFigures& figures) {
        holdUntil(figures.begin);
        m_sums.append(figures);
    }
    // True when the mean is one of held time.
    [[nodiscard]] bool isHeld() const { return m_sums.weight > 0; }
    [[nodiscard]] WindowStatistics result(double scale) const {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        WindowStatistics out;
        out.count = m_sums.count;
        out.missing = m_sums.missing;
        out.min = m_sums.min.value_or(none) * scale;
        out.max = m_sums.max.value_or(none) * scale;
        out.mean = m_sums.mean().value_or(none) * scale;
        if (m_sums.min)
            out.mean = std::clamp(out.mean, out.min, out.max); // sums are rounded
        out.integral = m_sums.weighted * scale * 1e-9;
        out.coveredSeconds = static_cast<double>(m_sums.weight) * 1e-9;
        return out;
    }

private:
    void holdUntil(std::int64_t time) {
        const std::int64_t from = std::max(m_sums.end, m_window.begin.ns);
        const std::int64_t to = std::min(time, m_window.end.ns);
        if (!std::isnan(m_sums.last) && to > from) {
            m_sums.hold(m_sums.last, from, to);
            m_sums.min = std::min(m_sums.min.value_or(m_sums.last), m_sums.last);
            m_sums.max = std::max(m_sums.max.value_or(m_sums.last), m_sums.last);
        }
        m_sums.end = time; // held so far
    }

    TimeRange m_window;
    SampleFigures m_sums;
};

// As the row of a chunk has them, in the order of queryStatistics().
SampleFigures figuresIn(const Row& row) {
    SampleFigures figures;
    figures.count = row.integer(1);
    figures.begin = row.integer(2);
    figures.end = row.integer(3);
    figures.missing = row.integer(4);
    if (!row.isNull(5)) {
        figures.min = row.real(5);
        figures.max = row.real(6);
    }
    figures.last = row.real(7);
    figures.weighted = row.real(8);
    figures.weight = row.integer(9);
    return figures;
}

// Every sample from the chunk at `first` on.
Status addSamples(SampleReader& reader, std::int64_t first, std::int64_t end, TimeRange window,
    WindowSums& sums) {
    return reader.forEach(first, end, [&](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            sums.sample(times[i], values[i]);
            if (times[i] >= window.end.ns)
                return false;
        }
        return true;
    });
}

} // namespace

Result<std::optional<double>> queryValueAt(
    Database& database, const SeriesShape& series, TimeNs t) {
    const std::optional<double> none;
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto behind, reader.lowerBound(clampedSum(t.ns, 1)));
    if (behind == 0)
        return none;
    ASSIGN_OR_RETURN(const auto held, reader.sample(behind - 1));
    const double value = held.value * series.scale;
    if (std::isnan(value))
        return none;
    const DurationNs age = t - held.time;
    if (age.ns <= series.periodNs)
        return std::optional(value);
    if (behind >= series.count)
        return none;
    ASSIGN_OR_RETURN(const auto next, reader.sample(behind));
    const DurationNs hole = next.time - held.time;
    return hole.ns > series.holeNs() ? none : std::optional(value);
}

Result<std::optional<Sample>> queryLastBefore(
    Database& database, const SeriesShape& series, TimeNs t) {
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto behind, reader.lowerBound(t.ns));
    if (behind == 0)
        return std::optional<Sample>();
    ASSIGN_OR_RETURN(auto last, reader.sample(behind - 1));
    last.value *= series.scale;
    return std::optional(last);
}

Result<WindowStatistics> queryStatistics(
    Database& database, const SeriesShape& series, TimeRange window) {
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto place, reader.placeBefore(window.begin.ns));
    WindowSums sums(window);
    if (!place && series.count > 0)
        return database.damaged("the index of samples");
    if (!place)
        return sums.result(series.scale);
    const std::int64_t first = place->firstIndex;
    std::int64_t next = first;
    bool isOver = false;
    RETURN_IF_ERROR(database.forEach(
        "SELECT first_index, count, begin_ns, end_ns, missing, min, max, last, weighted_sum, "
        "weight_ns FROM sample_chunk WHERE series=? AND first_index>=? ORDER BY first_index",
        [&](const Row& row) -> Result<bool> {
            const bool isNext = row.integer(0) == next && next <= series.count;
            if (!isNext || row.integer(1) < 0 || row.integer(1) > series.count - next)
                return database.damaged("the index of samples");
            next += row.integer(1);
            const bool inside = row.integer(2) >= window.begin.ns && row.integer(3) < window.end.ns;
            if (inside) {
                sums.chunk(figuresIn(row));
                return true;
            }
            const std::int64_t at = row.integer(0);
            RETURN_IF_ERROR(addSamples(reader, at, at + row.integer(1), window, sums));
            isOver = row.integer(3) >= window.end.ns;
            return !isOver;
        },
        series.id.value, first));
    if (!isOver && next != series.count)
        return database.damaged("the index of samples");
    // Samples that hold for no time count by themselves, which the figures of chunks do not tell.
    if (!sums.isHeld()) {
        sums = WindowSums(window);
        RETURN_IF_ERROR(addSamples(reader, first, series.count, window, sums));
    }
    return sums.result(series.scale);
}

SampleStream::SampleStream(Database& database, const SeriesShape& series, TimeRange window)
    : m_reader(database, series.id)
    , m_database(database)
    , m_window(window)
    , m_scale(series.scale)
    , m_end(series.count) { }

Result<SampleView> SampleStream::next() {
    if (m_next < 0)
        RETURN_IF_ERROR(assign(m_reader.lowerBound(m_window.begin.ns), m_next));
    if (m_next >= m_end)
        return SampleView{};
    ASSIGN_OR_RETURN(const auto chunk, m_reader.at(m_next));
    if (chunk == nullptr)
        return m_database.damaged("the index of samples");
    const auto skip = static_cast<std::size_t>(m_next - chunk->firstIndex);
    const auto take = static_cast<std::size_t>(std::min(m_end, chunk->endIndex()) - m_next);
    const auto times = std::span(chunk->times).subspan(skip, take);
    const auto inside = static_cast<std::size_t>(
        std::lower_bound(times.begin(), times.end(), m_window.end.ns) - times.begin());
    m_times.resize(inside);
    m_values.resize(inside);
    for (std::size_t i = 0; i < inside; ++i)
        m_times[i] = {times[i]};
    for (std::size_t i = 0; i < inside; ++i)
        m_values[i] = chunk->values[skip + i] * m_scale;
    m_next = inside < take ? m_end : m_next + static_cast<std::int64_t>(take);
    return SampleView{m_times, m_values};
}

Status visitSamples(
    Database& database, const SeriesShape& series, TimeRange window, const SampleVisitor& visit) {
    SampleStream stream(database, series, window);
    while (true) {
        ASSIGN_OR_RETURN(const auto samples, stream.next());
        if (samples.times.empty() || !visit(samples.times, samples.values))
            return {};
    }
}

} // namespace trainscope::store
