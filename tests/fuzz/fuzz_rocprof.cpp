// Any bytes as a database, a table, or JSON of rocprof, of its versions 1 to 3: a report or an
// error, no crash, no hang.

#include "importers/kineto/CollectingSink.h"
#include "importers/rocprof/RocprofImporter.h"

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
    int questions = 0;
    const Progress progress = [&](const ProgressState&) { return ++questions < 2000; };
    const std::string name = bytes.starts_with("SQLite")   ? "trace_0.db"
        : bytes.starts_with('{') || bytes.starts_with('[') ? "out_results.json"
                                                           : "results.csv";
    const auto tree = memoryTree({{name, std::move(bytes)}});
    const Importer& importer = rocprof::importer();
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::CollectingSink sink;
        const auto report = importer.import(*tree, unit, sink, progress);
        if (!report.hasValue() && report.error().message.empty())
            return -1;
    }
    return 0;
}
