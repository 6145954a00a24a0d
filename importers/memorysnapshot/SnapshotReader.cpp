#include "importers/memorysnapshot/SnapshotReader.h"

#include "core/model/Gather.h"
#include "core/model/HarmlessText.h"
#include "core/model/Try.h"
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

using Kind = PickleValue::Kind;

// Handles of frames and of whole stacks, which stand in different places.
constexpr std::uint32_t kFrameHandle = std::uint32_t{1} << 31U;

struct NamedAction {
    std::string_view name;
    Action action;
};
constexpr auto kActions = std::to_array<NamedAction>({{"alloc", Action::Alloc},
    {"free_requested", Action::FreeRequested}, {"free_completed", Action::FreeCompleted},
    {"free", Action::FreeRequested}, {"segment_alloc", Action::SegmentAlloc},
    {"segment_free", Action::SegmentFree}, {"segment_map", Action::SegmentMap},
    {"segment_unmap", Action::SegmentUnmap}, {"oom", Action::OutOfMemory}});

Action actionOf(std::string_view name) {
    const auto found = std::ranges::find(kActions, name, &NamedAction::name);
    return found == kActions.end() ? Action::Other : found->action;
}

// Keys that tell what a dict is.
enum KeyBit : unsigned {
    kFileName = 1,
    kName = 2,
    kAction = 4,
    kState = 8,
    kSize = 16,
    kTotalSize = 32,
    kSegmentType = 64,
    kStage = 128,
};
struct TellingKey {
    std::string_view name;
    KeyBit bit;
};
constexpr auto kTellingKeys = std::to_array<TellingKey>({{"filename", kFileName}, {"name", kName},
    {"action", kAction}, {"state", kState}, {"size", kSize}, {"total_size", kTotalSize},
    {"segment_type", kSegmentType}, {"stage", kStage}});

PickleValue taken() {
    return {Kind::Taken, 0, 0};
}

class SnapshotReading {
public:
    SnapshotReading(const SourceTree& tree, const std::string& path, StackTable& stacks,
        const SnapshotVisitor& visitor)
        : m_tree(tree)
        , m_path(path)
        , m_stacks(stacks)
        , m_visitor(visitor) { }

    Result<SnapshotFacts> read(const Progress& progress) {
        ASSIGN_OR_RETURN(const auto stream, m_tree.open(m_path));
        PickleReader pickle(
            *stream, [this](const PickleValue& dict, const std::optional<PickleValue>& list) {
                return take(dict, list);
            });
        m_pickle = &pickle;
        const auto root = pickle.read([&] {
            return !progress
                || progress({"Reading the memory snapshot", stream->bytesConsumed(),
                    m_tree.sizeOf(m_path)});
        });
        m_facts.bytes = pickle.bytes();
        if (!m_failure.hasValue())
            return m_failure.error();
        if (root.hasValue()) {
            takeRoot(root.value());
        } else {
            if (root.error().code == ErrorCode::Cancelled || m_understood == 0 || !pickle.isCut())
                return Error{root.error().code, root.error().message, m_tree.displayPath(m_path)};
            m_facts.problem = root.error().message;
        }
        if (m_understood == 0)
            return Error{ErrorCode::Unrecognised,
                "There is no segment and no event in this pickle; a memory snapshot of PyTorch has "
                "them. Call torch.cuda.memory._record_memory_history() early in the program, and "
                "torch.cuda.memory._dump_snapshot() behind what you want to see.",
                m_tree.displayPath(m_path)};
        if (m_facts.traces.empty())
            m_facts.traces = m_seen;
        return std::move(m_facts);
    }

private:
    [[nodiscard]] std::optional<std::int64_t> whole(
        const PickleValue& dict, std::string_view key) const {
        const PickleValue* value = m_pickle->member(dict, key);
        const bool isNumber
            = value != nullptr && (value->kind == Kind::Integer || value->kind == Kind::Boolean);
        return isNumber ? std::optional(value->number) : std::nullopt;
    }

    // A size, which forged files may have as anything.
    [[nodiscard]] std::optional<std::int64_t> size(
        const PickleValue& dict, std::string_view key) const {
        constexpr std::int64_t kMost = std::int64_t{1} << 42; // beyond any device
        const auto value = whole(dict, key);
        return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
    }

