#include "core/analysis/comparison/Roles.h"

#include "core/catalogue/TrainingModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

namespace {

enum class Order { Less, Equal, Greater, Unknown };

Order orderOf(const std::optional<double>& a, const std::optional<double>& b) {
    constexpr double alike = 0.02; // drivers keep back different parts of equal memories
    if (!a || !b)
        return Order::Unknown;
    if (std::abs(*a - *b) <= alike * std::max(*a, *b))
        return Order::Equal;
    return *a < *b ? Order::Less : *a > *b ? Order::Greater : Order::Equal;
}

// Compares the GPUs of a with those of b: larger is more of something and less of nothing.
Order sizeOf(const GpuFacts& a, const GpuFacts& b) {
    const Order memory = orderOf(a.memoryBytes, b.memoryBytes);
    const Order compute = orderOf(a.bf16Flops, b.bf16Flops);
    if (memory == Order::Unknown && compute == Order::Unknown)
        return !a.name.empty() && a.name == b.name ? Order::Equal : Order::Unknown;
    if (memory == Order::Equal || memory == Order::Unknown)
        return compute == Order::Unknown ? memory : compute;
    if (compute == Order::Equal || compute == Order::Unknown || compute == memory)
        return memory;
    return Order::Unknown;
}

double perNode(const RunMeasures& run) {
    return run.nodes > 0 ? static_cast<double>(run.gpus) / run.nodes : 0.0;
}

Roles ofEqualGpus(const RunMeasures& a, const RunMeasures& b) {
    const bool isFirst = perNode(a) > perNode(b);
    const RunMeasures& large = isFirst ? a : b;
    const RunMeasures& small = isFirst ? b : a;
    if (a.nodes <= 0 || b.nodes <= 0 || perNode(a) == perNode(b) || large.gpus > small.gpus)
        return {std::nullopt,
            "Both ran on GPUs of one kind, and neither has fewer of them in larger nodes: "
                + a.cluster + " and " + b.cluster + ".",
            false};
    return {isFirst ? 0U : 1U,
        fmt::format("{} has nodes of {:.0f} GPUs, {} of {:.0f}.", large.run.name, perNode(large),
            small.run.name, perNode(small)),
        false};
}

std::string letters(const std::string& name) {
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out += c;
    }
    return out;
}

std::string layersText(int layers, int hidden) {
    return fmt::format("{} layers of {}", layers, hidden);
}

std::string shapeKey(const LaunchConfig& launch, const catalogue::ModelCatalogue& models) {
    if (launch.layers && launch.hiddenSize)
        return layersText(*launch.layers, *launch.hiddenSize);
    const auto* known = launch.model ? models.byName(*launch.model) : nullptr;
    return known != nullptr ? layersText(known->layers, known->hidden) : std::string();
}

// One model may be written differently; where one of them names none, their shapes tell.
std::pair<std::string, std::string> modelKeys(const LaunchConfig& a, const LaunchConfig& b) {
    const catalogue::ModelCatalogue& models = catalogue::modelCatalogue();
    if (!a.model || !b.model)
        return {shapeKey(a, models), shapeKey(b, models)};
    const auto nameKey = [&models](const std::string& name) {
        const auto* known = models.byName(name);
        return known != nullptr ? known->name : letters(name);
    };
    return {nameKey(*a.model), nameKey(*b.model)};
}

// "bf16", "bf16-mixed" and "bfloat16" are one.
std::string precisionKey(const std::optional<std::string>& precision) {
    if (!precision)
        return {};
    const std::string text = letters(*precision);
    const auto has = [&text](const char* word) { return text.find(word) != std::string::npos; };
    if (has("fp8") || has("float8"))
        return "fp8";
    if (has("bf16") || has("bfloat16"))
        return "bf16";
    if (has("16") || has("half"))
        return "fp16";
    return text;
}

std::string textOf(const std::optional<int>& value) {
    return value ? std::to_string(*value) : std::string();
}

} // namespace

Roles rolesOf(const RunMeasures& a, const RunMeasures& b) {
    if (a.gpus <= 0 || b.gpus <= 0)
        return {std::nullopt, "The number of GPUs is not known.", false};
    const Order size = sizeOf(a.gpu, b.gpu);
    if (size == Order::Equal)
        return ofEqualGpus(a, b);
    if (a.gpus == b.gpus)
        return {std::nullopt,
            fmt::format("Both ran on {} GPUs, so that neither scaled out.", a.gpus), false};
    const bool isFirst = a.gpus < b.gpus;
    const RunMeasures& few = isFirst ? a : b;
    const RunMeasures& many = isFirst ? b : a;
    const std::size_t at = isFirst ? 0 : 1;
    const bool areNamed = !a.gpu.name.empty() && !b.gpu.name.empty();
    if (size == Order::Unknown && areNamed)
        return {std::nullopt,
            "Which of " + a.gpu.name + " and " + b.gpu.name + " is the larger GPU cannot be told.",
            false};
    if (size == Order::Unknown)
        return {at,
            fmt::format("The kind of the GPUs is not known; {} has fewer of them, {} against {}.",
                few.run.name, few.gpus, many.gpus),
            true};
    if (size == (isFirst ? Order::Less : Order::Greater))
        return {std::nullopt,
            "The run on fewer GPUs has the smaller ones, too: " + few.cluster + " against "
                + many.cluster + ".",
            false};
    return {at, few.cluster + " against " + many.cluster + ".", false};
}

std::string WorkDifference::text() const {
    if (a.empty() && b.empty())
        return what + " (not stated)";
    if (!isKnown())
        return what + " (" + (a.empty() ? "not stated" : a) + " against "
            + (b.empty() ? "not stated" : b) + ")";
    return what + " (" + a + " against " + b + ")";
}

std::vector<WorkDifference> workDifferences(const RunMeasures& a, const RunMeasures& b) {
    const LaunchConfig& first = a.run.launch;
    const LaunchConfig& second = b.run.launch;
    const auto models = modelKeys(first, second);
    const auto workload = [](const LaunchConfig& launch) {
        return launch.workload ? std::string(toString(*launch.workload)) : std::string();
    };
    const auto plain = [](std::string what, std::string one, std::string other) {
        const bool isEqual = one == other;
        return WorkDifference{std::move(what), std::move(one), std::move(other), isEqual};
    };
    std::vector<WorkDifference> all{
        plain("model", models.first, models.second),
        plain("global batch", textOf(first.globalBatch), textOf(second.globalBatch)),
        plain("sequence length", textOf(first.sequenceLength), textOf(second.sequenceLength)),
        plain("precision", precisionKey(first.precision), precisionKey(second.precision)),
        plain("workload", workload(first), workload(second)),
    };
    // As they were written.
    if (first.model && second.model) {
        all[0].a = *first.model;
        all[0].b = *second.model;
    }
    all[3].a = first.precision.value_or(all[3].a);
    all[3].b = second.precision.value_or(all[3].b);
    // Hardly any source states the workload, and where none does there is nothing to point at.
    std::erase_if(all, [](const WorkDifference& one) {
        return (one.isKnown() || one.what == "workload") && one.isEqual;
    });
    return all;
}

} // namespace trainscope::analysis
