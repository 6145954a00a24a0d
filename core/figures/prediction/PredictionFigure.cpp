#include "core/figures/prediction/PredictionFigure.h"

#include "core/catalogue/GpuModel.h"
#include "core/figures/prediction/DecisionFigure.h"
#include "core/model/EnumNames.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

using plot::PredictedCard;
using plot::PredictedValue;
using plot::PredictionFigureData;
using predict::StepPart;

constexpr auto kPartTitles = enumNames<StepPart>({
    {StepPart::Gemm, "GEMM"},
    {StepPart::Attention, "Attention"},
    {StepPart::Elementwise, "Elementwise"},
    {StepPart::Loss, "Logits and loss"},
    {StepPart::Embedding, "Embedding"},
    {StepPart::Recompute, "Recomputation"},
    {StepPart::TensorParallel, "Tensor parallel"},
    {StepPart::ContextParallel, "Context parallel"},
    {StepPart::ExpertParallel, "Expert parallel"},
    {StepPart::Sharding, "Shards gathered"},
    {StepPart::Gap, "Waiting for the host"},
    {StepPart::Bubble, "Bubble"},
    {StepPart::DataParallel, "Data parallel"},
    {StepPart::Optimizer, "Optimizer"},
    {StepPart::Jitter, "Jitter"},
});

PredictedValue told(double value, const predict::Interval& interval) {
    return {value, interval.low, interval.high};
}

// Figures that follow from the step keep its interval: proportional to it, or to its inverse.
PredictedValue alongStep(const predict::Prediction& made, double value, bool isInverse) {
    const double low = value * made.low / made.seconds;
    const double high = value * made.high / made.seconds;
    return isInverse
        ? PredictedValue{value, value * made.seconds / made.high, value * made.seconds / made.low}
        : PredictedValue{value, low, high};
}

std::string limitWords(const predict::Outlook& outlook) {
    switch (outlook.limit) {
    case predict::ClockLimit::Power:
        return "held by the power limit";
    case predict::ClockLimit::Temperature:
        return "held by the temperature";
    case predict::ClockLimit::Locked:
        return "locked";
    case predict::ClockLimit::None:
        break;
    }
    return "nothing holds it";
}

PredictedCard memoryCard(const predict::Prediction& made) {
    PredictedCard card{"Memory of a GPU", "memory", "B", told(made.memoryB, made.intervals.memoryB),
        {}, made.isOom};
    if (!made.capacityB)
        card.note = "of a GPU whose memory is not known";
    else if (made.isOom)
        card.note = fmt::format(
            "OOM: the GPU has {}", text::quantity(*made.capacityB, "B", text::Digits::Three));
    else
        card.note = fmt::format("{} of {}{}", text::roundedPercent(made.memoryB / *made.capacityB),
            text::quantity(*made.capacityB, "B", text::Digits::Three),
            made.intervals.memoryB.high > *made.capacityB ? "; may not fit" : "");
    return card;
}

// Memory that the fullest GPU has left; absent where its size is not known.
std::optional<PredictedCard> headroomCard(const predict::Prediction& made) {
    if (!made.capacityB)
        return std::nullopt;
    const predict::Interval& need = made.intervals.memoryB;
    return PredictedCard{"Memory head-room", "memory_headroom", "B",
        told(*made.capacityB - made.memoryB,
            {*made.capacityB - need.high, *made.capacityB - need.low}),
        made.isOom                        ? "does not fit"
            : need.high > *made.capacityB ? "may not fit"
                                          : "of the fullest GPU",
        made.isOom};
}

// Behind the step's.
void addServing(const predict::Prediction& made, std::vector<PredictedCard>& cards) {
    if (!made.serving)
        return;
    const predict::Serving& serving = *made.serving;
    std::vector<PredictedCard> more{
        {"First token", "first_token", "s", alongStep(made, serving.firstTokenSeconds, false), {}}};
    if (serving.tokenSeconds > 0.0) {
        more.push_back({"Each further token", "next_token", "s",
            alongStep(made, serving.tokenSeconds, false), {}});
        more.push_back({"Generated tokens/s per GPU", "generated_tokens_per_s_per_gpu", "",
            alongStep(made, serving.generatedPerSecondPerGpu, true), {}});
    }
    cards.insert(cards.end(), more.begin(), more.end());
}

