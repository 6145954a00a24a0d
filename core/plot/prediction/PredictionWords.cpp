#include "core/plot/prediction/PredictionWords.h"

#include "core/catalogue/GpuModel.h"
#include "core/text/NumberMarks.h"

#include <cmath>
#include <iterator>
#include <tuple>

namespace trainscope::plot {

namespace {

using predict::BoundedValue;
using predict::LayoutChoice;
using predict::Training;

constexpr double kJoulesOfWh = 3600.0;

// "115,240", with the reader's marks.
std::string groupedCount(std::int64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');
    return text::withMarks(digits);
}

std::string recomputeWords(const LayoutChoice& choice) {
    if (choice.recompute == predict::Recompute::None)
        return {};
    std::string words = fmt::format(", {} recomputation", toString(choice.recompute));
    if (choice.recomputedLayers > 0)
        words += fmt::format(" of {}", text::counted(choice.recomputedLayers, "layer"));
    return words;
}

std::string boundsWords(const BoundedValue& value, double scale) {
    return fmt::format("{} to {}", text::number(value.interval.low * scale),
        text::number(value.interval.high * scale));
}

std::string slowWords(const predict::Goodput& goodput) {
    if (goodput.slowdown == 1.0)
        return {};
    return fmt::format(
        ", slow nodes make a step {} % longer", text::number(100.0 * (goodput.slowdown - 1.0)));
}

} // namespace

std::string choiceWords(const LayoutChoice& choice) {
    std::string words = fmt::format("TP {}", choice.tensor);
    const auto add = [&words](std::string_view name, int degree, int least) {
        if (degree > least)
            words += fmt::format(" · {} {}", name, degree);
    };
    add("CP", choice.context, 1);
    add("PP", choice.pipeline, 0);
    add("VPP", choice.virtualStages, 1);
    if (layout::splitsBackward(choice.schedule))
        words += fmt::format(" {}", titleOf(choice.schedule));
    add("EP", choice.expert, 1);
    add("ETP", choice.expertTensor, 1);
    add("DP", choice.data, 0);
    if (choice.zeroStage > 1)
        words += fmt::format(" · ZeRO {}", choice.zeroStage);
    if (choice.shard > 0)
        words += fmt::format(" in groups of {}", choice.shard);
    return words + fmt::format(", micro-batch {}", choice.microBatch) + recomputeWords(choice);
}

std::string layoutWords(const predict::Job& job) {
    return choiceWords(predict::choiceOf(job));
}

std::string jobWords(const predict::Job& job) {
    return fmt::format(
        "{}, {}", catalogue::gpusText(job.gpus(), job.machine.gpu.name), layoutWords(job));
}

std::string groupWords(const predict::ListedLayout& one) {
    if (one.group == 0)
        return std::string(kPerhapsWords);
    return fmt::format("{}{}", one.isFirst ? "" : "= ", one.group);
}

std::string searchWords(const predict::SearchResult& found) {
    const std::int64_t possible = std::ssize(found.feasible);
    std::string words = found.searched == 1
        ? fmt::format("1 layout was tried and is {}possible", possible == 0 ? "not " : "")
        : fmt::format("{} of {} {} possible", groupedCount(possible), groupedCount(found.searched),
            possible == 1 ? "layouts is" : "layouts are");
    std::vector<predict::Refusal> reasons(
        predict::kAllRefusals.begin(), predict::kAllRefusals.end());
    std::ranges::stable_sort(
        reasons, [&found](auto a, auto b) { return found.refusedBy(a) > found.refusedBy(b); });
    constexpr std::size_t kMostReasons = 3;
    std::int64_t others = 0;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        const std::int64_t refused = found.refusedBy(reasons[i]);
        if (i >= kMostReasons)
            others += refused;
        else if (refused > 0)
            words += fmt::format("{}{} by {}", i == 0 ? "; ruled out: " : ", ",
                groupedCount(refused), toString(reasons[i]));
    }
    if (others > 0)
        words += fmt::format(" and {} by other limits", groupedCount(others));
    if (const std::int64_t perhaps = possible - found.sure; perhaps > 0)
        words += fmt::format("; {} of the possible {} perhaps, by the upper bound of {} memory",
            groupedCount(perhaps), perhaps == 1 ? "fits" : "fit", perhaps == 1 ? "its" : "their");
    const std::string nearest = nearestWords(found);
    return nearest.empty() ? words : words + ". " + nearest;
}

