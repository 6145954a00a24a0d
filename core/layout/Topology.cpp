#include "core/layout/Topology.h"

#include <algorithm>
#include <array>

namespace trainscope::layout {

std::string_view toString(PathKind kind) {
    constexpr std::array<std::string_view, 9> names{
        "self", "nvlink", "xgmi", "pix", "pxb", "phb", "node", "sys", "unknown"};
    return names[static_cast<std::size_t>(kind)];
}

Topology::Topology(std::vector<TopologyDevice> devices)
    : m_devices(std::move(devices)) {
    std::stable_sort(
        m_devices.begin(), m_devices.end(), [](const TopologyDevice& a, const TopologyDevice& b) {
            return a.kind != b.kind ? a.kind == DeviceKind::Gpu : a.index < b.index;
        });
    m_paths.resize(m_devices.size() * m_devices.size());
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        setOneWay(i, i, {PathKind::Self, 0, false, std::nullopt});
}

std::size_t Topology::gpuCount() const {
    return static_cast<std::size_t>(std::count_if(m_devices.begin(), m_devices.end(),
        [](const TopologyDevice& device) { return device.kind == DeviceKind::Gpu; }));
}

const TopologyPath& Topology::path(std::size_t a, std::size_t b) const {
    return m_paths[a * m_devices.size() + b];
}

void Topology::setOneWay(std::size_t from, std::size_t to, const TopologyPath& path) {
    m_paths[from * m_devices.size() + to] = path;
}

void Topology::setPath(std::size_t a, std::size_t b, const TopologyPath& path) {
    setOneWay(a, b, path);
    setOneWay(b, a, path);
}

bool Topology::isLopsided() const {
    for (std::size_t a = 0; a < m_devices.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (path(a, b) != path(b, a))
                return true;
        }
    }
    return false;
}

std::optional<std::size_t> Topology::nearestNic(std::size_t gpu) const {
    std::optional<std::size_t> best;
    for (std::size_t i = gpuCount(); i < m_devices.size(); ++i) {
        if (!best || path(gpu, i).kind < path(gpu, *best).kind)
            best = i;
    }
    return best;
}

std::vector<std::size_t> Topology::connectedNics() const {
    std::vector<std::size_t> nics;
    const std::size_t gpus = gpuCount();
    for (std::size_t nic = gpus; nic < m_devices.size(); ++nic) {
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            if (path(gpu, nic).kind == PathKind::Unknown)
                continue;
            nics.push_back(nic);
            break;
        }
    }
    return nics;
}

Topology usualTopology(int gpus, PathKind scaleUp, std::optional<double> bandwidth) {
    std::vector<TopologyDevice> devices;
    for (int i = 0; i < gpus; ++i)
        devices.push_back(
            {DeviceKind::Gpu, i, "GPU" + std::to_string(i), {}, std::nullopt, std::nullopt});
    Topology topology(std::move(devices));
    const TopologyPath link{scaleUp, 0, scaleUp == PathKind::NvLink, bandwidth};
    for (std::size_t a = 0; a < topology.devices().size(); ++a) {
        for (std::size_t b = 0; b < a; ++b)
            topology.setPath(a, b, link);
    }
    return topology;
}

} // namespace trainscope::layout
