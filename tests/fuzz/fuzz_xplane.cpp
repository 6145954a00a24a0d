// Profiles of XLA with changes, or any bytes as one: a report or an error, no crash, no hang, no
// memory without bounds. The first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"
#include "importers/xplane/MadeSpace.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

std::string spaceOf(std::size_t choice, fuzz::Input input) {
    static const std::string tpu = test::tpuSpace();
    static const std::string gpu = test::gpuSpace();
    switch (choice) {
    case 0:
        return fuzz::changed({{"a", tpu}}, input).front().second;
    case 1:
        return fuzz::changed({{"a", gpu}}, input).front().second;
    default:
        return std::string(fuzz::textOf(input));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 3);
    const std::string bytes = spaceOf(choice, input);
    (void)xplane::kImporter.sniff(bytes.substr(0, 65536), "host.xplane.pb");
    fuzz::importAll<test::CollectingSink>(
        xplane::kImporter, *memoryTree({{"host.xplane.pb", bytes}}));
    return 0;
}
