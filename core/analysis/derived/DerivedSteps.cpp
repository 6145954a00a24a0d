#include "core/analysis/derived/DerivedSteps.h"

#include "core/model/CounterRule.h"
#include "core/model/Gather.h"
#include "core/model/SamplingPeriod.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/store/samples/ColumnGrid.h"

#include <fmt/format.h>

namespace trainscope::analysis {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kStepsAtOnce = 4096;
constexpr std::size_t kMostMissingKept = 4096; // between two values of a counter
constexpr std::int64_t kLeastPerNode = 64;
constexpr std::int64_t kMostNodes = 1 << 20;
// Steps without a value say where the holes are.
constexpr std::int64_t kNoHole = std::numeric_limits<std::int64_t>::max();

struct LeafChange {
    TimeNs time;
    double value = kNoValue;
};

// The changes of one leaf, pulled in order of time.
class LeafChanges {
public:
    LeafChanges(const StepLeaf& leaf)
        : m_leaf(leaf)
        , m_isCounter(leaf.description.metric.kind == MetricKind::Counter)
        , m_rule(leaf.description)
        , m_holeNs(kGapPeriods * static_cast<double>(leaf.period.ns)) { }

    // From the change that holds at that time on.
    Status start(const store::Store& store, TimeNs from, const KeepGoing& keepGoing) {
        const TimeNs own = from - m_leaf.shift;
        ASSIGN_OR_RETURN(const auto before, store.lastBefore(m_leaf.series, own + DurationNs{1}));
        m_cursor.emplace(
            store, m_leaf.series, TimeRange{before ? before->time : own, kAllTime.end}, keepGoing);
        RETURN_IF_ERROR(m_cursor->start());
        return refill();
    }
    [[nodiscard]] bool atEnd() const { return m_at >= m_changes.size(); }
    [[nodiscard]] const LeafChange& change() const { return m_changes[m_at]; }
    Status next() { return ++m_at < m_changes.size() ? Status() : refill(); }

private:
    Status refill() {
        m_changes.clear();
        m_at = 0;
        while (m_changes.empty() && !m_isOver) {
            if (m_cursor->atEnd()) {
                settleLast();
                m_isOver = true;
                break;
            }
            const store::Sample sample{m_cursor->time(), m_cursor->value()};
            if (m_isCounter)
                takeCount(sample);
            else
                takeLevel(sample);
            RETURN_IF_ERROR(m_cursor->next());
        }
        return {};
    }
    void push(TimeNs time, double value) {
        m_changes.push_back({time + m_leaf.shift, value * m_leaf.scale});
    }
    [[nodiscard]] bool isHole(TimeNs from, TimeNs to) const {
        return m_holeNs > 0.0 && static_cast<double>((to - from).ns) > m_holeNs;
    }
    static double secondsBetween(TimeNs from, TimeNs to) {
        return static_cast<double>((to - from).ns) * 1e-9;
    }

    void takeLevel(const store::Sample& sample) {
        const auto before = std::exchange(m_before, sample);
        if (!before || before->time == sample.time)
            return;
        const bool ends = isHole(before->time, sample.time);
        if (m_leaf.isRate) {
            const double rise
                = (sample.value - before->value) / secondsBetween(before->time, sample.time);
            return push(before->time, ends ? kNoValue : rise);
        }
        push(before->time, before->value);
        if (ends)
            push(before->time + m_leaf.period, kNoValue);
    }
    // As CounterRate of the store: increments of equal stamps belong to the next interval.
    void takeCount(const store::Sample& sample) {
        if (std::isnan(sample.value)) {
            m_missing.push_back(sample.time);
            if (!m_before || m_missing.size() > kMostMissingKept)
                settleCount(kNoValue, sample.time);
            return;
        }
        if (m_before) {
            const std::int64_t ns = (sample.time - m_before->time).ns;
            m_carry += m_rule.step(ns, m_before->value, sample.value).counted;
            if (ns > 0)
                settleCount(m_carry / (static_cast<double>(ns) * 1e-9), sample.time);
        }
        m_before = sample;
    }
    void settleCount(double rate, TimeNs until) {
        if (m_before) {
            push(m_before->time, rate);
            if (m_missing.empty() && isHole(m_before->time, until))
                push(m_before->time + m_leaf.period, kNoValue);
        }
        for (const TimeNs time : m_missing)
            push(time, kNoValue);
        m_missing.clear();
        m_before.reset();
        m_carry = 0.0;
    }
    void settleLast() {
        if (!m_before)
            return;
        if (m_isCounter)
            return settleCount(kNoValue, m_before->time);
        const bool isLevel = !m_leaf.isRate;
        push(m_before->time, isLevel ? m_before->value : kNoValue);
        push(m_before->time + DurationNs{1}, kNoValue);
    }

