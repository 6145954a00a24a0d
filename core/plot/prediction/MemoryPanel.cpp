// The memory of each stage against that of the GPU, and the heat of a node.
#include "core/model/Metric.h"
#include "core/plot/Palette.h"
#include "core/plot/figures/ColourScale.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kCoolest = 30.0; // °C, ends of the scale of every prediction
constexpr double kHottest = 95.0;
constexpr std::size_t kManyStages = 8; // from here on rows are thin

class PredictedMemory : public PanelContent {
public:
    PredictedMemory(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_width(width)
        , m_stages(frame.data.asked->prediction.memory)
        , m_capacityB(frame.data.asked->prediction.capacityB) {
        std::vector<double> ends{m_capacityB.value_or(0.0)};
        for (const auto& stage : m_stages) {
            m_labels = std::max(m_labels, frame.width(nameOf(stage)));
            m_values = std::max(m_values, frame.width(valueOf(stage)));
            ends.push_back(stage.total());
            m_parts.push_back(partsOf(stage));
        }
        m_axis = axisOf("Memory", {}, "B", ends, true);
    }

    [[nodiscard]] double height() const override {
        return headHeight() + rows() * rowStep() + gridHeight(m_frame) + m_frame.gap()
            + drawPartLegend(m_frame, m_parts, {}, m_width, false);
    }

    void draw(Rect area) const override {
        const double left = area.x + m_labels + 2.0 * m_frame.gap();
        const double right = area.right() - m_values - 2.0 * m_frame.gap();
        const Rect plot{
            left, area.y + headHeight(), std::max(right - left, 1.0), rows() * rowStep()};
        drawGrid(m_frame, m_axis, plot);
        const auto every = labelStep(m_frame.size(), rowStep());
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            const double y = plot.y + static_cast<double>(i) * rowStep();
            drawStage(i, {plot.x, y, plot.width, 0.8 * rowStep()}, area, i % every == 0);
        }
        drawCapacity(plot);
        drawPartLegend(m_frame, m_parts,
            {area.x, plot.bottom() + gridHeight(m_frame) + m_frame.gap()}, m_width, true);
    }

private:
    [[nodiscard]] double rows() const { return static_cast<double>(m_stages.size()); }
    [[nodiscard]] double rowStep() const {
        return (m_stages.size() > kManyStages ? 1.3 : 2.2) * m_frame.size();
    }
    [[nodiscard]] double headHeight() const {
        return m_capacityB ? m_frame.lineHeight() + m_frame.gap() : 0.0;
    }
    [[nodiscard]] static std::string nameOf(const analysis::StageNeed& stage) {
        return fmt::format("stage {}", stage.stage);
    }
    [[nodiscard]] bool isOver(const analysis::StageNeed& stage) const {
        return m_capacityB && stage.total() > *m_capacityB;
    }
    [[nodiscard]] std::string valueOf(const analysis::StageNeed& stage) const {
        const std::string all = text::quantity(stage.total(), "B", text::Digits::Three);
        return isOver(stage) ? all + " OOM" : all;
    }

    void drawStage(std::size_t at, Rect row, const Rect& area, bool hasTexts) const {
        const analysis::StageNeed& stage = m_stages[at];
        const bool over = isOver(stage);
        drawParts(m_frame, m_axis, row, nameOf(stage), m_parts[at]);
        if (over) {
            const double from = row.x + row.width * fractionOf(m_axis, *m_capacityB);
            const double to = row.x + row.width * fractionOf(m_axis, stage.total());
            m_frame.hatch({from, row.y, to - from, row.height}, m_frame.theme.text);
        }
        if (!hasTexts)
            return;
        m_frame.note({area.x, m_frame.centred(row)}, nameOf(stage));
        m_frame.text({area.right(), m_frame.centred(row)}, valueOf(stage),
            over ? m_frame.theme.warning : m_frame.theme.text, TextRole::Small, Align::Right, over);
    }

