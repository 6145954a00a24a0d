#pragma once
// Doubts about the power and energy of the GPUs of one import: readings that no GPU draws, columns
// of energy that are no counters, counters that contradict the power beside them. Nothing is
// changed; what is found goes to the report.

#include "core/model/Import.h"

namespace trainscope::importers {

// Kind of nvidia-smi's power.draw, instant or average, by GPU model. Source: NVML API reference,
// nvmlDeviceGetPowerUsage: "On Ampere (except GA100) or newer GPUs, the API returns power averaged
// over 1 sec interval. On GA100 and older architectures, instantaneous power is returned."

// Unknown where the model is not known.
SensorKind powerSensorOf(std::string_view gpuModel);

// For the report.
std::string describePowerSensor(SensorKind kind);

// A GPU's counter of energy and the integral of the power beside it, so far.
struct EnergySums {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    int rank = -1;
    double counted = 0.0; // J
    double integral = 0.0; // J
    double lastEnergy = kNone; // J
    double lastPower = kNone; // W
    TimeNs lastTime; // both had values then
};

class PowerDoubts {
public:
    // One for each time; NaN: missing. None at all where the GPU has no such readings.
    struct Readings {
        std::span<const double> values = {};
        double scale = 1.0; // SI = value × scale
        [[nodiscard]] double at(std::size_t i) const { return values[i] * scale; }
    };
    // Power, its limit and the energy counter of a GPU over the next times.
    void see(int rank, std::span<const TimeNs> times, const Readings& power, const Readings& limit,
        const Readings& energy, EnergySums& sums);
    // A reading beside gpu_power was taken for it.
    void otherPower(int rank) { m_ranksOfOtherPower.push_back(rank); }
    // The energy column has the energy of each row.
    void rowEnergy(int rank) { m_ranksOfRowEnergy.push_back(rank); }
    // A counter does not fall, but where it starts anew; the energy of each row falls as often as
    // the power, and is the power times the time since the row before.
    static bool isOfRows(
        std::span<const TimeNs> times, const Readings& energy, const Readings& power);

    // The sums of a GPU, at its end.
    void compare(const EnergySums& sums);
    // `shown`: the file or folder, as warnings name it.
    void tell(ImportReport& report, const std::string& shown);

private:
    struct Spikes { // beside the limit of their own row
        std::int64_t samples = 0;
        int rank = -1;
        double watts = 0.0; // the highest
        double limit = 0.0; // its row's
    };
    void seeSums(int rank, std::span<const TimeNs> times, const Readings& power,
        const Readings& energy, EnergySums& sums);

    std::vector<int> m_ranksOfOtherPower;
    std::vector<int> m_ranksOfRowEnergy;
    Spikes m_spikes;
    std::int64_t m_powers = 0; // readings
    std::int64_t m_beyondGpus = 0; // GPUs among them
    EnergySums m_worst;
    double m_apart = 1.5; // the worst ratio; sensors differ by some percent
};

} // namespace trainscope::importers
