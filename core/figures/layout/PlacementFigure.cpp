#include "core/figures/layout/LayoutFigure.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::figures {

using namespace plot;

namespace {

std::string placementTitle(const Run& run) {
    return "Placement · " + run.name;
}

// Missing layouts or telemetry are no error (see emptyText).
Result<PlacementFigureData> loadPlacement(const analysis::RunStudy& study) {
    const Run& run = study.run;
    auto placement = analysis::proposePlacement(study);
    if (!placement.hasValue()) {
        const ErrorCode code = placement.error().code;
        if (code != ErrorCode::NotFound && code != ErrorCode::Usage)
            return placement.error();
        return PlacementFigureData{{placementTitle(run), {}, {}, placement.error().message}, run.id,
            run.name, std::nullopt};
    }
    return placementFigureOf(run, std::move(placement).value());
}

} // namespace

PlacementFigureData placementFigureOf(const Run& run, analysis::Placement placement) {
    PlacementFigureData data{{placementTitle(run), {}, {}, {}}, run.id, run.name, std::nullopt};
    data.caption = fmt::format("An estimate. {}. {} Front GPUs above, rear GPUs below, as the air "
                               "passes them; numbers are ranks.",
        placement.headline, placement.reason);
    data.placement = std::move(placement);
    return data;
}

Figure placementFigure(const std::shared_ptr<const PlacementFigureData>& data) {
    Figure figure{"placement", data->title, data->isEmpty() ? data->emptyText : std::string(),
        {{data->run, data->runName}}, {}, {}, {}};
    figure.csv = [data] { return placementCsv(*data); };
    figure.draw = drawing(data, buildPlacementFigure);
    return figure;
}

std::vector<Kind> placementKinds() {
    return {{"placement", RunsShown::One, {},
        [](const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            ASSIGN_OR_RETURN(auto data, loadPlacement(studies.of(request.runs.front())));
            return placementFigure(std::make_shared<const PlacementFigureData>(std::move(data)));
        }}};
}

} // namespace trainscope::figures