    void drawCapacity(const Rect& plot) const {
        if (!m_capacityB)
            return;
        const double x = plot.x + plot.width * fractionOf(m_axis, *m_capacityB);
        m_frame.line({x, plot.y - m_frame.gap()}, {x, plot.bottom()}, m_frame.theme.text,
            2.0 * m_frame.theme.lineWidth);
        const std::string text
            = fmt::format("GPU has {}", text::quantity(*m_capacityB, "B", text::Digits::Three));
        const double half = m_frame.width(text) / 2.0;
        m_frame.note({std::min(x, plot.right() + m_values - half), plot.y - 2.0 * m_frame.gap()},
            text, Align::Centre);
    }

    const PredictionFrame& m_frame;
    double m_width;
    const std::vector<analysis::StageNeed>& m_stages;
    std::optional<double> m_capacityB;
    double m_labels = 0.0;
    double m_values = 0.0;
    FigureAxis m_axis;
    std::vector<std::vector<PredictedPart>> m_parts; // by stage
};

class PredictedHeat : public PanelContent {
public:
    PredictedHeat(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_node(frame.data.asked->prediction.outlook.node)
        , m_columns(std::max<std::size_t>(1, std::min(m_node.size(), kMostCells)))
        , m_cell(std::min(width / static_cast<double>(m_columns), 5.5 * frame.size())) {
        m_axis
            = axisOf("GPU temperature", metric::kGpuTemperature, "°C", {kCoolest, kHottest}, false);
        m_axis.range = {kCoolest, kHottest};
    }

    [[nodiscard]] double height() const override {
        return rows() * cellHeight() + 3.0 * m_frame.gap() + barHeight() + colourScaleFoot(m_frame)
            + m_frame.gap();
    }

    void draw(Rect area) const override {
        for (std::size_t i = 0; i < m_node.size(); ++i) {
            const std::size_t row = i / m_columns;
            drawGpu(m_node[i],
                {area.x + static_cast<double>(i % m_columns) * m_cell,
                    area.y + static_cast<double>(row) * cellHeight(), m_cell, cellHeight()});
        }
        constexpr double widest = 20.0; // in sizes of the text
        drawColourScale(m_frame,
            {area.x + m_frame.size(), area.y + rows() * cellHeight() + 3.0 * m_frame.gap(),
                std::min(area.width - 2.0 * m_frame.size(), widest * m_frame.size()), barHeight()},
            m_axis, 5);
    }

private:
    static constexpr std::size_t kMostCells = 8; // side by side

    [[nodiscard]] double rows() const {
        const std::size_t full = (m_node.size() + m_columns - 1) / m_columns;
        return static_cast<double>(full);
    }
    [[nodiscard]] double cellHeight() const { return 3.6 * m_frame.size(); }
    [[nodiscard]] double barHeight() const { return 2.0 * m_frame.gap(); }

    void drawGpu(const predict::GpuOutlook& gpu, Rect cell) const {
        const double gap = 0.5 * m_frame.gap();
        const Rect rect{cell.x, cell.y, cell.width - gap, cell.height - gap};
        const Color fill = scaleColor(m_axis, gpu.celsius);
        m_frame.fill(rect, fill, gap);
        const std::string heat = fmt::format("{:.0f} °C", gpu.celsius);
        const std::string power = text::quantity(gpu.watts, "W", text::Digits::Three);
        const double x = rect.x + rect.width / 2.0;
        const Color ink = readableOn(fill);
        m_frame.text({x, rect.y + 1.5 * m_frame.size()},
            m_frame.fitted(heat, rect.width, TextRole::Small, true), ink, TextRole::Small,
            Align::Centre, true);
        m_frame.text({x, rect.y + 2.8 * m_frame.size()}, m_frame.fitted(power, rect.width), ink,
            TextRole::Small, Align::Centre);
        m_frame.target(rect, fmt::format("slot {}", gpu.slot),
            {{"Temperature", text::quantity(gpu.celsius, "°C", text::Digits::Three)},
                {"Mean power", power}});
    }

    const PredictionFrame& m_frame;
    const std::vector<predict::GpuOutlook>& m_node;
    std::size_t m_columns;
    double m_cell;
    FigureAxis m_axis;
};

} // namespace

MadeContent predictedMemory(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedMemory>(frame, width);
}

MadeContent predictedHeat(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedHeat>(frame, width);
}

} // namespace trainscope::plot
