#pragma once
// Spread of a value over iterations, and the test whether two runs differ by more.
//
// Rule: Welch's unequal-variances t-test at the 95 % level on the means over iterations
// (B. L. Welch, Biometrika 34 (1947); degrees of freedom by Satterthwaite). Neighbouring iterations
// are not independent: where their lag-1 autocorrelation r is positive, n iterations count as
// n(1−r)/(1+r), at least two (the effective number of an AR(1) process). It is taken that one run
// speaks for its kind: what varies from run to run, iterations cannot show. Fewer than three
// iterations tell nothing.

#include <cstdint>
#include <optional>
#include <span>

namespace trainscope::analysis {

inline constexpr std::int64_t kLeastIterations = 3; // fewer tell no spread

struct Spread {
    std::int64_t count = 0; // iterations
    double mean = 0.0;
    double std = 0.0; // sample standard deviation, n − 1; 0 for one iteration
    double correlation = 0.0; // between neighbours, lag 1

    [[nodiscard]] bool isTold() const { return count >= kLeastIterations; }
    // n(1−r)/(1+r) for r > 0, within 2 … n.
    [[nodiscard]] double effectiveCount() const;
    [[nodiscard]] Spread dividedBy(double divisor) const; // > 0
};
// In order of time; absent without values.
std::optional<Spread> spreadOf(std::span<const double> values);

inline constexpr double kConfidence = 0.95;

// The difference of means b − a with the bounds of its interval of that confidence.
struct MeanDifference {
    double difference = 0.0;
    double margin = 0.0; // ± of the interval
    [[nodiscard]] bool isBeyond() const { return std::abs(difference) > margin; }
};
// Absent where the spread of either is not told.
std::optional<MeanDifference> differenceOf(
    const Spread& a, const Spread& b, double confidence = kConfidence);

} // namespace trainscope::analysis