    const StepLeaf& m_leaf;
    bool m_isCounter;
    CounterRule m_rule;
    double m_holeNs;
    std::optional<SampleCursor> m_cursor;
    std::vector<LeafChange> m_changes;
    std::size_t m_at = 0;
    bool m_isOver = false;
    std::optional<store::Sample> m_before; // not yet settled
    std::vector<TimeNs> m_missing; // missing samples of a counter since then
    double m_carry = 0.0;
};

// The value of a program while its leaves change.
class StepValues {
public:
    explicit StepValues(const StepProgram& program)
        : m_program(program)
        , m_values(program.leaves.size() + program.nodes.size(), kNoValue)
        , m_parents(m_values.size(), kNoNode) {
        for (std::size_t i = 0; i < program.nodes.size(); ++i) {
            m_parents[program.nodes[i].left] = program.leaves.size() + i;
            m_parents[program.nodes[i].right] = program.leaves.size() + i;
        }
    }
    void set(std::size_t leaf, double value) {
        m_values[leaf] = value;
        m_changed.push_back(leaf);
    }
    // The value with all that was set.
    [[nodiscard]] double result() {
        if (m_changed.size() * kFewChanged > m_program.leaves.size()) {
            for (std::size_t i = 0; i < m_program.nodes.size(); ++i) // operands come first
                compute(m_program.leaves.size() + i);
        } else {
            for (const std::size_t leaf : m_changed) {
                for (std::size_t at = m_parents[leaf]; at != kNoNode; at = m_parents[at])
                    compute(at);
            }
        }
        m_changed.clear();
        return m_values.back();
    }

private:
    static constexpr std::size_t kFewChanged = 8; // leaves of the program for each

    void compute(std::size_t at) {
        m_values[at] = valueOf(m_program.nodes[at - m_program.leaves.size()]);
    }
    [[nodiscard]] double valueOf(const StepProgram::Node& node) const {
        const double left = m_values[node.left];
        const double right = m_values[node.right];
        switch (node.operation) {
        case Arithmetic::Add:
            return left + right;
        case Arithmetic::Subtract:
            return left - right;
        case Arithmetic::Divide:
            break;
        }
        const double quotient = right == 0.0 ? kNoValue : left / right;
        return std::isfinite(quotient) ? quotient : kNoValue;
    }

    const StepProgram& m_program;
    std::vector<double> m_values;
    std::vector<std::size_t> m_parents; // each operand has one
    std::vector<std::size_t> m_changed; // leaves
};

// Changes of several leaves in order of time.
class ChangesInOrder {
public:
    ChangesInOrder(const StepProgram& program, StepValues& values)
        : m_values(values) {
        m_leaves.reserve(program.leaves.size());
        for (const StepLeaf& leaf : program.leaves)
            m_leaves.emplace_back(leaf);
    }
    Status start(const store::Store& store, TimeNs from, const KeepGoing& keepGoing) {
        for (std::size_t i = 0; i < m_leaves.size(); ++i) {
            RETURN_IF_ERROR(m_leaves[i].start(store, from, keepGoing));
            queue(i);
        }
        return {};
    }
    // Absent at the end.
    [[nodiscard]] std::optional<TimeNs> nextTime() const {
        return m_queue.empty() ? std::nullopt : std::optional(m_queue.begin()->first);
    }
    // Brings the values to that time, of which all changes are taken at once.
    Status apply(TimeNs time) {
        while (!m_queue.empty() && m_queue.begin()->first == time) {
            const auto now = m_queue.extract(m_queue.begin());
            for (const std::size_t leaf : now.mapped()) {
                m_values.set(leaf, m_leaves[leaf].change().value);
                RETURN_IF_ERROR(m_leaves[leaf].next());
                queue(leaf);
            }
        }
        return {};
    }

private:
    void queue(std::size_t leaf) {
        if (!m_leaves[leaf].atEnd())
            m_queue[m_leaves[leaf].change().time].push_back(leaf);
    }

