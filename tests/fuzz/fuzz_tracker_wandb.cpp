// Logs of W&B with changes, or any bytes as one: a report or an error, no crash, no hang, no memory
// without bounds. The first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/tracker/MadeRuns.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

std::string madeLog() {
    test::MadeWandb made;
    made.config({{"num_layers", "24"}, {"optimizer", R"({"type":"adamw"})"}});
    for (int i = 0; i < 8; ++i) {
        made.stats(1'700'000'000 + 10 * i, 5,
            {{"gpu.0.powerWatts", "100.5"}, {"cpu.0.cpu_percent", "7"}, {"cpu", "1"}});
        made.history(i, {{"loss", "2.5"}, {"_timestamp", "1.7e9"}, {"a", R"({"b":1})"}});
    }
    return made.bytes();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string made = madeLog();
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 2);
    const std::string bytes = choice == 0 ? fuzz::changed({{"a", made}}, input).front().second
                                          : ":W&B" + std::string(fuzz::textOf(input));
    fuzz::importAll<test::RecordingSink>(
        tracker::kWandbImporter, *memoryTree({{"run-a.wandb", bytes}}));
    return 0;
}
