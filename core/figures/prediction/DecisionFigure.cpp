#include "core/figures/prediction/DecisionFigure.h"

#include "core/catalogue/GpuModel.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

using predict::BoundedValue;
using predict::Training;

constexpr std::size_t kMostTies = 5; // of a page
constexpr double kJoulesOfWh = 3600.0;

std::string boundsWords(const BoundedValue& value, double scale) {
    return fmt::format("{} to {}", text::number(value.interval.low * scale),
        text::number(value.interval.high * scale));
}

// "66 days to 79 days"
std::string timeBounds(const BoundedValue& time) {
    return fmt::format(
        "{} to {}", text::seconds(time.interval.low), text::seconds(time.interval.high));
}

// Three digits, which is what intervals are worth.
std::string told(double value, const predict::Interval& interval, std::string_view unit) {
    return text::withInterval(value, interval.low, interval.high, unit, text::Digits::Three);
}

BoundedValue wattHoursOf(const Training& training) {
    const BoundedValue& joules = training.energyJ;
    return {joules.value / kJoulesOfWh,
        {joules.interval.low / kJoulesOfWh, joules.interval.high / kJoulesOfWh}};
}

std::string amountWords(double amount) {
    const auto shown = text::shownCount(std::abs(amount));
    const std::string words = text::number(amount * shown.scale);
    return shown.unit.empty() ? words : words + " " + shown.unit;
}

std::string workWords(const predict::Job& job) {
    return fmt::format("{} on {}: {} in {}, {} a sample, global batch {}", job.model.name,
        catalogue::gpusText(job.gpus(), job.machine.gpu.name), toString(job.workload),
        predict::textOf(job.stated()), text::counted(job.sequence, "token"), job.globalBatch);
}

std::string memoryWords(const predict::Prediction& made) {
    const predict::Interval& need = made.intervals.memoryB;
    if (!made.capacityB)
        return fmt::format("{} of each GPU are used.", told(made.memoryB, need, "B"));
    if (made.isOom)
        return fmt::format("It does not fit: {} are needed of the {} of each GPU.",
            told(made.memoryB, need, "B"),
            text::quantity(*made.capacityB, "B", text::Digits::Three));
    return fmt::format("Each GPU has {} of its {} left{}.",
        told(*made.capacityB - made.memoryB,
            {*made.capacityB - need.high, *made.capacityB - need.low}, "B"),
        text::quantity(*made.capacityB, "B", text::Digits::Three),
        need.high > *made.capacityB ? ", so that it may not fit" : "");
}

std::string trainingSentence(const Training& training) {
    std::string words = fmt::format("{} take {} and {}", tokenWords(training.tokens),
        timeWords(training), energyWords(training));
    if (training.cost)
        words += fmt::format(
            ", and cost {} at {}", costWords(*training.cost), priceWords(training.asked));
    return fmt::format("{}. {}.", words, goodputWords(training));
}

std::string stepSentence(const predict::Prediction& made) {
    const predict::Outlook& outlook = made.outlook;
    return fmt::format("A step takes {}. {} A GPU draws {} in the mean; the hottest settles at {}.",
        told(made.seconds, {made.low, made.high}, "s"), memoryWords(made),
        told(outlook.meanW, made.intervals.meanW, "W"),
        told(outlook.hottestC, made.intervals.hottestC, "°C"));
}

std::string_view objectiveWords(predict::SearchObjective objective) {
    switch (objective) {
    case predict::SearchObjective::Time:
        return "step time";
    case predict::SearchObjective::Energy:
        return "energy";
    case predict::SearchObjective::PeakPower:
        break;
    }
    return "peak power";
}

bool isBestOf(const predict::SearchResult& found, const predict::LayoutChoice& choice) {
    return !found.top.empty() && found.top.front().choice == choice;
}

