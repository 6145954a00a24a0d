#pragma once
// The energy of any share of a GPU's time by the powers of the classes of its work (PowerFit.h):
// of a class, of an iteration, of all of it. If the readings leave the sensor's response open
// (SensorResponse.h) the intervals cover all that is open.
//
// The energies of the classes sum to that of all of it, whatever partition they are of: what is
// left over is given to those whose energy is known least (in the ratio of its covariance with the
// sum).

#include "core/analysis/energy/ClassTimes.h"
#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/energy/PowerFit.h"

#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

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
