#include "core/layout/Topology.h"

#include <nlohmann/json.hpp>

namespace trainscope::layout {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostDevices = 4096;

template <typename T>
void set(Json& json, const char* key, const std::optional<T>& value) {
    if (value)
        json[key] = *value;
}

template <typename T>
std::optional<T> get(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() ? std::nullopt : std::optional(found->get<T>());
}

Json deviceJson(const TopologyDevice& device) {
    Json json{{"kind", device.kind == DeviceKind::Gpu ? "gpu" : "nic"}, {"index", device.index},
        {"name", device.name}, {"bus_id", device.busId}};
    set(json, "numa", device.numa);
    set(json, "b_per_s", device.bandwidth);
    return json;
}

TopologyDevice deviceFrom(const Json& json) {
    return {json.at("kind") == "nic" ? DeviceKind::Nic : DeviceKind::Gpu,
        json.at("index").get<int>(), json.at("name").get<std::string>(),
        json.value("bus_id", std::string()), get<int>(json, "numa"), get<double>(json, "b_per_s")};
}

Json pathJson(std::size_t from, std::size_t to, const TopologyPath& path) {
    Json json{{"from", from}, {"to", to}, {"kind", toString(path.kind)}, {"links", path.links}};
    if (path.isSwitched)
        json["switched"] = true;
    set(json, "b_per_s", path.bandwidth);
    return json;
}

Json topologyJson(const Topology& topology) {
    Json json{{"devices", Json::array()}, {"paths", Json::array()}};
    const std::size_t count = topology.devices().size();
    for (const auto& device : topology.devices())
        json["devices"].push_back(deviceJson(device));
    for (std::size_t from = 0; from < count; ++from) {
        for (std::size_t to = 0; to < count; ++to) {
            // The way back is told where it is another.
            const auto& path = topology.path(from, to);
            if (from < to || (from > to && path != topology.path(to, from)))
                json["paths"].push_back(pathJson(from, to, path));
        }
    }
    return json;
}

Topology topologyFrom(const Json& json) {
    std::vector<TopologyDevice> devices;
    const Json& list = json.at("devices");
    for (std::size_t i = 0; i < std::min(list.size(), kMostDevices); ++i)
        devices.push_back(deviceFrom(list[i]));
    Topology topology(std::move(devices));
    const std::size_t count = topology.devices().size();
    for (const Json& one : json.at("paths")) {
        const auto from = one.at("from").get<std::size_t>();
        const auto to = one.at("to").get<std::size_t>();
        if (from >= count || to >= count)
            continue;
        const TopologyPath path{fromString(one.at("kind").get<std::string>(), PathKind::Unknown),
            one.value("links", 0), one.value("switched", false), get<double>(one, "b_per_s")};
        if (from < to)
            topology.setPath(from, to, path);
        else
            topology.setOneWay(from, to, path);
    }
    return topology;
}

} // namespace

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

std::string machineToJson(const MachineFacts& facts) {
    Json json = Json::object();
    if (facts.topology) {
        json["topology"] = topologyJson(*facts.topology);
        json["topology"]["from"] = facts.topologyFrom;
    }
    set(json, "nodes_per_rack", facts.nodesPerRack);
    set(json, "network_b_per_s", facts.networkBandwidth);
    set(json, "nvlink_domain", facts.linkDomain);
    if (!facts.gpuModel.empty())
        json["gpu_model"] = facts.gpuModel;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<MachineFacts> machineFromJson(std::string_view json) {
    try {
        const Json root = Json::parse(json);
        MachineFacts facts;
        if (const auto topology = root.find("topology"); topology != root.end()) {
            facts.topology = topologyFrom(*topology);
            facts.topologyFrom = topology->value("from", std::string());
        }
        facts.nodesPerRack = get<int>(root, "nodes_per_rack");
        facts.networkBandwidth = get<double>(root, "network_b_per_s");
        facts.linkDomain = get<int>(root, "nvlink_domain");
        facts.gpuModel = root.value("gpu_model", std::string());
        return facts;
    } catch (const Json::exception& problem) {
        return Error{ErrorCode::Unreadable,
            std::string("What the database says of the machine cannot be understood: ")
                + problem.what()
                + ". Take it back with trainscope-cli cluster --reset, and say it anew.",
            {}};
    }
}

} // namespace trainscope::layout
