#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/text/NumberMarks.h"
#include "core/work/WorkTable.h"

namespace trainscope::analysis {

namespace {

bool isPlace(FrameKind kind) {
    return kind == FrameKind::Module || kind == FrameKind::Annotation;
}

// The nearest module or annotation above a node, else the outermost operator; kNone: neither.
std::uint32_t placeOf(const CallTree& tree, std::uint32_t node) {
    std::uint32_t outermost = CallNode::kNone;
    for (std::uint32_t at = node; at != CallNode::kNone; at = tree.nodes[at].parent) {
        if (isPlace(tree.nodes[at].kind))
            return at;
        if (tree.nodes[at].kind == FrameKind::Operator)
            outermost = at;
    }
    return outermost;
}

class TreeParts {
public:
    OperatorPart& operator[](const std::string& name) {
        OperatorPart& part = m_parts[name];
        part.name = name;
        return part;
    }
    template <typename Key>
    [[nodiscard]] std::vector<OperatorPart> by(Key key) const {
        std::vector<OperatorPart> list;
        for (const auto& [name, part] : m_parts)
            list.push_back(part);
        std::ranges::stable_sort(
            list, [key](const auto& a, const auto& b) { return a.*key > b.*key; });
        return list;
    }

private:
    std::map<std::string, OperatorPart> m_parts;
};

// Modules of one class are one: "nn.Module: Block" of "nn.Module: Block_12".
std::string nameAt(const CallTree& tree, std::uint32_t node) {
    if (node == CallNode::kNone)
        return "outside all calls";
    std::string name = tree.names[tree.nodes[node].name];
    if (tree.nodes[node].kind != FrameKind::Module)
        return name;
    const std::size_t end = name.find_last_not_of("0123456789");
    return end != std::string::npos && name[end] == '_' ? name.substr(0, end) : name;
}

void addSlow(const CallTree& tree, const catalogue::GpuModel& gpu, OperatorFacts& facts) {
    for (const OperatorEntry& row : operatorTable(tree, OperatorGrouping::Shape, &gpu).rows) {
        const double seconds = row.busy.seconds();
        const bool isSlow = row.sums.calls > 0
            && seconds >= static_cast<double>(row.sums.calls) * kLeastSlowCallS
            && row.efficiency.rooflineFraction && *row.efficiency.rooflineFraction < kLowRoofline;
        if (!isSlow)
            continue;
        const double saved = row.efficiency.savable.value_or(0.0);
        facts.savedS += saved;
        facts.slow.push_back({row.name, shapeText(row.signature), seconds, saved, 0.0});
    }
    std::ranges::stable_sort(
        facts.slow, std::greater<>(), [](const auto& one) { return one.savedS; });
}

// Copies by the copy engines are told by their time without kernels (gpu_copies).
bool isCopying(const CallTree& tree, const CallNode& node) {
    if (node.kind != FrameKind::Kernel)
        return false;
    if (node.parent == CallNode::kNone || tree.nodes[node.parent].kind != FrameKind::Operator)
        return false;
    const auto* const rule
        = work::WorkTable::inUse().find(tree.names[tree.nodes[node.parent].name]);
    return rule != nullptr
        && (rule->formula == work::Formula::Copy || rule->formula == work::Formula::Concatenation);
}

void addWorkNodes(const CallTree& tree, OperatorFacts& facts) {
    TreeParts small;
    TreeParts copied;
    TreeParts again;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        if (!isWork(node.kind) || node.sums.works <= 0)
            continue;
        const double seconds = node.sums.time.seconds();
        const auto place = placeOf(tree, node.parent);
        if (node.kind == FrameKind::Kernel) {
            facts.kernels += node.sums.works;
            if (seconds < kSmallKernelS * static_cast<double>(node.sums.works)) {
                facts.smallKernels += node.sums.works;
                facts.smallS += seconds;
                small[nameAt(tree, place)].seconds += seconds;
            }
        }
        if (isCopying(tree, node)) {
            facts.copiedS += seconds;
            copied[nameAt(tree, place)].seconds += seconds;
        }
        if (node.pass == StepPass::Recomputation) {
            facts.recomputedS += seconds;
            again[nameAt(tree, node.parent)].seconds += seconds;
        }
    }
    facts.smallIn = small.by(&OperatorPart::seconds);
    facts.copiedIn = copied.by(&OperatorPart::seconds);
    facts.recomputed = again.by(&OperatorPart::seconds);
}

// The innermost ones: what calls them takes as long by them.
void addLaunchBound(const CallTree& tree, OperatorFacts& facts) {
    std::vector<bool> holdsOne(tree.nodes.size(), false);
    TreeParts found;
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const CallNode& node = tree.nodes[i];
        const double hostS = node.sums.hostTime.seconds();
        const double workS = node.sums.busy.seconds();
        const bool isBound = isPlace(node.kind) && !holdsOne[i] && node.sums.works > 0
            && hostS > kHostOverWork * workS;
        if (isBound) {
            OperatorPart& part = found[nameAt(tree, static_cast<std::uint32_t>(i))];
            part.hostS += hostS;
            part.seconds += workS;
        }
        if (node.parent != CallNode::kNone && (isBound || holdsOne[i]))
            holdsOne[node.parent] = true;
    }
    facts.launchBound = found.by(&OperatorPart::hostS);
}