std::string rankSentence(const predict::SearchResult& found, const predict::LayoutChoice& choice) {
    const auto ties = std::count_if(found.top.begin() + 1, found.top.end(),
        [&](const auto& one) { return areTied(one, found.top.front(), found.objective); });
    const std::string which = isBestOf(found, choice)
        ? "The best by"
        : fmt::format("Not the best, which is {}, by", choiceWords(found.top.front().choice));
    return fmt::format(
        "{} {} of {} that {} possible; {} of the {} that follow {} with the best: {}.", which,
        objectiveWords(found.objective), text::counted(std::ssize(found.feasible), "layout"),
        found.feasible.size() == 1 ? "is" : "are", ties, std::ssize(found.top) - 1,
        ties == 1 ? "is a tie" : "are ties", predict::kTieWords);
}

// The rows of a ranking, with what a training on them takes.
class ChoiceTable {
public:
    ChoiceTable(const DecisionFacts& facts, const predict::LayoutChoice& chosen)
        : m_facts(facts)
        , m_chosen(chosen) { }

    [[nodiscard]] PredictedTable make() const {
        PredictedTable table;
        table.heads = {"Layout", "Step"};
        if (m_facts.asked.tokens)
            table.heads.emplace_back("Training");
        for (const char* head : {"Memory", "Tokens/s per GPU", "Energy of a step"})
            table.heads.emplace_back(head);
        std::size_t ties = 0;
        std::size_t left = 0;
        for (const auto& one : predict::listedLayouts(*m_facts.found)) {
            if (one.isFirst || ties++ < kMostTies)
                table.rows.push_back(rowOf(one));
            else
                ++left;
        }
        table.caption = fmt::format("by {}; = 1: a tie with 1, {}",
            objectiveWords(m_facts.found->objective), predict::kTieWords);
        if (left > 0)
            table.caption += fmt::format("; {} more {} not shown", left, left == 1 ? "is" : "are");
        return table;
    }

private:
    [[nodiscard]] PredictedTable::Row rowOf(const predict::ListedLayout& one) const {
        const predict::Prediction& made = one.layout->prediction;
        PredictedTable::Row row;
        row.isStrong = one.isBest();
        row.isQuiet = !one.isFirst;
        const std::string mark = one.layout->choice == m_chosen && !one.isBest() ? "▸ " : "";
        const std::string group = groupWords(one);
        row.cells = {fmt::format("{}{}{}{}", mark, group, group.empty() ? "" : "  ",
                         choiceWords(one.layout->choice)),
            told(made.seconds, {made.low, made.high}, "s")};
        if (const auto training = trainingOf(one.layout->job, made, m_facts.asked))
            row.cells.push_back(text::seconds(training->seconds.value));
        else if (m_facts.asked.tokens)
            row.cells.emplace_back(text::kMissing);
        row.cells.push_back(text::quantity(made.memoryB, "B", text::Digits::Three));
        row.cells.push_back(text::number(made.tokensPerSecondPerGpu, 4));
        row.cells.push_back(text::quantity(made.energyJ, "J", text::Digits::Three));
        return row;
    }

    const DecisionFacts& m_facts;
    const predict::LayoutChoice& m_chosen;
};

// Its step and training at half and twice of each thing.
class ChangeTable {
public:
    explicit ChangeTable(const DecisionFacts& facts)
        : m_facts(facts) { }

    [[nodiscard]] PredictedTable make() const {
        PredictedTable table;
        table.heads = {"If it were otherwise", "now"};
        for (const double factor : kFactors)
            table.heads.push_back(factor < 1.0 ? "half of it" : "twice of it");
        for (const auto& one : m_facts.sensitivities) {
            PredictedTable::Row row;
            row.cells = {one.title, one.value.empty() ? text::kMissing : one.value};
            const bool isRanked
                = one.key == toString(predict::WhatIf::MemorySize) && !m_facts.memory.empty();
            for (const double factor : kFactors)
                row.cells.push_back(isRanked ? memoryCell(factor) : cellOf(one, factor));
            table.rows.push_back(std::move(row));
        }
        table.caption = m_facts.asked.tokens
            ? "time of the training, its change, and the step; predicted anew, one thing at a time"
            : "the step, and the change of its time per token; predicted anew, one thing at a time";
        if (!m_facts.memory.empty())
            table.caption += "; with other memory the best layout then";
        return table;
    }

private:
    static constexpr std::array kFactors{
        predict::kWhatIfFactors.front(), predict::kWhatIfFactors.back()};

