#include "app/cli/output/SearchOutput.h"

#include "app/cli/output/CompareOutput.h"
#include "app/cli/output/PredictionOutput.h"
#include "app/cli/text/TitledTable.h"
#include "core/figures/prediction/RankedLayouts.h"
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

Json rankedJson(const RankedLayout& one) {
    const predict::Prediction& made = one.prediction;
    Json json{{"layout", choiceJson(one.choice)}, {"micro_batch", one.choice.microBatch},
        {"recompute", recomputeText(one.choice)}, {"step_time_s", made.seconds},
        {"step_time_low_s", made.low}, {"step_time_high_s", made.high},
        {"tokens_per_s_per_gpu", made.tokensPerSecondPerGpu}, {"mfu", made.mfu},
        {"memory_b", made.memoryB}, {"energy_j", made.energyJ}, {"peak_power_w", one.peakW},
        {"is_pareto", one.isPareto}, {"is_power_pareto", one.isPowerPareto}};
    addServing(made, json);
    return json;
}

Json refusedJson(const SearchResult& result) {
    return objectOf(predict::kAllRefusals, [&](predict::Refusal reason) {
        const std::int64_t count = result.refusedBy(reason);
        return Member(std::string(toString(reason)), when(count > 0, count));
    });
}

text::Table rankedTable(const std::string& title, const std::vector<RankedLayout>& rows) {
    text::Table table;
    table.title = title;
    table.columns = {{"Layout", text::Align::Left}, {"Micro-batch"},
        {"Recompute", text::Align::Left}, text::inUnit("Step", "s"), text::inUnit("from", "s"),
        text::inUnit("to", "s"), text::inUnit("Tokens / s / GPU", "1"), text::inUnit("MFU", "%"),
        text::inUnit("Memory", "B"), text::inUnit("Energy", "J"), text::inUnit("Peak power", "W"),
        {"Pareto"}};
    for (const RankedLayout& one : rows) {
        const predict::Prediction& made = one.prediction;
        table.add(
            {predict::textOf(one.job.layout), one.choice.microBatch, recomputeText(one.choice),
                made.seconds, made.low, made.high, made.tokensPerSecondPerGpu, made.mfu,
                made.memoryB, made.energyJ, one.peakW, one.isPareto ? "*" : ""});
    }
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

Json searchJson(const SearchResult& result) {
    Json json{{"searched", result.searched}, {"feasible", result.feasible.size()},
        {"refused", refusedJson(result)}, {"is_proven", result.isProven},
        {"rows", listOf(result.top, rankedJson)},
        {"pareto", listOf(result.energyFront, rankedJson)},
        {"power_pareto", listOf(result.powerFront, rankedJson)}};
    if (result.nearest)
        json["nearest"] = nearestJson(*result.nearest);
    if (result.leastPowerW)
        json["least_power_w"] = *result.leastPowerW;
    return json;
}

void printSearch(std::ostream& out, const std::string& title, const SearchResult& result) {
    out << fmt::format("{}: {}, {} feasible\n  refused: {}\n\n", title,
        text::counted(result.searched, "combination"), result.feasible.size(), refusedText(result));
    if (result.top.empty()) {
        out << "No layout is possible.\n" << figures::nearestWords(result) << '\n';
        return;
    }
    printTitled(out, rankedTable("The best layouts", result.top));
    if (result.energyFront.size() > 1) {
        out << '\n';
        printTitled(out,
            rankedTable("Step time against energy: none is better in both", result.energyFront));
    }
    if (result.powerFront.size() > 1) {
        out << '\n';
        printTitled(out,
            rankedTable("Step time against peak power: none is better in both", result.powerFront));
    }
}

Json scalesJson(
    const std::array<std::string, 2>& names, const predict::ScaleComparison& comparison) {
    Json searches = Json::array();
    for (std::size_t side = 0; side < names.size(); ++side) {
        Json one{{"cluster", names[side]}};
        one.update(searchJson(comparison.searches[side]));
        searches.push_back(std::move(one));
    }
    const auto& larger = comparison.verdict.scaleUp;
    return {{"clusters", std::move(searches)},
        {"verdict", verdictJson(comparison.verdict, larger ? names[*larger] : std::string())}};
}

void printScales(std::ostream& out, const std::array<std::string, 2>& names,
    const predict::ScaleComparison& comparison) {
    printVerdict(comparison.verdict, out);
    for (std::size_t side = 0; side < names.size(); ++side) {
        out << '\n';
        printSearch(out, names[side], comparison.searches[side]);
    }
}

Json whatIfJson(const std::vector<predict::Sensitivity>& sensitivities) {
    return listOf(sensitivities, [](const predict::Sensitivity& one) {
        return object(
            {{"what", toString(one.what)}, {"value", one.value}, {"elasticity", one.elasticity},
                {"points", listOf(one.points, [](const predict::WhatIfPoint& point) {
                     return Json{{"factor", point.factor}, {"step_time_s", point.seconds},
                         {"step_time_low_s", point.low}, {"step_time_high_s", point.high},
                         {"tokens_per_s_per_gpu", point.tokensPerSecondPerGpu},
                         {"memory_b", point.memoryB}, {"oom", point.isOom}};
                 })}});
    });
}

void printWhatIf(
    std::ostream& out, double seconds, const std::vector<predict::Sensitivity>& sensitivities) {
    text::Table table;
    table.title = fmt::format("What if: the step, {} as it is", text::rounded(seconds, "s"));
    table.columns = {{"of what it is", text::Align::Left}};
    for (const double factor : predict::kWhatIfFactors)
        table.columns.push_back(text::inUnit(fmt::format("× {:g}", factor), "s"));
    table.columns.push_back(text::inUnit("Elasticity", "1"));
    for (const predict::Sensitivity& one : sensitivities) {
        std::vector<text::Cell> cells{titleOf(one.what)};
        for (const double factor : predict::kWhatIfFactors) {
            const auto point = std::find_if(one.points.begin(), one.points.end(),
                [factor](const predict::WhatIfPoint& made) { return made.factor == factor; });
            if (point == one.points.end())
                cells.emplace_back();
            else if (point->isOom)
                cells.emplace_back("out of memory");
            else
                cells.emplace_back(point->seconds);
        }
        cells.emplace_back(one.elasticity);
        table.add(std::move(cells));
    }
    printTitled(out, table);
}

} // namespace trainscope::cli
