#include "core/analysis/iterations/PowerPeriod.h"

#include "core/analysis/iterations/Shape.h"
#include "core/analysis/telemetry/LaggedCovariance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace trainscope::analysis {

namespace {

constexpr double kLeastResolution = 16.0; // steps in a period that the sequence is sought at
constexpr double kMostResolution = 64.0;
constexpr double kShortest = 0.6; // periods
constexpr double kLongest = 3.0;
constexpr double kPriceOfOne = 0.3; // what a beginning must fit at least to be worth it
constexpr double kPriceShort = 2.0; // times the squared logarithm of distance / period
constexpr double kPriceLong = 0.25;
constexpr double kPriceOfPause = 1.5;
constexpr double kLeastFit = 0.2;
constexpr double kBestFit = 1.2; // a larger swing is no better
constexpr double kMeanFit = 0.5;
constexpr double kNearPeriod = 0.2;
constexpr double kPartsSearched = 12.0; // of a period to either side
constexpr std::size_t kLeastRepetitions = 3;

// Beginnings in a row, without a pause between them.
using Sequence = std::vector<std::size_t>;

struct Choice {
    double score = 0.0; // of the best sequence that ends here
    std::ptrdiff_t before = -1;
    bool isPause = false;
};

// The beginnings among the peaks of the fit, as sequences between pauses.
class Sequencer {
public:
    Sequencer(std::span<const double> fit, double period)
        : m_fit(fit)
        , m_period(period) { }

    std::vector<Sequence> run() {
        for (std::size_t i = 1; i + 1 < m_fit.size(); ++i) {
            if (m_fit[i] > kLeastFit && m_fit[i] >= m_fit[i - 1] && m_fit[i] > m_fit[i + 1])
                m_peaks.push_back(i);
        }
        for (std::size_t i = 0; i < m_peaks.size(); ++i)
            choose(i);
        return traced();
    }

private:
    void choose(std::size_t i) {
        const double own = std::min(m_fit[m_peaks[i]], kBestFit) - kPriceOfOne;
        Choice choice{0.0, -1, false};
        while (m_behind < i && distance(m_behind, i) > kLongest) {
            if (m_farthest < 0 || m_choices[m_behind].score > m_choices[at(m_farthest)].score)
                m_farthest = static_cast<std::ptrdiff_t>(m_behind);
            ++m_behind;
        }
        if (m_farthest >= 0 && m_choices[at(m_farthest)].score > kPriceOfPause)
            choice = {m_choices[at(m_farthest)].score - kPriceOfPause, m_farthest, true};
        for (std::size_t k = m_behind; k < i && distance(k, i) >= kShortest; ++k) {
            const double ratio = std::log(distance(k, i));
            const double price = (ratio < 0.0 ? kPriceShort : kPriceLong) * ratio * ratio;
            if (m_choices[k].score - price > choice.score)
                choice = {m_choices[k].score - price, static_cast<std::ptrdiff_t>(k), false};
        }
        choice.score += own;
        m_choices.push_back(choice);
    }

    [[nodiscard]] std::vector<Sequence> traced() const {
        std::vector<Sequence> out;
        if (m_choices.empty())
            return out;
        const auto best = std::max_element(m_choices.begin(), m_choices.end(),
            [](const Choice& a, const Choice& b) { return a.score < b.score; });
        out.emplace_back();
        for (std::ptrdiff_t i = best - m_choices.begin(); i >= 0; i = m_choices[at(i)].before) {
            out.back().push_back(m_peaks[at(i)]);
            if (m_choices[at(i)].isPause)
                out.emplace_back();
        }
        for (Sequence& sequence : out)
            std::reverse(sequence.begin(), sequence.end());
        std::reverse(out.begin(), out.end());
        return out;
    }

    static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] double distance(std::size_t from, std::size_t to) const {
        return static_cast<double>(m_peaks[to] - m_peaks[from]) / m_period;
    }

    std::span<const double> m_fit;
    double m_period;
    std::vector<std::size_t> m_peaks;
    std::vector<Choice> m_choices;
    std::size_t m_behind = 0; // the first peak that is near enough
    std::ptrdiff_t m_farthest = -1; // the best of those before it
};

// The signal at another resolution: `finer` points for each step, or one for `coarser` of them.
struct Rescaled {
    std::vector<double> values;
    double stepsEach = 1.0; // of the signal
    double offset = 0.0; // the step boundary that point 0 stands for
};

Rescaled rescaled(std::span<const double> signal, double period) {
    Rescaled out;
    const auto coarser = static_cast<std::size_t>(std::max(period / kMostResolution * 2.0, 1.0));
    const auto finer
        = static_cast<std::size_t>(std::max(std::ceil(kLeastResolution / period), 1.0));
    if (coarser > 1) {
        out.stepsEach = static_cast<double>(coarser);
        for (std::size_t i = 0; i + coarser <= signal.size(); i += coarser) {
            double sum = 0.0;
            for (std::size_t k = 0; k < coarser; ++k)
                sum += signal[i + k];
            out.values.push_back(sum / out.stepsEach);
        }
        return out;
    }
    out.stepsEach = 1.0 / static_cast<double>(finer);
    // Lines between the middles of the steps; a rise between two of them then has its middle at
    // their boundary.
    out.offset = finer > 1 ? 0.5 : 0.0;
    for (std::size_t i = 0; i + 1 < signal.size(); ++i) {
        for (std::size_t k = 0; k < finer; ++k)
            out.values.push_back(std::lerp(
                signal[i], signal[i + 1], static_cast<double>(k) / static_cast<double>(finer)));
    }
    out.values.push_back(signal.back());
    return out;
}

