// The board of a prediction: its cards, and panels beside and below each other.
#include "core/catalogue/GpuModel.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::plot {

namespace {

constexpr double kBesideEachOther = 56.0; // in sizes of the body text
constexpr int kMostHeadLines = 3; // title or subtitle

std::string workWords(const predict::Job& job) {
    return fmt::format("{} on {}: {} in {}, {} a sample, global batch {}", job.model.name,
        catalogue::gpusText(job.gpus(), job.machine.gpu.name), toString(job.workload),
        predict::textOf(job.stated()), text::counted(job.sequence, "token"), job.globalBatch);
}

using Data = PredictionFigureData;

struct PanelHead {
    std::string title;
    std::string subtitle;
};
enum class PanelPlace { Whole, Half, Bare }; // Half: beside another where there is room
// Bare: with frames of its own and without a head.
struct PredictedPanel {
    PredictionPanel panel;
    PanelPlace place;
    MadeContent (*make)(const PredictionFrame& frame, double width);
    bool (*isThere)(const Data& data);
    PanelHead (*head)(const Data& data);
};

bool isAsked(const Data& data) {
    return data.asked != nullptr;
}
PanelHead noHead(const Data& /*data*/) {
    return {};
}

constexpr std::array kPanels{
    PredictedPanel{PredictionPanel::Answer, PanelPlace::Whole, predictedReasons, isAsked,
        [](const Data& data) {
            return PanelHead{layoutWords(data.asked->job), workWords(data.asked->job)};
        }},
    PredictedPanel{PredictionPanel::Cards, PanelPlace::Bare, predictedCardGrid, isAsked, noHead},
    PredictedPanel{PredictionPanel::Choices, PanelPlace::Whole, predictedChoices,
        [](const Data& data) { return data.found && !data.found->top.empty(); },
        [](const Data& data) {
            return PanelHead{"Layouts to choose from", choicesCaption(data)};
        }},
    PredictedPanel{PredictionPanel::Changes, PanelPlace::Whole, predictedChanges,
        [](const Data& data) { return isAsked(data) && !data.whatIf.empty(); },
        [](const Data& data) {
            return PanelHead{"What would change this",
                changesTable(*data.asked, data.training, data.whatIf).title};
        }},
    PredictedPanel{PredictionPanel::Verdict, PanelPlace::Bare, predictedVerdict,
        [](const Data& data) { return data.rival != nullptr; }, noHead},
    PredictedPanel{PredictionPanel::Step, PanelPlace::Whole, predictedSteps, isAsked,
        [](const Data& /*data*/) {
            return PanelHead{"Where the step goes",
                "of the slowest stage, exposed time only; whiskers: 90 % interval of the step"};
        }},
    PredictedPanel{PredictionPanel::Tracks, PanelPlace::Whole, predictedTracks,
        [](const Data& data) { return data.tracks && !data.tracks->tracks.empty(); },
        [](const Data& data) {
            return PanelHead{"Predicted over measured", data.tracks->caption};
        }},
    PredictedPanel{PredictionPanel::Memory, PanelPlace::Half, predictedMemory,
        [](const Data& data) { return isAsked(data) && !data.asked->prediction.memory.empty(); },
        [](const Data& /*data*/) {
            return PanelHead{"Memory by stage", "of one GPU when it needs most"};
        }},
    PredictedPanel{PredictionPanel::Heat, PanelPlace::Half, predictedHeat,
        [](const Data& data) {
            return isAsked(data) && !data.asked->prediction.outlook.node.empty();
        },
        [](const Data& /*data*/) {
            return PanelHead{"Heat of a node", "steady, GPUs in the order of the air, front first"};
        }},
    PredictedPanel{PredictionPanel::Schedule, PanelPlace::Whole, predictedSchedule,
        [](const Data& data) { return data.schedule != nullptr; },
        [](const Data& data) {
            return PanelHead{
                data.asked->job.isInference() ? "Prompts in the pipeline" : "Pipeline schedule",
                scheduleCaption(*data.asked)};
        }},
    PredictedPanel{PredictionPanel::Sources, PanelPlace::Whole, predictedSources, isAsked,
        [](const Data& /*data*/) {
            return PanelHead{"Where the figures come from",
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
        PanelHead head = panel->head(m_data);
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
