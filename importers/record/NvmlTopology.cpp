#include "importers/record/NvmlProbe.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace trainscope::record::nvml {

namespace {

// Bus addresses of what the links of a GPU lead to.
using Links = std::vector<std::string>;

// Points at which ways over PCIe meet, by NVML's levels.
struct Meeting {
    int level;
    layout::PathKind kind;
};
constexpr auto kMeetings
    = std::to_array<Meeting>({{10, layout::PathKind::Pix}, {20, layout::PathKind::Pxb},
        {30, layout::PathKind::Phb}, {40, layout::PathKind::Node}, {50, layout::PathKind::Sys}});

std::string busIdOf(const Functions& library, Device device) {
    PciInfo info{};
    const bool isKnown = library.pciInfo != nullptr && library.pciInfo(device, &info) == kSuccess;
    return isKnown ? lowered(info.busId) : std::string();
}

Links linksOf(const Functions& library, Device device) {
    Links remotes;
    for (const unsigned link : activeLinks(library, device)) {
        PciInfo remote{};
        if (library.linkRemote != nullptr && library.linkRemote(device, link, &remote) == kSuccess)
            remotes.push_back(lowered(remote.busId));
    }
    return remotes;
}

layout::PathKind meetingOf(const Functions& library, Device a, Device b) {
    int level = 0;
    if (library.commonAncestor == nullptr || library.commonAncestor(a, b, &level) != kSuccess)
        return layout::PathKind::Unknown;
    for (const Meeting& meeting : kMeetings) {
        if (level <= meeting.level)
            return meeting.kind;
    }
    return layout::PathKind::Unknown;
}

} // namespace

layout::Topology topologyOf(const Functions& library, const std::vector<Device>& devices) {
    std::vector<Device> found;
    std::vector<layout::TopologyDevice> gpus;
    std::vector<Links> links;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] == nullptr)
            continue;
        layout::TopologyDevice gpu;
        gpu.index = static_cast<int>(i);
        gpu.name = fmt::format("GPU{}", i);
        gpu.busId = busIdOf(library, devices[i]);
        gpus.push_back(gpu);
        links.push_back(linksOf(library, devices[i]));
        found.push_back(devices[i]);
    }
    // A remote device that is none of the GPUs is a switch.
    const auto toSwitches = [&gpus](const Links& own) {
        return std::count_if(own.begin(), own.end(), [&gpus](const std::string& remote) {
            return std::none_of(gpus.begin(), gpus.end(),
                [&remote](const auto& gpu) { return gpu.busId == remote; });
        });
    };
    layout::Topology topology(gpus);
    for (std::size_t a = 0; a < gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            layout::TopologyPath path;
            const auto direct = std::count(links[a].begin(), links[a].end(), gpus[b].busId);
            const auto switched = std::min(toSwitches(links[a]), toSwitches(links[b]));
            path.links = static_cast<int>(direct > 0 ? direct : switched);
            path.isSwitched = direct == 0 && switched > 0;
            path.kind = path.links > 0 ? layout::PathKind::NvLink
                                       : meetingOf(library, found[a], found[b]);
            topology.setPath(a, b, path);
        }
    }
    return topology;
}

} // namespace trainscope::record::nvml
