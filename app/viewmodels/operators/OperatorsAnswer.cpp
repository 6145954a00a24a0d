#include "app/viewmodels/operators/OperatorsAnswer.h"

#include "app/viewmodels/operators/OperatorRows.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/replay/Replay.h"
#include "core/catalogue/Tables.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/plot/operators/OperatorsText.h"

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

// Self times of a host stand in the places of those of kernels.
std::vector<OutlineColumn> workColumns(bool isTree, bool isOfHost, bool isByKernel) {
    std::vector<OutlineColumn> columns{{"Calls", "1", "How often it was called", 7},
        {"Kernels", "1", "Kernels, copies and sets that it launched", 6},
        {"Time", "s", "The sum of its kernels' times", 0}};
    if (isByKernel)
        columns = {{"Calls", "1", "", 7}, {"Count", "1", "How often it ran", 4},
            {"Time", "s", "The sum of its times", 0}};
    if (isOfHost)
        columns = {{"Calls", "1", "How often it was called", 7},
            {"Calls in it", "1", "With its own", 6},
            {"Self time", "s",
                isTree ? "On the host, its own and that of all calls in it"
                       : "On the host, without the calls in it",
                0}};
    if (isTree)
        columns.push_back({"Own time", "s",
            isOfHost ? "Without the calls in it" : "Kernels that it launched itself", 8});
    else
        columns.insert(columns.end(),
            {{"Category", "", "Of kernels, by their names", 5},
                {"Share", "%", "Of the time of all", 1},
                {"Per step", "s", "Of a step, in the mean over steps and GPUs", 2}});
    columns.insert(columns.end(),
        {{"Busy", "s",
             isOfHost ? "The same, where calls of a thread overlap once"
                      : "The union of its kernels over all streams",
             isByKernel ? 10 : 5},
            {"FLOP", "FLOP", "All its calls together, from shapes and types", 10},
            {"Bytes", "B", "Read and written by all its calls at least", 9},
            {"Speed", "FLOP/s", "FLOP over busy time", isByKernel ? 8 : 3},
            {"Memory", "B/s", "Bytes over busy time", isByKernel ? 9 : 4},
            {"Of roofline", "%", "The least time that the GPU allows over the busy time", 1},
            {"Savable", "s", "Time above the roofline, which could be saved", isByKernel ? 7 : 2}});
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
    OperatorOutline outline(
        workColumns(true, work.tree.isOfHost, false), std::move(rows), kTimeColumn);
    outline.unfoldLongest(kUnfoldedRows);
    return outline;
}

// The rest of the name of a kernel, behind what people call it.
std::string restOfName(const std::string& kernel, const std::string& name) {
    const auto at = kernel.find(name);
    return at == std::string::npos ? std::string() : kernel.substr(at + name.size());
}

