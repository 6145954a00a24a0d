#include "core/analysis/iterations/Shape.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trainscope::analysis {

namespace {

constexpr double kPeriodsInBlock = 6.0;
constexpr double kLeastKnownPart = 0.75;
constexpr std::size_t kPartsOfRise = 8; // of a period that a rise is measured over

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
        && std::none_of(
            fold.means.begin(), fold.means.end(), [](double mean) { return std::isnan(mean); });
}

} // namespace

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
    std::vector<double> sizes;
    for (const Folded& block : blocks)
        sizes.push_back(block.explained);
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

} // namespace trainscope::analysis
