// Any bytes as a Kineto trace: a report or an error, no crash, no hang.

#include "importers/kineto/CollectingSink.h"
#include "importers/kineto/KinetoImporter.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    std::string text;
    text.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        text.push_back(static_cast<char>(data[i]));
    const auto tree = importers::memoryTree({{"trace_0.json", std::move(text)}});
    const importers::kineto::KinetoImporter importer;
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::CollectingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            return -1;
    }
    return 0;
}
