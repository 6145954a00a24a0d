// Telemetry of any bytes: no crash, and the report's counts are what reached the sink.

#include "importers/charllm/CharllmImporter.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = importers::memoryTree(
        {{"run/gpu_power_0.csv", text}, {"run/system_ib_rx_bytes_rank_0_id_ib0.csv", text}});
    const importers::Importer& importer = importers::charllm::importer();
    test::RecordingSink sink;
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        const auto report = importer.import(*tree, unit, sink, {});
        std::int64_t recorded = 0;
        for (const auto& series : sink.allSeries)
            recorded += static_cast<std::int64_t>(series.times.size());
        if (report.hasValue() && report.value().samples != recorded)
            std::abort();
    }
    (void)importer.sniff(text, "run/gpu_power_0.csv");
    return 0;
}
