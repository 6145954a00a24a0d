#pragma once
// Number types of training software, as far as its name tells them: facts that a memory request
// needs and a configuration leaves out.

#include "core/analysis/machine/MemoryNeed.h"

#include <optional>
#include <string_view>

namespace trainscope::analysis {

struct MemoryConvention {
    std::string_view software; // begin of the software's name: "megatron-lm", "torchtitan"
    double gradient = 4.0; // B
    double optimizer = 12.0; // B, beside weights in 16 or fewer bits
    LossKernel loss = LossKernel::VocabParallel;
    bool hasFsdpShards = false; // see NumberWidths::asFsdp()
    bool keepsProductsIn16Bits = false; // casts them to fewer anew for each product
    bool weighsInsideExperts = false;
    // LoRA: frozen weights and what attention keeps in the type of the products alone.
    bool keepsFrozenNarrow = false;
    double userBuffers = 0.0; // MemoryRequest::userBuffers
    // B, with products in 8 bits: what attention keeps, and what functions of MLPs take.
    std::optional<double> attention = {};
    std::optional<double> function = {};
    Kernels kernels = Kernels::Library;
};

// By name, in any letters; Megatron-LM's for those that are not known.
const MemoryConvention& memoryConventionOf(std::string_view software);

// Sets widths, loss and buffers; with ZeRO stage 3 also what is gathered, unless the request says
// so itself. ZeRO stage 2 of FSDP is its SHARD_GRAD_OP, which gathers weights between forward and
// backward pass alone.
void follow(const MemoryConvention& convention, MemoryRequest& request);

} // namespace trainscope::analysis