    [[nodiscard]] std::string words(double rate, double seconds) const {
        const std::string step = text::quantity(seconds, "s", text::Digits::Three);
        constexpr double kNothing = 0.0005;
        const double longer = m_facts.prediction->tokensPerSecondPerGpu / rate - 1.0;
        const std::string change
            = std::abs(longer) < kNothing ? "no change" : text::signedPercent(longer);
        if (!m_facts.asked.tokens || m_facts.job->isInference())
            return fmt::format("{} ({})", step, change);
        const double all
            = predict::secondsOfTokens(*m_facts.asked.tokens, rate, m_facts.job->gpus());
        return fmt::format("{} ({}), {}", text::seconds(all), change, step);
    }
    [[nodiscard]] std::string cellOf(const PredictedSensitivity& one, double factor) const {
        const auto change = std::find_if(one.changes.begin(), one.changes.end(),
            [factor](const PredictedChange& some) { return some.factor == factor; });
        if (change == one.changes.end())
            return "cannot be";
        return change->isOom ? "does not fit" : words(change->rate.value, change->seconds.value);
    }
    [[nodiscard]] std::string memoryCell(double factor) const {
        const auto change = std::find_if(m_facts.memory.begin(), m_facts.memory.end(),
            [factor](const predict::MemoryChange& some) { return some.factor == factor; });
        if (change == m_facts.memory.end())
            return text::kMissing;
        if (!change->best)
            return "no layout fits";
        const predict::Prediction& made = change->best->prediction;
        return words(made.tokensPerSecondPerGpu, made.seconds);
    }

    const DecisionFacts& m_facts;
};

std::vector<std::string> sourceLines(const DecisionFacts& facts) {
    const predict::Prediction& made = *facts.prediction;
    const std::string step = made.isSampled ? "from operator samples of its kind of GPU"
        : facts.calibration.empty()
        ? "from formulas whose constants were fitted to published training runs, or are estimates"
        : "from formulas; " + facts.calibration;
    const std::string known = made.isFromDataSheet
        ? " Its kind of GPU is known by its data sheet alone, so that the interval is wider."
        : "";
    std::vector<std::string> lines{
        fmt::format("Step: {}; its interval is how well the constants are known and how far "
                    "published steps are off.{}",
            step, known),
        fmt::format("Memory: counted from model and layout; its interval is what allocators of "
                    "published runs reserved. Power and heat: {}.",
            made.power.source.empty() ? "constants of recorded runs and of the catalogue of GPUs"
                                      : "by what was measured of " + made.power.source)};
    if (facts.asked.tokens && !facts.job->isInference())
        lines.push_back(fmt::format(
            "Time is tokens / tokens per second, without evaluation, checkpoints and restarts. "
            "Energy is mean power × time of the GPUs alone, without hosts, network and cooling. {}",
            facts.asked.isPriced()
                ? fmt::format("Prices are as given: {}; bounds of the cost are those of time and "
                              "energy together.",
                    priceWords(facts.asked))
                : "No price was given, so that there is no cost."));
    return lines;
}

std::string slowWords(const predict::Goodput& goodput) {
    if (goodput.slowdown == 1.0)
        return {};
    return fmt::format(
        ", slow nodes make a step {} % longer", text::number(100.0 * (goodput.slowdown - 1.0)));
}

} // namespace

std::string timeWords(const Training& training) {
    return told(training.seconds.value, training.seconds.interval, "s");
}

std::string energyWords(const Training& training) {
    const BoundedValue all = wattHoursOf(training);
    return told(all.value, all.interval, "Wh");
}

