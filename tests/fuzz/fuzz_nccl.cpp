// Any bytes as a log of NCCL: no crash, and errors that say something.

#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = importers::memoryTree({{"nccl.log", text}});
    const importers::Importer& importer = importers::nccl::kImporter;
    (void)importer.sniff(text.substr(0, 65536), "nccl.log");
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::RecordingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            std::abort();
    }
    return 0;
}
