#include "app/cli/output/CompareOutput.h"
#include "app/cli/output/PredictionOutput.h"
#include "core/plot/prediction/PredictionWords.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

using predict::LayoutChoice;
using predict::RankedLayout;
using predict::SearchResult;

std::string recomputeText(const LayoutChoice& choice) {
    if (choice.recomputedLayers > 0)
        return fmt::format("block:{}", choice.recomputedLayers);
    return std::string(toString(choice.recompute));
}

Json choiceJson(const LayoutChoice& choice) {
    return object({{"tp", choice.tensor}, {"cp", choice.context}, {"ep", choice.expert},
        {"dp", choice.data}, {"pp", choice.pipeline}, {"vpp", choice.virtualStages},
        {"zero", choice.zeroStage}, {"etp", when(choice.expertTensor > 0, choice.expertTensor)},
        {"shard", when(choice.shard > 0, choice.shard)},
        {"schedule", when(choice.pipeline > 1, toString(choice.schedule))}});
}

Json nearestJson(const predict::NearestLayout& nearest) {
    return {{"layout", choiceJson(nearest.choice)}, {"micro_batch", nearest.choice.microBatch},
        {"recompute", recomputeText(nearest.choice)}, {"memory_b", nearest.memoryB},
        {"lacks_b", nearest.lacksB}};
}

Json rankedJson(const RankedLayout& one, const predict::TrainingAsked& asked) {
    const predict::Prediction& made = one.prediction;
    Json json{{"layout", choiceJson(one.choice)}, {"micro_batch", one.choice.microBatch},
        {"recompute", recomputeText(one.choice)}, {"step_time_s", made.seconds},
        {"step_time_low_s", made.low}, {"step_time_high_s", made.high},
        {"tokens_per_s_per_gpu", made.tokensPerSecondPerGpu}, {"mfu", made.mfu},
        {"memory_b", made.memoryB}, {"energy_j", made.energyJ}, {"peak_power_w", one.peakW}};
    addServing(made, json);
    addTraining(trainingOf(one.job, made, asked), json);
    return json;
}

// With the first of those that truly differ that it is, or is a tie with.
Json groupedJson(
    const SearchResult& result, const RankedLayout& one, const predict::TrainingAsked& asked) {
    Json json = rankedJson(one, asked);
    for (const predict::ListedLayout& listed : predict::listedLayouts(result)) {
        const bool isChoice = listed.group > 0 && listed.group <= result.apart.size();
        if (isChoice && listed.layout->choice == one.choice)
            json["ties"] = listed.group;
    }
    json["fits_surely"] = one.isSure;
    return json;
}

// The best layout, as one that was asked for.
Json answerJson(const RankedLayout& best, const predict::TrainingAsked& asked) {
    Json json = predictionJson(best.prediction);
    json.update(rankedJson(best, asked));
    return json;
}

Json refusedJson(const SearchResult& result) {
    return objectOf(predict::kAllRefusals, [&](predict::Refusal reason) {
        const std::int64_t count = result.refusedBy(reason);
        return Member(std::string(toString(reason)), when(count > 0, count));
    });
}

std::string refusedText(const SearchResult& result) {
    std::string text;
    for (const predict::Refusal reason : predict::kAllRefusals) {
        const std::int64_t count = result.refusedBy(reason);
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", toString(reason), count);
    }
    return text.empty() ? "none" : text;
}

} // namespace

Json searchJson(const SearchResult& result, const predict::TrainingAsked& asked) {
    const auto grouped = [&](const RankedLayout& one) { return groupedJson(result, one, asked); };
    Json json{{"searched", result.searched}, {"feasible", result.feasible.size()},
        {"refused", refusedJson(result)}, {"is_proven", result.isProven},
        {"rows", listOf(result.top, grouped)}, {"choices", listOf(result.apart, grouped)},
        {"fit_surely", result.sure}, {"perhaps", listOf(result.perhaps, grouped)}};
    if (!result.top.empty())
        json["answer"] = answerJson(result.top.front(), asked);
    if (result.nearest)
        json["nearest"] = nearestJson(*result.nearest);
    if (result.leastPowerW)
        json["least_power_w"] = *result.leastPowerW;
    return json;
}

void printSearch(std::ostream& out, const std::string& title, const SearchResult& result,
    const predict::TrainingAsked& asked) {
    out << fmt::format("{}: {}, {} feasible\n  refused: {}\n\n", title,
        text::counted(result.searched, "combination"), result.feasible.size(), refusedText(result));
    if (result.top.empty()) {
        out << "No layout is possible.\n" << plot::nearestWords(result) << '\n';
        return;
    }
    const RankedLayout& best = result.top.front();
    out << "The best layout: ";
    printFigures(out, best.job, best.prediction, asked);
    printTable(out, plot::rankedTable(predict::listedLayouts(result), asked, result.objective));
}

Json scalesJson(const std::array<std::string, 2>& names, const predict::ScaleComparison& comparison,
    const predict::TrainingAsked& asked) {
    Json searches = Json::array();
    for (std::size_t side = 0; side < names.size(); ++side) {
        Json one{{"cluster", names[side]}};
        one.update(searchJson(comparison.searches[side], asked));
        searches.push_back(std::move(one));
    }
    const auto& larger = comparison.verdict.scaleUp;
    return {{"clusters", std::move(searches)},
        {"verdict", verdictJson(comparison.verdict, larger ? names[*larger] : std::string())}};
}

void printScales(std::ostream& out, const std::array<std::string, 2>& names,
    const predict::ScaleComparison& comparison, const predict::TrainingAsked& asked) {
    printVerdict(comparison.verdict, out);
    for (std::size_t side = 0; side < names.size(); ++side) {
        out << '\n';
        printSearch(out, names[side], comparison.searches[side], asked);
    }
}

namespace {

// With what a training takes then, and the layout that is the best then where some were ranked.
Json pointJson(const predict::WhatIfPoint& point, const std::optional<double>& tokens, int gpus) {
    const predict::Prediction& made = point.made;
    Json json{{"factor", point.factor}, {"oom", made.isOom}};
    if (made.seconds <= 0.0) // no layout fits
        return json;
    json.update(Json{{"step_time_s", made.seconds}, {"step_time_low_s", made.low},
        {"step_time_high_s", made.high}, {"tokens_per_s_per_gpu", made.tokensPerSecondPerGpu},
        {"memory_b", made.memoryB}});
    if (tokens)
        json["days"] = predict::secondsOfTokens(*tokens, made.tokensPerSecondPerGpu, gpus)
            / predict::kSecondsOfDay;
    if (point.best)
        json.update(Json{{"layout", choiceJson(*point.best)},
            {"micro_batch", point.best->microBatch}, {"recompute", recomputeText(*point.best)}});
    return json;
}

} // namespace

Json whatIfJson(
    const std::vector<predict::WhatIfRow>& rows, const std::optional<double>& tokens, int gpus) {
    return listOf(rows, [&](const predict::WhatIfRow& row) {
        return object({{"what", toString(row.what)}, {"value", row.value},
            {"points", listOf(row.points, [&](const predict::WhatIfPoint& point) {
                 return pointJson(point, tokens, gpus);
             })}});
    });
}

void printWhatIf(std::ostream& out, const plot::PredictedJob& job,
    const std::vector<predict::WhatIfRow>& rows, const predict::TrainingAsked& asked) {
    text::Table table = plot::changesTable(job, asked, rows);
    table.title.insert(0, "What if: ");
    printBelow(out, table);
}

} // namespace trainscope::cli
