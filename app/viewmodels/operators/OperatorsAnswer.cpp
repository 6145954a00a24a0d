#include "app/viewmodels/operators/OperatorsAnswer.h"

#include "app/viewmodels/operators/OperatorRows.h"
#include "core/analysis/replay/Replay.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/model/Try.h"
#include "core/plot/operators/OperatorsText.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

using analysis::CallNode;
using analysis::FrameKind;
using analysis::OperatorGrouping;
using analysis::WorkEfficiency;

constexpr std::size_t kUnfoldedRows = 24;
constexpr int kTimeColumn = 2;
constexpr int kDifferenceColumn = 2;

OperatorGrouping groupingOf(OperatorsBy by) {
    switch (by) {
    case OperatorsBy::Operator:
        return OperatorGrouping::Operator;
    case OperatorsBy::Module:
        return OperatorGrouping::Module;
    case OperatorsBy::Annotation:
        return OperatorGrouping::Annotation;
    case OperatorsBy::Pass:
        return OperatorGrouping::Pass;
    default:
        return OperatorGrouping::Shape;
    }
}

// Columns of self times of a host, in the places of those of kernels.
std::vector<OutlineColumn> hostColumns(bool isTree) {
    std::vector<OutlineColumn> columns{{"Calls", "1", "How often it was called", 7},
        {"Calls in it", "1", "With its own", 6},
        {"Self time", "s",
            isTree ? "On the host, its own and that of all calls in it"
                   : "On the host, without the calls in it",
            0}};
    if (isTree)
        columns.push_back({"Own time", "s", "Without the calls in it", 8});
    columns.push_back({"Busy", "s", "The same, where calls of a thread overlap once", 5});
    return columns;
}

std::vector<OutlineColumn> workColumns(bool isTree, bool isOfHost) {
    std::vector<OutlineColumn> columns{{"Calls", "1", "How often it was called", 7},
        {"Kernels", "1", "Kernels, copies and sets that it launched", 6},
        {"Time", "s", "The sum of its kernels' times", 0}};
    if (isTree)
        columns.push_back({"Own time", "s", "Kernels that it launched itself", 8});
    columns.push_back({"Busy", "s", "The union of its kernels over all streams", 5});
    if (isOfHost)
        columns = hostColumns(isTree);
    columns.insert(columns.end(),
        {{"FLOP", "FLOP", "All its calls together, from shapes and types", 10},
            {"Bytes", "B", "Read and written by all its calls at least", 9},
            {"Speed", "FLOP/s", "FLOP over busy time", 3},
            {"Memory", "B/s", "Bytes over busy time", 4},
            {"Of roofline", "%", "The least time that the GPU allows over the busy time", 1},
            {"Savable", "s", "Time above the roofline, which could be saved", 2}});
    return columns;
}

void addWorkValues(const WorkEfficiency& known, std::vector<std::optional<double>>& values) {
    for (const auto& value : {known.flop, known.bytes, known.flopPerSecond, known.bytesPerSecond,
             known.rooflineFraction, known.savable})
        values.push_back(value);
}

OutlineNode treeRow(const plot::CalledWork& work, std::size_t place) {
    const CallNode& node = work.tree.nodes[place];
    OutlineNode row;
    row.parent = node.parent;
    row.source = place;
    row.kind = node.kind;
    row.pass = node.pass;
    row.category = work.categories[place];
    row.name = plot::frameTitle(node.kind, work.tree.names[node.name]);
    row.note = analysis::shapeText(work.tree.signatures[node.signature]);
    const bool isCalled = !analysis::isWork(node.kind) && node.sums.calls > 0;
    row.values = {isCalled ? std::optional(static_cast<double>(node.sums.calls)) : std::nullopt,
        static_cast<double>(node.sums.works), node.sums.time.seconds(),
        node.sums.ownWorks > 0 ? std::optional(node.sums.ownTime.seconds()) : std::nullopt,
        node.sums.busy.seconds()};
    addWorkValues(
        work.efficiencies.empty() ? WorkEfficiency() : work.efficiencies[place], row.values);
    return row;
}