std::string nearestWords(const predict::SearchResult& found) {
    if (!found.feasible.empty())
        return {};
    std::string words;
    if (found.leastPowerW)
        words = fmt::format("At the lowest clock a layout draws {} at least.",
            text::quantity(*found.leastPowerW, "W"));
    else if (found.nearest)
        words = fmt::format("The least memory is that of {}: {}, {} more than may be used.",
            choiceWords(found.nearest->choice), text::quantity(found.nearest->memoryB, "B"),
            text::quantity(found.nearest->lacksB, "B"));
    else if (found.searched == 0)
        words = "The given settings exclude every layout: dualpipe is for mixtures of experts "
                "with an even number of stages.";
    return words;
}

std::string timeWords(const Training& training) {
    return predictedText(training.seconds.value, training.seconds.interval, "s");
}

std::string energyWords(const Training& training) {
    const BoundedValue& joules = training.energyJ;
    return predictedText(joules.value / kJoulesOfWh,
        {joules.interval.low / kJoulesOfWh, joules.interval.high / kJoulesOfWh}, "Wh");
}

std::string goodputWords(const Training& training) {
    const predict::Goodput& goodput = training.goodput;
    return fmt::format("{} % ({}) of the time are steps, which makes {}: an interruption "
                       "every {} takes {}, a checkpoint every {} takes {}{}",
        text::number(100.0 * goodput.share.value), boundsWords(goodput.share, 100.0),
        predictedText(training.elapsedSeconds.value, training.elapsedSeconds.interval, "s"),
        text::seconds(goodput.betweenSeconds), text::seconds(goodput.restartSeconds),
        text::seconds(goodput.checkpointInterval), text::seconds(goodput.checkpointSeconds),
        slowWords(goodput));
}

std::string tokenWords(double tokens) {
    const auto shown = text::shownCount(tokens);
    return text::number(tokens * shown.scale, 4) + (shown.unit == "G" ? "B" : shown.unit)
        + " tokens";
}

std::string predictedText(double value, const predict::Interval& interval, std::string_view unit) {
    return text::withInterval(value, interval.low, interval.high, unit, text::Digits::Three);
}

namespace {

using predict::BoundedValue;
using predict::Prediction;

class CardList {
public:
    CardList(const predict::Job& job, const Prediction& made)
        : m_job(job)
        , m_made(made)
        , m_gpus(job.gpus()) { }

    std::vector<PredictedCard> make(const predict::TrainingAsked& asked) {
        if (const auto training = trainingOf(m_job, m_made, asked))
            addTraining(*training);
        add("Step time", "step_time", "s", {m_made.seconds, {m_made.low, m_made.high}});
        addServing();
        addHeadroom();
        addPower();
        add("Tokens/s per GPU", "tokens_per_s_per_gpu", "",
            {m_made.tokensPerSecondPerGpu, m_made.intervals.tokensPerSecondPerGpu});
        add("MFU", "mfu", "%", {m_made.mfu, m_made.intervals.mfu},
            text::rounded(m_made.flopsPerGpu, "FLOP/s") + " a GPU");
        addMemory();
        add("Energy of a step", "energy", "J", {m_made.energyJ, m_made.intervals.energyJ});
        if (m_made.outlook.clockHz > 0.0)
            add("SM clock", "clock", "Hz", {m_made.outlook.clockHz, m_made.intervals.clockHz},
                std::string(titleOf(m_made.outlook.limit)));
        return std::move(m_cards);
    }

private:
    PredictedCard& add(std::string title, std::string key, std::string unit,
        const BoundedValue& value, std::string note = {}, bool isWarning = false) {
        return m_cards.emplace_back(PredictedCard{
            std::move(title), std::move(key), std::move(unit), value, std::move(note), isWarning});
    }

    void addTraining(const predict::Training& training) {
        add("Time of the training", "training_time", "s", training.seconds,
            tokenWords(training.tokens));
        PredictedCard& energy = add("Energy of the training", "training_energy", "J",
            training.energyJ, "of the GPUs alone");
        energy.scale = 1.0 / predict::kSecondsOfHour;
        energy.toldIn = "Wh";
        add("With interruptions", "elapsed_time", "s", training.elapsedSeconds,
            "goodput " + text::number(training.goodput.share.value));
    }

