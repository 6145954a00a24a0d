#include "core/analysis/operators/CallTree.h"

#include "core/model/EnumNames.h"

namespace trainscope::analysis {

namespace {

constexpr auto kFrameNames = enumNames<FrameKind>({{FrameKind::Root, "root"},
    {FrameKind::Annotation, "annotation"}, {FrameKind::Module, "module"},
    {FrameKind::Python, "python"}, {FrameKind::Operator, "operator"}, {FrameKind::Kernel, "kernel"},
    {FrameKind::Copy, "copy"}, {FrameKind::Set, "set"}, {FrameKind::Self, "self"}});
constexpr auto kPassNames = enumNames<StepPass>(
    {{StepPass::None, ""}, {StepPass::Forward, "forward"}, {StepPass::Backward, "backward"},
        {StepPass::Recomputation, "recomputation"}, {StepPass::Optimizer, "optimizer"}});

} // namespace

std::string_view toString(FrameKind kind) {
    return kFrameNames.nameOf(kind);
}

std::string_view toString(StepPass pass) {
    return kPassNames.nameOf(pass);
}

FrameSums& FrameSums::operator+=(const FrameSums& other) {
    calls += other.calls;
    works += other.works;
    time = time + other.time;
    busy = busy + other.busy;
    ownWorks += other.ownWorks;
    ownTime = ownTime + other.ownTime;
    ownBusy = ownBusy + other.ownBusy;
    hostTime = hostTime + other.hostTime;
    return *this;
}

CallChildren childrenOf(const CallTree& tree) {
    CallChildren result;
    result.first.assign(tree.nodes.size() + 1, 0);
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
        ++result.first[tree.nodes[i].parent + 1];
    for (std::size_t i = 1; i < result.first.size(); ++i)
        result.first[i] += result.first[i - 1];
    result.children.resize(tree.nodes.empty() ? 0 : tree.nodes.size() - 1);
    std::vector<std::uint32_t> next(result.first.begin(), result.first.end());
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
        result.children[next[tree.nodes[i].parent]++] = static_cast<std::uint32_t>(i);
    return result;
}

} // namespace trainscope::analysis
