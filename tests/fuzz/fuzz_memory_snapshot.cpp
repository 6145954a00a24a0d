// Any bytes as a memory snapshot of PyTorch: no crash, no memory without bounds, and errors that
// say something.

#include "fuzz/Importing.h"
#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = importers::memoryTree({{"rank0.pickle", text}});
    const importers::Importer& importer = importers::memorysnapshot::kImporter;
    (void)importer.sniff(text.substr(0, 65536), "rank0.pickle");
    fuzz::importAll<test::RecordingSink>(importer, *tree);
    return 0;
}
