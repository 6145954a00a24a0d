// Perfetto traces with changes, or any bytes as one: a report or an error, no crash, no hang, no
// memory without bounds. The first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"
#include "importers/perfetto/MadeTrace.h"
#include "importers/support/Compress.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

std::string madeTrace(std::string_view category) {
    test::MadePerfetto made;
    made.process(1, 9).thread(2, 9, 11, "main").named(80, 1, "STREAM [\" 1 \"] ");
    made.names({"iteration 3", "kernel"}, {std::string(category), "kernel_dispatch"});
    made.begin(100, 2, 1, 1, {test::madeAnnotation("corr_id", 7)}, {7}).end(900, 2);
    made.begin(200, 80, 2, 2, {test::madeAnnotation("grid_size", 64)}, {7}).end(300, 80);
    made.event(400, test::MadeMessage().number(1, 7).number(2, 50).number(20, 2), 53);
    made.event(500, test::MadeMessage().number(9, 4).number(11, 2).number(30, 5));
    return made.text();
}

std::string traceOf(std::size_t choice, fuzz::Input input) {
    static const std::string kernels = madeTrace("cpu_op");
    static const std::string rocprof = madeTrace("marker_api");
    switch (choice) {
    case 0:
        return fuzz::changed({{"a", kernels}}, input).front().second;
    case 1:
        return fuzz::changed({{"a", rocprof}}, input).front().second;
    case 2: {
        const std::string packets = fuzz::changed({{"a", kernels}}, input).front().second;
        return test::MadePerfetto()
            .packet(test::MadeMessage().bytes(50, test::deflated(packets, MAX_WBITS)))
            .text();
    }
    default:
        return std::string(fuzz::textOf(input));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 4);
    const std::string bytes = traceOf(choice, input);
    (void)perfetto::kImporter.sniff(bytes.substr(0, 65536), "rank0.pftrace");
    fuzz::importAll<test::CollectingSink>(
        perfetto::kImporter, *memoryTree({{"rank0.pftrace", bytes}}));
    return 0;
}
