#pragma once
// Guesses the kind of GPU of a recording whose source names none: by names of files, folders and
// neighbours, and by the highest memory, clocks and power. Pure; SI.

#include "core/catalogue/GpuModel.h"

namespace trainscope::catalogue {

// Evidence that a recording gives of its GPUs; the highest value of any.
struct GpuTraces {
    std::vector<std::string> names; // the run's, and those of its files and folders
    std::vector<std::string> neighbours; // device names recorded in the same folder
    std::optional<double> memoryTotalBytes;
    std::optional<double> memoryUsedBytes;
    std::optional<double> topClockHz;
    std::optional<double> peakPowerW;
};

struct GpuGuess {
    const GpuModel* model = nullptr; // an element of gpuModels()
    double confidence = 0.0; // 0 to 1
    std::string evidence; // "named in 8xH100.csv, power up to 702 W, …"
};

// The model that most of this speaks for: four points for a name wherever it stands, three for the
// size of the memory, two each for a top clock within 1 % and a peak power within −5 to +8 % of the
// model's, one for memory of which at least three quarters are used. Models that have less memory
// than is used, or that are exceeded by 15 % in power or 1 % in clock are out, and those whose data
// sheet is all that is known where no name speaks for them: several are others with narrower links.
// Between two with as many points the memory that is nearer to the recording's decides. Absent
// below four points or where two models tie. Confidence: points of twelve that could be had.
std::optional<GpuGuess> guessGpuModel(const GpuTraces& traces);

// Names of known models as drivers write them, with the maker ("NVIDIA H100 80GB HBM3", "AMD
// Instinct MI300X"), in the text of a log; the first of each model.
std::vector<std::string> deviceNamesIn(std::string_view text);

// A guessed name carries its mark with it, so that nothing can show it without:
// "H100 SXM5 (inferred)". findGpuModel() understands it.
std::string inferredName(const GpuModel& model);
bool isInferredName(std::string_view name);

} // namespace trainscope::catalogue
