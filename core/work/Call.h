#pragma once
// Call: the arguments of one operator by the parts that they are of its formula. Refers to the rule
// and the signature that it is made of. Any thread.

#include "core/work/TracedWork.h"

namespace trainscope::work {

class Call {
public:
    Call(std::string_view name, const WorkRule& rule, const OperatorSignature& signature)
        : m_name(name)
        , m_rule(rule)
        , m_signature(signature) { }

    [[nodiscard]] const OperatorSignature& signature() const { return m_signature; }
    [[nodiscard]] bool isInPlace() const { return m_name.ends_with('_'); }
    [[nodiscard]] bool has(std::string_view part) const { return m_rule.find(part) != nullptr; }

    // nullptr where the part is not set, or the argument is not there or no tensor.
    [[nodiscard]] const Argument* argument(std::string_view part) const;
    [[nodiscard]] const Tensor* tensor(std::string_view part) const;
    [[nodiscard]] ElementType typeOf(std::string_view part) const;
    // Stored bytes of a tensor; 0 where the tensor is not there, absent for an unknown type.
    [[nodiscard]] std::optional<double> storedBytes(std::string_view part) const;

    // Values set as a constant, or recorded as an argument; absent for anything else.
    [[nodiscard]] std::optional<bool> truth(std::string_view part) const;
    [[nodiscard]] std::optional<std::int64_t> whole(std::string_view part) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> wholes(std::string_view part) const;
    [[nodiscard]] std::string_view text(std::string_view part) const; // empty: neither

private:
    std::string_view m_name;
    const WorkRule& m_rule;
    const OperatorSignature& m_signature;
};

// Each absent where the signature does not say enough.
std::optional<ProductSize> productSizeOf(const Call& call);
std::optional<TracedAttention> tracedAttentionOf(const Call& call);
std::optional<TracedWork> productWork(const Call& call);
std::optional<TracedWork> groupedProductWork(const Call& call);
std::optional<TracedWork> convolutionWork(const Call& call);
std::optional<TracedWork> convolutionBackwardWork(const Call& call);
std::optional<TracedWork> attentionWork(const Call& call, bool isBackward);
std::optional<TracedWork> normWork(const Call& call);
std::optional<TracedWork> normBackwardWork(const Call& call);
std::optional<TracedWork> softmaxWork(const Call& call);
std::optional<TracedWork> softmaxBackwardWork(const Call& call);
std::optional<TracedWork> lossWork(const Call& call, Formula formula);
std::optional<TracedWork> embeddingWork(const Call& call);
std::optional<TracedWork> embeddingBackwardWork(const Call& call);
std::optional<TracedWork> elementwiseWork(const Call& call);
std::optional<TracedWork> copyWork(const Call& call);
std::optional<TracedWork> fillWork(const Call& call);
std::optional<TracedWork> concatenationWork(const Call& call);
std::optional<TracedWork> reductionWork(const Call& call);
std::optional<TracedWork> scatterWork(const Call& call);
std::optional<TracedWork> optimizerWork(const Call& call);
std::optional<TracedWork> foreachWork(const Call& call);

} // namespace trainscope::work
