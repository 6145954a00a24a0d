#pragma once
// The names by which nvidia-smi, its scripts and people call readings and what these are of, and
// the words of which names are put together: of what (GPU, memory, CPU, node), which quantity
// (power, limit, temperature, clock, use, memory, fan), and the unit, which may stand for the
// quantity. One list for all formats whose columns are free; tools whose names mean something else
// have their own.

#include "core/model/Series.h"
#include "importers/common/Cells.h"

namespace trainscope::importers {

// Role of a column, or of a member of a record.
enum class ColumnRole {
    None, // no such name
    Ignored,
    Stamp,
    Date, // its time of day stands in the next column
    TimeOfDay, // the date stands in another column, if one has it
    Elapsed,
    Gpu, // its number, or another subject: "3", "GPU 3", "GPU-I 1", "Switch 0"
    Part, // in that: a process, a sensor
    Tile, // in that: a device of its own
    Partition, // in that: the first one stands for all of it
    Uuid,
    BusId,
    Serial,
    Host,
    Name, // the model's
    Process, // by its number: the row is of one process
    Field, // a long table's: the name of a metric
    Value, // and its value
    Metric,
};
// A reading's metric and what is usual of it.
struct NamedMetric {
    std::string_view metric; // in the registry
    std::string_view unit; // if none is named
    SensorKind sensor = SensorKind::Unknown;
    CellForm form = CellForm::Number;
    bool isOfNode = false; // the node's, not of one of its GPUs
};
// By a whole name in small letters whose words are parted by '.': "pci.bus.id", "power.draw".
ColumnRole roleNamed(std::string_view name);
std::optional<NamedMetric> metricNamed(std::string_view name);
// True for words of time and nothing else, in that form: "epoch.time", "timestamp.ms",
// "local.time".
bool namesStamp(std::string_view name);
// Nanoseconds of the unit in which numbers of that key are stamps ("elapsed_ms", "@timestamp",
// "timeStampUs"), 0 where it says none; absent for other keys.
std::optional<std::int64_t> stampOfKey(std::string_view key);
// Unit and form of a metric where nothing says them.
std::optional<NamedMetric> usualOf(std::string_view metric);

// Metric of a name in small letters whose words are parted by '.', and the unit that stands beside
// it (empty: none). Absent where a word is not known.
std::optional<NamedMetric> metricOfWords(std::string_view base, std::string_view unit);

struct KeyedMetric {
    NamedMetric metric;
    std::string unit; // as written; empty: none
    std::optional<int> gpu; // index
};

// "gpu_usage:0", "gpu1_power_w", "gpuTemp (C)", "gpus.0.power": words in any joint, with the unit
// and the GPU's index among them.
std::optional<KeyedMetric> metricOfKey(std::string_view key);

// "gpuPowerDraw" → "gpu.Power.Draw".
std::string partedAtCapitals(std::string_view header);

} // namespace trainscope::importers
