// Any bytes as an execution trace, alone and beside a Kineto trace: no crash, and errors that say
// something.

#include "importers/common/Formats.h"
#include "importers/common/NodeValues.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string text(reinterpret_cast<const char*>(data), size);
    (void)importers::parsedJson(importers::jsonFromPython(text));
    const auto tree = importers::memoryTree({{"et_0.json", text}});
    const importers::Importer& importer = importers::exectrace::kImporter;
    (void)importer.sniff(text.substr(0, 65536), "et_0.json");
    for (auto unit : importer.plan(*tree, tree->files())) {
        for (const char* partner : {"", "rank0.json"}) {
            unit.partner = partner;
            test::RecordingSink sink;
            const auto report = importer.import(*tree, unit, sink, {});
            if (!report.hasValue() && report.error().message.empty())
                std::abort();
        }
    }
    return 0;
}
