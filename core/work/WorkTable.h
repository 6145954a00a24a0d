#pragma once
// WorkTable: by which formula an operator's work follows from its arguments. The table is data
// (resources/operator_work.json, compiled in) and users can extend it. Immutable; any thread.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

namespace trainscope::work {

// The text of resources/operator_work.json, compiled in.
std::string_view builtInOperatorWork();

enum class Formula {
    Product,
    GroupedProduct,
    Convolution,
    ConvolutionBackward,
    Attention,
    AttentionBackward,
    Norm,
    NormBackward,
    Softmax,
    SoftmaxBackward,
    NllLoss,
    NllLossBackward,
    CrossEntropy,
    Embedding,
    EmbeddingBackward,
    Elementwise,
    Copy,
    Fill,
    Concatenation,
    Reduction,
    Scatter,
    Optimizer,
    Foreach,
    Nothing, // moves and computes nothing on the GPU
};
constexpr auto namesOf(Formula) {
    return enumNames("product", "grouped_product", "convolution", "convolution_backward",
        "attention", "attention_backward", "norm", "norm_backward", "softmax", "softmax_backward",
        "nll_loss", "nll_loss_backward", "cross_entropy", "embedding", "embedding_backward",
        "elementwise", "copy", "fill", "concatenation", "reduction", "scatter", "optimizer",
        "foreach", "nothing");
}

// One part of a formula: the argument of that index, or a constant.
struct Setting {
    std::optional<int> argument;
    std::string constant;
};

struct WorkRule {
    std::vector<std::string> names; // with * at the end: all names that start so
    Formula formula = Formula::Nothing;
    std::map<std::string, Setting, std::less<>> settings; // "a": 0, "causal": 5, "layout": "bshd"

    [[nodiscard]] const Setting* find(std::string_view part) const; // nullptr: not set
};

class WorkTable {
public:
    static const WorkTable& builtIn();
    // With the user's table of catalogue::configFolder() where there is one, read once for the
    // program; the built-in one where that is broken, which problem() tells.
    static const WorkTable& inUse();
    static const std::optional<Error>& problem();
    // A table of the user's, {"operators": [{"names": ["mine::attention"], "formula": "attention",
    // "query": 0, "key": 1, "value": 2, "causal": "true"}]}: a number is the index of an argument,
    // a text a constant. Its rows stand before the built-in ones.
    static Result<WorkTable> fromJson(std::string_view json);
    // The user's table in a configuration folder (operator_work.json), else the built-in one.
    static Result<WorkTable> fromFolder(const std::filesystem::path& folder);

    // nullptr: not known. A name that ends in "_" (in place) is what it is without.
    [[nodiscard]] const WorkRule* find(std::string_view operatorName) const;
    [[nodiscard]] std::size_t size() const { return m_rules.size(); }

private:
    static Result<WorkTable> parse(std::string_view json);
    void add(WorkRule rule);
    [[nodiscard]] const WorkRule* match(std::string_view name) const;

    std::vector<WorkRule> m_rules;
    std::map<std::string, std::size_t, std::less<>> m_byName; // place in m_rules
    std::vector<std::pair<std::string, std::size_t>> m_byStart;
};

} // namespace trainscope::work
