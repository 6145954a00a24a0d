#include "core/analysis/operators/TreeDifference.h"

#include "core/analysis/operators/TreeMerge.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kSameShare = 0.01; // share of the greater time
constexpr std::string_view kStepFrame = "ProfilerStep";
constexpr std::string_view kPathSeparator = " › ";

using NamedFrame = std::tuple<FrameKind, StepPass, std::string>;

// 0: none are marked.
std::int64_t stepsOf(const CallTree& tree) {
    std::int64_t steps = 0;
    for (const CallNode& node : tree.nodes) {
        if (node.kind == FrameKind::Annotation
            && std::string_view(tree.names[node.name]).starts_with(kStepFrame))
            steps += node.sums.calls;
    }
    return steps;
}

void addSide(std::optional<ComparedSide>& side, const std::optional<ComparedSide>& more) {
    if (!more)
        return;
    if (!side)
        side.emplace();
    side->seconds += more->seconds;
    side->calls += more->calls;
    side->works += more->works;
}

void join(ComparedOperator& into, const ComparedOperator& one) {
    into.isByName = true;
    addSide(into.times.a, one.times.a);
    addSide(into.times.b, one.times.b);
    into.frames.insert(into.frames.end(), one.frames.begin(), one.frames.end());
}

void sortByDifference(std::vector<ComparedOperator>& operators) {
    std::ranges::stable_sort(
        operators, [](const ComparedOperator& one, const ComparedOperator& other) {
            return std::abs(one.times.difference()) > std::abs(other.times.difference());
        });
}

// One of the two trees, as it is compared.
struct ComparedTree {
    const CallTree& tree;
    double perStep = 1.0; // factor from all its steps to one
    std::optional<ComparedSide> ComparedTimes::*side = nullptr;
    const std::vector<std::uint32_t>& placeOf; // by node of the whole tree
    std::vector<std::uint32_t> TreeDifference::*frameOf = nullptr;

    [[nodiscard]] NamedFrame keyOf(const CallNode& node) const {
        return {node.kind, node.pass, node.kind == FrameKind::Root ? "" : tree.names[node.name]};
    }
    [[nodiscard]] ComparedSide whole(const FrameSums& sums) const {
        return {
            sums.time.seconds() * perStep, static_cast<double>(sums.calls) * perStep, sums.works};
    }
    [[nodiscard]] ComparedSide own(const FrameSums& sums) const {
        return {sums.ownTime.seconds() * perStep, static_cast<double>(sums.calls) * perStep,
            sums.ownWorks};
    }
};

class TreeMatch {
public:
    TreeMatch(const ComparedTree& a, const ComparedTree& b) {
        add(a);
        add(b);
    }

    TreeDifference take() {
        std::map<NamedFrame, ComparedOperator> left; // on one side of their path
        for (std::size_t i = 0; i < m_made.frames.size(); ++i) {
            const ComparedTimes& own = m_own[i];
            if (!own.a && !own.b)
                continue;
            const ComparedFrame& frame = m_made.frames[i];
            ComparedOperator made{frame.kind, frame.pass, frame.name, pathOf(i), false, own,
                {static_cast<std::uint32_t>(i)}};
            if (own.a && own.b) {
                m_made.operators.push_back(std::move(made));
                continue;
            }
            const auto [found, isNew]
                = left.try_emplace({frame.kind, frame.pass, frame.name}, made);
            if (!isNew)
                join(found->second, made);
        }
        for (auto& [name, one] : left) {
            one.isByName = one.isByName || (one.times.a && one.times.b);
            if (one.isByName)
                one.path.clear();
            m_made.operators.push_back(std::move(one));
        }
        sortByDifference(m_made.operators);
        return std::move(m_made);
    }

private:
    void add(const ComparedTree& side) {
        std::vector<std::uint32_t> placeOf(side.tree.nodes.size(), 0);
        for (std::size_t i = 0; i < side.tree.nodes.size(); ++i) {
            const CallNode& node = side.tree.nodes[i];
            const std::uint32_t parent = i == 0 ? CallNode::kNone : placeOf[node.parent];
            const std::uint32_t place = frameOf(parent, side.keyOf(node));
            placeOf[i] = place;
            addSide(m_made.frames[place].times.*side.side, side.whole(node.sums));
            if (node.sums.ownWorks > 0)
                addSide(m_own[place].*side.side, side.own(node.sums));
        }
        auto& frameOf = m_made.*side.frameOf;
        for (const std::uint32_t place : side.placeOf)
            frameOf.push_back(placeOf[place]);
    }

