// The board of a prediction: its cards, and panels beside and below each other.
#include "core/catalogue/GpuModel.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <utility>

namespace trainscope::plot {

namespace {

constexpr double kBesideEachOther = 56.0; // in sizes of the body text
constexpr int kMostHeadLines = 3; // title or subtitle

struct PanelHead {
    std::string title;
    std::string subtitle;
};

std::string workWords(const predict::Job& job) {
    return fmt::format("{} on {}: {} in {}, {} a sample, global batch {}", job.model.name,
        catalogue::gpusText(job.gpus(), job.machine.gpu.name), toString(job.workload),
        predict::textOf(job.stated()), text::counted(job.sequence, "token"), job.globalBatch);
}

PanelHead headOf(const PredictionFigureData& data, PredictionPanel panel) {
    switch (panel) {
    case PredictionPanel::Step:
        return {"Where the step goes",
            "of the slowest stage, exposed time only; whiskers: 90 % interval of the step"};
    case PredictionPanel::Tracks:
        return {"Predicted over measured", data.tracks->caption};
    case PredictionPanel::Memory:
        return {"Memory by stage", "of one GPU when it needs most"};
    case PredictionPanel::Heat:
        return {"Heat of a node", "steady, GPUs in the order of the air, front first"};
    case PredictionPanel::Schedule:
        return {data.asked->job.isInference() ? "Prompts in the pipeline" : "Pipeline schedule",
            scheduleCaption(*data.asked)};
    case PredictionPanel::Answer:
        return {layoutWords(data.asked->job), workWords(data.asked->job)};
    case PredictionPanel::Choices:
        return {"Layouts to choose from", choicesCaption(data)};
    case PredictionPanel::Changes:
        return {
            "What would change this", changesTable(*data.asked, data.training, data.whatIf).title};
    case PredictionPanel::Sources:
        return {"Where the figures come from",
            "predicted, not measured; intervals hold nine of ten measurements"};
    case PredictionPanel::Cards:
    case PredictionPanel::Verdict:
        break;
    }
    return {};
}

bool isHalf(PredictionPanel panel) {
    return panel == PredictionPanel::Memory || panel == PredictionPanel::Heat;
}

bool hasOwnFrames(PredictionPanel panel) {
    return panel == PredictionPanel::Cards || panel == PredictionPanel::Verdict;
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
                m_panels.push_back(panel);
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
            const bool isFirstHalf = isWide && isHalf(m_panels[i]);
            ++i;
            if (isFirstHalf && i < m_panels.size() && isHalf(m_panels[i]))
                row.push_back(panelOf(m_panels[i++]));
            m_board.addRow(row);
        }
    }

    [[nodiscard]] BoardPanel panelOf(PredictionPanel panel) {
        PanelHead head = headOf(m_data, panel);
        return {hasOwnFrames(panel) ? PanelEdge::None : PanelEdge::FrameAndHead,
            std::move(head.title), std::move(head.subtitle), kMostHeadLines,
            [this, panel](double wide) { return contentOf(panel, wide); }};
    }

    [[nodiscard]] MadeContent contentOf(PredictionPanel panel, double wide) const {
        switch (panel) {
        case PredictionPanel::Verdict:
            return predictedVerdict(m_frame, wide);
        case PredictionPanel::Step:
            return predictedSteps(m_frame, wide);
        case PredictionPanel::Tracks:
            return predictedTracks(m_frame, wide);
        case PredictionPanel::Memory:
            return predictedMemory(m_frame, wide);
        case PredictionPanel::Heat:
            return predictedHeat(m_frame, wide);
        case PredictionPanel::Schedule:
            return predictedSchedule(m_frame, wide);
        case PredictionPanel::Answer:
            return predictedReasons(m_frame, wide);
        case PredictionPanel::Choices:
            return predictedChoices(m_frame, wide);
        case PredictionPanel::Changes:
            return predictedChanges(m_frame, wide);
        case PredictionPanel::Sources:
            return predictedSources(m_frame, wide);
        case PredictionPanel::Cards:
            break;
        }
        return predictedCardGrid(m_frame, wide);
    }

    const PredictionFigureData& m_data;
    Picture m_picture;
    PredictionFrame m_frame;
    PanelBoard m_board;
    std::vector<PredictionPanel> m_panels;
};

} // namespace

bool PredictionFigureData::has(PredictionPanel panel) const {
    const predict::Prediction* made = asked ? &asked->prediction : nullptr;
    switch (panel) {
    case PredictionPanel::Verdict:
        return rival != nullptr;
    case PredictionPanel::Tracks:
        return tracks != nullptr && !tracks->tracks.empty();
    case PredictionPanel::Memory:
        return made != nullptr && !made->memory.empty();
    case PredictionPanel::Heat:
        return made != nullptr && !made->outlook.node.empty();
    case PredictionPanel::Schedule:
        return schedule != nullptr;
    case PredictionPanel::Choices:
        return found != nullptr && !found->top.empty();
    case PredictionPanel::Changes:
        return made != nullptr && !whatIf.empty();
    case PredictionPanel::Answer:
    case PredictionPanel::Cards:
    case PredictionPanel::Step:
    case PredictionPanel::Sources:
        break;
    }
    return made != nullptr;
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
