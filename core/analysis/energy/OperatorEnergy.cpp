#include "core/analysis/energy/OperatorEnergy.h"

#include <set>

namespace trainscope::analysis {

namespace {

// Key of a row: a name, and for shapes a signature.
using OperatorKey = std::pair<std::string, std::string>;

// The rows that a piece of work belongs to.
std::set<OperatorKey> keysOf(
    const CallTree& tree, OperatorGrouping grouping, const CallNode& work) {
    std::set<OperatorKey> keys;
    if (work.parent == CallNode::kNone)
        return keys;
    const auto addCallers = [&](FrameKind kind) {
        for (std::uint32_t at = work.parent; at != CallNode::kNone; at = tree.nodes[at].parent) {
            if (tree.nodes[at].kind == kind)
                keys.emplace(tree.names[tree.nodes[at].name], "");
        }
    };
    const CallNode& owner = tree.nodes[work.parent];
    switch (grouping) {
    case OperatorGrouping::Operator:
        keys.emplace(tree.names[owner.name], "");
        break;
    case OperatorGrouping::Shape:
        keys.emplace(tree.names[owner.name], tree.signatures[owner.signature]);
        break;
    case OperatorGrouping::Pass:
        keys.emplace(std::string(toString(owner.pass)), "");
        break;
    case OperatorGrouping::Module:
        addCallers(FrameKind::Module);
        break;
    case OperatorGrouping::Annotation:
        addCallers(FrameKind::Annotation);
        break;
    }
    return keys;
}

} // namespace

KernelEnergy energyOfName(const KernelEnergies& kernels, const std::string& name) {
    KernelEnergy sum;
    for (auto one = kernels.lower_bound({name, {}});
         one != kernels.end() && one->first.first == name; ++one)
        sum += one->second;
    return sum;
}

std::vector<PartEnergy> operatorEnergies(
    const CallTree& tree, const OperatorTable& table, const KernelEnergies& kernels) {
    std::map<OperatorKey, std::map<std::string, double>> times; // s by kernel name; copies: empty
    double copies = 0.0;
    for (const CallNode& node : tree.nodes) {
        if (!isWork(node.kind))
            continue;
        const bool isKernel = node.kind == FrameKind::Kernel;
        copies += isKernel ? 0.0 : node.sums.time.seconds();
        for (const OperatorKey& key : keysOf(tree, table.grouping, node))
            times[key][isKernel ? tree.names[node.name] : std::string()]
                += node.sums.time.seconds();
    }
    std::vector<PartEnergy> result;
    for (const OperatorEntry& row : table.rows) {
        PartEnergy sum;
        for (const auto& [name, seconds] : times[{row.name, row.signature}]) {
            const KernelEnergy all = energyOfName(kernels, name);
            const double whole = name.empty() ? copies : all.seconds;
            if (whole > 0.0 && seconds > 0.0)
                sum += all.energy.part(std::min(1.0, seconds / whole));
        }
        result.push_back(sum);
    }
    return result;
}

} // namespace trainscope::analysis