std::vector<PredictedCard> cardsOf(
    const predict::Job& job, const predict::Prediction& made, const predict::TrainingAsked& asked) {
    const predict::Outlook& outlook = made.outlook;
    const predict::Intervals& bounds = made.intervals;
    const double gpus = job.gpus();
    // Figures to decide by come first.
    std::vector<PredictedCard> cards;
    if (const auto training = trainingOf(job, made, asked))
        cards = trainingCards(*training);
    cards.push_back({"Step time", "step_time", "s", {made.seconds, made.low, made.high}, {}});
    addServing(made, cards);
    if (auto headroom = headroomCard(made))
        cards.push_back(*std::move(headroom));
    cards.push_back({"Power of a GPU", "power", "W", told(outlook.meanW, bounds.meanW),
        "mean; peak of all " + text::quantity(outlook.peakW * gpus, "W", text::Digits::Three)});
    if (!outlook.node.empty())
        cards.push_back({"Hottest GPU", "hottest", "°C", told(outlook.hottestC, bounds.hottestC),
            fmt::format("slot {} of the node",
                std::max_element(outlook.node.begin(), outlook.node.end(),
                    [](const auto& a, const auto& b) { return a.celsius < b.celsius; })
                    ->slot)});
    cards.insert(cards.end(),
        {{"Tokens/s per GPU", "tokens_per_s_per_gpu", "",
             told(made.tokensPerSecondPerGpu, bounds.tokensPerSecondPerGpu), {}},
            {"MFU", "mfu", "%", told(made.mfu, bounds.mfu), {}}, memoryCard(made),
            {"Energy of a step", "energy", "J", told(made.energyJ, bounds.energyJ), {}}});
    if (outlook.clockHz > 0.0)
        cards.push_back({"SM clock", "clock", "Hz", told(outlook.clockHz, bounds.clockHz),
            limitWords(outlook)});
    return cards;
}

std::vector<plot::PredictedPart> partsOf(const predict::Breakdown& breakdown) {
    std::vector<plot::PredictedPart> parts;
    for (std::size_t i = 0; i < predict::kStepParts; ++i) {
        const auto part = static_cast<StepPart>(i);
        parts.push_back(
            {std::string(toString(part)), std::string(figures::titleOf(part)), breakdown[part]});
    }
    return parts;
}

plot::PredictedStep stepOf(const PredictedJob& one) {
    const auto& made = one.prediction;
    return {one.name, {made.seconds, made.low, made.high}, partsOf(made.breakdown()), false,
        made.isOom};
}

plot::PredictedStage stageOf(const analysis::StageNeed& need) {
    const auto parts = need.parts();
    static constexpr std::array<const char*, 6> kKeys{
        "weights", "gradients", "optimizer", "activations", "logits", "buffers"};
    static_assert(kKeys.size() == std::tuple_size_v<decltype(need.parts())>);
    plot::PredictedStage stage{need.stage, {}};
    for (std::size_t i = 0; i < parts.size(); ++i)
        stage.parts.push_back({kKeys[i], std::string(parts[i].title), parts[i].bytes});
    return stage;
}

// The plan with the predicted durations of its passes; without a pipeline there is none.
std::optional<plot::ScheduleFigureData> scheduleOf(const PredictedJob& one) {
    const layout::Schedule& schedule = one.prediction.step.schedule;
    if (schedule.stages < 2 || schedule.tasks.empty())
        return std::nullopt;
    plot::ScheduleFigureData data;
    data.title = one.job.isInference() ? "Prompts in the pipeline" : "Pipeline schedule";
    data.unit = "s";
    data.planned = schedule;
    data.to = schedule.makespan;
    data.plannedBubble = schedule.bubbleFraction;
    for (const double bubble : schedule.stageBubble)
        data.stages.push_back({-1, std::nullopt, bubble});
    const std::string_view kind = one.job.isInference() ? "Forward alone" : titleOf(schedule.kind);
    data.caption = fmt::format("{}, {}, {}; hatched: no pass runs, {} in all", kind,
        text::counted(schedule.stages, "stage"),
        text::counted(schedule.microbatches, "micro-batch", "micro-batches"),
        text::percent(schedule.bubbleFraction));
    return data;
}

std::string valueWords(const predict::Sensitivity& one) {
    if (!one.value)
        return {};
    switch (one.what) {
    case predict::WhatIf::LinkBandwidth:
    case predict::WhatIf::NetworkBandwidth:
    case predict::WhatIf::MemoryBandwidth:
        return text::quantity(*one.value, "B/s", text::Digits::Three);
    case predict::WhatIf::MemorySize:
        return text::quantity(*one.value, "B", text::Digits::Three);
    case predict::WhatIf::PowerLimit:
        return text::quantity(*one.value, "W", text::Digits::Three);
    case predict::WhatIf::GlobalBatch:
    case predict::WhatIf::MicroBatch:
        return text::counted(std::llround(*one.value), "sample");
    case predict::WhatIf::Sequence:
        break;
    }
    return text::counted(std::llround(*one.value), "token");
}

