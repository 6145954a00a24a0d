// Any bytes as telemetry of every format: no crash, times and values of equal length, counts that
// add up, and errors that say something. The first byte chooses a format's own beginning, so that
// all are reached.

#include "importers/meters/MeterSamples.h"
#include "importers/meters/MetersImporter.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace trainscope;

void importWith(const importers::Importer& importer, const std::string& text) {
    const auto tree = importers::memoryTree({{"node_0.txt", text}, {"sw_1.txt", text}});
    if (importer.sniff(text.substr(0, 65536), "node_0.txt") == 0)
        return;
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::RecordingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            std::abort();
        std::int64_t recorded = 0;
        for (const auto& series : sink.allSeries)
            recorded += static_cast<std::int64_t>(series.values.size());
        if (report.hasValue() && report.value().samples != recorded)
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
    importWith(importers::meters::gpuImporter(), text);
    importWith(importers::meters::nodeImporter(), text);
    return 0;
}