    StepValues& m_values;
    std::vector<LeafChanges> m_leaves;
    std::map<TimeNs, std::vector<std::size_t>> m_queue; // leaves read together change together
};

class FigureSums {
public:
    void add(const Step& step) {
        if (!std::isnan(step.value))
            add(step.value * static_cast<double>(step.range.length().ns), step.range.length(),
                step.value, step.value);
    }
    void add(double weighted, DurationNs weight, double low, double high) {
        m_weighted.add(weighted);
        m_weight = m_weight + weight;
        m_low = std::min(m_low, low);
        m_high = std::max(m_high, high);
    }
    [[nodiscard]] StepFigures finished() const {
        if (m_weight.ns <= 0)
            return {};
        const double mean = m_weighted.value() / static_cast<double>(m_weight.ns);
        return {std::clamp(mean, m_low, m_high), m_low, m_high, m_weight};
    }

private:
    CompensatedSum m_weighted;
    DurationNs m_weight{};
    double m_low = std::numeric_limits<double>::infinity();
    double m_high = -std::numeric_limits<double>::infinity();
};

Status addFigures(const store::Store& store, const StepProgram& program, TimeRange window,
    const KeepGoing& keepGoing, FigureSums& sums) {
    return forEachStep(store, program, window, keepGoing, [&sums](std::span<const Step> steps) {
        for (const Step& step : steps)
            sums.add(step);
        return true;
    });
}

// Nothing was looked for before and behind the recording.
void markGapIn(TimeRange recorded, TimeRange range, store::ColumnGrid& grid) {
    const TimeRange inside{
        std::max(range.begin, recorded.begin), std::min(range.end, recorded.end)};
    if (!inside.isEmpty())
        grid.markGap(inside.begin.ns, inside.end.ns);
}

void addStep(const Step& step, TimeRange recorded, store::ColumnGrid& grid) {
    if (std::isnan(step.value))
        markGapIn(recorded, step.range, grid);
    else if (step.isChange)
        grid.addSample(step.range.begin.ns, step.value, step.range.end.ns);
    else
        grid.hold(step.range.begin.ns, step.range.end.ns, step.value);
}

} // namespace

std::int64_t StepProgram::changes() const {
    return summed<std::int64_t>(leaves, &StepLeaf::count);
}

std::int64_t StepProgram::changesIn(TimeRange window) const {
    double all = 0.0;
    for (const StepLeaf& leaf : leaves) {
        const TimeNs begin = std::max(window.begin, leaf.range.begin + leaf.shift);
        const TimeNs end = std::min(window.end, leaf.range.end + leaf.shift);
        if (begin < end)
            all += static_cast<double>(leaf.count) * (end - begin).seconds()
                / std::max(leaf.range.length().seconds(), 1e-9);
    }
    return nearestWhole<std::int64_t>(all);
}

TimeRange StepProgram::range() const {
    TimeRange range = kAllTime;
    for (const StepLeaf& leaf : leaves) {
        range.begin = std::max(range.begin, leaf.range.begin + leaf.shift);
        range.end = std::min(range.end, leaf.range.end + leaf.shift);
    }
    return {range.begin, std::max(range.begin, range.end)};
}

std::string StepProgram::key() const {
    std::string key;
    for (const StepLeaf& leaf : leaves)
        fmt::format_to(std::back_inserter(key), "{}{}*{}+{}/{}/{};", leaf.series.value,
            leaf.isRate ? "'" : "", leaf.scale, leaf.shift.ns, leaf.count, leaf.range.end.ns);
    for (const Node& node : nodes)
        fmt::format_to(std::back_inserter(key), "{},{},{};", static_cast<int>(node.operation),
            node.left, node.right);
    return key;
}

StepProgram programOf(const Series& series, bool isRate, double scale) {
    return {{{series.id, series.description, isRate, scale, {}, series.period, series.range,
                series.count}},
        {}};
}