OperatorOutline treeOutline(const plot::CalledWork& work) {
    std::vector<OutlineNode> rows;
    rows.reserve(work.tree.nodes.size());
    for (std::size_t i = 0; i < work.tree.nodes.size(); ++i)
        rows.push_back(treeRow(work, i));
    const bool hasPasses = std::ranges::any_of(
        rows, [](const OutlineNode& row) { return row.pass != analysis::StepPass::None; });
    // As the flame graph colours them.
    const auto leading = hasPasses ? std::vector<std::uint32_t>() : plot::leadingWork(work.tree);
    for (std::size_t i = 0; i < leading.size(); ++i)
        rows[i].category = work.categories[leading[i]];
    OperatorOutline outline(workColumns(true, work.tree.isOfHost), std::move(rows), kTimeColumn);
    outline.unfoldLongest(kUnfoldedRows);
    return outline;
}

OperatorOutline tableOutline(const std::vector<plot::MeasuredOperator>& operators,
    OperatorGrouping grouping, bool isOfHost) {
    std::vector<OutlineNode> rows;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const plot::MeasuredOperator& one = operators[i];
        OutlineNode& row = rows.emplace_back();
        row.source = i;
        row.kind = grouping == OperatorGrouping::Module ? FrameKind::Module
            : grouping == OperatorGrouping::Annotation  ? FrameKind::Annotation
                                                        : FrameKind::Operator;
        row.pass = one.pass;
        row.category = one.category;
        row.name = one.name;
        row.note = analysis::shapeText(one.signature);
        row.values = {static_cast<double>(one.sums.calls), static_cast<double>(one.works),
            one.time.seconds(), one.busy.seconds()};
        addWorkValues(one.efficiency, row.values);
    }
    return {workColumns(false, isOfHost), std::move(rows), kTimeColumn};
}

std::vector<std::optional<double>> comparedValues(const analysis::ComparedTimes& times) {
    const auto seconds = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? std::optional(side->seconds) : std::nullopt;
    };
    const auto calls = [](const std::optional<analysis::ComparedSide>& side) {
        return side && side->calls > 0.0 ? std::optional(side->calls) : std::nullopt;
    };
    return {seconds(times.a), seconds(times.b), times.difference(), times.ratio(), std::nullopt,
        calls(times.a), calls(times.b)};
}

// The nearest first: callers further away are those of many.
std::string callersOf(
    const analysis::TreeDifference& difference, const analysis::ComparedOperator& one) {
    std::string callers;
    if (one.path.empty() || one.frames.empty())
        return callers;
    const auto& frames = difference.frames;
    for (auto at = frames[one.frames.front()].parent; at != OutlineNode::kNone && at != 0;
         at = frames[at].parent)
        callers
            += (callers.empty() ? "" : " ‹ ") + plot::frameTitle(frames[at].kind, frames[at].name);
    return callers;
}

OperatorOutline comparedOutline(const plot::DifferenceFigureData& data, bool isTree) {
    std::vector<OutlineNode> rows;
    const auto add = [&rows, isTree](const auto& one, std::size_t source) -> OutlineNode& {
        OutlineNode& row = rows.emplace_back();
        row.source = source;
        row.kind = one.kind;
        row.pass = one.pass;
        row.name = isTree ? plot::frameTitle(one.kind, one.name)
                          : plot::comparedTitle(one.kind, one.name);
        row.values = comparedValues(one.times);
        row.words = std::string(toString(one.times.change()));
        return row;
    };
    const auto& frames = data.difference.frames;
    for (std::size_t i = 0; isTree && i < frames.size(); ++i)
        add(frames[i], i).parent = frames[i].parent;
    for (std::size_t i = 0; !isTree && i < data.operators.size(); ++i)
        add(data.operators[i], i).note = callersOf(data.difference, data.operators[i]);
    const bool isPerStep = data.difference.isPerStep();
    const char* timeTip = isPerStep ? "Kernel time of a step" : "Kernel time";
    OperatorOutline outline(
        {{"A", "s", timeTip, 1}, {"B", "s", timeTip, 2},
            {"B − A", "s", "Below 0: B is faster", 0, true},
            {"B / A", "×", "The ratio of the times", 3}, {"Change", "", "What became of it", 4},
            {"Calls of A", "1", isPerStep ? "In a step" : "In all", 5},
            {"Calls of B", "1", isPerStep ? "In a step" : "In all", 6}},
        std::move(rows), kDifferenceColumn);
    outline.unfoldLongest(kUnfoldedRows);
    return outline;
}

Result<ReadingPtr> readingOf(const store::Store& store, const figures::OperatorsQuery& query,
    const std::vector<ReadingPtr>& known, const Progress& progress) {
    for (const ReadingPtr& one : known) {
        if (one && one->query == query)
            return one;
    }
    ASSIGN_OR_RETURN(auto reading, figures::loadOperators(store, query, progress));
    return std::make_shared<const figures::OperatorsReading>(std::move(reading));
}

