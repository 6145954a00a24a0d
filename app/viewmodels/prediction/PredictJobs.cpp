#include "app/viewmodels/prediction/PredictJobs.h"

#include "core/model/Try.h"

#include <utility>

namespace trainscope::app {
namespace {

Result<figures::PredictedJob> predicted(const predict::JobRequest& request) {
    ASSIGN_OR_RETURN(auto job, predict::jobOf(request));
    ASSIGN_OR_RETURN(auto made, predict::Predictor().predict(job));
    std::string name = figures::layoutWords(job);
    return figures::PredictedJob{std::move(name), std::move(job), std::move(made)};
}

} // namespace

PredictAnswer answerTo(const PredictQuestion& question) {
    auto made = predicted(question.request);
    if (!made.hasValue())
        return {nullptr, nullptr, made.error().message};
    PredictAnswer answer;
    answer.asked = std::make_shared<const figures::PredictedJob>(std::move(made).value());
    answer.board = std::make_shared<const plot::PredictionFigureData>(
        figures::predictionData({*answer.asked, question.others, question.measured}));
    return answer;
}

Result<PredictDetails> detailsOf(std::shared_ptr<const figures::PredictedJob> asked,
    const std::shared_ptr<const figures::MeasuredTracks>& measured, const Progress& progress) {
    PredictDetails details{std::move(asked), {}, {}};
    ASSIGN_OR_RETURN(const auto sensitivities, predict::sensitivitiesOf(details.of->job));
    details.sensitivities = figures::sensitivitiesShown(sensitivities);
    if (measured && !measured->tracks.empty()) {
        ASSIGN_OR_RETURN(auto laid,
            figures::overlayOf(*measured, details.of->job, details.of->prediction, progress));
        details.tracks = std::make_shared<const plot::PredictedTracks>(std::move(laid));
    }
    return details;
}

Result<LaunchedRun> launchedRun(
    const store::Store& store, const Run& run, const Progress& progress) {
    LaunchedRun launched;
    launched.run = run.id;
    if (run.kind == RunKind::Measured) {
        ASSIGN_OR_RETURN(launched.measured, figures::measuredStepOf(store, run, progress));
        ASSIGN_OR_RETURN(auto tracks, figures::measuredTracksOf(store, run, progress));
        launched.tracks = std::make_shared<const figures::MeasuredTracks>(std::move(tracks));
    }
    auto made = predict::requestOf(store, run, progress);
    if (!made.hasValue()) {
        if (made.error().code != ErrorCode::NotFound || !launched.isMeasured())
            return made.error();
        launched.notes.push_back(run.name + ": " + made.error().message);
        return launched;
    }
    launched.notes = std::move(made.value().notes);
    launched.request = std::move(made.value().request);
    auto own = predicted(*launched.request);
    if (own.hasValue()) {
        launched.predicted = std::move(own).value();
        launched.predicted->name = "as launched";
    }
    return launched;
}

} // namespace trainscope::app
