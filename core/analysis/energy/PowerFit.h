#pragma once
// The power of each class of work from all readings of a sensor at once: least squares with the
// sensor's averaging window as the kernel,
//     reading(t) = Σ_k P_k · share_k(t − d − w/2 … t − d + w/2) + rest,   P_k ≥ 0,
// which tells apart classes that the sensor never shows alone, as long as their mixture varies.
//
// A priori P_k is, where nothing else is said, the mean power ± half of what the GPU can draw: a
// mild ridge, which decides only where the readings do not. Variances are those of the estimating
// equations summed over blocks of 1, 2, 4 … readings (the largest counts, with Student's t for the
// number of blocks), since what is left over is correlated in time; w and d are further unknowns in
// them, to first order.
//
// PowerEstimate is the energy of any share of a GPU's time by the powers of the classes of its
// work: of a class, of an iteration, of all of it. If the readings leave the sensor's response open
// (SensorResponse.h) the intervals cover all that is open.
//
// The energies of the classes sum to that of all of it, whatever partition they are of: what is
// left over is given to those whose energy is known least (in the ratio of its covariance with the
// sum).

#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/energy/SensorResponse.h"

namespace trainscope::analysis {

// Prior of the powers of the classes, W: mean and standard deviation of each.
struct PowerPrior {
    std::vector<double> meanW;
    std::vector<double> spreadW;
};

// Standard deviations of a normal distribution to each side of a 90 % interval.
inline constexpr double kNormal90 = 1.645;

class PowerFit {
public:
    // readings as for findResponses(); see isUsable().
    static PowerFit of(const ClassTimes& times, std::span<const PowerReading> readings,
        const SensorResponse& response, const SensorFacts& facts,
        const PowerPrior* prior = nullptr);

    // False: fewer than three readings for each class, the window and the delay; all else is then
    // empty.
    [[nodiscard]] bool isUsable() const { return m_readings > 0; }
    [[nodiscard]] std::size_t readings() const { return m_readings; } // counted ones
    [[nodiscard]] const std::vector<double>& watts() const { return m_watts; } // by class
    // Energy of all classes together: Σ_k watts[k] · times[k], times in s.
    [[nodiscard]] double joules(std::span<const double> times) const;
    // Half of the 90 % interval of the same.
    [[nodiscard]] double uncertainty(std::span<const double> times) const;
    // covariance · times, for what is shared out by how little is known of it; W²·s.
    [[nodiscard]] std::vector<double> spread(std::span<const double> times) const;
    [[nodiscard]] double meanW() const { return m_meanW; }
    // J that the readings show beyond the estimate until atNs behind the timeline's begin.
    [[nodiscard]] double restUntil(double atNs) const;
    // Half of the 90 % interval of such a rest over a time, where the sensor averages over another.
    [[nodiscard]] double restUncertainty(double lengthNs, double windowNs) const;

private:
    friend class PowerFitter;
    struct Rest {
        double atNs = 0.0; // middle of the window
        double watts = 0.0;
        double joules = 0.0; // until then
    };
    struct Blocks { // covariance · t² of blocks of some length, row by row
        std::vector<double> covariance;
    };
    std::size_t m_readings = 0;
    double m_meanW = 0.0;
    double m_noiseW = 0.0; // standard deviation of a reading
    std::vector<double> m_watts;
    std::vector<Blocks> m_blocks;
    std::vector<Rest> m_rest;
};

class PowerEstimate {
public:
    // Without fits where there are too few readings.
    static PowerEstimate of(const ClassTimes& times, std::span<const PowerReading> readings,
        std::span<const SensorResponse> responses, const SensorFacts& facts,
        const PowerPrior* prior = nullptr);

    [[nodiscard]] bool isUsable() const { return !m_fits.empty(); }
    [[nodiscard]] std::size_t readings() const { return m_fits.front().readings(); }
    [[nodiscard]] const SensorResponse& response() const { return m_response; }

    // By the likeliest response, for so many s of each class.
    [[nodiscard]] double joules(std::span<const double> seconds) const {
        return m_fits.front().joules(seconds);
    }
    // The same with its interval, and with what the readings of that time show beyond it, as where
    // a clock throttles. Absent where the interval reaches further than half of what the mean power
    // gives to either side.
    [[nodiscard]] std::optional<EstimatedEnergy> of(
        std::span<const double> seconds, double beginNs, double endNs) const;
    // Splits `joules` among parts, each so many s of each class.
    [[nodiscard]] std::vector<std::optional<EstimatedEnergy>> split(
        std::span<const std::vector<double>> parts, double joules) const;
    // The interval of so many s around an energy, where `uncertainty` comes to it; absent as above.
    [[nodiscard]] std::optional<EstimatedEnergy> around(
        double joules, double uncertainty, std::span<const double> seconds) const;

private:
    std::vector<PowerFit> m_fits; // the likeliest response first
    SensorResponse m_response;
    double m_highestW = 0.0;
};

} // namespace trainscope::analysis