    // Values that follow from the step keep its interval: proportional to it, or to its inverse.
    [[nodiscard]] BoundedValue alongStep(double value) const {
        return {value, {value * m_made.low / m_made.seconds, value * m_made.high / m_made.seconds}};
    }

    void addServing() {
        if (!m_made.serving)
            return;
        const predict::Serving& serving = *m_made.serving;
        add("First token", "first_token", "s", alongStep(serving.firstTokenSeconds),
            "after " + text::counted(m_job.prompt(), "token"));
        if (serving.tokenSeconds <= 0.0)
            return;
        add("Each further token", "next_token", "s", alongStep(serving.tokenSeconds));
        const double rate = serving.generatedPerSecondPerGpu;
        add("Generated tokens/s per GPU", "generated_tokens_per_s_per_gpu", "",
            {rate, {rate * m_made.seconds / m_made.high, rate * m_made.seconds / m_made.low}});
    }

    // Memory that the fullest GPU has left; none where its size is not known.
    void addHeadroom() {
        if (!m_made.capacityB)
            return;
        const predict::Interval& need = m_made.intervals.memoryB;
        const double capacity = *m_made.capacityB;
        add("Memory head-room", "memory_headroom", "B",
            {capacity - m_made.memoryB, {capacity - need.high, capacity - need.low}},
            m_made.isOom               ? "does not fit"
                : need.high > capacity ? "may not fit"
                                       : "of the fullest GPU",
            m_made.isOom);
    }

    void addPower() {
        const predict::Outlook& outlook = m_made.outlook;
        constexpr double kKept = 1.01; // to a limit's watt or so
        const auto& limitW = m_job.machine.powerLimitW;
        const bool isOver = limitW && outlook.peakW > kKept * *limitW;
        add("Power of a GPU", "power", "W", {outlook.meanW, m_made.intervals.meanW},
            isOver ? "its lowest clock does not keep the limit"
                   : "mean; peak of all " + text::rounded(outlook.peakW * m_gpus, "W"),
            isOver);
        if (outlook.node.empty())
            return;
        const auto hottest = std::ranges::max_element(
            outlook.node, [](const auto& a, const auto& b) { return a.celsius < b.celsius; });
        add("Hottest GPU", "hottest", "°C", {outlook.hottestC, m_made.intervals.hottestC},
            fmt::format("slot {} of the node", hottest->slot));
    }

    void addMemory() {
        std::string note = "of a GPU whose memory is not known";
        if (m_made.capacityB)
            note = m_made.isOom
                ? "OOM: the GPU has " + text::rounded(*m_made.capacityB, "B")
                : fmt::format("{} of {}", text::roundedPercent(m_made.memoryB / *m_made.capacityB),
                    text::rounded(*m_made.capacityB, "B"));
        add("Memory of a GPU", "memory", "B", {m_made.memoryB, m_made.intervals.memoryB}, note,
            m_made.isOom);
    }

    const predict::Job& m_job;
    const Prediction& m_made;
    double m_gpus;
    std::vector<PredictedCard> m_cards;
};

std::string valueWords(const predict::WhatIfRow& row) {
    if (!row.value)
        return text::kMissing;
    const std::string_view unit = unitOf(row.what);
    return unit == "sample" || unit == "token" ? text::counted(std::llround(*row.value), unit)
                                               : text::rounded(*row.value, unit);
}

std::string changeWords(const PredictedJob& asked, const predict::TrainingAsked& training,
    const predict::WhatIfRow& row, double factor) {
    const auto point = std::ranges::find(row.points, factor, &predict::WhatIfPoint::factor);
    if (point == row.points.end())
        return "cannot be";
    if (point->made.isOom)
        return "does not fit";
    const std::string step = text::rounded(point->made.seconds, "s");
    const double rate = point->made.tokensPerSecondPerGpu;
    constexpr double kNothing = 0.0005;
    const double longer = asked.prediction.tokensPerSecondPerGpu / rate - 1.0;
    const std::string change
        = std::abs(longer) < kNothing ? "no change" : text::signedPercent(longer);
    if (!training.tokens || asked.job.isInference())
        return fmt::format("{} ({})", step, change);
    return fmt::format("{} ({}), {}",
        text::seconds(predict::secondsOfTokens(*training.tokens, rate, asked.job.gpus())), change,
        step);
}

} // namespace

