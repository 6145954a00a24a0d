#include "core/predict/Job.h"

#include "core/model/AsciiText.h"
#include "core/model/EnumNames.h"

namespace trainscope::predict {

namespace {

constexpr auto kPrecisionNames = enumNames<Precision>(
    {{Precision::Fp32, "fp32"}, {Precision::Fp16, "fp16"}, {Precision::Bf16, "bf16"},
        {Precision::Fp8, "fp8"}, {Precision::MxFp8, "mxfp8"}, {Precision::NvFp4, "nvfp4"}});
constexpr auto kRecomputeNames
    = enumNames<Recompute>({{Recompute::None, "none"}, {Recompute::Selective, "selective"},
        {Recompute::PerOperator, "per-operator"}, {Recompute::Full, "full"}});

} // namespace

std::string_view toString(Precision precision) {
    return kPrecisionNames.nameOf(precision);
}

std::optional<Precision> precisionFrom(std::string_view text) {
    return kPrecisionNames.find(lowered(text));
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

std::string_view toString(Recompute recompute) {
    return kRecomputeNames.nameOf(recompute);
}

std::optional<Recompute> recomputeFrom(std::string_view text) {
    return kRecomputeNames.find(lowered(text));
}

} // namespace trainscope::predict
