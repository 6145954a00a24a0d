#pragma once
// Texts and XML of nvidia-smi and rocm-smi for people: `nvidia-smi -q` as text and XML (`-q -x`),
// once or in a loop, and rocm-smi's lists (`GPU[0] : …`) and its concise table.
//
// Clocks: nvidia-smi -q writes local time without zone; rocm-smi none, unless lines with a date
// stand between the outputs.

#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

std::unique_ptr<MeterReader> makeSmiQueryReader();
std::unique_ptr<MeterReader> makeSmiXmlReader();
std::unique_ptr<MeterReader> makeRocmTextReader();
std::unique_ptr<MeterReader> makeTegrastatsReader(); // of Nvidia's Jetson boards
bool isTegrastatsLine(std::string_view line);

} // namespace trainscope::importers::meters
