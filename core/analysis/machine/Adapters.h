#pragma once
// Low-rank adapters beside frozen weights (LoRA, Hu et al. 2021): which matrices of a layer have
// one, and how many parameters they are. Plain values; any thread.

#include "core/catalogue/TrainingModel.h"
#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace trainscope::analysis {

// Matrices of a layer that can have adapters. Experts have none.
enum class AdaptedMatrix {
    Qkv, // queries, keys and values; of latent attention what their hidden state meets first
    Output, // attention's output
    MlpUp,
    MlpDown,
};
constexpr auto namesOf(AdaptedMatrix) {
    return enumNames("qkv", "out", "up", "down");
}
inline constexpr auto kAllAdaptedMatrices = allValues<AdaptedMatrix>();

// The usual: rank 16 at queries, keys and values, as NVIDIA's performance recipes of Llama 3 70B
// have it (Megatron-Bridge, linear_qkv).
struct Adapters {
    int rank = 16;
    std::array<bool, kAllAdaptedMatrices.size()> adapted{true, false, false, false};

    [[nodiscard]] bool adapt(AdaptedMatrix matrix) const {
        return adapted[static_cast<std::size_t>(matrix)];
    }
    bool operator==(const Adapters&) const = default;
};
// "16:qkv+out", and the same from text; "all" stands for every matrix, a number alone for the usual
// ones. Usage names what cannot be read.
std::string textOf(const Adapters& adapters);
Result<Adapters> adaptersFrom(std::string_view text);

// Adapter parameters of a layer on one of `tensor` GPUs that share it: rank · (inputs + outputs) of
// each adapted matrix, whose cut side is cut with it.
double adapterParametersOf(const catalogue::TrainingModel& model, const Adapters& adapters,
    double tensor, bool hasExperts);

} // namespace trainscope::analysis
