#pragma once
// The job that a figure of a prediction is asked for: that of a run, as it was launched or with
// something changed, or one by hand, also in the place of what a run does not say. Any thread that
// owns the store.

#include "core/figures/Figure.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"

namespace trainscope::figures {

// Options that state a job, each in the place of what the request says.
const Options<predict::JobRequest>& jobOptions();
// Options of a search of its layouts, beside those of the job.
struct SearchAsked {
    predict::SearchRequest search;
    std::optional<predict::ClusterRequest> against; // a second cluster
};
const Options<SearchAsked>& searchOptions();
// Options of a training, beside those.
const Options<predict::TrainingAsked>& trainingOptions();
// One of them that says how a training is interrupted; absent: as published, or the best.
struct InterruptionOption {
    std::string_view name;
    std::string_view value;
    const char* help; // goes on from "With --tokens "
    const char* title; // the field's, in the window
    const char* hint; // meaning of an empty field
    const char* tip;
    Result<double> (*read)(std::string_view name, const std::string& text);
    std::optional<double> predict::Reliability::*member;
};
std::span<const InterruptionOption> interruptionOptions();

struct AskedJob {
    std::optional<Run> run; // the run with this job; absent: a job by hand
    predict::JobRequest asked;
    std::optional<predict::JobRequest>
        launched; // the job as the run did it, if the asked one differs
    bool isAsLaunched = false; // it is what the run did
    std::vector<std::string> notes; // facts that the run does not state, and their substitutes

    [[nodiscard]] bool isMeasured() const { return run && run->kind == RunKind::Measured; }
};
// Usage where neither says enough; NotFound names what is not known of the run.
Result<AskedJob> askedJobOf(const analysis::RunStudies& studies, const Request& request);

// Named by its layout, unless it is said.
Result<plot::PredictedJob> predictedJob(const predict::JobRequest& request, std::string name = {},
    const predict::Predictor& predictor = predict::Predictor());

// Searches all layouts, whatever the job's own is.
Result<SearchAsked> searchOf(const predict::JobRequest& job, const OptionValues& options);

} // namespace trainscope::figures
