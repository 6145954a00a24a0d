#include "core/figures/Kinds.h"

#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/iterations/IterationsFigure.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/overview/OverviewFigure.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/timeline/TimelineFigure.h"

namespace trainscope::figures {

using namespace plot;

namespace {

// In the order of lists and reports.
std::vector<Kind> everyKind() {
    std::vector<Kind> all;
    for (auto& some : {overviewKinds(), iterationsKinds(), timelineKinds(), runFigureKinds(),
             comparisonKinds(), layoutKinds(), scheduleKinds(), placementKinds(), predictionKinds(),
             operatorsKinds(), replayKinds()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

Status checkOptions(const Kind& kind, const OptionValues& given) {
    for (const auto& name : given.names()) {
        const bool isKnown = std::ranges::any_of(
            kind.options, [&name](const Option& option) { return option.name == name; });
        if (isKnown)
            continue;
        std::string known;
        for (const auto& option : kind.options)
            known += fmt::format("{}--{}", known.empty() ? "" : ", ", option.name);
        return usageError(
            fmt::format("--{} does not apply to a figure of the kind {}, which takes {}.", name,
                kind.key, known.empty() ? std::string("no options of its own") : known));
    }
    return {};
}

} // namespace

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = everyKind();
    return all;
}

const Kind* findKind(std::string_view key) {
    const auto found = std::ranges::find(kinds(), key, &Kind::key);
    return found == kinds().end() ? nullptr : &*found;
}

std::string kindList() {
    std::string list;
    for (const Kind& kind : kinds())
        list += fmt::format("{}{}", list.empty() ? "" : ", ", kind.key);
    return list;
}

Result<Figure> load(const Kind& kind, const analysis::RunStudies& studies, const Request& request) {
    RETURN_IF_ERROR(checkOptions(kind, request.options));
    auto figure = kind.load(studies, request);
    if (!figure.hasValue())
        return figure;
    figure.value().kind = kind.key;
    if (figure.value().sources.empty())
        figure.value().sources = sourcesOf(studies.store, figure.value().runs);
    return figure;
}

} // namespace trainscope::figures
