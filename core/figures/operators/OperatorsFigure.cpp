#include "core/figures/operators/OperatorsFigure.h"

#include "core/analysis/RunStudy.h"
#include "core/model/EnumNames.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::figures {

namespace {

using analysis::OperatorGrouping;
using plot::OperatorsGeometry;

constexpr Option kOperatorsRank{
    "rank", "R", "Operators: of this rank; without, of all traced ones together"};
constexpr Option kOperatorsFrom{
    "from", "S", "Operators: begin of the window, in seconds since the run's start"};
constexpr Option kOperatorsTo{
    "to", "S", "Operators: end of the window, in seconds since the run's start"};
constexpr Option kOperatorsBy{"by", "B",
    "Operators: a row or point for each operator, shape, module, annotation or pass", false,
    "operator shape module annotation pass"};
constexpr Option kOperatorsTop{"top", "K", "Operators: rows that are drawn; 20 unless given"};

constexpr auto kGroupings = enumNames<OperatorGrouping>({
    {OperatorGrouping::Operator, "operator"},
    {OperatorGrouping::Shape, "shape"},
    {OperatorGrouping::Module, "module"},
    {OperatorGrouping::Annotation, "annotation"},
    {OperatorGrouping::Pass, "pass"},
});

Result<OperatorsQuery> queryOf(const analysis::RunStudy& study, const OptionValues& options) {
    OperatorsQuery query;
    query.run = study.run.id;
    ASSIGN_OR_RETURN(const auto rank, options.rank("rank"));
    ASSIGN_OR_RETURN(const auto from, options.seconds("from"));
    ASSIGN_OR_RETURN(const auto to, options.seconds("to"));
    query.rank = rank;
    if (from)
        query.window.begin = study.run.range.begin + *from;
    if (to)
        query.window.end = study.run.range.begin + *to;
    if (query.window.isEmpty())
        return usage("The window is empty: --from must lie before --to.");
    if (from || to) {
        ASSIGN_OR_RETURN(query.clocks, analysis::differingClocks(study));
    }
    return query;
}

Result<OperatorGrouping> groupingOf(const OptionValues& options, OperatorGrouping usual) {
    const std::string name = options.text("by");
    const auto grouping = name.empty() ? std::optional(usual) : kGroupings.find(name);
    if (!grouping)
        return unknownChoice("grouping", name, "operator, shape, module, annotation and pass");
    return *grouping;
}

Result<std::size_t> mostOf(const OptionValues& options, std::size_t usual) {
    ASSIGN_OR_RETURN(const auto most, options.integer("top"));
    if (most && *most < 1)
        return usage("--top takes a number above 0.");
    return most ? static_cast<std::size_t>(*most) : usual;
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

Result<Figure> loadFlameKind(const analysis::RunStudies& studies, const Request& request) {
    const auto& options = request.options;
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), options));
    const std::string colour = options.text("colour");
    if (!colour.empty() && colour != "pass" && colour != "category")
        return unknownChoice("colour", colour, "pass and category");
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    const CalledWorkPtr work = options.has("python") ? reading.work : withoutPython(reading);
    std::uint32_t root = 0;
    if (const std::string frame = options.text("frame"); !frame.empty() && work) {
        ASSIGN_OR_RETURN(root, rootNamed(work->tree, frame));
    }
    return flameFigure(std::make_shared<const plot::FlameFigureData>(flameOf(reading, work, root,
        colour == "category" ? plot::FlameColouring::Category : plot::FlameColouring::Pass)));
}

Result<Figure> loadRooflineKind(const analysis::RunStudies& studies, const Request& request) {
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), request.options));
    ASSIGN_OR_RETURN(const auto grouping, groupingOf(request.options, OperatorGrouping::Shape));
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    return rooflineFigure(std::make_shared<const plot::RooflineFigureData>(
        rooflineOf(reading, measuredOperators(reading, grouping))));
}

Result<Figure> loadOperatorTableKind(const analysis::RunStudies& studies, const Request& request) {
    ASSIGN_OR_RETURN(const auto query, queryOf(studies.of(request.runs.front()), request.options));
    ASSIGN_OR_RETURN(const auto grouping, groupingOf(request.options, OperatorGrouping::Shape));
    ASSIGN_OR_RETURN(const auto most, mostOf(request.options, 20));
    ASSIGN_OR_RETURN(const auto reading, loadOperators(studies.store, query, studies.progress));
    auto data = operatorTableOf(reading, grouping, measuredOperators(reading, grouping));
    data.most = most;
    return operatorTableFigure(
        std::make_shared<const plot::OperatorTableFigureData>(std::move(data)));
}

