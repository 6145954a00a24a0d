// Any bytes as an nvidia-smi log: no crash, times and values of equal length, and errors that say
// something.

#include "fuzz/Importing.h"
#include "importers/common/Formats.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::importTelemetryText(importers::meters::kLogImporter, text, "node0.csv", "node1.csv");
    return 0;
}