StepProgram joined(Arithmetic operation, const StepProgram& left, const StepProgram& right) {
    StepProgram program{left.leaves, {}};
    program.leaves.insert(program.leaves.end(), right.leaves.begin(), right.leaves.end());
    const std::size_t all = program.leaves.size();
    const auto addNodes = [&](const StepProgram& part, std::size_t firstLeaf) {
        const std::size_t firstNode = all + program.nodes.size();
        const auto moved = [&](std::size_t operand) {
            const std::size_t own = part.leaves.size();
            return operand < own ? firstLeaf + operand : firstNode + (operand - own);
        };
        for (const StepProgram::Node& node : part.nodes)
            program.nodes.push_back({node.operation, moved(node.left), moved(node.right)});
        return part.nodes.empty() ? firstLeaf : all + program.nodes.size() - 1;
    };
    const std::size_t a = addNodes(left, 0);
    const std::size_t b = addNodes(right, left.leaves.size());
    program.nodes.push_back({operation, a, b});
    return program;
}

// As a balanced tree, so that a change of one part costs few additions.
StepProgram sumOf(std::span<const StepProgram> parts) {
    if (parts.size() == 1)
        return parts.front();
    const std::size_t half = parts.size() / 2;
    return joined(Arithmetic::Add, sumOf(parts.first(half)), sumOf(parts.subspan(half)));
}

Status forEachStep(const store::Store& store, const StepProgram& program, TimeRange window,
    const KeepGoing& keepGoing, const StepVisitor& visit) {
    StepValues values(program);
    ChangesInOrder changes(program, values);
    RETURN_IF_ERROR(changes.start(store, window.begin, keepGoing));
    std::vector<Step> steps;
    steps.reserve(kStepsAtOnce);
    Step open{{window.begin, window.begin}, kNoValue, false};
    while (true) {
        const auto next = changes.nextTime();
        const TimeNs until = std::min(next.value_or(window.end), window.end);
        if (until > open.range.begin) {
            open.range.end = until;
            steps.push_back(open);
        }
        const bool isOver = until == window.end;
        if (isOver || steps.size() >= kStepsAtOnce) {
            if (!visit(steps) || isOver)
                return {};
            steps.clear();
        }
        RETURN_IF_ERROR(changes.apply(until));
        open.isChange = until >= window.begin;
        open.range.begin = std::max(until, window.begin);
        open.value = values.result();
    }
}

Result<double> stepAt(const store::Store& store, const StepProgram& program, TimeNs time) {
    double value = kNoValue;
    RETURN_IF_ERROR(forEachStep(
        store, program, {time, time + DurationNs{1}}, {}, [&value](std::span<const Step> steps) {
            value = steps.back().value;
            return true;
        }));
    return value;
}

Result<std::vector<Bucket>> stepBuckets(const store::Store& store, const StepProgram& program,
    TimeRange window, int columns, const KeepGoing& keepGoing) {
    store::ColumnGrid grid(window, columns, kNoHole);
    RETURN_IF_ERROR(
        forEachStep(store, program, window, keepGoing, [&](std::span<const Step> steps) {
            for (const Step& step : steps)
                addStep(step, program.range(), grid);
            return true;
        }));
    return grid.buckets();
}

Result<StepFigures> stepFigures(const store::Store& store, const StepProgram& program,
    TimeRange window, const KeepGoing& keepGoing) {
    FigureSums sums;
    RETURN_IF_ERROR(addFigures(store, program, window, keepGoing, sums));
    return sums.finished();
}

class StepPyramid::Builder {
public:
    Builder(StepPyramid& pyramid, std::int64_t perNode)
        : m_pyramid(pyramid)
        , m_perNode(perNode) { }

    void add(const Step& step) {
        if (m_inNode == 0 || m_inNode >= m_perNode) {
            m_pyramid.m_nodes.emplace_back();
            m_pyramid.m_nodes.back().begin = step.range.begin;
            m_inNode = 0;
        }
        ++m_inNode;
        m_sums.add(step);
        Node& node = m_pyramid.m_nodes.back();
        if (std::isnan(step.value)) {
            node.isGap = true;
            return;
        }
        const bool isFirst = node.count++ == 0;
        const std::int64_t ns = step.range.length().ns;
        node.weighted += step.value * static_cast<double>(ns);
        node.weight += ns;
        node.min = isFirst ? step.value : std::min(node.min, step.value);
        node.max = isFirst ? step.value : std::max(node.max, step.value);
        node.first = isFirst ? step.value : node.first;
        node.last = step.value;
    }
    void finish() { m_pyramid.m_whole = m_sums.finished(); }

private:
    StepPyramid& m_pyramid;
    std::int64_t m_perNode;
    std::int64_t m_inNode = 0;
    FigureSums m_sums;
};

