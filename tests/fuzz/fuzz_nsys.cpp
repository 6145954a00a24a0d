// Any bytes as an SQLite database of Nsight Systems, or, cut into a table, of nsys stats: a report
// or an error, no crash, no hang.

#include "importers/kineto/CollectingSink.h"
#include "importers/nsys/NsysImporter.h"
#include "importers/nsysstats/StatsImporter.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    using namespace trainscope::importers;
    std::string bytes;
    bytes.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes.push_back(static_cast<char>(data[i]));
    // What takes longer than a person waits is stopped as a person would.
    int questions = 0;
    const Progress progress = [&](const ProgressState&) { return ++questions < 2000; };
    const auto tree = memoryTree({{"trace_0.sqlite", std::move(bytes)}});
    for (const Importer* importer : {&nsys::importer(), &nsysstats::importer()}) {
        for (const auto& unit : importer->plan(*tree, tree->files())) {
            test::CollectingSink sink;
            const auto report = importer->import(*tree, unit, sink, progress);
            if (!report.hasValue() && report.error().message.empty())
                return -1;
        }
    }
    return 0;
}
