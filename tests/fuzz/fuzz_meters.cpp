// Any bytes as telemetry of every format: no crash, times and values of equal length, counts that
// add up, and errors that say something. The first byte chooses a format's own beginning, so that
// all are reached.

#include "fuzz/Importing.h"
#include "importers/common/Formats.h"
#include "importers/meters/MeterSamples.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    std::string text;
    if (size > 1) {
        const std::size_t choice = data[0];
        const std::size_t kept = data[1];
        if (choice < test::kMeterSamples.size()) {
            const std::string_view sample = test::kMeterSamples[choice];
            text = sample.substr(0, sample.size() * (kept + 1) / 256);
            data += 2;
            size -= 2;
        }
    }
    text.append(reinterpret_cast<const char*>(data), size);
    for (const auto* importer :
        {&importers::meters::kGpuImporter, &importers::meters::kNodeImporter})
        fuzz::importTelemetryText(*importer, text, "node_0.txt", "sw_1.txt");
    return 0;
}
