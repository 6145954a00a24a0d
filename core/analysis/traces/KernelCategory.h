#pragma once
// Kernel categories by name. The table is data (resources/kernel_categories.json, compiled in) and
// users can extend it; the first pattern that matches wins. A kernel is communication if its name
// contains nccl, rccl or msccl, or is that of a collective of XLA ("all-reduce"), whatever its
// category.

#include "core/store/Store.h"

#include <unordered_map>

namespace trainscope::analysis {

// The texts of resources/kernel_categories.json and charllm_categories.json, compiled in.
std::string_view builtInKernelCategories();
std::string_view charllmKernelCategories();

// Keys, in the order of display: all_reduce, reduce_scatter, all_gather, all_to_all, send_recv,
// broadcast, communication (a collective whose type is not known), gemm, attention, normalisation,
// elementwise, optimizer, other.
class KernelCategories {
public:
    enum class Scope { Any, Communication, Compute };
    struct Rule {
        std::string category;
        Scope scope = Scope::Any; // communication: kernels named nccl, rccl or msccl
        std::vector<std::string> anyOf; // lower-case substrings
        std::vector<std::string> with; // and one of these, unless empty
    };

    static const KernelCategories& builtIn();
    // The classes of CharLLM-PPT's kernel plots, by its rules
    // (scripts/visualization/figure_10*.py): all_reduce, reduce_scatter, all_gather, send_recv
    // (broadcasts among them), compute, memory_elementwise (among others every name with "kernel"
    // in it), layer_norm, other. By name alone, as there: RCCL's generic kernels fall under
    // memory_elementwise.
    static const KernelCategories& charllm();
    // A table of the user's, {"rules": [{"category": "attention", "any": ["my_attn"]}]}. A rule
    // matches a name that contains a part of "any" and, where "with" is given, one of those too;
    // "communication": true or false limits it to collectives or to all else. Its rules are tried
    // before the built-in ones; with "replace": true they stand alone, judge by the kernel's name
    // only, and what none matches is "other". A category of the user's own is its own label.
    static Result<KernelCategories> fromJson(std::string_view json);
    // "default", "charllm" or the path of a user's table.
    static Result<KernelCategories> fromChoice(const std::string& choice);
    // The user's table in a configuration folder (kernel_categories.json), else the built-in one.
    static Result<KernelCategories> fromFolder(const std::filesystem::path& folder);

    // `collective`: the "Collective name" argument where the trace has it (RCCL kernels need it),
    // else empty.
    [[nodiscard]] std::string_view categoryOf(
        std::string_view kernelName, std::string_view collective = {}) const;
    [[nodiscard]] static bool isCommunication(std::string_view kernelName);
    [[nodiscard]] static std::string_view label(std::string_view category); // "AllReduce"

private:
    // The rules of the document alone.
    static Result<KernelCategories> parse(std::string_view json);
    [[nodiscard]] const Rule* match(const std::string& lowerText, bool isCollective) const;

    std::vector<Rule> m_rules;
    bool m_standsAlone = false;
};

// Facts of a kernel that a breakdown needs, by its interned name and detail, looked up once each.

// Hashes a span's name and detail.
struct NamePairHash {
    std::size_t operator()(const std::pair<NameId, NameId>& key) const {
        return std::hash<NameId>{}(key.first) * 1'000'003U ^ std::hash<NameId>{}(key.second);
    }
};

class KernelNames {
public:
    struct Kernel {
        std::string name;
        std::string category;
        bool isCommunication = false;
    };

    KernelNames(const store::Store& store, const KernelCategories& categories)
        : m_store(store)
        , m_categories(categories) { }

    Result<const Kernel*> kernel(NameId name);
    // By name and, for collectives, by what the detail says.
    Result<const std::string*> category(const Kernel& kernel, const Span& span);

private:
    const store::Store& m_store;
    const KernelCategories& m_categories;
    std::unordered_map<NameId, Kernel> m_kernels;
    std::unordered_map<std::pair<NameId, NameId>, std::string, NamePairHash> m_collectives;
};

} // namespace trainscope::analysis
