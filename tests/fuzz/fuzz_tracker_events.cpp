// Events of TensorBoard with changes, sound records of any bytes, or any bytes at all: a report or
// an error, no crash, no hang, no memory without bounds. The first byte says which.

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

// A message whose bytes are any.
test::MadeMessage anyMessage(const std::string& bytes) {
    return test::MadeMessage().real(1, 1.7e9).number(2, 3).bytes(5, bytes);
}

std::string eventsOf(std::size_t choice, fuzz::Input input) {
    test::MadeEvents made;
    if (choice == 1)
        return made.event(anyMessage(std::string(fuzz::textOf(input)))).bytes();
    if (choice == 2)
        return made.bytes() + std::string(fuzz::textOf(input));
    made.text("args", R"({"num_layers": 24})");
    for (int i = 1; i < 6; ++i) {
        made.scalar(1.7e9 + i, i, "train/loss", 2.5F);
        made.tensor(1.7e9 + i, i, "learning-rate", 0.5F);
    }
    return fuzz::changed({{"a", made.bytes()}}, input).front().second;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 3);
    const std::string bytes = eventsOf(choice, input);
    (void)tracker::kEventsImporter.sniff(bytes, "events.out.tfevents.1");
    fuzz::importAll<test::RecordingSink>(
        tracker::kEventsImporter, *memoryTree({{"events.out.tfevents.1", bytes}}));
    return 0;
}
