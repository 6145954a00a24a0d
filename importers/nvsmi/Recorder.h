#pragma once
// Collects the rows of a log per GPU and hands them to the sink in blocks, so that all metrics of a
// GPU share their times; keeps what the report says about them. meters/MeterTable.h takes single
// readings, each with a time of its own.

#include "core/model/Import.h"
#include "core/model/Time.h"
#include "importers/common/SampleStatistics.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nvsmi {

class Recorder {
public:
    Recorder(Sink& sink, RunId run, ImportReport& report)
        : m_sink(sink)
        , m_run(run)
        , m_report(report) { }

    // A new GPU; the slot is its place in the other calls.
    Result<std::size_t> addGpu(const Gpu& gpu);
    // Slot of a whole node beside its GPUs.
    std::size_t addNode(int node);
    [[nodiscard]] std::size_t gpuCount() const { return m_gpus.size(); }
    [[nodiscard]] const Gpu& gpu(std::size_t slot) const { return m_gpus[slot].gpu; }

    // Sets the fields of that GPU's following rows; subjects are filled in.
    Status setFields(std::size_t slot, const std::vector<SeriesDescription>& fields);
    // One row; NaN where a value is missing.
    Status add(std::size_t slot, TimeNs time, std::span<const double> values);
    // Writes what is still held and completes the report.
    Status finish();
    // Ranks of GPUs without values where the others have their power; `gpu_power` is the reading
    // beside it there.
    [[nodiscard]] const std::vector<int>& ranksOfOtherPower() const { return m_ranksOfOtherPower; }
    // Power readings that no board has, beside the limit of their own row; nothing is changed.
    struct Spikes {
        std::int64_t samples = 0;
        int rank = -1;
        double watts = 0.0; // the highest
        double limit = 0.0; // of its row
    };
    [[nodiscard]] const Spikes& spikes() const { return m_spikes; }
    // True where most power readings are beyond any GPU: their numbers are of another unit.
    [[nodiscard]] bool isPowerOfOtherUnit() const { return 2 * m_beyondGpus > m_powers; }
    // Ranks whose energy column has the energy of each row: it is no gpu_energy.
    [[nodiscard]] const std::vector<int>& ranksOfRowEnergy() const { return m_ranksOfRowEnergy; }
    // A counter and the power beside it, of the GPU where they differ most.
    struct EnergySums {
        int rank = -1;
        double counted = 0.0; // J
        double integral = 0.0; // J
    };
    [[nodiscard]] std::optional<EnergySums> contradiction() const;

private:
    static constexpr double kNoReading = std::numeric_limits<double>::quiet_NaN();
    struct Field {
        SeriesDescription description;
        SeriesId series; // invalid until a value has been seen
        std::vector<double> values;
        bool present = false; // a value has been seen
    };
    struct GpuRows {
        Gpu gpu;
        Subject subject;
        std::vector<Field> fields;
        std::vector<TimeNs> times;
        std::map<std::string, SeriesId> series; // by metric, to go on after a change of columns
        SampleStatistics statistics; // of its power, else of its first field
        std::size_t periodField = 0;
        bool hasOtherPower = false;
        bool hasRowEnergy = false;
        EnergySums sums;
        double lastEnergy = kNoReading; // J
        double lastPower = kNoReading; // W
        TimeNs lastTime; // of it

        // nullptr: none.
        [[nodiscard]] Field* fieldOf(std::string_view metric);
    };
    void noteSpikes(GpuRows& rows);
    static void noteEnergy(GpuRows& rows);
    static bool isOfRows(const GpuRows& rows, const Field& energy, const Field* power);
    static void takeRowEnergy(GpuRows& rows);
    void settleEnergy(GpuRows& rows);
    static void takeOtherPower(GpuRows& rows);
    void settlePower(GpuRows& rows);
    Status flush(GpuRows& rows);
    Status flushField(GpuRows& rows, Field& field);

    Sink& m_sink;
    RunId m_run;
    ImportReport& m_report;
    std::vector<GpuRows> m_gpus;
    std::vector<int> m_ranksOfOtherPower;
    Spikes m_spikes;
    std::int64_t m_powers = 0; // readings
    std::int64_t m_beyondGpus = 0; // of them
    std::vector<int> m_ranksOfRowEnergy;
    std::size_t m_held = 0; // rows not written yet
};

} // namespace trainscope::importers::nvsmi
