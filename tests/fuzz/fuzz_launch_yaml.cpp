// Launch configurations of any bytes: a value or an error, no crash.

#include "importers/launch/LaunchFile.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)trainscope::importers::launch::readLaunchYaml(text, "fuzz.yaml");
    return 0;
}