class BoundaryTrack {
public:
    BoundaryTrack(const UniformSeries& signal, double period)
        : m_signal(signal)
        , m_period(period)
        , m_flat(withoutDrift(signal.values, static_cast<std::size_t>(std::ceil(4.0 * period)))) { }

    std::vector<TimeRange> run() {
        m_scaled = rescaled(m_flat, m_period);
        m_scaledPeriod = m_period / m_scaled.stepsEach;
        const auto shape = Shape::fold(m_scaled.values, m_scaledPeriod);
        if (!shape)
            return {};
        auto sequences = sequencesOf(*shape);
        if (const auto better = Shape::average(m_scaled.values, steady(sequences), shape->length()))
            sequences = sequencesOf(*better);
        if (m_meanFit < kMeanFit)
            return {};
        return rangesOf(sequences);
    }

private:
    std::vector<Sequence> sequencesOf(const Shape& shape) {
        const auto fit = shape.fit(m_scaled.values);
        auto sequences = Sequencer(fit, m_scaledPeriod).run();
        double sum = 0.0;
        double count = 0.0;
        for (const Sequence& sequence : sequences) {
            for (const std::size_t i : sequence) {
                sum += fit[i];
                count += 1.0;
            }
        }
        m_meanFit = count > 0.0 ? sum / count : 0.0;
        return sequences;
    }

    // The beginnings whose distances to both neighbours are about the period.
    [[nodiscard]] std::vector<std::size_t> steady(const std::vector<Sequence>& sequences) const {
        std::vector<std::size_t> out;
        for (const Sequence& sequence : sequences) {
            for (std::size_t i = 1; i + 1 < sequence.size(); ++i) {
                const auto before = static_cast<double>(sequence[i] - sequence[i - 1]);
                const auto after = static_cast<double>(sequence[i + 1] - sequence[i]);
                const double limit = kNearPeriod * m_scaledPeriod;
                if (std::abs(before - m_scaledPeriod) < limit
                    && std::abs(after - m_scaledPeriod) < limit)
                    out.push_back(sequence[i]);
            }
        }
        return out;
    }

    // In steps of the signal; between steps where it was refined to finer ones.
    [[nodiscard]] double boundaryOf(std::size_t point) const {
        const double step = static_cast<double>(point) * m_scaled.stepsEach + m_scaled.offset;
        const auto reach
            = static_cast<std::size_t>(std::max(m_scaled.stepsEach, m_period / kPartsSearched));
        if (m_scaled.stepsEach < 1.0 || reach < 2)
            return step;
        // The shape of a repetition of another length fits best a little beside its rise.
        const auto middle = static_cast<std::size_t>(step);
        const auto width = static_cast<std::size_t>(std::max(m_period / kLeastResolution, 1.0));
        return static_cast<double>(steepestRise(m_flat, middle - std::min(middle, reach),
            std::min(middle + reach + 1, m_flat.size()), width));
    }

    [[nodiscard]] TimeNs timeOf(double boundary) const {
        // A change between two samples shows at the second: half a step late on average.
        const double ns = (boundary - 0.5) * static_cast<double>(m_signal.step.ns);
        return {m_signal.begin.ns + std::max<std::int64_t>(std::llround(ns), 0)};
    }

    // An unseen boundary at either end of the record, where it would lie one period on.
    void addEnds(std::vector<double>& boundaries) const {
        const double slack = std::max(1.5, 0.03 * m_period);
        const auto end = static_cast<double>(m_signal.values.size());
        if (std::abs(boundaries.front() - m_period) <= slack)
            boundaries.insert(boundaries.begin(), 0.0);
        if (std::abs(boundaries.back() + m_period - end) <= slack)
            boundaries.push_back(end);
    }

    [[nodiscard]] bool hasHole(double from, double to) const {
        const auto begin = m_signal.values.begin();
        return std::any_of(begin + static_cast<std::ptrdiff_t>(from),
            begin
                + std::min(static_cast<std::ptrdiff_t>(to),
                    static_cast<std::ptrdiff_t>(m_signal.values.size())),
            [](double value) { return std::isnan(value); });
    }

    [[nodiscard]] std::vector<TimeRange> rangesOf(const std::vector<Sequence>& sequences) const {
        std::vector<TimeRange> out;
        std::size_t near = 0;
        for (const Sequence& sequence : sequences) {
            std::vector<double> boundaries;
            for (const std::size_t point : sequence)
                boundaries.push_back(boundaryOf(point));
            addEnds(boundaries);
            for (std::size_t i = 1; i < boundaries.size(); ++i) {
                const double length = boundaries[i] - boundaries[i - 1];
                const bool isNear = std::abs(length / m_period - 1.0) <= kNearPeriod;
                // A boundary may lie in a hole.
                if (length <= 0.0 || (!isNear && hasHole(boundaries[i - 1], boundaries[i])))
                    continue;
                near += isNear ? 1 : 0;
                out.push_back({timeOf(boundaries[i - 1]), timeOf(boundaries[i])});
            }
        }
        if (near < kLeastRepetitions || 2 * near < out.size())
            out.clear();
        return out;
    }

    const UniformSeries& m_signal;
    double m_period;
    std::vector<double> m_flat;
    Rescaled m_scaled;
    double m_scaledPeriod = 0.0;
    double m_meanFit = 0.0;
};

} // namespace

std::vector<TimeRange> trackPeriods(const UniformSeries& signal, double periodSteps) {
    return BoundaryTrack(signal, periodSteps).run();
}

} // namespace trainscope::analysis
