#pragma once
// The shape that a signal repeats, centred on its steepest rise, and how well it fits elsewhere.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

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

// The step within [from, to) where the mean of the next `width` values lies highest above that of
// the last.
std::size_t steepestRise(
    std::span<const double> values, std::size_t from, std::size_t to, std::size_t width);

} // namespace trainscope::analysis
