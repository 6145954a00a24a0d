#pragma once
// The frames of a call tree. Their names are made from names and arguments of calls: calls that
// differ only in a number are one frame. CallFrames looks spans up in the store once for each name,
// detail and link, on one thread; the other functions are pure.

#include "core/analysis/operators/CallPaths.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// "nn.Module: Linear_0" of PyTorch's Python stack.
bool isModuleName(std::string_view name);

// "ProfilerStep#" of "ProfilerStep#12", "iteration" of "iteration 7": annotations of one pass each.
// Others stay as they are: "layer 3" is no "layer 4".
std::string foldedAnnotation(std::string_view name);

// The detail of an operator without arguments that differ from call to call and tell nothing of its
// work: fractions (learning rates, factors) and long texts among "Concrete Inputs" are left empty.
std::string foldedSignature(std::string_view detail);

// Operators that a Triton kernel of PyTorch's Inductor stands for, as its name lists them:
// "triton_red_fused_add_mean_mul_0" of "add", "mean" and "mul". Empty for other names.
std::vector<std::string> fusedOperators(std::string_view name);

class CallFrames {
public:
    struct Known {
        std::uint32_t frame = 0; // number in CallPaths; runtime calls have none
        // The operator that the work itself is, in whose calls it counts, where it states its own
        // FLOP and bytes (core/model/SpanFacts.h).
        std::optional<std::uint32_t> ownOperator = {};
        bool isGraphLaunch = false;
    };

    CallFrames(const store::Store& store, CallPaths& paths)
        : m_store(store)
        , m_paths(paths) { }

    Result<Known> of(const Span& span);

private:
    struct Key {
        NameId name;
        NameId detail;
        SpanKind kind = SpanKind::Other;
        Told linked = Told::Nothing;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            const auto rest = static_cast<std::uint64_t>(key.linked) * 16
                + static_cast<std::uint64_t>(key.kind);
            return SpreadHash{}((static_cast<std::uint64_t>(key.name.value) << 32U)
                + (static_cast<std::uint64_t>(key.detail.value) << 8U) + rest);
        }
    };
    Result<Known> read(const Key& key);
    Result<std::uint32_t> signatureOf(NameId detail);

    const store::Store& m_store;
    CallPaths& m_paths;
    std::unordered_map<Key, Known, KeyHash> m_known;
    std::unordered_map<NameId, std::uint32_t> m_signatures;
};

} // namespace trainscope::analysis
