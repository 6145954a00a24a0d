#include "core/analysis/machine/Adapters.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

Error unreadableAdapters(std::string_view text) {
    return usageError(fmt::format(
        "\"{}\" are no adapters: say their rank and the matrices that have one of qkv, out, up and "
        "down, as in 16:qkv+out, or 16:all.",
        text));
}

// Inputs plus outputs of a matrix on one GPU.
double widthsOfMatrix(const catalogue::TrainingModel& model, AdaptedMatrix matrix, double tensor) {
    const double queries = double{1} * model.heads * model.headSize;
    const bool hasOwnDense = model.experts > 1 && model.denseFfn > 0;
    const double inside = (hasOwnDense ? model.denseFfn : model.ffn) / tensor;
    switch (matrix) {
    case AdaptedMatrix::Qkv:
        if (!model.hasLatentAttention())
            return model.hidden + (queries + 2.0 * model.kvHeads * model.headSize) / tensor;
        return 2.0 * model.hidden + (model.queryRank > 0 ? model.queryRank : queries / tensor)
            + model.keyValueRank + model.ropeHeadSize;
    case AdaptedMatrix::Output:
        return valueWidthOf(model) / tensor + model.hidden;
    case AdaptedMatrix::MlpUp:
        return model.hidden + (model.gatedMlp ? 2.0 : 1.0) * inside;
    case AdaptedMatrix::MlpDown:
        break;
    }
    return inside + model.hidden;
}

bool isOfMlp(AdaptedMatrix matrix) {
    return matrix == AdaptedMatrix::MlpUp || matrix == AdaptedMatrix::MlpDown;
}

} // namespace

std::string textOf(const Adapters& adapters) {
    std::string names;
    for (const AdaptedMatrix matrix : kAllAdaptedMatrices) {
        if (adapters.adapt(matrix))
            names += fmt::format("{}{}", names.empty() ? "" : "+", toString(matrix));
    }
    return fmt::format("{}:{}", adapters.rank, names);
}

Result<Adapters> adaptersFrom(std::string_view text) {
    Adapters adapters;
    const std::size_t colon = text.find(':');
    const auto rank = wholeNumber<int>(trainscope::trimmed(text.substr(0, colon)));
    if (!rank || *rank < 1)
        return unreadableAdapters(text);
    adapters.rank = *rank;
    if (colon == std::string_view::npos)
        return adapters;
    std::string_view names = trainscope::trimmed(text.substr(colon + 1));
    adapters.adapted.fill(names == "all");
    while (names != "all") {
        const std::size_t end = names.find('+');
        const auto matrix = fromString<AdaptedMatrix>(trainscope::trimmed(names.substr(0, end)));
        if (!matrix)
            return unreadableAdapters(text);
        adapters.adapted[static_cast<std::size_t>(*matrix)] = true;
        if (end == std::string_view::npos)
            break;
        names.remove_prefix(end + 1);
    }
    return adapters;
}

double adapterParametersOf(const catalogue::TrainingModel& model, const Adapters& adapters,
    double tensor, bool hasExperts) {
    double widths = 0.0;
    for (const AdaptedMatrix matrix : kAllAdaptedMatrices) {
        if (adapters.adapt(matrix) && !(hasExperts && isOfMlp(matrix)))
            widths += widthsOfMatrix(model, matrix, tensor);
    }
    return adapters.rank * widths;
}

} // namespace trainscope::analysis
