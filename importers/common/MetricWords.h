#pragma once
// The words by which people name readings in tables and records of their own: of what (GPU, memory,
// CPU, node), which quantity (power, limit, temperature, clock, use, memory, fan), and the unit,
// which may stand for the quantity. One list for all formats whose columns are free.

#include "core/model/Series.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

struct WordsMetric {
    std::string_view metric; // of the registry
    std::string_view unit; // usual, where none is named
    SensorKind sensor = SensorKind::Unknown;
    bool isOfNode = false; // of the node, not of one of its GPUs
};

// Metric of a name in small letters whose words are parted by '.', and the unit that stands beside
// it (empty: none). Absent where a word is not known.
std::optional<WordsMetric> metricOfWords(std::string_view base, std::string_view unit);

struct KeyedMetric {
    WordsMetric metric;
    std::string unit; // as written; empty: none
    std::optional<int> gpu; // index
};

// "gpu_usage:0", "gpu1_power_w", "gpuTemp (C)", "gpus.0.power": words in any joint, with the unit
// and the GPU's index among them.
std::optional<KeyedMetric> metricOfKey(std::string_view key);

// "gpuPowerDraw" → "gpu.Power.Draw".
std::string partedAtCapitals(std::string_view header);

} // namespace trainscope::importers
