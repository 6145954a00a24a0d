#include "core/analysis/comparison/Comparison.h"

#include "core/model/LaunchFields.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace trainscope::analysis {

namespace {

using Value = std::optional<std::string>;

std::string text(const std::string& value) {
    return value;
}
std::string text(int value) {
    return std::to_string(value);
}
std::string text(bool value) {
    return value ? "on" : "off";
}
std::string text(Workload value) {
    return std::string(toString(value));
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTitles{
    {{"gpus_per_node", "GPUs per node"}, {"kv_heads", "KV heads"}, {"ffn_size", "FFN size"},
        {"gated_mlp", "Gated MLP"}, {"fsdp", "FSDP"}, {"zero_stage", "ZeRO stage"},
        {"micro_batch", "Micro-batch"}, {"overlap", "Compute-communication overlap"}}};

// "tensor_parallel" → "Tensor parallel"
std::string titleOf(std::string_view key) {
    for (const auto& [known, title] : kTitles) {
        if (known == key)
            return std::string(title);
    }
    std::string title(key);
    std::replace(title.begin(), title.end(), '_', ' ');
    if (!title.empty() && title.front() >= 'a' && title.front() <= 'z')
        title.front() = static_cast<char>(title.front() - 'a' + 'A');
    return title;
}

void addWhereDifferent(std::vector<ConfigDifference>& out, std::string key, std::string title,
    std::vector<Value> values) {
    const bool isEqual = std::all_of(
        values.begin(), values.end(), [&](const Value& one) { return one == values.front(); });
    if (!isEqual)
        out.push_back({std::move(key), std::move(title), std::move(values)});
}

Value count(int number) {
    return number > 0 ? Value(std::to_string(number)) : std::nullopt;
}

// What the layout says where the launch configuration does not.
Value degreeOf(const RunMeasures& run, std::string_view key) {
    if (!run.layout)
        return std::nullopt;
    const layout::Degrees& degrees = run.layout->grid.degrees();
    const std::array<std::pair<std::string_view, int>, 6> known{
        {{"tensor_parallel", degrees.tensor}, {"pipeline_parallel", degrees.pipeline},
            {"context_parallel", degrees.context}, {"expert_parallel", degrees.expert},
            {"data_parallel", degrees.data}, {"virtual_pipeline", run.layout->virtualStages}}};
    const auto found = std::find_if(
        known.begin(), known.end(), [key](const auto& one) { return one.first == key; });
    return found == known.end() ? std::nullopt : Value(text(found->second));
}

} // namespace

std::vector<ConfigDifference> configDifferences(std::span<const RunMeasures* const> runs) {
    std::vector<ConfigDifference> out;
    if (runs.empty())
        return out;
    const auto add = [&](std::string key, std::string title, auto&& valueOf) {
        std::vector<Value> values;
        for (const RunMeasures* one : runs)
            values.push_back(valueOf(*one));
        addWhereDifferent(out, std::move(key), std::move(title), std::move(values));
    };
    add("kind", "Kind", [](const RunMeasures& one) { return Value(toString(one.run.kind)); });
    add("gpu_model", "GPU", [](const RunMeasures& one) {
        return one.gpu.name.empty() ? std::nullopt : Value(one.gpu.name);
    });
    add("gpus", "GPUs", [](const RunMeasures& one) { return count(one.gpus); });
    add("nodes", "Nodes", [](const RunMeasures& one) { return count(one.nodes); });
    forEachLaunchField([&](const char* name, auto member) {
        if (std::string_view(name) == "nodes")
            return; // of the run, whatever said it
        add(name, titleOf(name), [name, member](const RunMeasures& one) {
            const auto& value = one.run.launch.*member;
            return value ? Value(text(*value)) : degreeOf(one, name);
        });
    });
    return out;
}

} // namespace trainscope::analysis
