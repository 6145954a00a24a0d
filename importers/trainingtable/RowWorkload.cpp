#include "importers/trainingtable/RowWorkload.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <array>

namespace trainscope::importers::trainingtable {

Result<Workload> workloadOf(
    std::string_view stated, std::string_view source, std::string_view model) {
    if (!stated.empty()) {
        if (const auto workload = workloadFrom(lowered(stated)))
            return *workload;
        return usageError(
            fmt::format("The workload \"{}\" is none of training, lora and inference.", stated));
    }
    for (const Workload workload : {Workload::Lora, Workload::Inference}) {
        if (containsIgnoringCase(source, toString(workload))
            || containsIgnoringCase(model, toString(workload)))
            return workload;
    }
    return Workload::Training;
}

namespace {

Result<predict::Precision> productsOf(std::string_view stated) {
    const std::string words = lowered(stated);
    if (words.find("nvfp4") != std::string::npos)
        return predict::Precision::NvFp4;
    if (words.find("fp8") != std::string::npos || words.find("float8") != std::string::npos) {
        const bool isBlockwise = words.starts_with("mxfp8") || words.starts_with("fp8-mx");
        return isBlockwise ? predict::Precision::MxFp8 : predict::Precision::Fp8;
    }
    if (words.find("bf16") != std::string::npos)
        return predict::Precision::Bf16;
    if (words.find("fp16") != std::string::npos)
        return predict::Precision::Fp16;
    return usageError(words.empty() ? std::string("The row does not say its precision.")
                                    : fmt::format("The precision \"{}\" is not known.", stated));
}

} // namespace

Result<predict::StatedPrecision> precisionOf(std::string_view stated, std::string_view mode) {
    const std::string way = lowered(trimmed(mode));
    // A mode that is a type alone is that of all numbers.
    const bool isType = predict::precisionFrom(way).has_value();
    const std::string_view words
        = trimmed(stated).empty() && isType ? std::string_view(way) : stated;
    auto whole = predict::statedPrecisionFrom(words);
    if (!whole.hasValue() || words.empty()) {
        ASSIGN_OR_RETURN(
            const auto products, productsOf(words.empty() && !way.empty() ? "bf16" : words));
        whole = predict::StatedPrecision{products, {}};
    }
    if (way.empty() || !whole.value().kept.isUsual())
        return whole;
    const std::string type(predict::toString(whole.value().products));
    return predict::statedPrecisionFrom(type + "-" + (isType ? "pure" : way));
}

Status asInference(predict::Job& job, std::optional<int> generated) {
    job.generated = generated.value_or(0);
    if (job.generated >= job.sequence)
        return usageError(fmt::format("Of {} tokens a sample, prompt included, {} cannot be "
                                      "generated.",
            job.sequence, job.generated));
    if (job.layout.virtualStages > 1)
        return usageError("Inference has no virtual stages.");
    constexpr int kShardsWeights = 3; // ZeRO stage
    if (job.layout.sharding && job.layout.sharding->zeroStage < kShardsWeights)
        job.layout.sharding.reset();
    job.recompute = predict::Recompute::None;
    job.recomputedLayers = job.offloadedLayers = 0;
    job.sequenceParallel = job.dropout = false;
    job.model.nextTokenLayers = 0;
    job.stack.clear();
    return {};
}

} // namespace trainscope::importers::trainingtable
