// Telemetry of any bytes, a part of the input for each file: no crash, and the report's counts are
// what reached the sink.

#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <cstdlib>

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto parts = fuzz::partsOf({data, size}, 4);
    const auto tree = importers::memoryTree(
        {{"run/gpu_power_0.csv", parts[0]}, {"run/nvlink_rx_throughput_1.csv", parts[1]},
            {"run/system_ib_rx_bytes_rank_0_id_ib0.csv", parts[2]},
            {"run/system_memory_used_rank_8.csv", parts[3]}});
    const importers::Importer& importer = importers::charllm::kImporter;
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::RecordingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        std::int64_t recorded = 0;
        for (const auto& series : sink.allSeries)
            recorded += static_cast<std::int64_t>(series.times.size());
        if (report.hasValue() && report.value().samples != recorded)
            std::abort();
    }
    (void)importer.sniff(parts[0], "run/gpu_power_0.csv");
    return 0;
}
