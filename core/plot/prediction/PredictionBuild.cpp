// The board of a prediction: its cards, and panels beside and below each other.
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::plot {

namespace {

constexpr double kBesideEachOther = 56.0; // in sizes of the body text
constexpr int kMostHeadLines = 3; // of a title or subtitle

struct PanelHead {
    std::string title;
    std::string subtitle;
};

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
        return {"Pipeline schedule", data.schedule ? data.schedule->caption : std::string()};
    case PredictionPanel::WhatIf:
        return {"What if",
            fmt::format("tokens/s per GPU, now {}, if one thing were otherwise; whiskers: 90 % "
                        "interval",
                text::quantity(data.rate, "", text::Digits::Three))};
    case PredictionPanel::Front:
        return {"Layouts", "step time against what it costs; line: nothing is better in both"};
    case PredictionPanel::Ranking:
        return {"Ranked layouts",
            "the best first, step time with its 90 % interval; ◆ on the "
            "front, ▸ as asked"};
    case PredictionPanel::Answer:
        return {data.decision->answer, data.decision->job};
    case PredictionPanel::Choices:
        return {"Layouts to choose from", data.decision->choices.caption};
    case PredictionPanel::Changes:
        return {"What would change this", data.decision->changes.caption};
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
        case PredictionPanel::WhatIf:
            return predictedWhatIf(m_frame, wide);
        case PredictionPanel::Front:
            return predictedFront(m_frame, wide);
        case PredictionPanel::Ranking:
            return predictedRanking(m_frame, wide);
        case PredictionPanel::Answer:
            return predictedSentences(m_frame, m_data.decision->reasons, wide);
        case PredictionPanel::Choices:
            return predictedTable(m_frame, m_data.decision->choices, wide);
        case PredictionPanel::Changes:
            return predictedTable(m_frame, m_data.decision->changes, wide);
        case PredictionPanel::Sources:
            return predictedSentences(m_frame, m_data.decision->sources, wide);
        case PredictionPanel::Cards:
            break;
        }
        return predictedCards(m_frame, wide);
    }

    const PredictionFigureData& m_data;
    Picture m_picture;
    PredictionFrame m_frame;
    PanelBoard m_board;
    std::vector<PredictionPanel> m_panels;
};

} // namespace

double PredictedStage::total() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
        [](double sum, const PredictedPart& part) { return sum + part.value; });
}

bool PredictionFigureData::has(PredictionPanel panel) const {
    switch (panel) {
    case PredictionPanel::Cards:
        return !cards.empty();
    case PredictionPanel::Verdict:
        return rival != nullptr;
    case PredictionPanel::Step:
        return !steps.empty();
    case PredictionPanel::Tracks:
        return tracks != nullptr && !tracks->tracks.empty();
    case PredictionPanel::Memory:
        return !stages.empty();
    case PredictionPanel::Heat:
        return !node.empty();
    case PredictionPanel::Schedule:
        return schedule.has_value();
    case PredictionPanel::WhatIf:
        return !sensitivities.empty();
    case PredictionPanel::Front:
        return !front.points.empty();
    case PredictionPanel::Answer:
        return decision && !decision->reasons.empty();
    case PredictionPanel::Choices:
        return decision && !decision->choices.rows.empty();
    case PredictionPanel::Changes:
        return decision && !decision->changes.rows.empty();
    case PredictionPanel::Sources:
        return decision && !decision->sources.empty();
    case PredictionPanel::Ranking:
        break;
    }
    return !ranking.empty();
}

bool PredictionFigureData::isEmpty() const {
    return std::none_of(kPredictionPanels.begin(), kPredictionPanels.end(),
        [this](PredictionPanel panel) { return has(panel); });
}

Picture buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels) {
    return PredictionBoard(data, style, panels).build();
}

} // namespace trainscope::plot
