#include "core/store/samples/WindowFigures.h"

#include "core/model/Try.h"
#include "core/store/samples/SampleReader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

// Sums of the held values over a window; source numbers.
class WindowSums {
public:
    explicit WindowSums(TimeRange window)
        : m_window(window) { }
    void sample(std::int64_t time, double value) {
        holdUntil(time);
        m_held = value;
        m_since = time;
        if (time < m_window.begin.ns || time >= m_window.end.ns)
            return;
        ++m_count;
        if (std::isnan(value)) {
            ++m_missing;
            return;
        }
        m_plain += value;
        m_min = clampedDifference(m_count, m_missing) == 1 ? value : std::min(m_min, value);
        m_max = clampedDifference(m_count, m_missing) == 1 ? value : std::max(m_max, value);
    }
    // A chunk whose samples all lie in the window, by its row's figures.
    void chunk(const Row& row) {
        holdUntil(row.integer(2));
        if (!row.isNull(5)) {
            const bool fresh = m_count == m_missing;
            m_min = fresh ? row.real(5) : std::min(m_min, row.real(5));
            m_max = fresh ? row.real(6) : std::max(m_max, row.real(6));
        }
        m_count += row.integer(1);
        m_missing = clampedSum(m_missing, row.integer(4));
        m_since = row.integer(3);
        m_held = row.real(7);
        m_weighted += row.real(8);
        m_weight += static_cast<double>(row.integer(9));
    }
    // True when the mean is one of held time.
    [[nodiscard]] bool isHeld() const { return m_weight > 0.0; }
    void holdUntil(std::int64_t time) {
        const std::int64_t from = std::max(m_since, m_window.begin.ns);
        const std::int64_t to = std::min(time, m_window.end.ns);
        if (std::isnan(m_held) || to <= from)
            return;
        const auto held = static_cast<double>(clampedDifference(to, from));
        m_weighted += m_held * held;
        m_weight += held;
    }
    [[nodiscard]] WindowStatistics result(double scale) const {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        WindowStatistics out;
        const std::int64_t present = clampedDifference(m_count, m_missing);
        out.count = m_count;
        out.missing = m_missing;
        out.mean = m_weight > 0.0 ? m_weighted / m_weight * scale
            : present > 0         ? m_plain / static_cast<double>(present) * scale
                                  : none;
        out.min = present > 0 ? m_min * scale : none;
        out.max = present > 0 ? m_max * scale : none;
        out.integral = m_weighted * scale * 1e-9;
        out.coveredSeconds = m_weight * 1e-9;
        return out;
    }

private:
    TimeRange m_window;
    double m_held = std::numeric_limits<double>::quiet_NaN();
    std::int64_t m_since = 0;
    std::int64_t m_count = 0;
    std::int64_t m_missing = 0;
    double m_plain = 0.0;
    double m_weighted = 0.0;
    double m_weight = 0.0;
    double m_min = 0.0;
    double m_max = 0.0;
};

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
                sums.chunk(row);
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

Status visitSamples(
    Database& database, const SeriesShape& series, TimeRange window, const SampleVisitor& visit) {
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto from, reader.lowerBound(window.begin.ns));
    std::vector<TimeNs> outTimes;
    std::vector<double> outValues;
    std::int64_t next = from;
    bool isOver = false;
    RETURN_IF_ERROR(reader.forEach(from, series.count, [&](auto times, auto values) {
        const auto end = std::lower_bound(times.begin(), times.end(), window.end.ns);
        const auto inside = static_cast<std::size_t>(end - times.begin());
        outTimes.resize(inside);
        outValues.resize(inside);
        for (std::size_t i = 0; i < inside; ++i)
            outTimes[i] = {times[i]};
        for (std::size_t i = 0; i < inside; ++i)
            outValues[i] = values[i] * series.scale;
        next += static_cast<std::int64_t>(times.size());
        isOver = (!outTimes.empty() && !visit(outTimes, outValues)) || inside < times.size();
        return !isOver;
    }));
    return isOver || next >= series.count ? Status()
                                          : Status(database.damaged("the index of samples"));
}

} // namespace trainscope::store