std::vector<PredictedPart> partsOf(const predict::Breakdown& breakdown) {
    std::vector<PredictedPart> parts;
    for (const predict::StepPart part : predict::kAllStepParts)
        parts.push_back({std::string(toString(part)), std::string(titleOf(part)), breakdown[part]});
    return parts;
}

std::vector<PredictedPart> partsOf(const analysis::StageNeed& stage) {
    static constexpr std::array<const char*, 6> kKeys{
        "weights", "gradients", "optimizer", "activations", "logits", "buffers"};
    const auto needs = stage.parts();
    static_assert(kKeys.size() == std::tuple_size_v<decltype(stage.parts())>);
    std::vector<PredictedPart> parts;
    for (std::size_t i = 0; i < needs.size(); ++i)
        parts.push_back({kKeys[i], std::string(needs[i].title), needs[i].bytes});
    return parts;
}

std::string PredictedCard::number(double one) const {
    return unit == "%" ? text::roundedPercent(one)
                       : text::rounded(one * scale, toldIn.empty() ? unit : toldIn);
}

std::string PredictedCard::bounds() const {
    return fmt::format("{} to {}", number(value.interval.low), number(value.interval.high));
}

std::vector<PredictedCard> predictedCards(const predict::Job& job,
    const predict::Prediction& prediction, const predict::TrainingAsked& asked) {
    return CardList(job, prediction).make(asked);
}

text::Table rankedTable(const std::vector<predict::ListedLayout>& listed,
    const predict::TrainingAsked& asked, predict::SearchObjective objective) {
    text::Table table;
    table.title = fmt::format(
        "The best first by {}; = 1: a tie with 1, {}; perhaps: its memory may not fit",
        titleOf(objective), predict::kTieWords);
    table.columns = {{"Layout", text::Align::Left}, {"Step (90 %)"}};
    if (asked.tokens)
        table.columns.push_back({"Training"});
    for (text::Column column : {text::inUnit("Memory", "B"), text::Column{"Tokens/s per GPU"},
             text::inUnit("Energy", "J"), text::inUnit("Peak power", "W")})
        table.columns.push_back(std::move(column));
    for (const predict::ListedLayout& row : listed) {
        const predict::RankedLayout& one = *row.layout;
        const Prediction& made = one.prediction;
        const std::string group = groupWords(row);
        std::vector<text::Cell> cells{(group.empty() ? "" : group + "  ") + choiceWords(one.choice),
            predictedText(made.seconds, {made.low, made.high}, "s")};
        if (const auto training = trainingOf(one.job, made, asked))
            cells.emplace_back(text::seconds(training->seconds.value));
        else if (asked.tokens)
            cells.emplace_back();
        cells.insert(
            cells.end(), {made.memoryB, made.tokensPerSecondPerGpu, made.energyJ, one.peakW});
        table.add(std::move(cells));
    }
    return table;
}

text::Table changesTable(const PredictedJob& asked, const predict::TrainingAsked& training,
    const std::vector<predict::WhatIfRow>& rows) {
    text::Table table;
    table.title = training.tokens
        ? "time of the training, its change, and the step; predicted anew, one thing at a time"
        : "the step, and the change of its time per token; predicted anew, one thing at a time";
    table.columns = {{"If it were otherwise", text::Align::Left}, {"now"}};
    for (const double factor : predict::kWhatIfFactors)
        table.columns.push_back({factor < 1.0 ? "half of it" : "twice of it"});
    for (const predict::WhatIfRow& row : rows) {
        std::vector<text::Cell> cells{titleOf(row.what), valueWords(row)};
        for (const double factor : predict::kWhatIfFactors)
            cells.emplace_back(changeWords(asked, training, row, factor));
        table.add(std::move(cells));
        if (std::ranges::any_of(row.points,
                [](const predict::WhatIfPoint& point) { return point.best.has_value(); }))
            table.title += "; with other memory the best layout then";
    }
    return table;
}

} // namespace trainscope::plot
