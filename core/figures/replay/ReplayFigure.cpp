#include "core/figures/Kinds.h"

#include "core/analysis/replay/Replay.h"
#include "core/plot/replay/ReplayFigure.h"
#include "core/text/Times.h"

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::ReplayRequest;
using analysis::StepReplay;

// Shares of the edges and the error, which say how far a replay can be trusted.
std::string trustText(const StepReplay& replay) {
    return fmt::format("Replayed {}, {} against the measured {}. Edges: {} recorded, {} inferred, "
                       "{} assumed.",
        text::seconds(replay.replayedS),
        text::signedPercent(replay.replayedS / replay.measuredS - 1.0),
        text::seconds(replay.measuredS), text::percent(replay.edges.recorded),
        text::percent(replay.edges.inferred), text::percent(replay.edges.assumed));
}

std::string pathCaption(const StepReplay& replay) {
    return fmt::format("The path of {} a step has {}. {}", text::seconds(replay.path.seconds),
        analysis::pathPartsText(replay), trustText(replay));
}

std::string changesCaption(const StepReplay& replay) {
    std::string caption;
    for (const analysis::AppliedChange& change : replay.changes)
        caption += fmt::format("{}: {} ", change.text, change.assumption);
    return caption + trustText(replay);
}

std::string waitsCaption(const StepReplay& replay) {
    return "Waiting of all ranks for others in a step; a chain leads from the culprit to the "
           "last victims. "
        + trustText(replay);
}

struct ReplayView {
    const char* kind;
    const char* title;
    std::string (*caption)(const StepReplay& replay);
    Picture (*build)(const ReplayFigureData& data, const FigureStyle& style);
    std::string (*csv)(const ReplayFigureData& data);
};

constexpr std::array<ReplayView, 3> kReplayViews{
    {{"critical-path", "Critical path", pathCaption, buildCriticalPath, criticalPathCsv},
        {"replay", "Replay", changesCaption, plot::buildReplay, replayCsv},
        {"waits", "Waiting in a step", waitsCaption, buildWaits, waitsCsv}}};

Result<Figure> replayFigure(
    const analysis::RunStudy& study, const ReplayView& view, const ReplayRequest& request) {
    const bool isAsked = request.iteration || !request.capture.empty();
    auto found = analysis::replayOf(study, request);
    if (!found.hasValue() && (isAsked || !analysis::isNotReplayable(found.error())))
        return found.error();
    auto data = std::make_shared<ReplayFigureData>();
    data->run = study.run.id;
    data->runName = study.run.name;
    data->title = fmt::format("{} · {}{}{}", view.title, study.run.name,
        request.capture.empty() ? "" : " · ", request.capture);
    data->emptyText = "No rank waits for another.";
    if (found.hasValue()) {
        data->replay = std::make_shared<const StepReplay>(std::move(found).value());
        data->caption = view.caption(*data->replay);
        data->notes = data->replay->notes;
    } else {
        data->emptyText = found.error().message;
    }
    const bool isEmpty = !data->replay || (view.build == buildWaits && data->replay->waits.empty());
    Figure figure{view.kind, data->title, isEmpty ? data->emptyText : std::string(),
        {{study.run.id, study.run.name}}, {}, {}, {}};
    figure.caption = data->caption;
    const std::shared_ptr<const ReplayFigureData> shown = data;
    figure.csv = [shown, csv = view.csv] { return csv(*shown); };
    figure.draw = drawing(shown, view.build);
    return figure;
}

// The path, and the waits where there are some.
Result<std::vector<Figure>> pathsOfRun(const analysis::RunStudy& study) {
    std::vector<Figure> figures;
    for (const ReplayView& view : kReplayViews) {
        if (view.build == plot::buildReplay)
            continue;
        ASSIGN_OR_RETURN(auto figure, replayFigure(study, view, {}));
        if (figure.emptyText.empty())
            figures.push_back(std::move(figure));
    }
    return figures;
}

Options<ReplayRequest> replayOptions() {
    return std::vector<OptionOf<ReplayRequest>>{
        textOption<ReplayRequest>(
            {"capture", "NAME", "Replay: only this capture"}, &ReplayRequest::capture),
        numberOption<ReplayRequest>(
            {"iteration", "K", "Replay: only this iteration; without, all that count"},
            integerGiven, &ReplayRequest::iteration),
        listOption<ReplayRequest>(
            {"if", "CHANGE", "Replay: change the step, as the command replay does"},
            &ReplayRequest::changes)};
}

} // namespace

std::vector<Kind> replayKinds() {
    std::vector<Kind> all;
    for (const ReplayView& view : kReplayViews)
        all.push_back(kindWith(view.kind, RunsShown::One, replayOptions(),
            [&view](
                const analysis::RunStudies& studies, const Request& request, ReplayRequest asked) {
                asked.ideal = view.build == plot::buildReplay;
                return replayFigure(studies.of(request.runs.front()), view, asked);
            }));
    all.front().ofRunInReport = pathsOfRun;
    return all;
}

} // namespace trainscope::figures