constexpr std::size_t kMostPartsTold = 3;

Evidence tracedEvidence(const RunFacts& facts) {
    return facts.traced.empty()
        ? Evidence{}
        : Evidence{facts.traced.front().rank, facts.traced.front().window, {}};
}

std::string partName(const OperatorPart& part) {
    return part.shape.empty() ? part.name : part.name + " of " + part.shape;
}

// "a 3 %, b 2 %": the largest, as shares of the traced time.
std::string listOf(
    const std::vector<OperatorPart>& parts, double OperatorPart::*seconds, double tracedS) {
    std::string list;
    for (std::size_t i = 0; i < std::min(parts.size(), kMostPartsTold); ++i)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", partName(parts[i]),
            text::roundedPercent(parts[i].*seconds / tracedS));
    return list;
}

// Work that takes a share of the traced time, and where most of it is.
struct OperatorShare {
    const char* rule;
    const char* sentence; // {} the share, {} the list of parts
    double least; // share of the traced time
    double OperatorFacts::*seconds;
    std::vector<OperatorPart> OperatorFacts::*parts;
    double OperatorPart::*ofPart;
    const char* denominator;
};

constexpr OperatorShare kSlowShare{"slow_operators",
    "Operators far below the roofline take {} of the traced time more than they need: {}.",
    kSlowOperators, &OperatorFacts::savedS, &OperatorFacts::slow, &OperatorPart::savedS,
    "time above what the GPU's peak and memory bandwidth allow, by recorded shapes; operators of "
    "unknown work and calls under 10 µs are left out"};
constexpr OperatorShare kSmallShare{"small_kernels", "{} of the traced time; most in {}.",
    kSmallKernels, &OperatorFacts::smallS, &OperatorFacts::smallIn, &OperatorPart::seconds,
    "kernels whose mean is shorter than what starting one takes"};
constexpr OperatorShare kRecomputedShare{"recomputation",
    "Forward work is done again for the backward pass for {} of the traced time; most of it {}. It "
    "saves memory: with enough of that it can go.",
    kRecomputed, &OperatorFacts::recomputedS, &OperatorFacts::recomputed, &OperatorPart::seconds,
    "work launched by forward operators inside the backward pass"};
constexpr OperatorShare kCopiedShare{"hidden_copies",
    "Kernels that copy or convert tensors take {} of the traced time; most in {}.", kCopies,
    &OperatorFacts::copiedS, &OperatorFacts::copiedIn, &OperatorPart::seconds,
    "kernels of operators that copy, convert or join tensors"};

