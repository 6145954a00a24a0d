// The memory of each stage against that of the GPU, and the heat of a node.
#include "core/plot/Palette.h"
#include "core/plot/figures/CurvePlot.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/prediction/PredictionFrame.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

// Predicted telemetry over what was measured: means of the GPUs with their bands on one axis of a
// step, and below each metric what the prediction leaves.

constexpr std::size_t kMeasuredInk = 0; // places of Palette.h
constexpr std::size_t kPredictedInk = 1;
constexpr std::uint8_t kTrackBandAlpha = 60;

std::string residualText(const PredictedTrack& track) {
    const auto told = [&track](double value) {
        return unbroken(text::quantity(value, track.axis.siUnit, text::Digits::Three));
    };
    const auto& residual = track.told;
    std::string words = fmt::format(
        "predicted − measured: mean {}, 90 % within {}", told(residual.mean), told(residual.p90));
    if (residual.level > 0.0 && track.axis.siUnit != "°C")
        words += fmt::format(" ({} and {})", text::percent(residual.mean / residual.level),
            text::percent(residual.p90 / residual.level));
    return words + fmt::format(", bias {}{}", residual.bias > 0.0 ? "+" : "", told(residual.bias));
}

class PredictedTracksPanel {
public:
    PredictedTracksPanel(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_tracks(*frame.data.tracks)
        , m_width(width) {
        for (const auto& track : m_tracks.tracks) {
            for (const auto* axis : {&track.axis, &track.residualAxis}) {
                for (const auto& tick : ticksOf(*axis, 5))
                    m_labels = std::max(m_labels, frame.width(tick.label));
            }
            m_told.push_back(frame.wrapped(residualText(track), width, 3));
        }
        m_labels += 1.5 * frame.gap();
        m_time.title = m_tracks.seconds ? "Time" : "Step";
        m_time.siUnit = m_tracks.seconds ? "s" : "1";
        m_time.range = {0.0, m_tracks.seconds.value_or(1.0)};
        m_time.unit = m_tracks.seconds ? text::shownUnit("s", *m_tracks.seconds)
                                       : text::ShownUnit{"%", 100.0};
    }

    [[nodiscard]] double height() const {
        double all = legend({}, false) + m_frame.gap() + gridHeight(m_frame);
        for (std::size_t i = 0; i < m_tracks.tracks.size(); ++i)
            all += trackHeight(i);
        return all;
    }

    void draw(Rect area) const {
        legend({area.x, area.y}, true);
        double y = area.y + legend({}, false) + m_frame.gap();
        const double left = area.x + m_labels;
        const Rect whole{left, y, std::max(area.right() - left - 2.0 * m_frame.size(), 1.0),
            area.y + height() - gridHeight(m_frame) - y};
        drawGrid(m_frame, m_time, whole);
        for (std::size_t i = 0; i < m_tracks.tracks.size(); ++i) {
            drawTrack(i, {whole.x, y, whole.width, trackHeight(i)}, area.x);
            y += trackHeight(i);
        }
    }

private:
    static constexpr double kTrackLines = 6.0; // lines of small text
    static constexpr double kResidualLines = 3.0;

    [[nodiscard]] double line() const { return m_frame.lineHeight(); }
    [[nodiscard]] double trackHeight(std::size_t track) const {
        return (1.0 + kTrackLines + kResidualLines + static_cast<double>(m_told[track].size()))
            * line()
            + 9.0 * m_frame.gap();
    }

    [[nodiscard]] Color inkOf(std::size_t place) const {
        return runInk(seriesColor(place), place, m_frame.theme, m_frame.theme.panel);
    }

    // Returns its height.
    double legend(Point at, bool isDrawn) const {
        const double size = m_frame.size();
        const double sample = inkSampleLength(m_frame.theme);
        LegendFlow flow(m_frame,
            {sample, m_frame.gap(), 1.5 * size, line(), 0.64 * size, m_frame.theme.text}, at,
            m_width, isDrawn);
        const std::array<std::string, 2> names{"measured: " + m_tracks.run, "predicted"};
        for (std::size_t place = 0; place < names.size(); ++place) {
            flow.add(names[place], [&](Point left) {
                drawInkSample(
                    m_frame, place, left, sample, 2.0 * m_frame.theme.lineWidth, inkOf(place));
            });
        }
        return flow.height();
    }

    void drawTrack(std::size_t at, Rect rect, double left) const {
        const auto& track = m_tracks.tracks[at];
        m_frame.text({left, rect.y + m_frame.size()}, axisTitle(track.axis), m_frame.theme.text,
            TextRole::Small, Align::Left, true);
        const Rect plot{
            rect.x, rect.y + line() + 2.0 * m_frame.gap(), rect.width, kTrackLines * line()};
        const CurvePlot drawn(m_frame, track.axis, plot);
        drawn.grid();
        for (const std::size_t place : {kMeasuredInk, kPredictedInk}) {
            const PredictedLine& line = place == kMeasuredInk ? track.measured : track.predicted;
            drawn.band(line.low, line.high, withAlpha(seriesColor(place), kTrackBandAlpha));
        }
        drawn.line(track.measured.mean, inkOf(kMeasuredInk), kMeasuredInk);
        drawn.line(track.predicted.mean, inkOf(kPredictedInk), kPredictedInk);
        double y = plot.bottom() + 2.0 * m_frame.gap();
        for (const auto& words : m_told[at]) {
            m_frame.text({left, y + m_frame.size()}, words, m_frame.theme.textSecondary);
            y += line();
        }
        const Rect lane{rect.x, y + 2.0 * m_frame.gap(), rect.width, kResidualLines * line()};
        const CurvePlot residual(m_frame, track.residualAxis, lane);
        residual.grid();
        residual.shade(track.residual, withAlpha(seriesColor(kPredictedInk), 2 * kTrackBandAlpha));
        const auto told = [&track](double value) {
            return text::quantity(value, track.axis.siUnit, text::Digits::Three);
        };
        m_frame.target({plot.x, plot.y, plot.width, lane.bottom() - plot.y},
            track.axis.title + ", predicted − measured",
            {{"Mean of it, absolute", told(track.told.mean)},
                {"90th percentile", told(track.told.p90)}, {"Bias", told(track.told.bias)},
                {"Of",
                    track.told.gpus > 0
                        ? text::counted(static_cast<std::int64_t>(track.told.gpus), "GPU")
                        : std::string("the means of the GPUs")}});
    }

    const PredictionFrame& m_frame;
    const PredictedTracks& m_tracks;
    double m_width;
    double m_labels = 0.0;
    std::vector<std::vector<std::string>> m_told; // by track
    FigureAxis m_time;
};

constexpr double kCoolest = 30.0; // °C, ends of the scale of every prediction
constexpr double kHottest = 95.0;
constexpr std::size_t kManyStages = 8; // from here on rows are thin

class PredictedMemory {
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

    [[nodiscard]] double height() const {
        return headHeight() + rows() * rowStep() + gridHeight(m_frame) + m_frame.gap()
            + drawPartLegend(m_frame, m_parts, {}, m_width, false);
    }

    void draw(Rect area) const {
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

class PredictedHeat {
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

    [[nodiscard]] double height() const {
        return rows() * cellHeight() + 3.0 * m_frame.gap() + barHeight() + colourScaleFoot(m_frame)
            + m_frame.gap();
    }

    void draw(Rect area) const {
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

PanelContent predictedTracks(const PredictionFrame& frame, double width) {
    return PredictedTracksPanel(frame, width);
}

PanelContent predictedMemory(const PredictionFrame& frame, double width) {
    return PredictedMemory(frame, width);
}

PanelContent predictedHeat(const PredictionFrame& frame, double width) {
    return PredictedHeat(frame, width);
}

} // namespace trainscope::plot