std::string wayOf(const predict::Job& job) {
    if (job.isInference())
        return fmt::format("inference, {} of them generated", job.generated);
    const std::string recomputation = fmt::format("recomputation {}", toString(job.recompute));
    return job.workload == Workload::Lora
        ? fmt::format("LoRA {}, {}", textOf(job.adapters), recomputation)
        : recomputation;
}

} // namespace

std::string_view titleOf(predict::StepPart part) {
    return kPartTitles.nameOf(part);
}

std::string layoutWords(const predict::Job& job) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    std::string words = fmt::format("TP {}", degrees.tensor);
    const auto add = [&words](std::string_view name, int degree) {
        if (degree > 1)
            words += fmt::format(" · {} {}", name, degree);
    };
    add("CP", degrees.context);
    words += fmt::format(" · PP {}", degrees.pipeline);
    add("VPP", job.layout.virtualStages);
    add("EP", degrees.expert);
    words += fmt::format(" · DP {}", degrees.data);
    if (job.layout.sharding && job.layout.sharding->zeroStage > 1)
        add("ZeRO", job.layout.sharding->zeroStage);
    return words + fmt::format(", micro-batch {}", job.microBatch);
}

std::string jobWords(const predict::Job& job) {
    return fmt::format(
        "{}, {}", catalogue::gpusText(job.gpus(), job.machine.gpu.name), layoutWords(job));
}

plot::PredictionFigureData predictionData(const PredictionBoardFacts& facts) {
    const predict::Job& job = facts.asked.job;
    const predict::Prediction& made = facts.asked.prediction;
    PredictionFigureData data;
    data.title = fmt::format("Prediction · {} · {}", job.model.name, jobWords(job));
    data.caption
        = fmt::format("Predicted, not measured: {} in {}, {} a sample, global batch {}, {}. "
                      "Intervals hold nine of ten measurements.",
            job.model.name, toString(job.precision), text::counted(job.sequence, "token"),
            job.globalBatch, wayOf(job));
    data.notes = job.layout.notes;
    if (!made.power.source.empty())
        data.notes.push_back("Power and heat by what was measured of " + made.power.source + ".");
    data.cards = cardsOf(job, made, facts.training);
    if (facts.measured)
        data.steps.push_back(
            {facts.measured->name, {facts.measured->seconds, {}, {}}, {}, true, false});
    for (const PredictedJob& other : facts.others)
        data.steps.push_back(stepOf(other));
    data.steps.push_back(stepOf(facts.asked));
    for (const auto& need : made.memory)
        data.stages.push_back(stageOf(need));
    data.capacityB = made.capacityB;
    for (const auto& gpu : made.outlook.node)
        data.node.push_back({gpu.slot, gpu.watts, gpu.celsius});
    data.schedule = scheduleOf(facts.asked);
    data.rate = made.tokensPerSecondPerGpu;
    data.sensitivities = sensitivitiesShown(facts.sensitivities);
    data.tracks = facts.tracks;
    return data;
}

std::vector<plot::PredictedSensitivity> sensitivitiesShown(
    const std::vector<predict::Sensitivity>& sensitivities) {
    std::vector<plot::PredictedSensitivity> shown;
    for (const predict::Sensitivity& one : sensitivities) {
        plot::PredictedSensitivity& row = shown.emplace_back();
        row.key = toString(one.what);
        row.title = predict::titleOf(one.what);
        row.value = valueWords(one);
        row.elasticity = one.elasticity;
        for (const predict::WhatIfPoint& point : one.points) {
            const double tokens = point.tokensPerSecondPerGpu;
            row.changes.push_back({point.factor,
                {tokens, tokens * point.seconds / point.high, tokens * point.seconds / point.low},
                point.isOom, {point.seconds, point.low, point.high}});
        }
    }
    return shown;
}

std::vector<plot::PredictionPanel> boardPanels() {
    std::vector<plot::PredictionPanel> panels(
        plot::kPredictionPanels.begin(), plot::kPredictionPanels.end());
    std::erase(panels, plot::PredictionPanel::Ranking);
    std::erase(panels, plot::PredictionPanel::Choices);
    return panels;
}

Figure predictionFigure(const std::shared_ptr<const PredictionFigureData>& data,
    std::vector<plot::PredictionPanel> panels) {
    const bool hasAny = std::any_of(panels.begin(), panels.end(),
        [&data](plot::PredictionPanel panel) { return data->has(panel); });
    Figure figure{
        "prediction", data->title, hasAny ? std::string() : data->emptyText, {}, {}, {}, {}};
    figure.csv = [data] { return predictionCsv(*data); };
    figure.draw = drawing(
        data, [panels = std::move(panels)](const PredictionFigureData& drawn, const auto& style) {
            return buildPrediction(drawn, style, panels);
        });
    return figure;
}

} // namespace trainscope::figures
