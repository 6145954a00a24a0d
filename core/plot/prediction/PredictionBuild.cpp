// The board of a prediction: its cards, and panels beside and below each other.
#include "core/catalogue/GpuModel.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/plot/prediction/PredictionWords.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

// The numbers of a prediction's board.

class PredictionCsvWriter {
public:
    explicit PredictionCsvWriter(const PredictionFigureData& data)
        : m_data(data) { }

    std::string write() {
        m_csv = "panel,name,part,unit,value,low,high\n";
        if (m_data.asked)
            addJob(*m_data.asked);
        addLayouts();
        addWhatIf();
        addTracks();
        return std::move(m_csv);
    }

private:
    void add(std::string_view panel, std::string_view name, std::string_view part,
        std::string_view unit, double value, std::optional<predict::Interval> bounds = {}) {
        text::addCsvLine(m_csv,
            {panel, name, part, unit, value, bounds ? text::Cell(bounds->low) : text::Cell(),
                bounds ? text::Cell(bounds->high) : text::Cell()});
    }
    void addStep(const PredictedJob& one) {
        const predict::Prediction& made = one.prediction;
        add("step", one.name, made.isOom ? "out of memory" : "", "s", made.seconds,
            predict::Interval{made.low, made.high});
        for (const PredictedPart& part : partsOf(made.breakdown()))
            add("step", one.name, part.key, "s", part.value);
    }

    void addJob(const PredictedJob& asked) {
        for (const auto& card : predictedCards(asked.job, asked.prediction, m_data.training))
            add("figures", card.key, {}, card.unit == "%" ? "1" : card.unit, card.value.value,
                card.value.interval);
        if (m_data.measured)
            add("step", m_data.measured->name, {}, "s", m_data.measured->seconds);
        for (const PredictedJob* one : m_data.predicted())
            addStep(*one);
        for (const auto& stage : asked.prediction.memory) {
            for (const PredictedPart& part : partsOf(stage))
                add("memory", fmt::format("stage {}", stage.stage), part.key, "B", part.value);
        }
        for (const auto& gpu : asked.prediction.outlook.node) {
            const std::string name = fmt::format("slot {}", gpu.slot);
            add("node", name, "power", "W", gpu.watts);
            add("node", name, "temperature", "°C", gpu.celsius);
        }
    }

    void addRanked(const predict::ListedLayout& listed) {
        const predict::RankedLayout& one = *listed.layout;
        const predict::Prediction& made = one.prediction;
        const std::string name = choiceWords(one.choice);
        const std::string part = listed.group > 0 ? "ranking" : "ranking_perhaps";
        add(part, name, "step_time", "s", made.seconds, predict::Interval{made.low, made.high});
        add(part, name, "energy", "J", made.energyJ);
        add(part, name, "peak_power", "W", one.peakW);
        add(part, name, "memory", "B", made.memoryB);
        add(part, name, "tokens_per_s_per_gpu", "1/s", made.tokensPerSecondPerGpu);
        if (listed.group > 0)
            add(part, name, "ties", "1", static_cast<double>(listed.group));
    }

    void addLayouts() {
        if (m_data.found) {
            for (const predict::ListedLayout& one : predict::listedLayouts(*m_data.found))
                addRanked(one);
        }
        if (!m_data.rival)
            return;
        for (const auto& quantity : m_data.rival->quantities) {
            for (std::size_t run = 0; run < m_data.rival->runs.size(); ++run) {
                if (const auto value = quantity.value(run))
                    add("clusters", m_data.rival->runs[run].named.name, quantity.info().key,
                        quantity.axis.siUnit, *value);
            }
        }
    }

    // Out of memory: no rate is reached.
    void addWhatIf() {
        for (const predict::WhatIfRow& row : m_data.whatIf) {
            for (const predict::WhatIfPoint& point : row.points) {
                const predict::Prediction& made = point.made;
                const std::string part = fmt::format(
                    "{}{:g} times", made.isOom ? "out of memory, " : "", point.factor);
                if (made.isOom) {
                    text::addCsvLine(
                        m_csv, {"what_if", toString(row.what), part, "1/s", {}, {}, {}});
                    continue;
                }
                const double tokens = made.tokensPerSecondPerGpu * made.seconds;
                add("what_if", toString(row.what), part, "1/s", made.tokensPerSecondPerGpu,
                    predict::Interval{tokens / made.high, tokens / made.low});
                add("what_if", toString(row.what), "step time, " + part, "s", made.seconds,
                    predict::Interval{made.low, made.high});
            }
        }
    }

