#pragma once
// In which types the numbers of a training run are kept, as a precision says beside that of the
// products: weights, gradients, the two moments of Adam ("states") and a further copy of the
// weights ("master"). Plain values; any thread.
//
//   bf16                 as the software usually does
//   bf16-pure            all of them in the type of the products: 8 B a parameter in 16 bits
//   bf16-autocast        weights, gradients and states in 32 bits, weights cast for each product
//                        (torch.autocast, amp_bf16): 16 B
//   bf16-master          weights and gradients in the type of the products, states and a master
//                        copy in 32 bits (Micikevicius et al. 2018): 16 B
//   bf16,weights=fp32,gradients=bf16,states=bf16,master=none
//                        one by one; also behind a name, whose types they replace. Weights in the
//                        type of products of 8 bits are kept in it alone; of activations attention=
//                        is what fused attention keeps, function= what the function of an MLP takes

#include "core/analysis/machine/MemoryNeed.h"

namespace trainscope::analysis {

// B of a number; absent: as the software usually does.
struct KeptNumbers {
    std::optional<double> weights;
    std::optional<double> gradients;
    std::optional<double> states; // each of two
    std::optional<double> master; // 0: none
    std::optional<double> attention = {}; // activations that attention keeps
    std::optional<double> function = {}; // activations that the function of an MLP takes

    [[nodiscard]] bool isUsual() const { return *this == KeptNumbers{}; }
    void applyTo(NumberWidths& widths) const;
    bool operator==(const KeptNumbers&) const = default;
};

// The product's type, in its own words, and the rest of a precision: "bf16", and what is kept.
struct StatedNumbers {
    std::string
        product; // lower case: "bf16", "fp8"; of "amp_bf16", "bfloat16" and "bf16-true" bf16
    KeptNumbers kept;
};
// Usage names the word that is none. A product's type is not checked.
Result<StatedNumbers> statedNumbersFrom(std::string_view precision);

// Behind a product's type: "-pure", "-autocast", "-master", a list, or nothing.
std::string textOf(const KeptNumbers& kept, double productBytes);

// Number types of training software, as far as its name tells them: facts that a memory request
// needs and a configuration leaves out.

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
