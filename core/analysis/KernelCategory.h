#pragma once
// Kernel categories by name, design section 5. The table is data (resources/kernel_categories.json,
// compiled in) and users can extend it; the first pattern that matches wins. A kernel is
// communication if its name contains nccl, rccl or msccl, whatever its category.

#include "core/model/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

// Keys, in the order of display: all_reduce, reduce_scatter, all_gather, all_to_all, send_recv,
// broadcast, communication (a collective whose type is not known), gemm, attention, normalisation,
// elementwise, optimizer, other.
class KernelCategories {
public:
    static const KernelCategories& builtIn();
    // A table of the user's, {"rules": [{"category": "attention", "any": ["my_attn"]}]}; its rules
    // are tried before the built-in ones. A category of the user's own is its own label.
    static Result<KernelCategories> fromJson(std::string_view json);

    // `collective`: the "Collective name" argument where the trace has it (RCCL kernels need it),
    // else empty.
    [[nodiscard]] std::string_view categoryOf(
        std::string_view kernelName, std::string_view collective = {}) const;
    [[nodiscard]] static bool isCommunication(std::string_view kernelName);
    [[nodiscard]] static std::string_view label(std::string_view category); // "AllReduce"

private:
    struct Rule {
        std::string category;
        bool communicationOnly = false; // for kernels named nccl, rccl or msccl
        std::vector<std::string> anyOf; // lower-case substrings
    };
    static Result<std::vector<Rule>> parseRules(std::string_view json);
    [[nodiscard]] const Rule* match(const std::string& lowerText, bool isCollective) const;

    std::vector<Rule> m_rules;
};

} // namespace trainscope::analysis
