#include "app/viewmodels/prediction/PredictJobs.h"

#include "core/analysis/statistics/Means.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace trainscope::app {

PredictAnswer answerTo(const PredictQuestion& question) {
    auto made = figures::predictedJob(question.request, {}, predictorOf(question.calibration));
    if (!made.hasValue())
        return {nullptr, nullptr, made.error().message};
    PredictAnswer answer;
    answer.asked = std::make_shared<const plot::PredictedJob>(std::move(made).value());
    auto board = std::make_shared<plot::PredictionFigureData>();
    takeAsked(answer.asked, *board);
    board->others = question.others;
    board->measured = question.measured;
    board->training = question.training;
    addTexts(*board);
    answer.board = std::move(board);
    return answer;
}

predict::Predictor predictorOf(const std::shared_ptr<const predict::RunCalibration>& calibration) {
    return calibration ? calibration->predictor() : predict::Predictor();
}

std::string calibrationWords(const predict::RunCalibration& calibration) {
    if (calibration.jobs() == 0 && calibration.powers->empty())
        return "No measured run of the database says enough to calibrate by.";
    std::string words = fmt::format("Calibrated by {}",
        text::counted(static_cast<std::int64_t>(calibration.runs.size()), "measured run"));
    analysis::RunningMean off;
    if (calibration.steps) {
        for (const auto& one : calibration.steps->leftOut())
            off.add(std::abs(std::expm1(-one.row)));
    }
    if (off.count > 1)
        words += fmt::format(
            "; a step without its own run is off by {}", text::roundedPercent(off.value()));
    const std::size_t unknown = calibration.runs.size() - calibration.jobs();
    if (unknown > 0)
        words += fmt::format("; of {} power and heat alone", unknown);
    return words + ".";
}

Result<PredictDetails> detailsOf(std::shared_ptr<const plot::PredictedJob> asked,
    const std::shared_ptr<const figures::MeasuredTracks>& measured,
    const std::shared_ptr<const predict::RunCalibration>& calibration, const Progress& progress) {
    PredictDetails details{std::move(asked), {}, {}};
    ASSIGN_OR_RETURN(details.whatIf, predict::whatIfsOf(details.of->job, predictorOf(calibration)));
    if (measured && !measured->tracks.empty()) {
        ASSIGN_OR_RETURN(auto laid,
            figures::overlayOf(*measured, details.of->job, details.of->prediction, progress));
        details.tracks = std::make_shared<const plot::PredictedTracks>(std::move(laid));
    }
    return details;
}

Result<LaunchedRun> launchedRun(const analysis::RunStudy& study,
    const std::shared_ptr<const predict::RunCalibration>& calibration) {
    LaunchedRun launched;
    launched.run = study.run.id;
    if (study.run.kind == RunKind::Measured) {
        ASSIGN_OR_RETURN(launched.measured, figures::measuredStepOf(study));
        ASSIGN_OR_RETURN(auto tracks, figures::measuredTracksOf(study));
        launched.tracks = std::make_shared<const figures::MeasuredTracks>(std::move(tracks));
    }
    auto made = predict::requestOf(study);
    if (!made.hasValue()) {
        if (made.error().code != ErrorCode::NotFound || !launched.isMeasured())
            return made.error();
        launched.notes.push_back(study.run.name + ": " + made.error().message);
        return launched;
    }
    launched.notes = std::move(made.value().notes);
    launched.request = std::move(made.value().request);
    auto own = figures::predictedJob(*launched.request, "as launched", predictorOf(calibration));
    if (own.hasValue())
        launched.predicted = std::move(own).value();
    return launched;
}

} // namespace trainscope::app
