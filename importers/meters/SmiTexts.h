#pragma once
// Texts and XML of monitors for people: the drawn table of `nvidia-smi`, `nvidia-smi -q` as text
// and XML (`-q -x`), once or in a loop, rocm-smi's lists (`GPU[0] : …`) and its concise table,
// tegrastats and gpustat.
//
// Clocks: nvidia-smi -q and gpustat write local time without zone; rocm-smi none, unless lines with
// a date stand between the outputs.

#include "importers/meters/MeterReader.h"

#include <string>
#include <vector>

namespace trainscope::importers::meters {

bool isSmiTable(const std::vector<std::string>& lines);
std::unique_ptr<MeterReader> makeSmiTableReader();
std::unique_ptr<MeterReader> makeSmiQueryReader();
std::unique_ptr<MeterReader> makeSmiXmlReader();
std::unique_ptr<MeterReader> makeRocmTextReader();
std::unique_ptr<MeterReader> makeTegrastatsReader(); // of Nvidia's Jetson boards
bool isTegrastatsLine(std::string_view line);
std::unique_ptr<MeterReader> makeGpustatTextReader();
bool isGpustatLine(std::string_view line); // "[0] NVIDIA A100 | 50'C,  99 % | …"

} // namespace trainscope::importers::meters
