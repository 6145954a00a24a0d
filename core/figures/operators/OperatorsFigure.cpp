#include "core/figures/operators/OperatorsFigure.h"

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::OperatorGrouping;

constexpr std::int64_t kRowsDrawn = 20;
constexpr std::int64_t kDifferencesDrawn = 24;

Result<OperatorsQuery> queryOf(const analysis::RunStudy& study, const OperatorsAsked& asked) {
    OperatorsQuery query;
    query.run = study.run.id;
    query.rank = asked.rank;
    if (asked.from)
        query.window.begin = study.run.range.begin + *asked.from;
    if (asked.to)
        query.window.end = study.run.range.begin + *asked.to;
    if (query.window.isEmpty())
        return usageError("The window is empty: --from must lie before --to.");
    if (asked.from || asked.to) {
        ASSIGN_OR_RETURN(query.clocks, analysis::differingClocks(study));
    }
    return query;
}

// The frame of that name that takes longest.
Result<std::uint32_t> rootNamed(const analysis::CallTree& tree, const std::string& name) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
        const bool isNamed = tree.names[tree.nodes[i].name] == name;
        if (isNamed && (best == 0 || tree.nodes[i].sums.time > tree.nodes[best].sums.time))
            best = i;
    }
    if (best == 0)
        return Error{ErrorCode::NotFound, fmt::format("No frame is called '{}'.", name), {}};
    return best;
}

Result<Figure> loadFlameKind(
    const analysis::RunStudies& studies, const Request& request, const OperatorsAsked& asked) {
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), asked));
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    const CalledWorkPtr work = asked.python ? reading.work : withoutPython(reading);
    std::uint32_t root = 0;
    if (!asked.frame.empty() && work) {
        ASSIGN_OR_RETURN(root, rootNamed(work->tree, asked.frame));
    }
    return flameFigure(std::make_shared<const plot::FlameFigureData>(
        flameOf(reading, work, root, asked.colouring)));
}

Result<Figure> loadRooflineKind(
    const analysis::RunStudies& studies, const Request& request, const OperatorsAsked& asked) {
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), asked));
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    return rooflineFigure(std::make_shared<const plot::RooflineFigureData>(
        rooflineOf(reading, measuredOperators(reading, asked.by))));
}

Result<Figure> loadOperatorTableKind(
    const analysis::RunStudies& studies, const Request& request, const OperatorsAsked& asked) {
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), asked));
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    auto data = operatorTableOf(reading, asked.by, measuredOperators(reading, asked.by));
    data.most = static_cast<std::size_t>(asked.top.value_or(kRowsDrawn));
    return operatorTableFigure(
        std::make_shared<const plot::OperatorTableFigureData>(std::move(data)));
}

Result<Figure> loadDifferenceKind(
    const analysis::RunStudies& studies, const Request& request, const OperatorsAsked& asked) {
    if (request.runs.size() != 2 || !request.areRunsNamed)
        return usageError("Operators are compared of two runs: give --run twice.");
    ASSIGN_OR_RETURN(auto queryA, queryOf(studies.of(request.runs[0]), asked));
    ASSIGN_OR_RETURN(auto queryB, queryOf(studies.of(request.runs[1]), asked));
    queryA.ofSteps = queryA.window == kAllTime;
    queryB.ofSteps = queryB.window == kAllTime;
    ASSIGN_OR_RETURN(const auto a, loadOperators(studies.store, queryA, studies.progress));
    ASSIGN_OR_RETURN(const auto b, loadOperators(studies.store, queryB, studies.progress));
    auto data = differenceOf(a, b, asked.byPath ? ComparedBy::Path : ComparedBy::Name);
    data.most = static_cast<std::size_t>(asked.top.value_or(kDifferencesDrawn));
    Figure figure
        = differenceFigure(std::make_shared<const plot::DifferenceFigureData>(std::move(data)));
    figure.runs.insert(figure.runs.begin(), {request.runs[0].id, request.runs[0].name});
    return figure;
}

template <typename Data>
Figure figureOf(std::string_view kind, const std::shared_ptr<const Data>& data,
    plot::Picture (*build)(const Data&, const FigureStyle&)) {
    Figure figure;
    figure.kind = kind;
    figure.title = data->head.title;
    figure.emptyText = data->isEmpty() ? data->head.emptyText : std::string();
    figure.runs = {{data->head.run, data->head.runName}};
    figure.draw = drawing(data, build);
    return figure;
}

} // namespace

Figure flameFigure(const std::shared_ptr<const plot::FlameFigureData>& data) {
    Figure figure = figureOf("operators-flame", data, plot::buildFlame);
    figure.csv = [data] { return plot::flameCsv(*data); };
    return figure;
}

Figure rooflineFigure(const std::shared_ptr<const plot::RooflineFigureData>& data) {
    Figure figure = figureOf("operators-roofline", data, plot::buildRoofline);
    figure.csv = [data] { return plot::operatorsCsv(data->head, data->operators); };
    return figure;
}

Figure operatorTableFigure(const std::shared_ptr<const plot::OperatorTableFigureData>& data) {
    Figure figure = figureOf("operators-table", data, plot::buildOperatorTable);
    figure.csv = [data] { return plot::operatorsCsv(data->head, data->operators); };
    return figure;
}

