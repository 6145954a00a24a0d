#pragma once
// Formulas of derived lanes: series subtracted, divided, added up over devices, or their change per
// second. Text: "=sum(gpu_power) / token_rate", with a name before the sign: "Node power =
// sum(gpu_power)".

#include "core/model/Metric.h"
#include "core/model/Result.h"

#include <functional>

namespace trainscope::analysis {

struct Formula {
    enum class Kind {
        Series, // gpu_power; gpu_power[3]: of rank 3; gpu_power@2: of the second shown run
        Difference, // a - b
        Ratio, // a / b
        NodeSum, // sum(a): over the devices of each node
        RunSum, // total(a): over all devices of the run
        Rate, // rate(a): change per second
    };
    Kind kind = Kind::Series;
    std::string metric = {}; // Series only
    std::optional<int> rank = {}; // Series only; absent: all
    std::optional<std::size_t> run = {}; // Series only, from 0; absent: every run by itself
    std::vector<Formula> parts = {}; // two of Difference and Ratio, none of Series, else one
    bool operator==(const Formula&) const = default;
};

struct NamedFormula {
    std::string name; // empty: made from the formula
    Formula formula;
    bool operator==(const NamedFormula&) const = default;
};

// True for text with the sign of a formula, which names of metrics do not have.
bool isFormula(std::string_view text);
// Usage errors say where the text cannot be read.
Result<NamedFormula> parseFormula(std::string_view text);
// The text that parseFormula() reads.
std::string formulaText(const NamedFormula& formula);

// For people: "GPU power: rank 0 − rank 1". `labelOf` has the label of a metric, `runOf` the name
// of a shown run.
struct FormulaWords {
    std::function<std::string(std::string_view metric)> labelOf;
    std::function<std::string(std::size_t run)> runOf;
};
std::string titleOf(const NamedFormula& formula, const FormulaWords& words);

// True where the formula says of each series which run it is of.
bool namesRuns(const Formula& formula);

// Unit of a value of `unit` divided by one of `by`: W/% of W and %, W of J and s, J of W and 1/s, 1
// of like units.
std::string unitOfRatio(std::string_view unit, std::string_view by);

} // namespace trainscope::analysis