// The last of rows of kernels is the time in which none runs.
OperatorOutline tableOutline(const OperatorsAnswer& answer) {
    const figures::OperatorsReading& reading = *answer.reading;
    const auto& operators = answer.table->operators;
    const double all = reading.work->tree.nodes.front().sums.time.seconds();
    std::vector<OutlineNode> rows;
    const auto add = [&](double seconds) -> OutlineNode& {
        OutlineNode& row = rows.emplace_back();
        row.source = OutlineNode::kNone;
        row.kind = answer.isByKernel()                        ? FrameKind::Kernel
            : answer.grouping == OperatorGrouping::Module     ? FrameKind::Module
            : answer.grouping == OperatorGrouping::Annotation ? FrameKind::Annotation
                                                              : FrameKind::Operator;
        const auto part = [seconds](double of) {
            return of > 0.0 ? std::optional(seconds / of) : std::nullopt;
        };
        row.values = {std::nullopt, std::nullopt, seconds, std::nullopt, part(all),
            part(static_cast<double>(reading.steps)), std::nullopt};
        return row;
    };
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const plot::MeasuredOperator& one = operators[i];
        OutlineNode& row = add(one.time.seconds());
        row.source = i;
        row.pass = one.pass;
        row.category = one.category;
        row.name = one.name;
        row.note = answer.isByKernel() ? restOfName(one.kernel, one.name)
                                       : analysis::shapeText(one.signature);
        if (answer.by() == OperatorsBy::Kernel)
            row.words = analysis::KernelCategories::label(one.category);
        if (one.sums.calls > 0)
            row.values[0] = static_cast<double>(one.sums.calls);
        row.values[1] = static_cast<double>(one.works);
        row.values.back() = one.busy.seconds();
        addWorkValues(one.efficiency, row.values);
    }
    if (answer.isByKernel() && answer.extras && answer.extras->work.idleS > 0.0) {
        OutlineNode& row = add(answer.extras->work.idleS);
        row.name = "Idle";
        row.category = "idle";
        row.values[4].reset();
        if (answer.extras->waiting.ns > 0)
            row.note = fmt::format("waits for launches {}",
                text::duration(answer.extras->waiting, text::Digits::Three));
        addWorkValues({}, row.values);
    }
    return {workColumns(false, reading.work->tree.isOfHost, answer.isByKernel()), std::move(rows),
        kTimeColumn};
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
    for (std::size_t i = 0; !isTree && i < data.operators.size(); ++i) {
        const analysis::ComparedOperator& one = data.operators[i];
        OutlineNode& row = add(one, i);
        row.note = analysis::isWork(one.kind) ? restOfName(one.name, row.name)
                                              : callersOf(data.difference, one);
    }
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
    figures::OperatorsAgainst against{answer.question.query, {}};
    against.query.capture = answer.question.againstCapture;
    if (answer.question.againstCapture.empty()) {
        ASSIGN_OR_RETURN(against,
            figures::partAgainst(store, answer.question.query, answer.question.against, progress));
    }
    ASSIGN_OR_RETURN(answer.other, readingOf(store, against.query, known, progress));
    const bool isTree = answer.by() == OperatorsBy::Tree;
    const auto by = answer.isByKernel()           ? figures::ComparedBy::Kernel
        : answer.question.by == OperatorsBy::Path ? figures::ComparedBy::Path
                                                  : figures::ComparedBy::Name;
    auto data = figures::differenceOf(*answer.reading, *answer.other, by, against.part);
    answer.outline = comparedOutline(data, isTree);
    answer.difference = std::make_shared<const plot::DifferenceFigureData>(std::move(data));
    return {};
}

void describe(OperatorsAnswer& answer) {
    const auto& reading = *answer.reading;
    answer.work = answer.question.python ? reading.work : figures::withoutPython(reading);
    answer.grouping = groupingOf(answer.by());
    const bool isByCategory = answer.by() == OperatorsBy::Category;
    auto operators = answer.isByKernel() ? figures::measuredKernels(reading, isByCategory)
                                         : figures::measuredOperators(reading, answer.grouping);
    answer.roofline
        = std::make_shared<const plot::RooflineFigureData>(figures::rooflineOf(reading, operators));
    auto table = figures::operatorTableOf(reading, answer.grouping, std::move(operators));
    if (answer.isByKernel())
        table.nameTitle = isByCategory ? "Category" : "Kernel";
    answer.table = std::make_shared<const plot::OperatorTableFigureData>(std::move(table));
    if (!answer.work)
        return;
    answer.outline
        = answer.by() == OperatorsBy::Tree ? treeOutline(*answer.work) : tableOutline(answer);
}

