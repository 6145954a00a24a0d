#include "importers/kineto/TraceHeader.h"

#include "core/layout/ProcessGroup.h"
#include "importers/common/JsonText.h"
#include "importers/common/Number.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace trainscope::importers::kineto {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kFacts{{
    {"traceName", "trace name"},
    {"trace_id", "trace id"},
    {"schemaVersion", "schema version"},
    {"host_name", "host"},
    {"cuda_runtime_version", "CUDA runtime"},
    {"cuda_driver_version", "CUDA driver"},
    {"cupti_version", "CUPTI"},
    {"hip_runtime_version", "HIP runtime"},
    {"hip_driver_version", "HIP driver"},
    {"roctracer_version", "roctracer"},
    {"record_shapes", "shapes recorded"},
    {"with_stack", "stacks recorded"},
}};

constexpr int kMaxRanks = 1'000'000;

// Strict JSON of the value, whatever the trace wrote; discarded where that fails.
Json parsed(const JsonToken& value) {
    std::string text;
    appendJson(value, text);
    return Json::parse(text, nullptr, false);
}

std::optional<int> integer(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end())
        return std::nullopt;
    std::optional<double> number;
    if (found->is_number())
        number = found->get<double>();
    else if (found->is_string())
        number = parseNumber(found->get_ref<const std::string&>());
    constexpr double kLimit = 1e9;
    if (!number || *number < -kLimit || *number > kLimit)
        return std::nullopt;
    return static_cast<int>(*number);
}

std::string stringOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

layout::ProcessGroup groupOf(const Json& entry) {
    layout::ProcessGroup group{stringOf(entry, "pg_name"), stringOf(entry, "pg_desc"), {}};
    const auto ranks = entry.find("ranks");
    if (ranks == entry.end() || !ranks->is_array())
        return group;
    for (const Json& rank : *ranks) {
        if (!rank.is_number_integer())
            return {};
        group.ranks.push_back(
            static_cast<int>(std::clamp<std::int64_t>(rank.get<std::int64_t>(), 0, kMaxRanks)));
    }
    std::sort(group.ranks.begin(), group.ranks.end());
    return group;
}

// The communicators that the process has joined.
void takeProcessGroups(const Json& list, TraceHeader& header) {
    if (!list.is_array())
        return;
    std::vector<layout::ProcessGroup> groups;
    for (const Json& entry : list) {
        if (entry.is_object())
            groups.push_back(groupOf(entry));
    }
    constexpr std::size_t kLongest = 65'536;
    auto text = layout::processGroupsText(groups);
    if (!text.empty() && text.size() <= kLongest)
        header.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
}

void takeDistributedInfo(const Json& info, TraceHeader& header) {
    if (!info.is_object())
        return;
    const auto rank = integer(info, "rank");
    if (rank && *rank >= 0 && *rank < kMaxRanks)
        header.rank = rank;
    const auto worldSize = integer(info, "world_size");
    if (worldSize && *worldSize > 0 && *worldSize <= kMaxRanks)
        header.worldSize = *worldSize;
    if (auto backend = stringOf(info, "backend"); !backend.empty())
        header.facts["backend"] = std::move(backend);
    if (auto version = stringOf(info, "nccl_version"); !version.empty())
        header.facts["NCCL"] = std::move(version);
    if (const auto groups = info.find("pg_config"); groups != info.end())
        takeProcessGroups(*groups, header);
}

void takeDevice(const Json& device, int id, TraceHeader& header) {
    header.deviceNames[id] = stringOf(device, "name");
    for (const char* key : {"uuid", "UUID"}) {
        if (std::string uuid = stringOf(device, key); !uuid.empty())
            header.deviceUuids[id] = std::move(uuid);
    }
    for (const char* key : {"pciBusId", "pci_bus_id"}) {
        if (std::string address = stringOf(device, key); !address.empty())
            header.devicePciAddresses[id] = std::move(address);
    }
}

void takeDevices(const Json& devices, TraceHeader& header) {
    if (!devices.is_array())
        return;
    int index = 0;
    for (const Json& device : devices) {
        if (device.is_object())
            takeDevice(device, integer(device, "id").value_or(index), header);
        ++index;
    }
}

} // namespace

void TraceHeader::take(std::string_view key, const JsonToken& value) {
    if (key == "distributedInfo") {
        takeDistributedInfo(parsed(value), *this);
    } else if (key == "deviceProperties" || key == "computeProperties") {
        takeDevices(parsed(value), *this);
    } else if (key == "baseTimeNanoseconds") {
        baseNs = decimalToNs(value.text, 1);
    } else if (key == "nodes" && value.kind == TokenKind::Array) {
        isExecutionTrace = true;
    } else {
        for (const auto& [member, fact] : kFacts) {
            if (key != member || value.kind == TokenKind::Object || value.kind == TokenKind::Array)
                continue;
            std::string storage;
            facts[std::string(fact)] = std::string(plainText(value, storage));
        }
    }
}

std::string TraceHeader::deviceName(int device) const {
    const auto found = deviceNames.find(device);
    if (found != deviceNames.end())
        return found->second;
    return deviceNames.size() == 1 ? deviceNames.begin()->second : std::string();
}

} // namespace trainscope::importers::kineto