Figure differenceFigure(const std::shared_ptr<const plot::DifferenceFigureData>& data) {
    Figure figure = figureOf("operators-difference", data, plot::buildDifference);
    figure.csv = [data] { return plot::differenceCsv(*data); };
    return figure;
}

namespace {

OptionOf<OperatorsAsked> rankOption() {
    return numberOption<OperatorsAsked>(
        {"rank", "R", "Operators: of this rank; without, of all traced ones together"}, rankGiven,
        &OperatorsAsked::rank);
}

OptionOf<OperatorsAsked> fromOption() {
    return numberOption<OperatorsAsked>(
        {"from", "S", "Operators: begin of the window, in seconds since the run's start"},
        secondsGiven, &OperatorsAsked::from);
}

OptionOf<OperatorsAsked> toOption() {
    return numberOption<OperatorsAsked>(
        {"to", "S", "Operators: end of the window, in seconds since the run's start"}, secondsGiven,
        &OperatorsAsked::to);
}

OptionOf<OperatorsAsked> byOption() {
    return choiceOption<OperatorsAsked, OperatorGrouping>(
        {"by", "B",
            "Operators: a row or point for each operator, shape, module, annotation or pass", false,
            "By", "What a row is of"},
        "grouping",
        {{OperatorGrouping::Operator, "operator", "Operator"},
            {OperatorGrouping::Shape, "shape", "Inputs"},
            {OperatorGrouping::Module, "module", "Module"},
            {OperatorGrouping::Annotation, "annotation", "Annotation"},
            {OperatorGrouping::Pass, "pass", "Pass"}},
        &OperatorsAsked::by);
}

OptionOf<OperatorsAsked> topOption() {
    return numberOption<OperatorsAsked>(
        {"top", "K", "Operators: rows that are drawn; 20 unless given"}, countGiven,
        &OperatorsAsked::top);
}

// The table, the flame graph and the roofline, where there is a call tree; of all ranks.
Result<std::vector<Figure>> figuresOfRun(const analysis::RunStudy& study) {
    std::vector<Figure> made;
    OperatorsQuery query;
    query.run = study.run.id;
    ASSIGN_OR_RETURN(const auto reading, loadOperators(study.store, query, study.progress));
    if (!reading.work || !reading.work->tree.hasHost)
        return made;
    const auto grouping = OperatorGrouping::Shape;
    const auto operators = measuredOperators(reading, grouping);
    made.push_back(operatorTableFigure(std::make_shared<const plot::OperatorTableFigureData>(
        operatorTableOf(reading, grouping, operators))));
    made.push_back(flameFigure(std::make_shared<const plot::FlameFigureData>(
        flameOf(reading, withoutPython(reading), 0, plot::FlameColouring::Pass))));
    made.push_back(rooflineFigure(
        std::make_shared<const plot::RooflineFigureData>(rooflineOf(reading, operators))));
    std::erase_if(made, [](const Figure& figure) { return !figure.emptyText.empty(); });
    return made;
}

} // namespace

const Options<OperatorsAsked>& flameOptions() {
    using Asked = OperatorsAsked;
    static const Options<Asked> all({rankOption(), fromOption(), toOption(),
        choiceOption<Asked, plot::FlameColouring>(
            {"colour", "C", "Flame graphs: by pass or by category of the kernels", false, "Colours",
                "Of the flame graph"},
            "colour",
            {{plot::FlameColouring::Pass, "pass", "Passes"},
                {plot::FlameColouring::Category, "category", "Categories"}},
            &Asked::colouring),
        textOption<Asked>({"frame", "NAME",
                              "Flame graphs: only the longest frame of this name and what it "
                              "calls"},
            &Asked::frame),
        switchOption<Asked>(
            {"python", {}, "Flame graphs: functions of Python too, where modules are recorded",
                false, "Python", "Functions of Python too, beside the modules"},
            &Asked::python)});
    return all;
}

const Options<OperatorsAsked>& operatorTableOptions() {
    static const Options<OperatorsAsked> all(
        {rankOption(), fromOption(), toOption(), byOption(), topOption()});
    return all;
}

const Options<OperatorsAsked>& differenceOptions() {
    static const Options<OperatorsAsked> all({rankOption(),
        choiceOption<OperatorsAsked, bool>(
            {"by", "B", "Differences of operators: by operator, or path: by their callers too",
                false, "By", "What a row is of"},
            "grouping", {{true, "path", "Path"}, {false, "operator", "Operator"}},
            &OperatorsAsked::byPath),
        topOption()});
    return all;
}

std::vector<Kind> operatorsKinds() {
    const Options<OperatorsAsked> roofline({rankOption(), fromOption(), toOption(), byOption()});
    Kind tables = kindWith(
        "operators-table", RunsShown::One, operatorTableOptions(), loadOperatorTableKind);
    tables.ofRunInReport = figuresOfRun;
    return {kindWith("operators-flame", RunsShown::One, flameOptions(), loadFlameKind),
        kindWith("operators-roofline", RunsShown::One, roofline, loadRooflineKind),
        std::move(tables),
        kindWith(
            "operators-difference", RunsShown::Named, differenceOptions(), loadDifferenceKind)};
}

} // namespace trainscope::figures
