#include "app/cli/output/SearchOutput.h"

#include "app/cli/output/CompareOutput.h"
#include "app/cli/output/PredictionOutput.h"
#include "app/cli/text/TitledTable.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

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
        {"memory_b", made.memoryB}, {"energy_j", made.energyJ}, {"peak_power_w", one.peakW},
        {"is_pareto", one.isPareto}, {"is_power_pareto", one.isPowerPareto}};
    addServing(made, json);
    addTraining(trainingOf(one.job, made, asked), json);
    return json;
}

// With the first of those that truly differ that it is, or is a tie with.
Json groupedJson(
    const SearchResult& result, const RankedLayout& one, const predict::TrainingAsked& asked) {
    Json json = rankedJson(one, asked);
    const std::size_t group = predict::groupOf(result, one);
    if (group > 0)
        json["ties"] = group;
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

text::Table layoutTable(const std::string& title, const std::vector<predict::ListedLayout>& rows) {
    text::Table table;
    table.title = title;
    table.columns = {{"Ties", text::Align::Left}, {"Layout", text::Align::Left}, {"Micro-batch"},
        {"Recompute", text::Align::Left}, text::inUnit("Step", "s"), text::inUnit("from", "s"),
        text::inUnit("to", "s"), text::inUnit("Tokens / s / GPU", "1"), text::inUnit("MFU", "%"),
        text::inUnit("Memory", "B"), text::inUnit("Energy", "J"), text::inUnit("Peak power", "W"),
        {"Pareto"}};
    for (const predict::ListedLayout& listed : rows) {
        const RankedLayout& one = *listed.layout;
        const predict::Prediction& made = one.prediction;
        table.add({figures::groupWords(listed), predict::textOf(one.job.layout),
            one.choice.microBatch, recomputeText(one.choice), made.seconds, made.low, made.high,
            made.tokensPerSecondPerGpu, made.mfu, made.memoryB, made.energyJ, one.peakW,
            one.isPareto ? "*" : ""});
    }
    return table;
}

// One whose rows are of no group; none of them is better in both.
text::Table frontTable(const std::string& title, const std::vector<RankedLayout>& front) {
    std::vector<predict::ListedLayout> rows;
    for (const RankedLayout& one : front)
        rows.push_back({&one});
    text::Table table = layoutTable(title, rows);
    table.columns.erase(table.columns.begin());
    for (auto& row : table.rows)
        row.erase(row.begin());
    return table;
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
    const auto plain = [&](const RankedLayout& one) { return rankedJson(one, asked); };
    const auto grouped = [&](const RankedLayout& one) { return groupedJson(result, one, asked); };
    Json json{{"searched", result.searched}, {"feasible", result.feasible.size()},
        {"refused", refusedJson(result)}, {"is_proven", result.isProven},
        {"rows", listOf(result.top, grouped)}, {"choices", listOf(result.apart, grouped)},
        {"pareto", listOf(result.energyFront, plain)},
        {"power_pareto", listOf(result.powerFront, plain)}};
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
        out << "No layout is possible.\n" << figures::nearestWords(result) << '\n';
        return;
    }
    const RankedLayout& best = result.top.front();
    out << "The best layout: ";
    printFigures(out, best.job, best.prediction, trainingOf(best.job, best.prediction, asked));
    printTitled(out,
        layoutTable(fmt::format("The best first; = 1: a tie with 1, {}", predict::kTieWords),
            predict::listedLayouts(result)));
    if (result.energyFront.size() > 1) {
        out << '\n';
        printTitled(out,
            frontTable("Step time against energy: none is better in both", result.energyFront));
    }
    if (result.powerFront.size() > 1) {
        out << '\n';
        printTitled(out,
            frontTable("Step time against peak power: none is better in both", result.powerFront));
    }
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

Result<WhatIfFacts> whatIfOf(const predict::Job& job, double seconds,
    const predict::TrainingAsked& asked, const predict::Predictor& predictor) {
    WhatIfFacts facts{seconds, job.gpus(), job.isInference() ? std::nullopt : asked.tokens, {}, {}};
    ASSIGN_OR_RETURN(facts.sensitivities, predict::sensitivitiesOf(job, predictor));
    return facts;
}

namespace {

// Absent without tokens.
std::optional<double> daysAt(const WhatIfFacts& facts, double tokensPerSecondPerGpu) {
    if (!facts.tokens)
        return std::nullopt;
    return predict::secondsOfTokens(*facts.tokens, tokensPerSecondPerGpu, facts.gpus)
        / predict::kSecondsOfDay;
}

Json pointJson(const WhatIfFacts& facts, const predict::WhatIfPoint& point) {
    Json json{{"factor", point.factor}, {"step_time_s", point.seconds},
        {"step_time_low_s", point.low}, {"step_time_high_s", point.high},
        {"tokens_per_s_per_gpu", point.tokensPerSecondPerGpu}, {"memory_b", point.memoryB},
        {"oom", point.isOom}};
    add(json, {{"days", daysAt(facts, point.tokensPerSecondPerGpu)}});
    return json;
}

// The best layout with other memory; without one it is known that none fits.
Json memoryJson(const WhatIfFacts& facts, const predict::MemoryChange& change) {
    Json json{{"factor", change.factor}};
    if (!change.best)
        return json;
    const predict::Prediction& made = change.best->prediction;
    json.update(Json{{"layout", choiceJson(change.best->choice)},
        {"micro_batch", change.best->choice.microBatch},
        {"recompute", recomputeText(change.best->choice)}, {"step_time_s", made.seconds},
        {"tokens_per_s_per_gpu", made.tokensPerSecondPerGpu}, {"memory_b", made.memoryB}});
    add(json, {{"days", daysAt(facts, made.tokensPerSecondPerGpu)}});
    return json;
}

text::Cell cellOf(
    const WhatIfFacts& facts, const predict::Sensitivity& one, double factor, bool isDays) {
    const auto point = std::find_if(one.points.begin(), one.points.end(),
        [factor](const predict::WhatIfPoint& made) { return made.factor == factor; });
    if (point == one.points.end())
        return {};
    if (point->isOom)
        return "out of memory";
    return isDays ? daysAt(facts, point->tokensPerSecondPerGpu) : std::optional(point->seconds);
}

text::Table whatIfTable(const WhatIfFacts& facts, bool isDays) {
    text::Table table;
    table.columns = {{"of what it is", text::Align::Left}};
    for (const double factor : predict::kWhatIfFactors)
        table.columns.push_back(isDays ? text::Column{fmt::format("× {:g}", factor)}
                                       : text::inUnit(fmt::format("× {:g}", factor), "s"));
    if (!isDays)
        table.columns.push_back(text::inUnit("Elasticity", "1"));
    for (const predict::Sensitivity& one : facts.sensitivities) {
        std::vector<text::Cell> cells{titleOf(one.what)};
        for (const double factor : predict::kWhatIfFactors)
            cells.push_back(cellOf(facts, one, factor, isDays));
        if (!isDays)
            cells.emplace_back(one.elasticity);
        table.add(std::move(cells));
    }
    return table;
}

} // namespace

Json whatIfJson(const WhatIfFacts& facts) {
    Json all = listOf(facts.sensitivities, [&](const predict::Sensitivity& one) {
        return object(
            {{"what", toString(one.what)}, {"value", one.value}, {"elasticity", one.elasticity},
                {"points", listOf(one.points, [&](const predict::WhatIfPoint& point) {
                     return pointJson(facts, point);
                 })}});
    });
    for (Json& one : all) {
        if (one["what"] == toString(predict::WhatIf::MemorySize) && !facts.memory.empty())
            one["best_layouts"] = listOf(facts.memory,
                [&](const predict::MemoryChange& change) { return memoryJson(facts, change); });
    }
    return all;
}

void printWhatIf(std::ostream& out, const WhatIfFacts& facts) {
    text::Table steps = whatIfTable(facts, false);
    steps.title = fmt::format("What if: the step, {} as it is", text::rounded(facts.seconds, "s"));
    for (const predict::MemoryChange& change : facts.memory)
        steps.notes.push_back(change.best
                ? fmt::format("With {:g} times the memory {} is the best: {}.", change.factor,
                    figures::choiceWords(change.best->choice),
                    text::rounded(change.best->prediction.seconds, "s"))
                : fmt::format("With {:g} times the memory no layout fits.", change.factor));
    printTitled(out, steps);
    if (!facts.tokens)
        return;
    text::Table days = whatIfTable(facts, true);
    days.title = "What if: days of the training";
    out << '\n';
    printTitled(out, days);
}

} // namespace trainscope::cli
