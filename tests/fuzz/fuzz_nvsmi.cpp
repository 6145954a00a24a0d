// Any bytes as an nvidia-smi log: no crash, times and values of equal length, and errors that say
// something.

#include "importers/nvsmi/NvsmiImporter.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = importers::memoryTree({{"node0.csv", text}, {"node1.csv", text}});
    const importers::Importer& importer = importers::nvsmi::importer();
    if (importer.sniff(text.substr(0, 65536), "node0.csv") == 0)
        return 0;
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
    return 0;
}
