#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/telemetry/Correlation.h"
#include "core/model/Gather.h"

#include <numbers>

namespace trainscope::analysis {
namespace {

// The shape that a signal repeats, centred on its steepest rise, and how well it fits elsewhere.

class Shape {
public:
    // From the part of the signal that repeats best every `period` steps (at least 4). Absent where
    // the signal is shorter than two periods or never changes.
    static std::optional<Shape> fold(std::span<const double> signal, double period);
    // The mean of the signal around those steps.
    static std::optional<Shape> average(
        std::span<const double> signal, std::span<const std::size_t> centres, std::size_t length);

    [[nodiscard]] std::size_t length() const { return m_weights.size(); }
    // For every step of the signal how much of the shape stands there: 1 the whole of it, 0 none of
    // it, −1 where too much of the signal is missing to tell.
    [[nodiscard]] std::vector<double> fit(std::span<const double> signal) const;

private:
    // One period of values whose middle is the steepest rise.
    static std::optional<Shape> centred(const std::vector<double>& period);

    std::vector<double> m_weights; // Σ weight·shape = 1, Σ weight = 0
};

constexpr double kPeriodsInBlock = 6.0;
constexpr double kLeastKnownPart = 0.75;
constexpr std::size_t kPartsOfRise = 8; // a rise is measured over one such part of a period

struct Folded {
    std::vector<double> means; // NaN: no value there
    double explained = 0.0; // Σ of squares
    double fraction = 0.0; // explained / all
};

Folded folded(std::span<const double> block, double period) {
    const auto bins = static_cast<std::size_t>(std::round(period));
    std::vector<double> sums(bins);
    std::vector<double> counts(bins);
    double squares = 0.0;
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < block.size(); ++i) {
        if (std::isnan(block[i]))
            continue;
        const double phase = std::fmod(static_cast<double>(i), period) / period;
        const auto bin
            = std::min(static_cast<std::size_t>(phase * static_cast<double>(bins)), bins - 1);
        sums[bin] += block[i];
        counts[bin] += 1.0;
        squares += block[i] * block[i];
        sum += block[i];
        count += 1.0;
    }
    Folded out;
    if (count == 0.0)
        return out;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        out.means.push_back(sums[bin] / counts[bin]);
        if (counts[bin] > 0.0)
            out.explained += sums[bin] * sums[bin] / counts[bin];
    }
    out.explained -= sum * sum / count;
    const double all = squares - sum * sum / count;
    out.fraction = all > 0.0 ? out.explained / all : 0.0;
    return out;
}

bool isWhole(const Folded& fold) {
    return !fold.means.empty()
        && std::ranges::none_of(fold.means, [](double mean) { return std::isnan(mean); });
}

// The step within [from, to) where the mean of the next `width` values lies highest above that of
// the last.
std::size_t steepestRise(
    std::span<const double> values, std::size_t from, std::size_t to, std::size_t width) {
    std::size_t best = from;
    double bestRise = -std::numeric_limits<double>::infinity();
    for (std::size_t i = std::max(from, width); i < to && i + width <= values.size(); ++i) {
        double rise = 0.0;
        for (std::size_t k = 0; k < width; ++k)
            rise += values[i + k] - values[i - k - 1];
        if (rise > bestRise) {
            bestRise = rise;
            best = i;
        }
    }
    return best;
}

std::optional<Shape> Shape::fold(std::span<const double> signal, double period) {
    const auto length
        = std::min(static_cast<std::size_t>(std::round(kPeriodsInBlock * period)), signal.size());
    if (static_cast<double>(length) < 2.0 * period)
        return std::nullopt;
    std::vector<Folded> blocks;
    for (std::size_t from = 0; from + length <= signal.size(); from += (length + 1) / 2)
        blocks.push_back(folded(signal.subspan(from, length), period));
    std::erase_if(blocks, [](const Folded& block) { return !isWhole(block); });
    if (blocks.empty())
        return std::nullopt;
    const std::vector<double> sizes = vectorOf(blocks, &Folded::explained);
    // Silence repeats perfectly too.
    const double least = 0.5 * upperMedian(sizes);
    const Folded* best = nullptr;
    for (const Folded& block : blocks) {
        if (block.explained >= least && (best == nullptr || block.fraction > best->fraction))
            best = &block;
    }
    return centred(best->means);
}