// The path of the whole run, a capture or an iteration; a run without one has the reason.
Result<OperatorsPath> readOperatorsPath(
    const store::Store& store, const figures::OperatorsQuery& query, const Progress& progress) {
    if (query.window != kAllTime)
        return OperatorsPath{
            {}, "The critical path is told of the whole run, a capture or an iteration."};
    ASSIGN_OR_RETURN(const auto run, figures::runOf(store, query.run));
    const auto replay = analysis::replayOf(
        {store, run, progress}, {query.capture, query.iteration, false, {}, true});
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

void addPathColumn(OperatorsAnswer& answer) {
    if (answer.work && answer.path && answer.path->whyNothing.empty())
        answer.outline.addColumn(
            {"On the path", "s", "Of a step, on its critical path: the step waits for it", 2},
            pathOfRows(answer));
}

Status addPath(const store::Store& store, const OperatorsAnswerPtr& known, OperatorsAnswer& answer,
    const Progress& progress) {
    if (known && known->path && known->question.query == answer.question.query) {
        answer.path = known->path;
    } else {
        ASSIGN_OR_RETURN(auto path, readOperatorsPath(store, answer.question.query, progress));
        answer.path = std::make_shared<const OperatorsPath>(std::move(path));
    }
    addPathColumn(answer);
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
    query.ofSteps = question.against.isValid() && query.isOfAll();
    ASSIGN_OR_RETURN(answer->reading, readingOf(store, query, readings, progress));
    describe(*answer);
    if (question.against.isValid()) {
        RETURN_IF_ERROR(compare(store, readings, *answer, progress));
    } else if (question.path) {
        RETURN_IF_ERROR(addPath(store, known, *answer, progress));
    }
    if (known && known->extras && known->question.query == question.query)
        takeExtras(known->extras, *answer);
    return answer;
}

OperatorsBy OperatorsAnswer::by() const {
    const bool isOfHost = reading && reading->work && reading->work->tree.isOfHost;
    const bool isKernels
        = question.by == OperatorsBy::Kernel || question.by == OperatorsBy::Category;
    return isOfHost && isKernels ? OperatorsBy::Operator : question.by;
}

Result<OperatorsExtras> readExtras(
    const store::Store& store, const figures::OperatorsQuery& query, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto run, figures::runOf(store, query.run));
    ASSIGN_OR_RETURN(
        const auto categories, analysis::KernelCategories::fromFolder(catalogue::configFolder()));
    const analysis::RunStudy study(store, run, progress);
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(study));
    analysis::EnergyOptions options;
    ASSIGN_OR_RETURN(options.windowOf, figures::windowsOf(store, query));
    options.iterations.all = iterations.everyOne();
    options.byKernel = true;
    ASSIGN_OR_RETURN(auto traced, analysis::tracesWithEnergy(study, categories, options));
    OperatorsExtras extras;
    std::erase_if(traced.devices, [&query](const analysis::DeviceTrace& device) {
        return device.activity.rank != query.rank.value_or(device.activity.rank);
    });
    extras.work = analysis::timeOfWork(traced.devices);
    for (const analysis::DeviceTrace& device : traced.devices) {
        extras.waiting = extras.waiting + device.activity.launches.hostBound;
    }
    for (const analysis::GpuEnergy& gpu : traced.energy.gpus) {
        if (gpu.rank == query.rank.value_or(gpu.rank))
            extras.energy += gpu.energy;
    }
    return extras;
}

void takeExtras(const std::shared_ptr<const OperatorsExtras>& extras, OperatorsAnswer& answer) {
    answer.extras = extras;
    if (!answer.isByKernel() || answer.difference)
        return;
    OperatorOutline outline = tableOutline(answer);
    outline.sortBy(answer.outline.sortColumn(), answer.outline.isDescending());
    std::swap(outline, answer.outline);
    addPathColumn(answer);
    std::vector<std::optional<double>> joules;
    for (std::uint32_t i = 0; i < answer.outline.nodes().size(); ++i) {
        OutlineNode& row = answer.outline.node(i);
        const bool isKernel
            = answer.by() == OperatorsBy::Kernel && row.source != OutlineNode::kNone;
        const auto& parts = extras->energy.categories;
        const auto part = parts.find(row.category);
        row.energy = isKernel ? analysis::energyOfName(
                         extras->energy.kernels, answer.table->operators[row.source].kernel)
                                    .energy.known
            : part == parts.end() ? std::nullopt
                                  : part->second.known;
        joules.push_back(row.energy ? std::optional(row.energy->joules) : std::nullopt);
    }
    answer.outline.addColumn(
        {"Energy", "J", "With its 90 % interval, where power was recorded", 3}, joules);
}

} // namespace trainscope::app