    std::uint32_t frameOf(std::uint32_t parent, const NamedFrame& key) {
        const auto [found, isNew]
            = m_places.try_emplace({parent, key}, static_cast<std::uint32_t>(m_made.frames.size()));
        if (isNew) {
            const auto& [kind, pass, name] = key;
            m_made.frames.push_back({kind, pass, parent, name, {}});
            m_own.emplace_back();
        }
        return found->second;
    }

    [[nodiscard]] std::string pathOf(std::size_t place) const {
        std::string path;
        std::uint32_t at = m_made.frames[place].parent;
        while (at != CallNode::kNone && at != 0) {
            const ComparedFrame& frame = m_made.frames[at];
            path = path.empty() ? frame.name : frame.name + std::string(kPathSeparator) + path;
            at = frame.parent;
        }
        return path;
    }

    TreeDifference m_made;
    std::vector<ComparedTimes> m_own; // by frame
    std::map<std::pair<std::uint32_t, NamedFrame>, std::uint32_t> m_places;
};

} // namespace

double ComparedTimes::difference() const {
    return (b ? b->seconds : 0.0) - (a ? a->seconds : 0.0);
}

std::optional<double> ComparedTimes::ratio() const {
    if (!a || !b || !(a->seconds > 0.0))
        return std::nullopt;
    return b->seconds / a->seconds;
}

Change ComparedTimes::change() const {
    if (!a)
        return b ? Change::New : Change::Same;
    if (!b)
        return Change::Gone;
    if (std::abs(difference()) <= kSameShare * std::max(a->seconds, b->seconds))
        return Change::Same;
    return difference() < 0.0 ? Change::Faster : Change::Slower;
}

TreeDifference treeDifference(const CallTree& a, const CallTree& b) {
    // Lines of Python move from version to version, and modules that one trace alone has would
    // part every path.
    const TreeFolding folding{true, a.hasModules != b.hasModules, true, true};
    const FoldedTree first = foldedTree(a, folding);
    const FoldedTree second = foldedTree(b, folding);
    const std::int64_t stepsA = stepsOf(first.tree);
    const std::int64_t stepsB = stepsOf(second.tree);
    const bool isPerStep = stepsA > 0 && stepsB > 0;
    const auto share = [isPerStep](std::int64_t steps) {
        return isPerStep ? 1.0 / static_cast<double>(steps) : 1.0;
    };
    TreeDifference made = TreeMatch(
        {first.tree, share(stepsA), &ComparedTimes::a, first.placeOf, &TreeDifference::frameOfA},
        {second.tree, share(stepsB), &ComparedTimes::b, second.placeOf, &TreeDifference::frameOfB})
                              .take();
    made.stepsA = stepsA;
    made.stepsB = stepsB;
    return made;
}

std::vector<ComparedOperator> byName(const std::vector<ComparedOperator>& operators) {
    std::map<NamedFrame, ComparedOperator> joined;
    for (const ComparedOperator& one : operators) {
        ComparedOperator& into = joined[{one.kind, one.pass, one.name}];
        into.kind = one.kind;
        into.pass = one.pass;
        into.name = one.name;
        join(into, one);
    }
    std::vector<ComparedOperator> made;
    for (auto& [name, one] : joined)
        made.push_back(std::move(one));
    sortByDifference(made);
    return made;
}

} // namespace trainscope::analysis