Result<StepPyramid> StepPyramid::build(const store::Store& store, const StepProgram& program,
    const std::function<bool(double)>& progress) {
    StepPyramid pyramid;
    pyramid.m_range = program.range();
    if (pyramid.m_range.isEmpty())
        return pyramid;
    Builder builder(pyramid, std::max(kLeastPerNode, program.changes() / kMostNodes));
    const double length = pyramid.m_range.length().seconds();
    bool isStopped = false;
    RETURN_IF_ERROR(
        forEachStep(store, program, pyramid.m_range, {}, [&](std::span<const Step> steps) {
            for (const Step& step : steps)
                builder.add(step);
            isStopped = progress && !steps.empty()
                && !progress((steps.back().range.end - pyramid.m_range.begin).seconds() / length);
            return !isStopped;
        }));
    if (isStopped)
        return cancelled();
    builder.finish();
    return pyramid;
}

// A part for each column, which has the node's extremes and its share of the time.
void StepPyramid::addTo(store::ColumnGrid& grid, const Node& node, TimeNs end) const {
    const TimeRange range{
        std::max(node.begin, grid.window().begin), std::min(end, grid.window().end)};
    if (node.isGap)
        markGapIn(m_range, range, grid);
    if (node.count == 0)
        return;
    const double share
        = static_cast<double>(node.weight) / static_cast<double>((end - node.begin).ns);
    const double mean = node.weighted / static_cast<double>(node.weight);
    for (std::int64_t at = range.begin.ns; at < range.end.ns;) {
        const std::int64_t next = std::min(grid.endOfColumn(at), range.end.ns);
        const auto weight = static_cast<double>(next - at) * share;
        grid.addNode(
            {at, next - 1, next, nearestWhole<std::int64_t>(weight), static_cast<float>(node.first),
                static_cast<float>(node.last), store::roundDown(node.min), store::roundUp(node.max),
                static_cast<float>(mean), node.count, 0});
        at = next;
    }
}

std::vector<Bucket> StepPyramid::buckets(TimeRange window, int columns) const {
    store::ColumnGrid grid(window, columns, kNoHole);
    const auto behind = std::upper_bound(m_nodes.begin(), m_nodes.end(), window.begin,
        [](TimeNs time, const Node& node) { return time < node.begin; });
    for (auto node = behind == m_nodes.begin() ? behind : std::prev(behind);
         node != m_nodes.end() && node->begin < window.end; ++node) {
        const auto next = std::next(node);
        addTo(grid, *node, next == m_nodes.end() ? m_range.end : next->begin);
    }
    return grid.buckets();
}

Result<StepFigures> StepPyramid::figures(const store::Store& store, const StepProgram& program,
    TimeRange window, const KeepGoing& keepGoing) const {
    const auto first = std::lower_bound(m_nodes.begin(), m_nodes.end(), window.begin,
        [](const Node& node, TimeNs time) { return node.begin < time; });
    auto last = std::upper_bound(first, m_nodes.end(), window.end,
        [](TimeNs time, const Node& node) { return time < node.begin; });
    const bool reachesEnd = last == m_nodes.end() && window.end >= m_range.end;
    if (first == last || (!reachesEnd && std::next(first) == last))
        return stepFigures(store, program, window, keepGoing);
    const TimeNs tail = reachesEnd ? m_range.end : (--last)->begin;
    FigureSums sums;
    if (window.begin < first->begin)
        RETURN_IF_ERROR(addFigures(store, program, {window.begin, first->begin}, keepGoing, sums));
    for (auto node = first; node != last; ++node) {
        if (node->count > 0)
            sums.add(node->weighted, {node->weight}, node->min, node->max);
    }
    if (tail < window.end)
        RETURN_IF_ERROR(addFigures(store, program, {tail, window.end}, keepGoing, sums));
    return sums.finished();
}

} // namespace trainscope::analysis