Result<Figure> loadDifferenceKind(const analysis::RunStudies& studies, const Request& request) {
    const auto& options = request.options;
    const std::string by = options.text("by");
    if (!by.empty() && by != "path" && by != "operator")
        return unknownChoice("grouping", by, "path and operator");
    ASSIGN_OR_RETURN(const auto most, mostOf(options, 24));
    if (request.runs.size() != 2 || !request.areRunsNamed)
        return usage("Operators are compared of two runs: give --run twice.");
    ASSIGN_OR_RETURN(auto queryA, queryOf(studies.of(request.runs[0]), options));
    ASSIGN_OR_RETURN(auto queryB, queryOf(studies.of(request.runs[1]), options));
    queryA.ofSteps = queryA.window == kAllTime;
    queryB.ofSteps = queryB.window == kAllTime;
    ASSIGN_OR_RETURN(const auto a, loadOperators(studies.store, queryA, studies.progress));
    ASSIGN_OR_RETURN(const auto b, loadOperators(studies.store, queryB, studies.progress));
    auto data = differenceOf(a, b, by != "path");
    data.most = most;
    Figure figure
        = differenceFigure(std::make_shared<const plot::DifferenceFigureData>(std::move(data)));
    figure.runs.insert(figure.runs.begin(), {request.runs[0].id, request.runs[0].name});
    return figure;
}

template <typename Data>
Figure figureOf(std::string_view kind, const std::shared_ptr<const Data>& data,
    OperatorsGeometry (*build)(const Data&, const FigureStyle&),
    std::optional<FigureHit> (*hit)(const Data&, const OperatorsGeometry&, Point)) {
    Figure figure;
    figure.kind = kind;
    figure.title = data->head.title;
    figure.emptyText = data->isEmpty() ? data->head.emptyText : std::string();
    figure.runs = {{data->head.run, data->head.runName}};
    figure.draw = [data, build, hit](const FigureStyle& style) {
        auto geometry = std::make_shared<OperatorsGeometry>(build(*data, style));
        Picture picture;
        picture.scene = std::move(geometry->scene);
        picture.preferredHeight = geometry->preferredHeight;
        for (const auto& target : geometry->targets)
            picture.targets.push_back(target.rect);
        picture.hitAt = [data, geometry, hit](Point at) { return hit(*data, *geometry, at); };
        picture.placesOf = [](RunId, std::optional<int>) { return std::vector<Place>(); };
        return picture;
    };
    return figure;
}

} // namespace

Figure flameFigure(const std::shared_ptr<const plot::FlameFigureData>& data) {
    Figure figure = figureOf("operators-flame", data, plot::buildFlame, plot::hitFlame);
    figure.csv = [data] { return plot::flameCsv(*data); };
    return figure;
}

Figure rooflineFigure(const std::shared_ptr<const plot::RooflineFigureData>& data) {
    Figure figure = figureOf("operators-roofline", data, plot::buildRoofline, plot::hitRoofline);
    figure.csv = [data] { return plot::operatorsCsv(data->head, data->operators); };
    return figure;
}

Figure operatorTableFigure(const std::shared_ptr<const plot::OperatorTableFigureData>& data) {
    Figure figure
        = figureOf("operators-table", data, plot::buildOperatorTable, plot::hitOperatorTable);
    figure.csv = [data] { return plot::operatorsCsv(data->head, data->operators); };
    return figure;
}

Figure differenceFigure(const std::shared_ptr<const plot::DifferenceFigureData>& data) {
    Figure figure
        = figureOf("operators-difference", data, plot::buildDifference, plot::hitDifference);
    figure.csv = [data] { return plot::differenceCsv(*data); };
    return figure;
}

namespace {

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

std::vector<Kind> operatorsKinds() {
    const std::vector<Option> flame{kOperatorsRank, kOperatorsFrom, kOperatorsTo,
        {"colour", "C", "Flame graphs: by pass or by category of the kernels", false,
            "pass category"},
        {"frame", "NAME", "Flame graphs: only the longest frame of this name and what it calls"},
        {"python", {}, "Flame graphs: functions of Python too, where modules are recorded"}};
    const std::vector<Option> roofline{kOperatorsRank, kOperatorsFrom, kOperatorsTo, kOperatorsBy};
    const std::vector<Option> table{
        kOperatorsRank, kOperatorsFrom, kOperatorsTo, kOperatorsBy, kOperatorsTop};
    const std::vector<Option> difference{kOperatorsRank,
        {"by", "B", "Differences of operators: by operator, or path: by their callers too", false,
            "path"},
        kOperatorsTop};
    Kind tables{"operators-table", RunsShown::One, table, loadOperatorTableKind};
    tables.ofRunInReport = figuresOfRun;
    return {{"operators-flame", RunsShown::One, flame, loadFlameKind},
        {"operators-roofline", RunsShown::One, roofline, loadRooflineKind}, std::move(tables),
        {"operators-difference", RunsShown::Named, difference, loadDifferenceKind}};
}

} // namespace trainscope::figures
