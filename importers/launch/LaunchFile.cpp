#include "importers/launch/LaunchFile.h"

#include "importers/common/Number.h"
#include "importers/launch/YamlScalars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace trainscope::importers::launch {

namespace {

using Keys = std::initializer_list<std::string_view>;

constexpr int kMaxHops = 8;
constexpr double kMaxInt = 1e9;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

bool isNull(const std::string& text) {
    const std::string value = lower(text);
    return value.empty() || value == "null" || value == "~" || value == "none" || value == "???";
}

// The path in "${path}"; empty for anything else.
std::string plainInterpolation(const std::string& value) {
    if (!value.starts_with("${") || !value.ends_with('}'))
        return {};
    std::string path = value.substr(2, value.size() - 3);
    const bool isPath = std::all_of(path.begin(), path.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || c == '_' || c == '.';
    });
    return isPath ? path : std::string();
}

// Looks fields up by dotted names below the places where configurations keep them.
class Fields {
public:
    explicit Fields(const YamlScalars& scalars)
        : m_scalars(scalars) { }

    // The text of the first of `keys` that is there, null included ("").
    [[nodiscard]] std::optional<std::string> text(Keys keys) const {
        for (const std::string_view prefix : kPrefixes) {
            for (const std::string_view key : keys) {
                if (auto found = resolved(std::string(prefix) + std::string(key), prefix))
                    return found;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> word(Keys keys) const {
        auto found = text(keys);
        return found && !found->empty() ? found : std::nullopt;
    }

    // A whole number above zero.
    [[nodiscard]] std::optional<int> count(Keys keys) const {
        const auto number = parseNumber(text(keys).value_or(""));
        if (!number || *number < 1.0 || *number > kMaxInt || *number != std::floor(*number))
            return std::nullopt;
        return static_cast<int>(*number);
    }

    // Absent unless one of the keys is there; true when any of them is.
    [[nodiscard]] std::optional<bool> anyOf(Keys keys) const {
        std::optional<bool> result;
        for (const std::string_view key : keys) {
            const auto found = text({key});
            if (found)
                result = result.value_or(false) || isTrue(*found);
        }
        return result;
    }

    static bool isTrue(const std::string& text) {
        const std::string value = lower(text);
        return value == "true" || value == "yes" || value == "on" || value == "1";
    }

private:
    static constexpr std::array<std::string_view, 12> kPrefixes{"model.", "", "cfg.model.", "cfg.",
        "config.model.", "config.", "training.model.", "training.", "run.model.", "run.",
        "model.config.", "model.data."};

    // An interpolation of one plain path is followed; anything else inside ${} is not a stated
    // value.
    [[nodiscard]] std::optional<std::string> resolved(
        std::string key, std::string_view prefix) const {
        for (int hop = 0; hop < kMaxHops; ++hop) {
            const auto found = m_scalars.find(key);
            if (found == m_scalars.end())
                return std::nullopt;
            const std::string& value = found->second;
            if (value.find("${") == std::string::npos)
                return isNull(value) ? std::string() : value;
            key = plainInterpolation(value);
            if (key.empty())
                return std::nullopt;
            if (!m_scalars.contains(key))
                key = std::string(prefix) + key;
        }
        return std::nullopt;
    }

    const YamlScalars& m_scalars;
};

// `devices` may be a number, a list of indices, or a text like "0,1,2,3".
std::optional<int> gpusPerNode(const Fields& fields) {
    if (const auto number = fields.count({"trainer.devices", "trainer.gpus", "gpus_per_node"}))
        return number;
    if (const auto length = fields.count({"trainer.devices#", "trainer.gpus#"}))
        return length;
    const auto text = fields.word({"trainer.devices", "trainer.gpus"});
    if (!text || text->find_first_not_of("0123456789, ") != std::string::npos)
        return std::nullopt;
    const auto commas = std::count(text->begin(), text->end(), ',');
    return commas > 0 ? std::optional(static_cast<int>(commas) + 1) : std::nullopt;
}

std::optional<bool> recompute(const Fields& fields) {
    const auto granularity = fields.text(
        {"activations_checkpoint_granularity", "recompute_granularity", "recompute-granularity"});
    const auto layers = fields.text(
        {"activations_checkpoint_num_layers", "recompute_num_layers", "recompute-num-layers"});
    const auto method
        = fields.text({"activations_checkpoint_method", "recompute_method", "recompute-method"});
    if (!granularity && !method)
        return fields.anyOf({"recompute_activations", "recompute-activations",
            "checkpoint_activations", "gradient_checkpointing"});
    const std::string chosen = lower(granularity.value_or(""));
    const bool hasNoLayers = layers && *layers == "0";
    if (chosen == "selective")
        return true;
    return (chosen == "full" || !method.value_or("").empty()) && !hasNoLayers;
}

std::optional<int> dataParallel(const LaunchConfig& config) {
    const bool isKnown
        = config.nodes && config.gpusPerNode && config.tensorParallel && config.pipelineParallel;
    if (!isKnown)
        return std::nullopt;
    std::int64_t rest = std::int64_t{*config.nodes} * *config.gpusPerNode;
    for (const int degree :
        {*config.tensorParallel, *config.pipelineParallel, config.contextParallel.value_or(1)}) {
        if (rest % degree != 0)
            return std::nullopt;
        rest /= degree;
    }
    return rest <= static_cast<std::int64_t>(kMaxInt) ? std::optional(static_cast<int>(rest))
                                                      : std::nullopt;
}

void readDegrees(const Fields& fields, LaunchConfig& config) {
    config.nodes = fields.count({"trainer.num_nodes", "num_nodes", "nnodes"});
    config.gpusPerNode = gpusPerNode(fields);
    config.tensorParallel
        = fields.count({"tensor_model_parallel_size", "tensor-model-parallel-size"});
    config.pipelineParallel
        = fields.count({"pipeline_model_parallel_size", "pipeline-model-parallel-size"});
    config.virtualPipeline = fields.count(
        {"virtual_pipeline_model_parallel_size", "virtual-pipeline-model-parallel-size"});
    config.contextParallel = fields.count({"context_parallel_size", "context-parallel-size"});
    config.expertParallel
        = fields.count({"expert_model_parallel_size", "expert-model-parallel-size"});
    config.dataParallel = fields.count({"data_parallel_size", "data-parallel-size"});
    if (!config.dataParallel)
        config.dataParallel = dataParallel(config);
}

void readModel(const Fields& fields, LaunchConfig& config) {
    config.precision = fields.word({"trainer.precision", "precision", "torch_dtype"});
    config.microBatch = fields.count({"micro_batch_size", "micro-batch-size"});
    config.globalBatch = fields.count({"global_batch_size", "global-batch-size"});
    config.sequenceLength
        = fields.count({"encoder_seq_length", "seq_length", "seq-length", "data.seq_length"});
    config.layers = fields.count({"num_layers", "num-layers"});
    config.hiddenSize = fields.count({"hidden_size", "hidden-size"});
    config.recompute = recompute(fields);
    config.overlap
        = fields.anyOf({"optim.overlap_grad_sync", "optim.overlap_param_sync", "overlap_grad_sync",
            "overlap_param_sync", "ub_tp_comm_overlap", "tp_comm_overlap", "overlap_grad_reduce",
            "overlap_param_gather", "overlap-grad-reduce", "overlap-param-gather"});
}

} // namespace

Result<LaunchConfig> readLaunchYaml(std::string_view text, const std::string& where) {
    const auto scalars = readYamlScalars(text, where);
    if (!scalars.hasValue())
        return scalars.error();
    const Fields fields(scalars.value());
    LaunchConfig config;
    readDegrees(fields, config);
    readModel(fields, config);
    if (config == LaunchConfig{})
        return Error{ErrorCode::Unrecognised,
            "This YAML is no launch configuration: neither trainer.devices nor any model setting "
            "is in it.",
            where};
    config.origin = where;
    return config;
}

} // namespace trainscope::importers::launch
