// The board of a prediction: its cards, and panels beside and below each other.
#include "core/plot/SceneParts.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace trainscope::plot {

namespace {

constexpr double kBesideEachOther = 56.0; // in sizes of the body text
constexpr int kMostPredictionNotes = 6;

struct PanelHead {
    std::string_view title;
    std::string_view subtitle;
};

PanelHead headOf(const PredictionFigureData& data, PredictionPanel panel) {
    switch (panel) {
    case PredictionPanel::Step:
        return {"Where the step goes",
            "of the slowest stage, exposed time only; whiskers: 90 % interval of the step"};
    case PredictionPanel::Memory:
        return {"Memory by stage", "of one GPU when it needs most"};
    case PredictionPanel::Heat:
        return {"Heat of a node", "steady, GPUs in the order of the air, front first"};
    case PredictionPanel::Schedule:
        return {"Pipeline schedule", data.schedule ? data.schedule->caption : std::string_view()};
    case PredictionPanel::Front:
        return {"Layouts", "step time against what it costs; line: nothing is better in both"};
    case PredictionPanel::Cards:
        break;
    }
    return {};
}

bool isHalf(PredictionPanel panel) {
    return panel == PredictionPanel::Memory || panel == PredictionPanel::Heat;
}

class PredictionBoard {
public:
    PredictionBoard(const PredictionFigureData& data, const FigureStyle& style,
        const std::vector<PredictionPanel>& panels)
        : m_data(data)
        , m_style(style)
        , m_frame{{*style.theme, style.measure, m_geometry.scene}, data, m_geometry} {
        m_geometry.scene.width = style.width;
        m_geometry.scene.background = style.theme->window;
        for (const PredictionPanel panel : panels) {
            if (data.has(panel))
                m_panels.push_back(panel);
        }
    }

    PredictionGeometry build() {
        m_y = edge();
        if (m_style.title && !m_data.title.empty()) {
            drawTitle(m_frame, m_data.title, {edge(), m_y}, width());
            m_y += titleHeight(m_frame);
        }
        if (m_panels.empty())
            drawEmpty();
        else
            placeAll();
        drawFoot();
        m_geometry.preferredHeight = m_y + edge() - gap();
        m_geometry.scene.height = std::max(m_geometry.preferredHeight, m_style.height);
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] double edge() const { return 4.0 * m_frame.gap(); }
    [[nodiscard]] double gap() const { return 3.0 * m_frame.gap(); }
    [[nodiscard]] double pad() const { return 3.5 * m_frame.gap(); }
    [[nodiscard]] double width() const { return std::max(m_style.width - 2.0 * edge(), 1.0); }
    [[nodiscard]] double headHeight() const {
        return 1.35 * m_frame.size(TextRole::Body) + m_frame.lineHeight() + 2.0 * m_frame.gap();
    }

    void placeAll() {
        const bool isWide = width() / m_frame.size(TextRole::Body) >= kBesideEachOther;
        for (std::size_t i = 0; i < m_panels.size();) {
            const bool isPair = isWide && i + 1 < m_panels.size() && isHalf(m_panels[i])
                && isHalf(m_panels[i + 1]);
            placeRow(i, isPair ? 2 : 1);
            i += isPair ? 2 : 1;
        }
    }

    void placeRow(std::size_t first, std::size_t count) {
        const double wide
            = (width() - gap() * static_cast<double>(count - 1)) / static_cast<double>(count);
        std::vector<MadeContent> contents;
        double high = 0.0;
        for (std::size_t i = first; i < first + count; ++i) {
            const bool isFramed = m_panels[i] != PredictionPanel::Cards;
            contents.push_back(contentOf(m_panels[i], wide - (isFramed ? 2.0 * pad() : 0.0)));
            high = std::max(
                high, contents.back()->height() + (isFramed ? 2.0 * pad() + headHeight() : 0.0));
        }
        double x = edge();
        for (std::size_t i = 0; i < count; ++i) {
            place(m_panels[first + i], *contents[i], {x, m_y, wide, high});
            x += wide + gap();
        }
        m_y += high + gap();
    }

    [[nodiscard]] MadeContent contentOf(PredictionPanel panel, double wide) const {
        switch (panel) {
        case PredictionPanel::Step:
            return predictedSteps(m_frame, wide);
        case PredictionPanel::Memory:
            return predictedMemory(m_frame, wide);
        case PredictionPanel::Heat:
            return predictedHeat(m_frame, wide);
        case PredictionPanel::Schedule:
            return predictedSchedule(m_frame, m_style, wide);
        case PredictionPanel::Front:
            return predictedFront(m_frame, wide);
        case PredictionPanel::Cards:
            break;
        }
        return predictedCards(m_frame, wide);
    }

