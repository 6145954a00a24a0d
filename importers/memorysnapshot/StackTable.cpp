#include "importers/memorysnapshot/StackTable.h"

#include "core/model/Gather.h"
#include "core/model/HarmlessText.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>

namespace trainscope::importers::memorysnapshot {

namespace {

using analysis::AllocatorRecord;
using analysis::MemoryUse;

constexpr std::string_view kNoFile = "??"; // for calls in C++

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

template <typename Parts>
bool containsAny(std::string_view text, const Parts& parts) {
    return std::ranges::any_of(parts, [text](std::string_view one) { return contains(text, one); });
}

constexpr std::array<std::string_view, 8> kOtherFunctions{"Workspace", "workspace", "kv_cache",
    "kvcache", "ProcessGroupNCCL", "ncclComm", "collate", "pin_memory"};
constexpr std::array<std::string_view, 4> kOtherFiles{
    "torch/utils/data/", "distributed_c10d.py", "cache_utils.py", "torch/cuda/graphs.py"};
constexpr std::array<std::string_view, 4> kOptimizerFolders{
    "/optim/", "/optimizer/", "/optimizers/", "torch/optim"};
constexpr std::array<std::string_view, 3> kOptimizerFunctions{
    "fused_adam", "_init_group", "optimizer_step"};
constexpr std::array<std::string_view, 4> kGradientFunctions{
    "AccumulateGrad", "autograd::Engine", "_ddp_init_helper", "reduce_grad"};
constexpr std::array<std::string_view, 2> kActivationFunctions{"_call_impl", "_wrapped_call_impl"};
constexpr std::array<std::string_view, 16> kParameterFunctions{"_apply", "convert", "to", "cuda",
    "half", "bfloat16", "to_empty", "reset_parameters", "load_state_dict", "_load_from_state_dict",
    "register_buffer", "from_pretrained", "init_weights", "_init_weights", "unshard",
    "_init_flat_param"};
constexpr std::array<std::string_view, 5> kParameterFiles{"torch/nn/init.py",
    "torch/nn/parameter.py", "torch/nn/modules/", "torch/distributed/fsdp/", "_flat_param.py"};
constexpr std::array<std::string_view, 5> kModelWords{"model", "modules", "layers", "/nn/", "net"};
// These say it in whatever file they stand.
constexpr std::array<std::string_view, 6> kLoadingFunctions{"from_pretrained", "load_state_dict",
    "reset_parameters", "init_weights", "_init_weights", "_load_pretrained_model"};

template <typename Names>
bool isAmong(std::string_view name, const Names& names) {
    return std::ranges::find(names, name) != names.end();
}

bool isOfOptimizer(const Call& call) {
    return containsAny(call.file, kOptimizerFolders) || contains(namePart(call.file), "optimizer")
        || containsAny(call.function, kOptimizerFunctions);
}

bool isOfBackward(const Call& call) {
    const bool isNamedSo
        = contains(call.function, "backward") || contains(call.function, "Backward");
    return (isNamedSo && !contains(call.function, "forward"))
        || containsAny(call.function, kGradientFunctions)
        || contains(namePart(call.file), "param_and_grad_buffer");
}

bool isOfForward(const Call& call) {
    return contains(call.function, "forward") || isAmong(call.function, kActivationFunctions)
        || call.file.ends_with("torch/nn/functional.py");
}

bool isOfModel(const Call& call) {
    if (isAmong(call.function, kLoadingFunctions))
        return true;
    if (call.function == "__init__")
        return containsAny(call.file, kModelWords);
    return isAmong(call.function, kParameterFunctions) && containsAny(call.file, kParameterFiles);
}

std::string textOf(const Call& call) {
    constexpr std::size_t kLongestCall = 240;
    const bool hasFile = !call.file.empty() && call.file != kNoFile;
    std::string text = harmlessLine(call.function.substr(0, kLongestCall));
    if (hasFile)
        text += fmt::format(" ({}:{})", harmlessLine(call.file.substr(0, kLongestCall)), call.line);
    return text;
}

} // namespace

std::optional<MemoryUse> useOfCall(const Call& call) {
    if (containsAny(call.function, kOtherFunctions) || containsAny(call.file, kOtherFiles))
        return MemoryUse::Other;
    if (isOfOptimizer(call))
        return MemoryUse::OptimizerState;
    if (isOfBackward(call))
        return MemoryUse::Gradient;
    if (isOfForward(call))
        return MemoryUse::Activation;
    return isOfModel(call) ? std::optional(MemoryUse::Parameter) : std::nullopt;
}

StackTable::StackTable()
    : m_frames(1) {
    m_stacks.push_back(&m_stackIndex.emplace(Stack{{}, MemoryUse::Unknown}, kNoStack).first->first);
}

FrameId StackTable::frame(const Call& call) {
    std::string key = fmt::format("{}\n{}\n{}", call.function, call.file, call.line);
    const auto found = m_frameIndex.find(key);
    if (found != m_frameIndex.end())
        return found->second;
    if (m_frames.size() >= kMostFrames)
        return 0;
    const auto id = static_cast<FrameId>(m_frames.size());
    m_frames.push_back(
        {textOf(call), call.file.ends_with(".py") || call.file.starts_with("<"), useOfCall(call)});
    m_frameIndex.emplace(std::move(key), id);
    return id;
}

StackId StackTable::stack(const std::vector<FrameId>& frames) {
    Stack made{{}, MemoryUse::Unknown};
    bool isDecided = false;
    bool hasPython = false;
    for (const FrameId id : frames) {
        const Frame& one = m_frames[id < m_frames.size() ? id : 0];
        hasPython = hasPython || one.isPython;
        if (!isDecided && one.use) {
            made.second = *one.use;
            isDecided = true;
        }
    }
    for (const FrameId id : frames) {
        if (id == 0 || id >= m_frames.size() || (hasPython && !m_frames[id].isPython))
            continue;
        if (made.first.size() == AllocatorRecord::kMostCalls)
            break;
        made.first.push_back(id);
    }
    const auto found = m_stackIndex.find(made);
    if (found != m_stackIndex.end())
        return found->second;
    if (m_stacks.size() >= kMostStacks)
        return kNoStack;
    const auto id = static_cast<StackId>(m_stacks.size());
    m_stacks.push_back(&m_stackIndex.emplace(std::move(made), id).first->first);
    return id;
}

MemoryUse StackTable::useOf(StackId stack) const {
    return m_stacks[stack < m_stacks.size() ? stack : kNoStack]->second;
}

std::vector<std::string> StackTable::callsOf(StackId stack) const {
    return vectorOf(m_stacks[stack < m_stacks.size() ? stack : kNoStack]->first,
        [&](FrameId id) { return m_frames[id].text; });
}

} // namespace trainscope::importers::memorysnapshot