// nullptr: it does not speak.
Finding* addOperatorShare(const OperatorShare& one, const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return nullptr;
    const OperatorFacts& all = *facts.operators;
    const double seconds = all.*one.seconds;
    const double share = seconds / tracedS;
    if (share < one.least)
        return nullptr;
    found.push_back({one.rule,
        fmt::format(fmt::runtime(one.sentence), text::roundedPercent(share),
            listOf(all.*one.parts, one.ofPart, tracedS)),
        {{"fraction", share}, {"seconds", seconds}, {"traced_s", tracedS}}, tracedEvidence(facts),
        text::roundedPercent(one.least) + " of the traced time", one.denominator,
        severityOfCost(share), share});
    return &found.back();
}

// "12 of 40 kernels", "All 40 kernels", "The only kernel".
std::string smallOfAll(std::int64_t small, std::int64_t all) {
    if (all == 1)
        return "The only kernel";
    return small == all ? "All " + text::counted(all, "kernel")
                        : fmt::format("{} of {}", text::withMarks(std::to_string(small)),
                            text::counted(all, "kernel"));
}

} // namespace

OperatorFacts operatorFacts(const CallTree& tree, const catalogue::GpuModel* gpu) {
    OperatorFacts facts;
    if (!tree.hasHost)
        return facts;
    if (gpu != nullptr)
        addSlow(tree, *gpu, facts);
    addWorkNodes(tree, facts);
    addLaunchBound(tree, facts);
    return facts;
}

void findSlowOperators(const RunFacts& facts, Findings& found) {
    if (Finding* const slow = addOperatorShare(kSlowShare, facts, found))
        slow->threshold += fmt::format(", of operators that reach less than {} of the roofline",
            text::roundedPercent(kLowRoofline));
}

void findSmallKernels(const RunFacts& facts, Findings& found) {
    Finding* const small = addOperatorShare(kSmallShare, facts, found);
    if (small == nullptr)
        return;
    const OperatorFacts& all = *facts.operators;
    const bool isOne = all.smallKernels == 1;
    small->text = fmt::format("{} {} shorter than {} and {} {}",
        smallOfAll(all.smallKernels, all.kernels), isOne ? "is" : "are",
        text::seconds(kSmallKernelS), isOne ? "takes" : "take", small->text);
    small->values["small_kernels"] = static_cast<double>(all.smallKernels);
    small->values["kernels"] = static_cast<double>(all.kernels);
}

void findLaunchBound(const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    double waited = 0.0;
    for (const TracedDevice& device : withoutStragglers(facts))
        waited += device.hostBoundS;
    // Calls are long as well where they wait for the GPU: only where the GPU waits for them.
    if (!facts.operators || facts.operators->launchBound.empty()
        || waited < kHostBoundFraction * tracedS)
        return;
    const OperatorPart& longest = facts.operators->launchBound.front();
    if (longest.hostS < kLaunchBound * tracedS)
        return;
    // Threads and ranks call at the same time: theirs is no share of the traced time.
    const double share = waited / tracedS;
    found.push_back({"launch_bound",
        fmt::format("Calls of {} take {} to launch {} of work: GPUs wait for the host for {} of "
                    "the traced time.",
            longest.name, text::seconds(longest.hostS), text::seconds(longest.seconds),
            text::roundedPercent(share)),
        {{"fraction", share}, {"host_s", longest.hostS}, {"work_s", longest.seconds},
            {"traced_s", tracedS}},
        tracedEvidence(facts),
        fmt::format("{} of the traced time, {:g} times the work's",
            text::roundedPercent(kLaunchBound), text::worded(kHostOverWork)),
        "time on the host of the innermost modules and annotations, of runs whose GPUs wait for "
        "the "
        "host",
        Severity::Attention, 0.0});
}

void findRecomputation(const RunFacts& facts, Findings& found) {
    if (Finding* const again = addOperatorShare(kRecomputedShare, facts, found))
        again->severity = Severity::Attention; // it was chosen
}

void findHiddenCopies(const RunFacts& facts, Findings& found) {
    addOperatorShare(kCopiedShare, facts, found);
}

} // namespace trainscope::analysis