    void addTracks() {
        if (!m_data.tracks)
            return;
        for (const auto& track : m_data.tracks->tracks) {
            const auto& told = track.told;
            const std::string& unit = track.axis.siUnit;
            add("residual", track.axis.metric, "bias", unit, told.bias);
            add("residual", track.axis.metric, "mean", unit, told.mean);
            add("residual", track.axis.metric, "p90", unit, told.p90);
            addLine(track, "measured", track.measured);
            addLine(track, "predicted", track.predicted);
        }
    }

    void addLine(const PredictedTrack& track, std::string_view panel, const PredictedLine& line) {
        const double whole = m_data.tracks->seconds.value_or(1.0);
        const auto columns = static_cast<double>(line.mean.size());
        for (std::size_t i = 0; i < line.mean.size(); ++i) {
            if (std::isnan(line.mean[i]))
                continue;
            const double at = whole * (static_cast<double>(i) + 0.5) / columns;
            text::addCsvLine(m_csv,
                {panel, track.axis.metric,
                    fmt::format("at {:.6g}{}", at, m_data.tracks->seconds ? " s" : " of the step"),
                    track.axis.siUnit, line.mean[i], line.low[i], line.high[i]});
        }
    }

    const PredictionFigureData& m_data;
    std::string m_csv;
};

constexpr double kBesideEachOther = 56.0; // in sizes of the body text
constexpr int kMostHeadLines = 3; // title or subtitle

std::string workWords(const predict::Job& job) {
    return fmt::format("{} on {}: {} in {}, {} a sample, global batch {}", job.model.name,
        catalogue::gpusText(job.gpus(), job.machine.gpu.name), toString(job.workload),
        predict::textOf(job.stated()), text::counted(job.sequence, "token"), job.globalBatch);
}

using Data = PredictionFigureData;

enum class PanelPlace { Whole, Half, Bare }; // Half: beside another where there is room
// Bare: with frames of its own and without a head.
struct PredictedPanel {
    PredictionPanel panel;
    PanelPlace place;
    PanelContent (*make)(const PredictionFrame& frame, double width);
    bool (*isThere)(const Data& data);
    PanelTexts (*head)(const Data& data);
};

bool isAsked(const Data& data) {
    return data.asked != nullptr;
}
PanelTexts noHead(const Data& /*data*/) {
    return {};
}

constexpr std::array kPanels{
    PredictedPanel{PredictionPanel::Answer, PanelPlace::Whole, predictedReasons, isAsked,
        [](const Data& data) {
            return PanelTexts{layoutWords(data.asked->job), workWords(data.asked->job)};
        }},
    PredictedPanel{PredictionPanel::Cards, PanelPlace::Bare, predictedCardGrid, isAsked, noHead},
    PredictedPanel{PredictionPanel::Choices, PanelPlace::Whole, predictedChoices,
        [](const Data& data) { return data.found && !data.found->top.empty(); },
        [](const Data& data) {
            return PanelTexts{"Layouts to choose from", choicesCaption(data)};
        }},
    PredictedPanel{PredictionPanel::Changes, PanelPlace::Whole, predictedChanges,
        [](const Data& data) { return isAsked(data) && !data.whatIf.empty(); },
        [](const Data& data) {
            return PanelTexts{"What would change this",
                changesTable(*data.asked, data.training, data.whatIf).title};
        }},
    PredictedPanel{PredictionPanel::Verdict, PanelPlace::Bare, predictedVerdict,
        [](const Data& data) { return data.rival != nullptr; }, noHead},
    PredictedPanel{PredictionPanel::Step, PanelPlace::Whole, predictedSteps, isAsked,
        [](const Data& /*data*/) {
            return PanelTexts{"Where the step goes",
                "of the slowest stage, exposed time only; whiskers: 90 % interval of the step"};
        }},
    PredictedPanel{PredictionPanel::Tracks, PanelPlace::Whole, predictedTracks,
        [](const Data& data) { return data.tracks && !data.tracks->tracks.empty(); },
        [](const Data& data) {
            return PanelTexts{"Predicted over measured", data.tracks->caption};
        }},
    PredictedPanel{PredictionPanel::Memory, PanelPlace::Half, predictedMemory,
        [](const Data& data) { return isAsked(data) && !data.asked->prediction.memory.empty(); },
        [](const Data& /*data*/) {
            return PanelTexts{"Memory by stage", "of one GPU when it needs most"};
        }},
    PredictedPanel{PredictionPanel::Heat, PanelPlace::Half, predictedHeat,
        [](const Data& data) {
            return isAsked(data) && !data.asked->prediction.outlook.node.empty();
        },
        [](const Data& /*data*/) {
            return PanelTexts{
                "Heat of a node", "steady, GPUs in the order of the air, front first"};
        }},
    PredictedPanel{PredictionPanel::Schedule, PanelPlace::Whole, predictedSchedule,
        [](const Data& data) { return data.schedule != nullptr; },
        [](const Data& data) {
            return PanelTexts{
                data.asked->job.isInference() ? "Prompts in the pipeline" : "Pipeline schedule",
                scheduleCaption(*data.asked)};
        }},
    PredictedPanel{PredictionPanel::Sources, PanelPlace::Whole, predictedSources, isAsked,
        [](const Data& /*data*/) {
            return PanelTexts{"Where the figures come from",
                "predicted, not measured; intervals hold nine of ten measurements"};
        }},
};

