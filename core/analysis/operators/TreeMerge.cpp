#include "core/analysis/operators/TreeMerge.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/SumColumns.h"

#include <cmath>
#include <numeric>

namespace trainscope::analysis {
namespace {

// Annotations and modules stand for all that they call, whether they launch anything themselves.
bool isCountedWhole(FrameKind kind) {
    return kind == FrameKind::Annotation || kind == FrameKind::Module;
}

void fillNode(CallNode& node, const CallPart::Frame& frame, const CallPart::Work& work) {
    node.sums.busy = frame.busy + work.busy;
    node.sums.ownBusy = isWork(node.kind) ? work.busy : frame.ownBusy;
    node.sums.hostTime = frame.hostTime;
    node.sums.works = work.count;
    node.sums.time = work.time;
    if (!isWork(node.kind))
        return;
    node.sums.calls = work.count;
    node.sums.ownWorks = work.count;
    node.sums.ownTime = work.time;
    node.shortest = work.shortest;
    node.longest = work.longest;
    node.longestAt = work.longestAt;
}

void fillTotal(CallTotal& total, const FrameSums& sums) {
    total.sums = sums;
    const bool isOwn = total.of == CallTotal::Of::Operator || total.of == CallTotal::Of::Shape
        || total.of == CallTotal::Of::Pass;
    if (!isOwn)
        return;
    total.sums.ownWorks = sums.works;
    total.sums.ownTime = sums.time;
    total.sums.ownBusy = sums.busy;
}

using FrameKey = std::tuple<std::uint32_t, FrameKind, StepPass, std::uint32_t, std::uint32_t>;

bool isFoldedAway(const CallNode& node, const TreeFolding& folding) {
    return (folding.python && node.kind == FrameKind::Python)
        || (folding.modules && node.kind == FrameKind::Module)
        || (folding.work && isWork(node.kind));
}

// Gives the caller the own work of a frame that is left out.
void takeOwnSums(FrameSums& caller, const FrameSums& frame) {
    caller.ownWorks += frame.ownWorks;
    caller.ownTime = caller.ownTime + frame.ownTime;
    caller.ownBusy = caller.ownBusy + frame.ownBusy;
}

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

void addSums(CallNode& into, const CallNode& node) {
    const bool isFirst = into.sums.works == 0;
    into.sums += node.sums;
    if (node.sums.works == 0)
        return;
    into.shortest = isFirst ? node.shortest : std::min(into.shortest, node.shortest);
    if (isFirst || node.longest > into.longest) {
        into.longest = node.longest;
        into.longestAt = node.longestAt;
        into.longestRank = node.longestRank;
    }
}

std::vector<std::uint32_t> TreeMerge::addTexts(
    const std::vector<std::string>& texts, std::vector<std::string>& list, Numbers& numbers) {
    std::vector<std::uint32_t> places;
    places.reserve(texts.size());
    for (const std::string& text : texts) {
        const auto next = static_cast<std::uint32_t>(list.size());
        const auto [known, isNew] = numbers.emplace(text, next);
        if (isNew)
            list.push_back(text);
        places.push_back(known->second);
    }
    return places;
}

void TreeMerge::addFacts(const CallTree& tree) {
    const bool isFirst = m_merged.nodes.empty();
    m_merged.rank = isFirst ? tree.rank : -1;
    m_merged.window = isFirst ? tree.window : spanned(m_merged.window, tree.window);
    m_merged.rankTime = m_merged.rankTime + tree.rankTime;
    m_merged.hasHost = m_merged.hasHost || tree.hasHost;
    m_merged.isOfHost = m_merged.isOfHost || tree.isOfHost;
    m_merged.hasModules = m_merged.hasModules || tree.hasModules;
    m_merged.hasShapes = m_merged.hasShapes || tree.hasShapes;
    m_merged.isFull = m_merged.isFull || tree.isFull;
}

void TreeMerge::add(const CallTree& tree) {
    if (tree.nodes.empty())
        return;
    addFacts(tree);
    const auto names = addTexts(tree.names, m_merged.names, m_names);
    const auto signatures = addTexts(tree.signatures, m_merged.signatures, m_signatures);
    std::vector<std::uint32_t> places;
    places.reserve(tree.nodes.size());
    for (CallNode node : tree.nodes) {
        node.name = names[node.name];
        node.signature = signatures[node.signature];
        if (node.parent != CallNode::kNone)
            node.parent = places[node.parent];
        places.push_back(addNode(node));
    }
    for (CallTotal total : tree.totals) {
        total.name = names[total.name];
        total.signature = signatures[total.signature];
        addTotal(total);
    }
}

std::uint32_t TreeMerge::addNode(const CallNode& node) {
    const auto next = static_cast<std::uint32_t>(m_merged.nodes.size());
    const auto [known, isNew] = m_nodes.emplace(
        NodeKey{node.parent, node.kind, node.pass, node.name, node.signature}, next);
    if (isNew) {
        m_merged.nodes.push_back(node);
        return next;
    }
    addSums(m_merged.nodes[known->second], node);
    return known->second;
}

void TreeMerge::addTotal(const CallTotal& total) {
    const auto [known, isNew] = m_totals.emplace(
        TotalKey{total.of, total.pass, total.name, total.signature}, m_merged.totals.size());
    if (isNew)
        m_merged.totals.push_back(total);
    else
        m_merged.totals[known->second].sums += total.sums;
}

void TreeSums::add(const CallPart& part, bool isFirst) {
    m_frames.resize(m_paths.size());
    m_works.resize(m_paths.size());
    m_totals.resize(m_paths.totals());
    for (const CallPart::Frame& row : part.frames)
        addRow(m_frames[static_cast<std::size_t>(row.path)], row, 1, kFrameColumns);
    for (const CallPart::Work& row : part.works)
        add(row, isFirst ? row.carried : 0);
    for (const CallPart::Total& row : part.totals) {
        FrameSums& sums = m_totals[static_cast<std::size_t>(row.total)];
        sums.calls = boundedSum(sums.calls, row.calls);
        sums.works = boundedSum(sums.works, boundedSum(row.works, isFirst ? row.carried : 0));
        sums.time = boundedSum(sums.time, row.time);
        sums.busy = boundedSum(sums.busy, row.busy);
    }
}

CallTree TreeSums::tree() const {
    CallTree tree = m_paths.tree();
    for (std::size_t i = 0; i < m_frames.size(); ++i)
        fillNode(tree.nodes[i], m_frames[i], m_works[i]);
    for (std::size_t i = tree.nodes.size(); i-- > 1;) {
        const CallNode& node = tree.nodes[i];
        FrameSums& caller = tree.nodes[node.parent].sums;
        caller.works = boundedSum(caller.works, node.sums.works);
        caller.time = boundedSum(caller.time, node.sums.time);
        if (!isWork(node.kind))
            continue;
        caller.ownWorks = boundedSum(caller.ownWorks, node.sums.works);
        caller.ownTime = boundedSum(caller.ownTime, node.sums.time);
    }
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        CallNode& node = tree.nodes[i];
        const bool isByLaunches = node.sums.ownWorks > 0 && !isCountedWhole(node.kind);
        if (!isWork(node.kind))
            node.sums.calls = isByLaunches ? m_frames[i].launching : m_frames[i].begun;
    }
    for (std::size_t i = 0; i < m_totals.size(); ++i)
        fillTotal(tree.totals[i], m_totals[i]);
    return tree;
}

void TreeSums::add(const CallPart::Work& row, std::int64_t carried) {
    CallPart::Work& sums = m_works[static_cast<std::size_t>(row.path)];
    const bool isNew = sums.count == 0;
    sums.count = boundedSum(sums.count, boundedSum(row.count, carried));
    sums.time = boundedSum(sums.time, row.time);
    sums.busy = boundedSum(sums.busy, row.busy);
    sums.shortest = isNew ? row.shortest : std::min(sums.shortest, row.shortest);
    if (isNew || row.longest > sums.longest) {
        sums.longest = row.longest;
        sums.longestAt = row.longestAt;
    }
}

FoldedTree foldedTree(const CallTree& tree, const TreeFolding& folding) {
    FoldedTree result{tree, std::vector<std::uint32_t>(tree.nodes.size(), 0)};
    CallTree& made = result.tree;
    auto& placeOf = result.placeOf;
    if (folding == TreeFolding()) {
        std::iota(placeOf.begin(), placeOf.end(), 0U);
        return result;
    }
    made.nodes.clear();
    std::map<FrameKey, std::uint32_t> places;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        CallNode node = tree.nodes[i];
        if (i == 0) {
            made.nodes.push_back(node);
            continue;
        }
        const std::uint32_t parent = placeOf[node.parent];
        if (isFoldedAway(node, folding)) {
            placeOf[i] = parent;
            if (!isWork(node.kind))
                takeOwnSums(made.nodes[parent].sums, node.sums);
            continue;
        }
        if (folding.signatures)
            node.signature = 0;
        node.parent = parent;
        const auto [found, isNew]
            = places.try_emplace({parent, node.kind, node.pass, node.name, node.signature},
                static_cast<std::uint32_t>(made.nodes.size()));
        placeOf[i] = found->second;
        if (isNew)
            made.nodes.push_back(node);
        else
            addSums(made.nodes[found->second], node);
    }
    return result;
}

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
