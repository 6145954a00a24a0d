// Traces of operations with changes, or any bytes as one: a report or an error, no crash, no hang.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

const std::string kTrace = R"({"traceEvents":[
{"name":"forward-compute","pid":0,"tid":0,"ts":10.5,"dur":4,"ph":"X","args":{"step":23,"mb_id":1,"seq_id":0}},
{"name":"forward-recv","pid":1,"tid":11,"ts":12.25,"dur":-3.5,"ph":"X","args":{"step":23,"mb_id":1,"seq_id":0}},
{"name":"thread_name","pid":0,"tid":0,"ph":"M","args":{"name":"PP rank 0, TP rank 0, compute"}},
{"name":"thread_name","pid":1,"tid":11,"ph":"M","args":{"name":"PP rank 1, TP rank 0, pp-comm"}}]})";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::string text = fuzz::takeChoice(input, 2) == 0
        ? fuzz::changed({{"a", kTrace}}, input).front().second
        : std::string(fuzz::textOf(input));
    (void)operations::kImporter.sniff(text.substr(0, 65536), "timeline.json");
    fuzz::importAll<test::CollectingSink>(
        operations::kImporter, *memoryTree({{"timeline.json", text}}));
    return 0;
}
