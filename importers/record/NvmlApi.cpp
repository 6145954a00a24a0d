#include "importers/record/NvmlApi.h"

namespace trainscope::record::nvml {

double valueOf(int type, const Value& value) {
    switch (type) {
    case 0:
        return value.real;
    case 1:
        return value.small;
    case 4:
        return static_cast<double>(value.integer);
    case 5:
        return value.smallInteger;
    default:
        return static_cast<double>(value.large);
    }
}

std::vector<unsigned> activeLinks(const Functions& library, Device device) {
    std::vector<unsigned> links;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        int isActive = 0;
        if (library.linkState != nullptr && library.linkState(device, link, &isActive) == kSuccess
            && isActive != 0)
            links.push_back(link);
    }
    return links;
}

} // namespace trainscope::record::nvml
