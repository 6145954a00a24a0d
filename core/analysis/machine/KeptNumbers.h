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
#include "core/model/Result.h"

#include <optional>
#include <string>
#include <string_view>

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

} // namespace trainscope::analysis
