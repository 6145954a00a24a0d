// A report of Nsight Systems with changes, its tables of nsys stats with changes, or any bytes as
// either: a report or an error, no crash, no hang. The first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/MadeProfiles.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"

using namespace trainscope;
using namespace trainscope::importers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string report = fuzz::nsysReport();
    static const fuzz::Files tables = fuzz::nsysTables();
    fuzz::Input input(data, size);
    switch (fuzz::takeChoice(input, 4)) {
    case 0:
        fuzz::importAll<test::CollectingSink>(
            nsysstats::kImporter, *memoryTree(fuzz::changed(tables, input)));
        break;
    case 1:
        for (const Importer* importer : {&nsys::kImporter, &nsysstats::kImporter})
            fuzz::importAll<test::CollectingSink>(
                *importer, *memoryTree({{"a", std::string(fuzz::textOf(input))}}));
        break;
    default:
        fuzz::importAll<test::CollectingSink>(
            nsys::kImporter, *memoryTree({{"a.sqlite", fuzz::overwritten(report, input)}}));
    }
    return 0;
}