    // Microseconds, likewise: as nanoseconds they must fit.
    [[nodiscard]] std::optional<std::int64_t> microseconds(
        const PickleValue& dict, std::string_view key) const {
        constexpr std::int64_t kMost = std::int64_t{1} << 53;
        const auto value = whole(dict, key);
        return value && *value >= -kMost && *value <= kMost ? value : std::nullopt;
    }

    // Its beginning: a long text costs a reference of two bytes each time it is repeated.
    [[nodiscard]] std::string_view word(const PickleValue& dict, std::string_view key) const {
        constexpr std::size_t kLongest = 512;
        const PickleValue* value = m_pickle->member(dict, key);
        return value == nullptr ? std::string_view() : m_pickle->text(*value).substr(0, kLongest);
    }

    Result<std::optional<PickleValue>> take(
        const PickleValue& dict, const std::optional<PickleValue>& list) {
        const unsigned keys = keysOf(dict);
        const auto has = [keys](unsigned all) { return (keys & all) == all; };
        std::optional<PickleValue> instead;
        if (has(kFileName | kName))
            instead = PickleValue{Kind::Handle, 0, takeFrame(dict)};
        else if (has(kAction) && list)
            m_failure = takeEvent(dict, *list);
        else if (has(kState | kSize) && list)
            m_failure = takeBlock(dict, list->number);
        else if (has(kTotalSize) || has(kSegmentType))
            m_failure = takeSegment(dict);
        else if (has(kStage | kName))
            m_failure = takeAnnotation(dict);
        else
            return instead;
        if (!m_failure.hasValue())
            return m_failure.error();
        return instead ? instead : std::optional(taken());
    }