const PredictedPanel& rowOf(PredictionPanel panel) {
    return *std::ranges::find(kPanels, panel, &PredictedPanel::panel);
}

std::string wayOf(const predict::Job& job) {
    if (job.isInference())
        return fmt::format("inference, {} of them generated", job.generated);
    const std::string recomputation = fmt::format("recomputation {}", toString(job.recompute));
    return job.workload == Workload::Lora
        ? fmt::format("LoRA {}, {}", textOf(job.adapters), recomputation)
        : recomputation;
}

class PredictionBoard {
public:
    PredictionBoard(const PredictionFigureData& data, const FigureStyle& style,
        const std::vector<PredictionPanel>& panels)
        : m_data(data)
        , m_frame(m_picture, style, data)
        , m_board(m_frame) {
        for (const PredictionPanel panel : panels) {
            if (data.has(panel))
                m_panels.push_back(&rowOf(panel));
        }
    }

    Picture build() {
        m_board.addTitle(m_data.title, kMostHeadLines);
        placeAll();
        m_board.close(m_data);
        return std::move(m_picture);
    }

private:
    void placeAll() {
        const bool isWide = m_board.width() / m_frame.size(TextRole::Body) >= kBesideEachOther;
        for (std::size_t i = 0; i < m_panels.size();) {
            std::vector<BoardPanel> row{panelOf(m_panels[i])};
            const bool isFirstHalf = isWide && m_panels[i]->place == PanelPlace::Half;
            ++i;
            if (isFirstHalf && i < m_panels.size() && m_panels[i]->place == PanelPlace::Half)
                row.push_back(panelOf(m_panels[i++]));
            m_board.addRow(row);
        }
    }

    [[nodiscard]] BoardPanel panelOf(const PredictedPanel* panel) {
        PanelTexts head = panel->head(m_data);
        return {panel->place == PanelPlace::Bare ? PanelEdge::None : PanelEdge::FrameAndHead,
            std::move(head.title), std::move(head.subtitle), kMostHeadLines,
            [this, panel](double wide) { return panel->make(m_frame, wide); }};
    }

    const PredictionFigureData& m_data;
    Picture m_picture;
    PredictionFrame m_frame;
    PanelBoard m_board;
    std::vector<const PredictedPanel*> m_panels;
};

} // namespace

std::string predictionCsv(const PredictionFigureData& data) {
    return PredictionCsvWriter(data).write();
}

bool PredictionFigureData::has(PredictionPanel panel) const {
    return rowOf(panel).isThere(*this);
}

std::vector<const PredictedJob*> PredictionFigureData::predicted() const {
    std::vector<const PredictedJob*> all;
    for (const PredictedJob& one : others)
        all.push_back(&one);
    if (asked)
        all.push_back(asked.get());
    return all;
}

void addTexts(PredictionFigureData& data) {
    const predict::Job& job = data.asked->job;
    const std::string& power = data.asked->prediction.power.source;
    data.title = fmt::format("Prediction · {} · {}", job.model.name, jobWords(job));
    data.caption
        = fmt::format("Predicted, not measured: {} in {}, {} a sample, global batch {}, {}. "
                      "Intervals hold nine of ten measurements.",
            job.model.name, toString(job.precision), text::counted(job.sequence, "token"),
            job.globalBatch, wayOf(job));
    std::vector<std::string> notes = job.layout.notes;
    if (!power.empty())
        notes.push_back("Power and heat by what was measured of " + power + ".");
    data.notes.insert(data.notes.begin(), notes.begin(), notes.end());
}

Picture buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels) {
    return PredictionBoard(data, style, panels).build();
}

} // namespace trainscope::plot
