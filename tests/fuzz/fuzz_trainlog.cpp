// Any bytes as a training log: no crash, times and values of equal length that the report counts,
// and errors that say something.

#include "fuzz/Importing.h"
#include "importers/common/Formats.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string name = text.starts_with('{') ? "metrics.jsonl" : "train.log";
    const auto tree = importers::memoryTree({{name, text}});
    const importers::Importer& importer = importers::trainlog::kImporter;
    importer.sniff(text.substr(0, 65536), name);
    fuzz::importTelemetry(importer, *tree, [&](const auto& unit, const auto& sink) {
        for (const auto& [run, iteration] : sink.iterations) {
            if (iteration.range.end < iteration.range.begin)
                std::abort();
        }
        if (!importer.work(*tree, unit, {}).hasValue())
            std::abort();
    });
    return 0;
}
