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

Result<LaunchedRun> launchedRun(
    const store::Store& store, const Run& run, const Progress& progress) {
    LaunchedRun launched;
    ASSIGN_OR_RETURN(launched.made, predict::requestOf(store, run, progress));
    ASSIGN_OR_RETURN(launched.measured, figures::measuredStepOf(store, run, progress));
    auto own = predicted(launched.made.request);
    if (own.hasValue()) {
        launched.predicted = std::move(own).value();
        launched.predicted->name = "as launched";
    }
    return launched;
}

} // namespace trainscope::app