    void place(PredictionPanel panel, const PanelContent& content, Rect rect) {
        m_geometry.panels.push_back({panel, rect});
        if (panel == PredictionPanel::Cards)
            return content.draw(rect);
        m_frame.box(rect, 1.5 * m_frame.gap(), m_frame.theme.lineWidth);
        const PanelHead head = headOf(m_data, panel);
        const double inner = rect.width - 2.0 * pad();
        const double x = rect.x + pad();
        const double y = rect.y + pad() + m_frame.size(TextRole::Body);
        m_frame.heading({x, y}, head.title, inner, TextRole::Body);
        m_frame.note({x, y + 1.35 * m_frame.size()}, m_frame.fitted(head.subtitle, inner));
        const double top = rect.y + pad() + headHeight();
        content.draw({x, top, inner, rect.bottom() - pad() - top});
    }

    void drawEmpty() {
        const double height = kEmptyHeight * m_frame.lineHeight(TextRole::Body);
        drawEmptyText(m_frame, m_data.emptyText, {edge(), m_y, width(), height});
        m_y += height;
    }

    void drawFoot() {
        if (!m_style.caption || m_panels.empty())
            return;
        FigureFoot foot(m_frame, width(), kMostPredictionNotes);
        foot.add(m_data.caption, m_data.notes);
        foot.draw(edge(), m_y - m_frame.gap());
        m_y += foot.height() + gap() - m_frame.gap();
    }

    const PredictionFigureData& m_data;
    const FigureStyle& m_style;
    PredictionGeometry m_geometry;
    PredictionFrame m_frame;
    std::vector<PredictionPanel> m_panels;
    double m_y = 0.0;
};

void addValue(std::string& csv, std::string_view panel, std::string_view name,
    std::string_view part, std::string_view unit, const PredictedValue& value) {
    text::addCsvLine(csv, {panel, name, part, unit, value.value, value.low, value.high});
}

} // namespace

double PredictedStage::total() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
        [](double sum, const PredictedPart& part) { return sum + part.value; });
}

bool PredictionFigureData::has(PredictionPanel panel) const {
    switch (panel) {
    case PredictionPanel::Cards:
        return !cards.empty();
    case PredictionPanel::Step:
        return !steps.empty();
    case PredictionPanel::Memory:
        return !stages.empty();
    case PredictionPanel::Heat:
        return !node.empty();
    case PredictionPanel::Schedule:
        return schedule.has_value();
    case PredictionPanel::Front:
        break;
    }
    return !front.points.empty();
}

bool PredictionFigureData::isEmpty() const {
    return std::none_of(kPredictionPanels.begin(), kPredictionPanels.end(),
        [this](PredictionPanel panel) { return has(panel); });
}

PredictionGeometry buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels) {
    return PredictionBoard(data, style, panels).build();
}

std::optional<FigureHit> hitPrediction(const PredictionGeometry& geometry, Point at) {
    const auto found = std::find_if(geometry.targets.rbegin(), geometry.targets.rend(),
        [at](const FigureHit& target) { return target.outline.contains(at); });
    return found == geometry.targets.rend() ? std::nullopt : std::optional(*found);
}

std::string predictionCsv(const PredictionFigureData& data) {
    std::string csv = "panel,name,part,unit,value,low,high\n";
    for (const auto& card : data.cards)
        addValue(csv, "figures", card.key, {}, card.unit == "%" ? "1" : card.unit, card.value);
    for (const auto& step : data.steps) {
        addValue(csv, "step", step.name, {}, "s", step.seconds);
        for (const auto& part : step.parts)
            addValue(csv, "step", step.name, part.key, "s", {part.value, {}, {}});
    }
    for (const auto& stage : data.stages) {
        for (const auto& part : stage.parts)
            addValue(csv, "memory", fmt::format("stage {}", stage.stage), part.key, "B",
                {part.value, {}, {}});
    }
    for (const auto& gpu : data.node) {
        const std::string name = fmt::format("slot {}", gpu.slot);
        addValue(csv, "node", name, "power", "W", {gpu.watts, {}, {}});
        addValue(csv, "node", name, "temperature", "°C", {gpu.celsius, {}, {}});
    }
    for (const auto& point : data.front.points) {
        addValue(csv, "layouts", point.name, "step_time", "s", point.seconds);
        addValue(
            csv, "layouts", point.name, data.front.title, data.front.unit, {point.value, {}, {}});
    }
    return csv;
}

} // namespace trainscope::plot