std::string goodputWords(const Training& training) {
    const predict::Goodput& goodput = training.goodput;
    return fmt::format("{} % ({}) of the time are steps, which makes {}: an interruption "
                       "every {} takes {}, a checkpoint every {} takes {}{}",
        text::number(100.0 * goodput.share.value), boundsWords(goodput.share, 100.0),
        told(training.elapsedSeconds.value, training.elapsedSeconds.interval, "s"),
        text::seconds(goodput.betweenSeconds), text::seconds(goodput.restartSeconds),
        text::seconds(goodput.checkpointInterval), text::seconds(goodput.checkpointSeconds),
        slowWords(goodput));
}

std::string costWords(const BoundedValue& cost) {
    const auto shown = text::shownCount(cost.value);
    return fmt::format("{} ({})", amountWords(cost.value), boundsWords(cost, shown.scale));
}

std::string priceWords(const predict::TrainingAsked& asked) {
    std::string words;
    if (asked.gpuHourPrice)
        words = text::number(*asked.gpuHourPrice, 4) + " a GPU hour";
    if (asked.kwhPrice)
        words += fmt::format(
            "{}{} a kWh", words.empty() ? "" : ", ", text::number(*asked.kwhPrice, 4));
    return words;
}

std::string tokenWords(double tokens) {
    const auto shown = text::shownCount(tokens);
    return text::number(tokens * shown.scale, 4) + (shown.unit == "G" ? "B" : shown.unit)
        + " tokens";
}

std::vector<PredictedCard> trainingCards(const Training& training) {
    const auto valueOf = [](const BoundedValue& one) {
        return PredictedValue{one.value, one.interval.low, one.interval.high};
    };
    const BoundedValue energy = wattHoursOf(training);
    const auto inWh = [&](double value) { return text::rounded(value, "Wh"); };
    std::vector<PredictedCard> cards{
        {"Time of the training", "training_time", "s", valueOf(training.seconds),
            tokenWords(training.tokens), false, text::seconds(training.seconds.value),
            timeBounds(training.seconds)},
        {"Energy of the training", "training_energy", "J", valueOf(training.energyJ),
            "of the GPUs alone", false, inWh(energy.value),
            fmt::format("{} to {}", inWh(energy.interval.low), inWh(energy.interval.high))}};
    if (training.goodput.share.value > 0.0) {
        const BoundedValue& elapsed = training.elapsedSeconds;
        cards.push_back({"With interruptions", "elapsed_time", "s", valueOf(elapsed),
            "goodput " + text::number(training.goodput.share.value), false,
            text::seconds(elapsed.value), timeBounds(elapsed)});
    }
    if (training.cost)
        cards.push_back({"Cost of the training", "training_cost", "1", valueOf(*training.cost),
            "at the prices given", false, amountWords(training.cost->value),
            fmt::format("{} to {}", amountWords(training.cost->interval.low),
                amountWords(training.cost->interval.high))});
    return cards;
}

PredictedDecision decisionOf(const DecisionFacts& facts) {
    const predict::LayoutChoice choice = predict::choiceOf(*facts.job);
    PredictedDecision decision;
    decision.answer = choiceWords(choice);
    decision.job = workWords(*facts.job);
    if (const auto training = trainingOf(*facts.job, *facts.prediction, facts.asked))
        decision.reasons.push_back(trainingSentence(*training));
    decision.reasons.push_back(stepSentence(*facts.prediction));
    if (facts.found != nullptr && !facts.found->top.empty()) {
        decision.reasons.push_back(rankSentence(*facts.found, choice));
        decision.choices = ChoiceTable(facts, choice).make();
    } else {
        decision.reasons.emplace_back(
            "This is the layout that was asked for; others were not ranked.");
    }
    if (!facts.sensitivities.empty())
        decision.changes = ChangeTable(facts).make();
    decision.sources = sourceLines(facts);
    return decision;
}

std::vector<PredictionPanel> decisionPanels() {
    return {PredictionPanel::Answer, PredictionPanel::Cards, PredictionPanel::Choices,
        PredictionPanel::Verdict, PredictionPanel::Changes, PredictionPanel::Sources};
}

} // namespace trainscope::figures