std::optional<Shape> Shape::centred(const std::vector<double>& period) {
    const std::size_t n = period.size();
    std::vector<double> thrice;
    for (int i = 0; i < 3; ++i)
        thrice.insert(thrice.end(), period.begin(), period.end());
    const std::size_t rise
        = steepestRise(thrice, n, 2 * n, std::max<std::size_t>(n / kPartsOfRise, 1));
    Shape out;
    double weights = 0.0;
    double weighted = 0.0;
    std::vector<double> windows;
    for (std::size_t i = 0; i < n; ++i) {
        const double window = 0.5
            - 0.5
                * std::cos(2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5)
                    / static_cast<double>(n));
        windows.push_back(window);
        weights += window;
        weighted += window * thrice[rise - n / 2 + i];
    }
    double energy = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = thrice[rise - n / 2 + i] - weighted / weights;
        out.m_weights.push_back(windows[i] * value);
        energy += windows[i] * value * value;
    }
    if (!(energy > 0.0))
        return std::nullopt;
    for (double& weight : out.m_weights)
        weight /= energy;
    return out;
}

std::optional<Shape> Shape::average(
    std::span<const double> signal, std::span<const std::size_t> centres, std::size_t length) {
    std::vector<double> sums(length);
    std::vector<double> counts(length);
    for (const std::size_t centre : centres) {
        if (centre < length / 2 || centre - length / 2 + length > signal.size())
            continue;
        for (std::size_t i = 0; i < length; ++i) {
            const double value = signal[centre - length / 2 + i];
            sums[i] += std::isnan(value) ? 0.0 : value;
            counts[i] += std::isnan(value) ? 0.0 : 1.0;
        }
    }
    for (std::size_t i = 0; i < length; ++i) {
        if (counts[i] == 0.0)
            return std::nullopt;
        sums[i] /= counts[i];
    }
    return centred(sums);
}

std::vector<double> Shape::fit(std::span<const double> signal) const {
    const std::size_t n = m_weights.size();
    std::vector<double> out(signal.size(), -1.0);
    for (std::size_t i = n / 2; i + n - n / 2 <= signal.size(); ++i) {
        double sum = 0.0;
        std::size_t known = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double value = signal[i - n / 2 + k];
            if (std::isnan(value))
                continue;
            sum += m_weights[k] * value;
            ++known;
        }
        if (static_cast<double>(known) >= kLeastKnownPart * static_cast<double>(n))
            out[i] = sum;
    }
    return out;
}

constexpr double kLeastResolution = 16.0; // steps in a period that the sequence is sought at
constexpr double kMostResolution = 64.0;
constexpr double kShortest = 0.6; // periods
constexpr double kLongest = 3.0;
constexpr double kPriceOfOne = 0.3; // least fit of a beginning to be worth it
constexpr double kPriceShort = 2.0; // times the squared logarithm of distance / period
constexpr double kPriceLong = 0.25;
constexpr double kPriceOfPause = 1.5;
constexpr double kLeastFit = 0.2;
constexpr double kBestFit = 1.2; // a larger swing is no better
constexpr double kMeanFit = 0.5;
constexpr double kNearPeriod = 0.2;
constexpr double kPartsSearched = 12.0; // parts of a period, to either side
constexpr std::size_t kLeastRepetitions = 3;

// Beginnings in a row, without a pause between them.
using Sequence = std::vector<std::size_t>;

struct Choice {
    double score = 0.0; // score of the best sequence that ends here
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
        const auto best = std::ranges::max_element(m_choices, {}, &Choice::score);
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
    double stepsEach = 1.0; // steps of the signal per point
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
