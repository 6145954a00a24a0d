#include "core/predict/Job.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::predict {

std::optional<Precision> precisionFrom(std::string_view text) {
    return fromString<Precision>(lowered(text));
}

double bytesOf(Precision precision) {
    switch (precision) {
    case Precision::Fp32:
        return 4.0;
    case Precision::Fp16:
    case Precision::Bf16:
        return 2.0;
    case Precision::Fp8:
    case Precision::MxFp8:
        return 1.0;
    case Precision::NvFp4:
        return 0.5;
    }
    return 2.0;
}

Result<StatedPrecision> statedPrecisionFrom(std::string_view text) {
    ASSIGN_OR_RETURN(const auto stated, analysis::statedNumbersFrom(text));
    const auto products = precisionFrom(stated.product.empty() ? "bf16" : stated.product);
    if (!products)
        return usageError(fmt::format("\"{}\" is no precision: say fp32, fp16, bf16, fp8, mxfp8 or "
                                      "nvfp4, alone or as in bf16-pure, bf16-autocast, bf16-master "
                                      "or bf16,weights=fp32,states=bf16.",
            text));
    return StatedPrecision{*products, stated.kept};
}

std::string textOf(const StatedPrecision& stated) {
    return std::string(toString(stated.products))
        + analysis::textOf(stated.kept, bytesOf(stated.products));
}

bool isPlainByUse(const Job& job) {
    return job.stack.empty() && job.workload == Workload::Training && job.gpus() == 1
        && job.model.experts <= 1 && job.attention == AttentionKind::Flash
        && bytesOf(job.precision) >= 2.0;
}

analysis::Kernels Job::kernels() const {
    if (stack.starts_with(kCompiledStack))
        return analysis::Kernels::Compiled;
    return stack.starts_with(kPlainStack) || isPlainByUse(*this) ? analysis::Kernels::Eager
                                                                 : analysis::Kernels::Library;
}

bool Job::castsWeights() const {
    constexpr double kSingle = 4.0; // B
    return kernels() != analysis::Kernels::Library
        && kept.weights.value_or(kSingle) > bytesOf(precision);
}

std::optional<ContextExchange> contextExchangeFrom(std::string_view text) {
    return fromString<ContextExchange>(lowered(text));
}

} // namespace trainscope::predict
