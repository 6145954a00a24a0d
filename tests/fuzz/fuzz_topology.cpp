// Topologies, lists of process groups and names of runs of any bytes: a value or an error, no
// crash.

#include "core/layout/InferLayout.h"
#include "core/layout/LayoutRequest.h"
#include "importers/topology/TopologyFile.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)importers::topology::readTopology(text, "fuzz");
    const auto groups = layout::processGroupsFromText(text);
    constexpr int kRanks = 16;
    (void)layout::inferLayout(groups, kRanks);
    (void)layout::layoutFromName(text);
    return 0;
}
