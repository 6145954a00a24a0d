#include "importers/kineto/TraceHeader.h"

#include "core/layout/ProcessGroup.h"
#include "importers/common/JsonText.h"
#include "importers/common/NodeValues.h"
#include "importers/common/Number.h"

namespace trainscope::importers::kineto {

namespace {

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
NodeJson parsed(const JsonToken& value) {
    std::string text;
    appendJson(value, text);
    return NodeJson::parse(text, nullptr, false);
}

std::string stringOf(const NodeJson& object, const char* key) {
    return jsonText(jsonMember(object, key));
}

int numberOf(const NodeJson& object, const char* key) { // -1: none
    const auto number = jsonInteger(jsonMember(object, key)).value_or(-1);
    return number >= 0 && number <= kMaxRanks ? static_cast<int>(number) : -1;
}

// The communicators that the process has joined.
void takeProcessGroups(const NodeJson& list, TraceHeader& header) {
    if (!list.is_array())
        return;
    std::vector<layout::ProcessGroup> groups;
    for (const NodeJson& entry : list) {
        if (entry.is_object())
            groups.push_back({stringOf(entry, "pg_name"), stringOf(entry, "pg_desc"),
                jsonRanks(jsonMember(entry, "ranks"))});
    }
    constexpr std::size_t kLongest = 65'536;
    auto text = layout::processGroupsText(groups);
    if (!text.empty() && text.size() <= kLongest)
        header.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
}

void takeDistributedInfo(const NodeJson& info, TraceHeader& header) {
    if (!info.is_object())
        return;
    if (const int rank = numberOf(info, "rank"); rank >= 0 && rank < kMaxRanks)
        header.rank = rank;
    if (const int worldSize = numberOf(info, "world_size"); worldSize > 0)
        header.worldSize = worldSize;
    if (auto backend = stringOf(info, "backend"); !backend.empty())
        header.facts["backend"] = std::move(backend);
    if (auto version = stringOf(info, "nccl_version"); !version.empty())
        header.facts["NCCL"] = std::move(version);
    if (const auto groups = info.find("pg_config"); groups != info.end())
        takeProcessGroups(*groups, header);
}

void takeDevice(const NodeJson& device, int id, TraceHeader& header) {
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

void takeDevices(const NodeJson& devices, TraceHeader& header) {
    if (!devices.is_array())
        return;
    int index = 0;
    for (const NodeJson& device : devices) {
        const int id = numberOf(device, "id");
        if (device.is_object())
            takeDevice(device, id < 0 ? index : id, header);
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
