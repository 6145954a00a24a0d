// Any bytes as a dump of the flight recorder, or the entry of one: no crash, and errors that say
// something.

#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope;

namespace {

void importDump(const std::string& text) {
    const auto tree = importers::memoryTree({{"nccl_trace_rank_0", text}});
    const importers::Importer& importer = importers::flightrecorder::kImporter;
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
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    importDump(text);
    // The usual frame, which few mutations would find.
    importDump(R"({"version":"2.10","pg_config":{"0":{"name":"0","desc":"tp","ranks":"[0, 1]"}},)"
               R"("entries":[{"time_created_ns":1724066820000001000,)"
        + text);
    return 0;
}
