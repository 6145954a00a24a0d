#pragma once
// The dimensions of a parallel layout, and the order in which consecutive ranks count through them.

#include "core/model/Result.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace trainscope::layout {

enum class Dimension { Tensor, Context, Expert, Data, Pipeline };
inline constexpr std::size_t kDimensions = 5;
using Sizes = std::array<int, kDimensions>; // by dimension

constexpr std::size_t indexOf(Dimension dimension) {
    return static_cast<std::size_t>(dimension);
}

std::string_view toString(Dimension dimension); // "tp", "cp", "ep", "dp", "pp"

// Fastest first. The first `named` of the dimensions were named; the others follow and must have
// degree 1, as in Megatron-LM.
struct RankOrder {
    std::array<Dimension, kDimensions> dimensions{Dimension::Tensor, Dimension::Context,
        Dimension::Expert, Dimension::Data, Dimension::Pipeline};
    std::size_t named = kDimensions;

    [[nodiscard]] bool names(Dimension dimension) const;
    [[nodiscard]] std::string text() const; // "tp-pp-dp": what was named
    bool operator==(const RankOrder&) const = default;
};

inline constexpr RankOrder kMegatronOrder{};

// "tp-cp-ep-dp-pp", "TP-PP-DP", "tp,pp,dp". Usage error for unknown or repeated names.
Result<RankOrder> rankOrderFromString(std::string_view text);

} // namespace trainscope::layout
