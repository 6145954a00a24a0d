#pragma once
// How software for training keeps its numbers, as far as its name tells: what a configuration does
// not say and a memory request needs.

#include "core/analysis/machine/MemoryNeed.h"

#include <string_view>

namespace trainscope::analysis {

struct MemoryConvention {
    std::string_view software; // what its name begins with: "megatron-lm", "torchtitan"
    double gradient = 4.0; // B
    double optimizer = 12.0; // B
    bool hasFsdpShards = false; // see NumberWidths::asFsdp()
    bool keepsProductsIn16Bits = false; // casts them to fewer anew for each product
    LossKernel loss = LossKernel::VocabParallel;
};

// By name, in any letters; Megatron-LM's for those that are not known.
const MemoryConvention& memoryConventionOf(std::string_view software);

// Sets widths and loss; with ZeRO stage 3 also what is gathered, unless the request says so itself.
void follow(const MemoryConvention& convention, MemoryRequest& request);

} // namespace trainscope::analysis
