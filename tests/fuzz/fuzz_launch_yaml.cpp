// Launch configurations of any bytes: a value or an error, no crash.

#include "importers/launch/LaunchFiles.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    using namespace trainscope::importers::launch;
    for (const LaunchKind kind :
        {LaunchKind::Yaml, LaunchKind::Json, LaunchKind::Text, LaunchKind::Environment})
        (void)readLaunch(kind, text, "fuzz");
    return 0;
}
