// Databases, tables and JSON of rocprof, of its versions 1 to 3, and of rocmProfileData, with
// changes, or any bytes as one of them: a report or an error, no crash, no hang. The first byte
// says which.

#include "fuzz/Importing.h"
#include "fuzz/MadeProfiles.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"
#include "importers/rocprof/RocprofSamples.h"

using namespace trainscope;
using namespace trainscope::importers;

namespace {

fuzz::Files filesOf(std::size_t choice, fuzz::Input input) {
    static const std::string recording = fuzz::rocpdDatabase();
    static const std::string old = fuzz::inSmallPages(test::oldDatabase());
    static const fuzz::Files tables = fuzz::rocprofTables();
    switch (choice) {
    case 0:
        return {{"a.db", fuzz::overwritten(recording, input)}};
    case 1:
        return {{"a.db", fuzz::overwritten(old, input)}};
    case 2:
        return fuzz::changed(tables, input);
    case 3:
        return fuzz::changed({{"out_results.json", test::kToolJson}}, input);
    case 4:
        return fuzz::changed({{"out_results.json", test::kOldJson}}, input);
    case 6: {
        static const std::string rpd = fuzz::inSmallPages(test::rpdDatabase());
        return {{"a.rpd", fuzz::overwritten(rpd, input)}};
    }
    default:
        return {{"out", std::string(fuzz::textOf(input))}};
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 7);
    fuzz::importAll<test::CollectingSink>(rocprof::kImporter, *memoryTree(filesOf(choice, input)));
    return 0;
}
