#include "core/layout/LayoutRequest.h"

#include "core/layout/RankGrid.h"
#include "core/layout/StagePlan.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace trainscope::layout {

namespace {

void foldExperts(LayoutRequest& request, int worldSize) {
    const std::int64_t experts = std::int64_t{request.expert.value_or(1)}
        * request.pipeline.value_or(1) * request.tensor.value_or(1);
    if (!request.expertTensor && request.expert.value_or(1) > 1 && experts > 0
        && worldSize % experts != 0)
        request.expertTensor = 1;
}

bool isLetter(char c) {
    return lowerChar(c) >= 'a' && lowerChar(c) <= 'z';
}

std::optional<int>* fieldOf(LayoutRequest& request, std::string_view name) {
    if (name == "tp")
        return &request.tensor;
    if (name == "pp")
        return &request.pipeline;
    if (name == "cp")
        return &request.context;
    if (name == "ep")
        return &request.expert;
    if (name == "etp")
        return &request.expertTensor;
    if (name == "dp")
        return &request.data;
    if (name == "vpp" || name == "vp")
        return &request.virtualStages;
    return nullptr;
}

// The words and numbers of a name, in turn: "mixtral", "8", "x", "7", "b", "EP", "8".
class NameReader {
public:
    explicit NameReader(std::string_view text)
        : m_text(text) { }

    LayoutRequest read() {
        while (m_at < m_text.size()) {
            if (isLetter(m_text[m_at]))
                takeWord();
            else
                ++m_at;
        }
        return m_request;
    }

private:
    void takeWord() {
        std::string word;
        // Letters directly after a digit belong to another word ("8x7b"), unless a degree ended
        // there.
        const bool isFresh = m_at == 0 || !isDigit(m_text[m_at - 1]) || m_at == m_degreeEnd;
        for (; m_at < m_text.size() && isLetter(m_text[m_at]); ++m_at)
            word += lowerChar(m_text[m_at]);
        if (isFresh && word == "fsdp")
            m_request.fsdp = true;
        auto* const field = isFresh ? fieldOf(m_request, word) : nullptr;
        if (field != nullptr)
            takeDegree(*field);
    }

    void takeDegree(std::optional<int>& field) {
        std::size_t at = m_at;
        if (at < m_text.size() && (m_text[at] == '=' || m_text[at] == '_' || m_text[at] == '-'))
            ++at;
        int value = 0;
        const char* const begin = m_text.data() + at;
        const auto [end, problem] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (problem != std::errc() || value < 1 || value > RankGrid::kMaxRanks || !isDigit(*begin))
            return;
        field = value;
        m_at = static_cast<std::size_t>(end - m_text.data());
        m_degreeEnd = m_at;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_degreeEnd = std::string_view::npos;
    LayoutRequest m_request;
};

bool saysDegrees(const LayoutRequest& request) {
    return request.tensor || request.pipeline || request.context || request.expert || request.data;
}

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

bool saysLayout(const LaunchConfig& launch) {
    return launch.tensorParallel || launch.pipelineParallel || launch.contextParallel
        || launch.expertParallel || launch.dataParallel;
}

Result<LayoutRequest> layoutFromLaunch(const LaunchConfig& launch, std::optional<int> worldSize) {
    LayoutRequest request;
    request.nodes = launch.nodes;
    request.gpusPerNode = launch.gpusPerNode;
    request.worldSize = worldSize;
    if (const int launched = launchedGpus(launch); !worldSize && launched > 0)
        request.worldSize = launched;
    request.tensor = launch.tensorParallel;
    request.context = launch.contextParallel;
    request.expert = launch.expertParallel;
    request.expertTensor = launch.expertTensorParallel;
    request.pipeline = launch.pipelineParallel;
    request.virtualStages = launch.virtualPipeline;
    request.zeroStage = launch.zeroStage;
    request.fsdp = launch.fsdp;
    request.shardSize = launch.shardGroup;
    request.layers = launch.layers;
    if (launch.pipelineSchedule) {
        ASSIGN_OR_RETURN(const auto schedule, scheduleKindFromString(*launch.pipelineSchedule));
        request.schedule = schedule;
    }
    if (request.worldSize)
        foldExperts(request, *request.worldSize);
    if (launch.rankOrder) {
        ASSIGN_OR_RETURN(const auto order, rankOrderFromString(*launch.rankOrder));
        request.order = order;
    }
    if (launch.stageLayers) {
        ASSIGN_OR_RETURN(const auto layers, stageLayersFromString(*launch.stageLayers));
        request.stageLayers = layers;
    }
    return request;
}

std::optional<int> microbatchesOf(const LaunchConfig& launch, int dataParallel) {
    if (launch.gradientAccumulation && *launch.gradientAccumulation > 0)
        return launch.gradientAccumulation;
    if (!launch.globalBatch || !launch.microBatch || dataParallel < 1 || *launch.microBatch < 1)
        return std::nullopt;
    const std::int64_t perStep = std::int64_t{*launch.microBatch} * dataParallel;
    if (*launch.globalBatch < perStep || *launch.globalBatch % perStep != 0)
        return std::nullopt;
    return static_cast<int>(*launch.globalBatch / perStep);
}

std::optional<LayoutRequest> layoutFromName(std::string_view runName) {
    while (!runName.empty()) {
        const auto slash = runName.rfind('/');
        const auto last = slash == std::string_view::npos ? runName : runName.substr(slash + 1);
        const LayoutRequest request = NameReader(last).read();
        if (saysDegrees(request))
            return request;
        if (slash == std::string_view::npos)
            break;
        runName = runName.substr(0, slash);
    }
    return std::nullopt;
}

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
    RETURN_IF_ERROR(readNumbers(json, request));
    RETURN_IF_ERROR(readNames(json, request));
    return request;
}

} // namespace trainscope::layout
