#include "core/figures/iterations/IterationsFigure.h"

namespace trainscope::figures {

using namespace plot;

namespace {

struct IterationsQuery {
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> iteration;
};

Result<Figure> loadIterations(
    const analysis::RunStudies& studies, const Request& request, const IterationsQuery& query) {
    const auto rank = query.rank ? std::optional(static_cast<int>(*query.rank)) : std::nullopt;
    ASSIGN_OR_RETURN(
        auto table, analysis::iterationTableOf(studies.of(request.runs.front()), rank));
    auto data = std::make_shared<IterationsFigureData>(
        iterationsData(std::make_shared<const analysis::IterationTable>(std::move(table))));
    const auto& rows = data->table->rows;
    const auto asked = std::ranges::find_if(rows, [&query](const analysis::IterationRow& row) {
        return row.iteration.index == query.iteration;
    });
    if (query.iteration && asked == rows.end())
        return Error{
            ErrorCode::NotFound, fmt::format("There is no iteration {}.", *query.iteration), {}};
    if (query.iteration)
        choose(*data, static_cast<std::size_t>(asked - rows.begin()), {});
    return iterationsFigure(std::move(data));
}

Options<IterationsQuery> iterationsOptions() {
    return std::vector<OptionOf<IterationsQuery>>{
        numberOption<IterationsQuery>(
            {"rank", "R", "Iterations: of this rank alone"}, integerGiven, &IterationsQuery::rank),
        numberOption<IterationsQuery>(
            {"iteration", "K", "Iterations: compare this one with the median"}, integerGiven,
            &IterationsQuery::iteration)};
}

} // namespace

IterationsFigureData iterationsData(const std::shared_ptr<const analysis::IterationTable>& table) {
    IterationsFigureData data;
    data.emptyText = fmt::format("There are no iterations: {}.", table->origin);
    data.table = table;
    if (table->rows.empty())
        return data;
    data.title = table->title();
    data.caption = fmt::format("By {}; in brackets the middle nine of ten of those that "
                               "are not warm-up.",
        table->origin);
    if (table->rank)
        data.caption += fmt::format(" Rank {} alone.", *table->rank);
    else if (table->ranks.size() > 1)
        data.caption += " What GPUs did is the mean of the traced ranks.";
    return data;
}

Figure iterationsFigure(const std::shared_ptr<const IterationsFigureData>& data) {
    const analysis::IterationTable& table = *data->table;
    Figure figure{"iterations", data->title, table.rows.empty() ? data->emptyText : std::string(),
        {{table.run.id, table.run.name}}, {}, {}, {}};
    figure.caption = data->caption;
    figure.csv = [data] { return text::csv(wordsOf(*data->table)); };
    figure.draw = drawing(data, buildIterations);
    return figure;
}

std::vector<Kind> iterationsKinds() {
    return {kindWith("iterations", RunsShown::One, iterationsOptions(), loadIterations)};
}

} // namespace trainscope::figures
