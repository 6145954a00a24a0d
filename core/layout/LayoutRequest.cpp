#include "core/layout/LayoutRequest.h"

#include "core/layout/RankGrid.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace trainscope::layout {
namespace {

void foldExperts(LayoutRequest& request, int worldSize) {
    const std::int64_t experts = std::int64_t{request.expert.value_or(1)}
        * request.pipeline.value_or(1) * request.tensor.value_or(1);
    if (!request.expertTensor && request.expert.value_or(1) > 1 && experts > 0
        && worldSize % experts != 0)
        request.expertTensor = 1;
}

// A number of a request by its key in a database, and by the one in texts ("tp=8"); empty: texts do
// not say it.
struct RequestNumber {
    std::string_view key;
    std::string_view word;
    std::optional<int> LayoutRequest::*member;
    bool isDegree = false; // names of runs tell it, too
};
constexpr std::array kNumbers{
    RequestNumber{"nodes", {}, &LayoutRequest::nodes},
    RequestNumber{"gpus_per_node", {}, &LayoutRequest::gpusPerNode},
    RequestNumber{"world_size", {}, &LayoutRequest::worldSize},
    RequestNumber{"tp", "tp", &LayoutRequest::tensor, true},
    RequestNumber{"cp", "cp", &LayoutRequest::context, true},
    RequestNumber{"ep", "ep", &LayoutRequest::expert, true},
    RequestNumber{"etp", "etp", &LayoutRequest::expertTensor, true},
    RequestNumber{"dp", "dp", &LayoutRequest::data, true},
    RequestNumber{"pp", "pp", &LayoutRequest::pipeline, true},
    RequestNumber{"vpp", "vpp", &LayoutRequest::virtualStages, true},
    RequestNumber{"zero", "zero", &LayoutRequest::zeroStage},
    RequestNumber{"shard_size", "shard", &LayoutRequest::shardSize},
    RequestNumber{"layers", {}, &LayoutRequest::layers},
    RequestNumber{"microbatches", {}, &LayoutRequest::microbatches},
    RequestNumber{"microbatch_group", {}, &LayoutRequest::microbatchGroup},
};

// nullptr where no text says such a number.
const RequestNumber* numberCalled(std::string_view word) {
    const auto* const found = std::ranges::find(kNumbers, word, &RequestNumber::word);
    return word.empty() || found == kNumbers.end() ? nullptr : found;
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
        const auto* const number = isFresh ? numberCalled(word == "vp" ? "vpp" : word) : nullptr;
        if (number != nullptr && number->isDegree)
            takeDegree(m_request.*number->member);
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

using Flag = std::pair<const char*, bool LayoutRequest::*>;
constexpr std::array kFlags{Flag{"embedding_counts", &LayoutRequest::embeddingCounts},
    Flag{"loss_counts", &LayoutRequest::lossCounts}};

constexpr auto kStageLayers = "stage_layers";
constexpr auto kFsdp = "fsdp";
constexpr auto kOrder = "order";
constexpr auto kSchedule = "schedule";

// False where the value is none of that kind.
bool take(const Json& json, std::optional<int>& value) {
    if (json.is_number_integer())
        value = json.get<int>();
    return json.is_number_integer();
}
template <typename Flag>
bool takeFlag(const Json& json, Flag& flag) {
    if (json.is_boolean())
        flag = json.get<bool>();
    return json.is_boolean();
}
template <typename Value>
bool takeNamed(
    const Json& json, Result<Value> (*read)(std::string_view text), std::optional<Value>& value) {
    return json.is_string() && assign(read(json.get<std::string>()), value).hasValue();
}
bool takeList(const Json& json, std::vector<int>& list) {
    const bool isList = json.is_array()
        && std::all_of(
            json.begin(), json.end(), [](const Json& one) { return one.is_number_integer(); });
    if (isList)
        list = json.get<std::vector<int>>();
    return isList;
}

bool takeValue(std::string_view key, const Json& json, LayoutRequest& request) {
    if (key == kFsdp)
        return takeFlag(json, request.fsdp);
    if (key == kOrder)
        return takeNamed(json, rankOrderFromString, request.order);
    if (key == kSchedule)
        return takeNamed(json, scheduleKindFromString, request.schedule);
    if (key == kStageLayers)
        return takeList(json, request.stageLayers);
    for (const auto& [name, member] : kFlags) {
        if (name == key)
            return takeFlag(json, request.*member);
    }
    const auto* const number = std::ranges::find(kNumbers, key, &RequestNumber::key);
    return number == kNumbers.end() || take(json, request.*number->member);
}

constexpr int kMaxPieces = 1'000'000;

std::string piecesText(const StageRequest& request) {
    if (request.virtualStages == 1)
        return fmt::format("{} pipeline stages", request.stages);
    return fmt::format(
        "{} pipeline stages × {} virtual stages", request.stages, request.virtualStages);
}

Result<std::vector<int>> equalPieces(const StageRequest& request) {
    const int pieces = request.stages * request.virtualStages;
    const int extra = (request.embeddingCounts ? 1 : 0) + (request.lossCounts ? 1 : 0);
    const int total = request.layers + extra;
    if (total % pieces != 0)
        return usageError(fmt::format(
            "{} layers{} cannot be divided equally over {}: say how with a list of layers per "
            "stage.",
            request.layers,
            extra == 0 ? "" : fmt::format(" and {} more for embedding and loss", extra),
            piecesText(request)));
    std::vector<int> result(static_cast<std::size_t>(pieces), total / pieces);
    result.front() -= request.embeddingCounts ? 1 : 0;
    result.back() -= request.lossCounts ? 1 : 0;
    if (result.front() < 0 || result.back() < 0)
        return usageError("A pipeline stage would have less than no layer.");
    return result;
}

// From layers per stage to layers per piece: each stage's are divided equally over its chunks.
Result<std::vector<int>> piecesOfStages(const StageRequest& request) {
    std::vector<int> pieces;
    for (int chunk = 0; chunk < request.virtualStages; ++chunk) {
        for (const int layers : request.stageLayers) {
            if (layers % request.virtualStages != 0)
                return usageError(fmt::format("{} layers of a stage cannot be divided equally over "
                                              "its {} virtual stages.",
                    layers, request.virtualStages));
            pieces.push_back(layers / request.virtualStages);
        }
    }
    return pieces;
}

Result<std::vector<int>> givenPieces(const StageRequest& request) {
    const auto count = request.stageLayers.size();
    const auto stages = static_cast<std::size_t>(request.stages);
    const auto pieces = stages * static_cast<std::size_t>(request.virtualStages);
    if (count != stages && count != pieces)
        return usageError(fmt::format(
            "Layers are given for {} stages, but there are {}.", count, piecesText(request)));
    std::int64_t sum = 0;
    for (const int layers : request.stageLayers) {
        if (layers < 0)
            return usageError("A stage cannot have less than no layer.");
        sum += layers;
    }
    if (request.layers > 0 && sum != request.layers)
        return usageError(fmt::format(
            "The layers of the stages sum to {}, but the model has {}.", sum, request.layers));
    if (count == pieces)
        return request.stageLayers;
    return piecesOfStages(request);
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

std::optional<int>* numberIn(LayoutRequest& request, std::string_view word) {
    const RequestNumber* const number = numberCalled(word);
    return number == nullptr ? nullptr : &(request.*number->member);
}

void takeNumbers(const LayoutRequest& given, LayoutRequest& request) {
    for (const RequestNumber& one : kNumbers) {
        if (given.*one.member)
            request.*one.member = given.*one.member;
    }
}

std::string requestToJson(const LayoutRequest& request) {
    Json json = Json::object();
    for (const RequestNumber& one : kNumbers) {
        if (request.*one.member)
            json[one.key] = *(request.*one.member);
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
    for (const auto& [key, value] : json.items()) {
        if (!takeValue(key, value, request))
            return Error{
                ErrorCode::Unrecognised, fmt::format("its \"{}\" cannot be understood", key), {}};
    }
    return request;
}

Result<std::vector<StageChunk>> planStages(const StageRequest& request) {
    if (request.stages < 1 || request.virtualStages < 1 || request.layers < 0)
        return usageError("There must be at least one stage and one virtual stage.");
    if (request.stages > kMaxPieces / request.virtualStages)
        return usageError(fmt::format("{} are too many.", piecesText(request)));
    if (request.layers == 0 && request.stageLayers.empty())
        return std::vector<StageChunk>{};
    ASSIGN_OR_RETURN(const auto pieces,
        request.stageLayers.empty() ? equalPieces(request) : givenPieces(request));
    std::vector<StageChunk> result;
    int first = 0;
    int index = 0;
    for (const int layers : pieces) {
        result.push_back({index % request.stages, index / request.stages, first, layers});
        first += layers;
        ++index;
    }
    return result;
}

int layersOf(const std::vector<StageChunk>& chunks, int stage) {
    return std::accumulate(
        chunks.begin(), chunks.end(), 0, [stage](int sum, const StageChunk& chunk) {
            return chunk.stage == stage ? sum + chunk.layers : sum;
        });
}

Result<std::vector<int>> stageLayersFromString(std::string_view text) {
    std::vector<int> result;
    std::string_view rest = text;
    while (true) {
        const auto comma = rest.find(',');
        const auto part = rest.substr(0, comma);
        const auto layers = wholeNumber<int>(part);
        if (!layers || *layers < 0)
            return usageError(fmt::format(
                "\"{}\" is no list of layers per stage: write whole numbers, \"19,21,21,19\".",
                text));
        result.push_back(*layers);
        if (comma == std::string_view::npos)
            return result;
        rest.remove_prefix(comma + 1);
    }
}

} // namespace trainscope::layout
