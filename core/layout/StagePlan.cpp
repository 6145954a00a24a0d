#include "core/layout/StagePlan.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>

namespace trainscope::layout {

namespace {

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