    [[nodiscard]] unsigned keysOf(const PickleValue& dict) const {
        unsigned keys = 0;
        const auto items = m_pickle->items(dict);
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            const std::string_view key = m_pickle->text(items[i]);
            for (const TellingKey& one : kTellingKeys)
                keys |= one.name == key ? static_cast<unsigned>(one.bit) : 0U;
        }
        return keys;
    }

    std::int64_t takeFrame(const PickleValue& dict) {
        const FrameId id = m_stacks.frame(
            {word(dict, "name"), word(dict, "filename"), whole(dict, "line").value_or(0)});
        return kFrameHandle | id;
    }

    StackId stackOf(const PickleValue& dict) {
        const PickleValue* frames = m_pickle->member(dict, "frames");
        if (frames == nullptr)
            return kNoStack;
        if (frames->kind == Kind::Handle)
            return (frames->number & kFrameHandle) == 0 ? static_cast<StackId>(frames->number)
                                                        : kNoStack;
        if (!frames->isList())
            return kNoStack;
        std::vector<FrameId> calls;
        for (const PickleValue& one : m_pickle->items(*frames)) {
            if (one.kind == Kind::Handle && (one.number & kFrameHandle) != 0)
                calls.push_back(static_cast<FrameId>(one.number & (kFrameHandle - 1)));
        }
        const StackId id = m_stacks.stack(calls);
        m_pickle->replace(*frames, id);
        return id;
    }

    Status takeEvent(const PickleValue& dict, const PickleValue& list) {
        AllocatorEvent event;
        event.trace = list.number;
        event.action = actionOf(word(dict, "action"));
        const auto bytes = size(dict, "size");
        event.address = whole(dict, "addr").value_or(0);
        event.timeUs = microseconds(dict, "time_us");
        event.stack = stackOf(dict);
        if (event.action == Action::OutOfMemory)
            event.deviceFree = size(dict, "device_free");
        if (std::find(m_seen.begin(), m_seen.end(), event.trace) == m_seen.end()) {
            constexpr std::size_t kMostDevices = 64;
            if (m_seen.size() == kMostDevices)
                return tooMany("histories of devices");
            m_seen.push_back(event.trace);
        }
        if (!bytes && event.action != Action::Other) {
            ++m_facts.broken;
            return {};
        }
        event.size = bytes.value_or(0);
        ++m_understood;
        return m_visitor.event(event);
    }

    [[nodiscard]] Error tooMany(std::string_view things) const {
        return {ErrorCode::Unreadable,
            "There are more " + std::string(things) + " in this pickle than any snapshot has.",
            m_tree.displayPath(m_path)};
    }

    Status takeBlock(const PickleValue& dict, std::int64_t list) {
        AllocatorBlock block;
        const auto bytes = size(dict, "size");
        if (!bytes) {
            ++m_facts.broken;
            return {};
        }
        constexpr std::int64_t kMostBlocks = 2'000'000;
        if (++m_blockCount > kMostBlocks)
            return tooMany("blocks");
        const std::string_view state = word(dict, "state");
        block.size = *bytes;
        block.address = whole(dict, "address").value_or(-1);
        block.isAllocated = state == "active_allocated";
        block.isPending = state.starts_with("active") && !block.isAllocated;
        block.requested = size(dict, "requested_size").value_or(block.size);
        block.stack = stackOf(dict);
        // Torch 2.0 has a history of each block instead.
        const PickleValue* history = m_pickle->member(dict, "history");
        if (history != nullptr && !m_pickle->items(*history).empty()) {
            const PickleValue& latest = m_pickle->items(*history).front();
            block.stack = stackOf(latest);
            block.requested = size(latest, "real_size").value_or(block.requested);
        }
        m_blocks[list].push_back(block);
        return {};
    }

    Status takeSegment(const PickleValue& dict) {
        constexpr std::int64_t kMostSegments = 1'000'000;
        if (++m_segmentCount > kMostSegments)
            return tooMany("segments");
        AllocatorSegment segment;
        segment.device = whole(dict, "device").value_or(0);
        segment.address = whole(dict, "address").value_or(0);
        const PickleValue* expandable = m_pickle->member(dict, "is_expandable");
        segment.isExpandable = expandable != nullptr && expandable->number != 0;
        if (const PickleValue* blocks = m_pickle->member(dict, "blocks");
            blocks != nullptr && blocks->isList()) {
            if (const auto found = m_blocks.find(blocks->number); found != m_blocks.end()) {
                segment.blocks = std::move(found->second);
                m_blocks.erase(found);
            }
            m_pickle->replace(*blocks, 0);
        }
        std::int64_t at = segment.address;
        std::int64_t all = 0;
        for (AllocatorBlock& block : segment.blocks) {
            if (block.address < 0)
                block.address = at;
            at = clampedSum(block.address, block.size);
            all = clampedSum(all, block.size);
        }
        segment.size = size(dict, "total_size").value_or(all);
        ++m_understood;
        return m_visitor.segment(std::move(segment));
    }

    Status takeAnnotation(const PickleValue& dict) {
        const auto time = microseconds(dict, "time_us");
        if (!time) {
            ++m_facts.broken;
            return {};
        }
        return m_visitor.annotation({whole(dict, "device").value_or(0),
            word(dict, "stage").starts_with("START"), word(dict, "name"), *time});
    }

    void takeRoot(const PickleValue& root) {
        const PickleValue* traces = m_pickle->member(root, "device_traces");
        if (traces != nullptr) {
            for (const PickleValue& one : m_pickle->items(*traces))
                m_facts.traces.push_back(one.isList() ? one.number : -1);
        }
        const PickleValue* settings = m_pickle->member(root, "allocator_settings");
        if (settings != nullptr)
            m_facts.settings = word(*settings, "PYTORCH_CUDA_ALLOC_CONF");
    }

    const SourceTree& m_tree;
    const std::string& m_path;
    StackTable& m_stacks;
    const SnapshotVisitor& m_visitor;
    PickleReader* m_pickle = nullptr;
    std::unordered_map<std::int64_t, std::vector<AllocatorBlock>> m_blocks; // by their list
    std::int64_t m_blockCount = 0;
    std::int64_t m_segmentCount = 0;
    std::vector<TraceId> m_seen;
    std::int64_t m_understood = 0;
    Status m_failure;
    SnapshotFacts m_facts;
};

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

bool isSnapshot(std::string_view head) {
    const auto has
        = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    if (head.size() < 2 || head[0] != '\x80' || head[1] < 1 || head[1] > 5)
        return false;
    const bool hasHistory = has("device_traces") && (has("segments") || has("action"));
    return hasHistory || (has("segment_type") && has("total_size") && has("blocks"))
        || (has("segments") && has("total_size"));
}

Result<SnapshotFacts> readSnapshot(const SourceTree& tree, const std::string& path,
    StackTable& stacks, const SnapshotVisitor& visitor, const Progress& progress) {
    return SnapshotReading(tree, path, stacks, visitor).read(progress);
}

} // namespace trainscope::importers::memorysnapshot