Status compare(const store::Store& store, const std::vector<ReadingPtr>& known,
    OperatorsAnswer& answer, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto against,
        figures::partAgainst(store, answer.question.query, answer.question.against, progress));
    ASSIGN_OR_RETURN(answer.other, readingOf(store, against.query, known, progress));
    const bool isTree = answer.question.by == OperatorsBy::Tree;
    const bool isByName = answer.question.by == OperatorsBy::Operator;
    auto data
        = figures::differenceOf(*answer.reading, *answer.other, isTree || isByName, against.part);
    answer.outline = comparedOutline(data, isTree);
    answer.difference = std::make_shared<const plot::DifferenceFigureData>(std::move(data));
    return {};
}

void describe(OperatorsAnswer& answer) {
    const auto& reading = *answer.reading;
    answer.work = answer.question.python ? reading.work : figures::withoutPython(reading);
    answer.grouping = groupingOf(answer.question.by);
    auto operators = figures::measuredOperators(reading, answer.grouping);
    answer.roofline
        = std::make_shared<const plot::RooflineFigureData>(figures::rooflineOf(reading, operators));
    answer.table = std::make_shared<const plot::OperatorTableFigureData>(
        figures::operatorTableOf(reading, answer.grouping, std::move(operators)));
    if (!answer.work)
        return;
    answer.outline = answer.question.by == OperatorsBy::Tree
        ? treeOutline(*answer.work)
        : tableOutline(answer.table->operators, answer.grouping, answer.work->tree.isOfHost);
}

// The path of the whole run; a run without one has the reason.
Result<OperatorsPath> readOperatorsPath(
    const store::Store& store, const figures::OperatorsQuery& query, const Progress& progress) {
    if (query.window != kAllTime)
        return OperatorsPath{{}, "The critical path is told of the whole run alone."};
    ASSIGN_OR_RETURN(const auto run, figures::runOf(store, query.run));
    const auto replay = analysis::replayOf({store, run, progress}, {{}, {}, false, {}, true});
    if (!replay.hasValue() && replay.error().code == ErrorCode::Cancelled)
        return replay.error();
    if (!replay.hasValue())
        return OperatorsPath{{}, replay.error().message};
    const analysis::StepGraph& graph = *replay.value().graph;
    OperatorsPath path;
    for (const analysis::PathPiece& piece : replay.value().path.pieces) {
        const analysis::StepOperation& one = graph.operations[piece.operation];
        const bool isOther = query.rank && graph.tracks[one.track].rank != *query.rank;
        if (piece.isDelay || one.kind == analysis::OperationKind::HostCall || isOther)
            continue;
        path.seconds[{one.operatorName == analysis::kNone32 ? "" : graph.names[one.operatorName],
            graph.names[one.name]}]
            += piece.when.length().seconds()
            / static_cast<double>(replay.value().iterations.size());
    }
    return path;
}

Status addPath(const store::Store& store, const OperatorsAnswerPtr& known, OperatorsAnswer& answer,
    const Progress& progress) {
    if (known && known->path && known->question.query == answer.question.query) {
        answer.path = known->path;
    } else {
        ASSIGN_OR_RETURN(auto path, readOperatorsPath(store, answer.question.query, progress));
        answer.path = std::make_shared<const OperatorsPath>(std::move(path));
    }
    if (answer.work && answer.path->whyNothing.empty())
        answer.outline.addColumn(
            {"On the path", "s", "Of a step, on its critical path: the step waits for it", 2},
            pathOfRows(answer));
    return {};
}

} // namespace

Result<OperatorsAnswerPtr> answerTo(const store::Store& store, const OperatorsQuestion& question,
    const OperatorsAnswerPtr& known, const Progress& progress) {
    auto answer = std::make_shared<OperatorsAnswer>();
    answer->question = question;
    const std::vector<ReadingPtr> readings
        = known ? std::vector{known->reading, known->other} : std::vector<ReadingPtr>();
    figures::OperatorsQuery query = question.query;
    query.ofSteps = question.against.isValid() && query.window == kAllTime;
    ASSIGN_OR_RETURN(answer->reading, readingOf(store, query, readings, progress));
    describe(*answer);
    if (question.against.isValid()) {
        RETURN_IF_ERROR(compare(store, readings, *answer, progress));
    } else if (question.path) {
        RETURN_IF_ERROR(addPath(store, known, *answer, progress));
    }
    return answer;
}

} // namespace trainscope::app
