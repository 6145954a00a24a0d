// Any bytes as a dump of the flight recorder: no crash, and errors that say something.

#include "importers/flightrecorder/FlightImporter.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = importers::memoryTree({{"nccl_trace_rank_0", text}});
    const importers::Importer& importer = importers::flightrecorder::importer();
    (void)importer.sniff(text.substr(0, 65536), "nccl_trace_rank_0");
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::RecordingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            std::abort();
        for (const auto& track : sink.tracks) {
            for (const Span& span : track.spans) {
                if (span.duration.ns < 0)
                    std::abort();
            }
        }
    }
    return 0;
}
