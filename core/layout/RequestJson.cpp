#include "core/layout/RequestJson.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace trainscope::layout {

namespace {

using Json = nlohmann::json;

using Number = std::pair<const char*, std::optional<int> LayoutRequest::*>;
constexpr std::array kNumbers{Number{"nodes", &LayoutRequest::nodes},
    Number{"gpus_per_node", &LayoutRequest::gpusPerNode},
    Number{"world_size", &LayoutRequest::worldSize}, Number{"tp", &LayoutRequest::tensor},
    Number{"cp", &LayoutRequest::context}, Number{"ep", &LayoutRequest::expert},
    Number{"etp", &LayoutRequest::expertTensor}, Number{"dp", &LayoutRequest::data},
    Number{"pp", &LayoutRequest::pipeline}, Number{"vpp", &LayoutRequest::virtualStages},
    Number{"zero", &LayoutRequest::zeroStage}, Number{"shard_size", &LayoutRequest::shardSize},
    Number{"layers", &LayoutRequest::layers}, Number{"microbatches", &LayoutRequest::microbatches},
    Number{"microbatch_group", &LayoutRequest::microbatchGroup}};

using Flag = std::pair<const char*, bool LayoutRequest::*>;
constexpr std::array kFlags{Flag{"embedding_counts", &LayoutRequest::embeddingCounts},
    Flag{"loss_counts", &LayoutRequest::lossCounts}};

constexpr auto kStageLayers = "stage_layers";
constexpr auto kFsdp = "fsdp";
constexpr auto kOrder = "order";
constexpr auto kSchedule = "schedule";

Error unreadable(const char* key) {
    return {ErrorCode::Unrecognised, fmt::format("its \"{}\" cannot be understood", key), {}};
}

Status readNumbers(const Json& json, LayoutRequest& request) {
    for (const auto& [key, member] : kNumbers) {
        const auto found = json.find(key);
        if (found == json.end())
            continue;
        if (!found->is_number_integer())
            return unreadable(key);
        request.*member = found->get<int>();
    }
    for (const auto& [key, member] : kFlags) {
        const auto found = json.find(key);
        if (found == json.end())
            continue;
        if (!found->is_boolean())
            return unreadable(key);
        request.*member = found->get<bool>();
    }
    if (const auto fsdp = json.find(kFsdp); fsdp != json.end()) {
        if (!fsdp->is_boolean())
            return unreadable(kFsdp);
        request.fsdp = fsdp->get<bool>();
    }
    return {};
}

Status readNames(const Json& json, LayoutRequest& request) {
    if (const auto order = json.find(kOrder); order != json.end()) {
        const auto read
            = rankOrderFromString(order->is_string() ? order->get<std::string>() : std::string());
        if (!read.hasValue())
            return unreadable(kOrder);
        request.order = read.value();
    }
    if (const auto schedule = json.find(kSchedule); schedule != json.end()) {
        const auto read = scheduleKindFromString(
            schedule->is_string() ? schedule->get<std::string>() : std::string());
        if (!read.hasValue())
            return unreadable(kSchedule);
        request.schedule = read.value();
    }
    const auto layers = json.find(kStageLayers);
    if (layers == json.end())
        return {};
    if (!layers->is_array())
        return unreadable(kStageLayers);
    for (const auto& one : *layers) {
        if (!one.is_number_integer())
            return unreadable(kStageLayers);
        request.stageLayers.push_back(one.get<int>());
    }
    return {};
}

} // namespace

std::string requestToJson(const LayoutRequest& request) {
    Json json = Json::object();
    for (const auto& [key, member] : kNumbers) {
        if (request.*member)
            json[key] = *(request.*member);
    }
    for (const auto& [key, member] : kFlags) {
        if (request.*member)
            json[key] = true;
    }
    if (request.fsdp)
        json[kFsdp] = *request.fsdp;
    if (request.order)
        json[kOrder] = request.order->text();
    if (request.schedule)
        json[kSchedule] = toString(*request.schedule);
    if (!request.stageLayers.empty())
        json[kStageLayers] = request.stageLayers;
    return json.dump();
}

Result<LayoutRequest> requestFromJson(std::string_view text) {
    const auto json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return Error{ErrorCode::Unrecognised, "it is no JSON object", {}};
    LayoutRequest request;
    if (const auto status = readNumbers(json, request); !status.hasValue())
        return status.error();
    if (const auto status = readNames(json, request); !status.hasValue())
        return status.error();
    return request;
}

} // namespace trainscope::layout
