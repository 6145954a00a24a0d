#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/figures/PanelBuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kPlot = 7.0; // lines of small text that a plot area wants
constexpr std::size_t kMostHarmonics = 40;

std::string frequencyText(double hz) {
    return fmt::format("{:.3g} Hz", hz);
}
std::string powerText(double watts) {
    return watts >= 100.0 ? fmt::format("{:.0f} W", watts) : fmt::format("{:.3g} W", watts);
}

class SpectrumDrawing {
public:
    SpectrumDrawing(const FigureFrame& frame, const FigureData& data, std::size_t index, Rect plot,
        FigureGeometry& geometry)
        : m_frame(frame)
        , m_data(data)
        , m_spectrum(data.spectra[index])
        , m_index(index)
        , m_plot(plot)
        , m_geometry(geometry) { }

    void draw(bool last) {
        drawHarmonics();
        addCurve();
        drawTicks(last);
        drawTitle();
        drawLines();
    }

private:
    [[nodiscard]] double xOf(double hz) const {
        return m_plot.x + m_plot.width * fractionOf(m_data.frequency, hz);
    }
    [[nodiscard]] double yOf(double watts) const {
        return m_plot.bottom() - m_plot.height * fractionOf(m_data.amplitude, watts);
    }

    void drawHarmonics() const {
        if (!m_spectrum.iterationHz)
            return;
        const double step = *m_spectrum.iterationHz;
        const double top = m_data.frequency.range.high;
        const double distance = xOf(step) - xOf(0.0);
        for (std::size_t k = 1; static_cast<double>(k) * step <= top && k <= kMostHarmonics; ++k) {
            if (k > 1 && distance < 3.0 * m_frame.theme.lineWidth)
                break;
            const double x = xOf(static_cast<double>(k) * step);
            m_frame.scene.items.emplace_back(Line{{x, m_plot.y}, {x, m_plot.bottom()},
                m_frame.theme.line, m_frame.theme.lineWidth, true});
        }
    }

    void addCurve() const {
        const int most = mostTicks(m_frame, m_plot.height);
        Chart chart;
        chart.area = m_plot;
        chart.x = chartAxis(m_data.frequency, 8, false);
        chart.left = chartAxis(m_data.amplitude, most, true);
        ChartCurve curve;
        curve.color = legibleOn(seriesColor(4), m_frame.theme.window);
        curve.width = 1.5 * m_frame.theme.lineWidth;
        for (std::size_t i = 0; i < m_spectrum.frequencyHz.size(); ++i) {
            const double amplitude = std::max(m_spectrum.amplitudeW[i], m_data.amplitude.range.low);
            curve.points.push_back({m_spectrum.frequencyHz[i] * m_data.frequency.unit.scale,
                amplitude * m_data.amplitude.unit.scale});
        }
        chart.curves.push_back(std::move(curve));
        chart.grid = m_frame.theme.grid;
        chart.lineWidth = m_frame.theme.lineWidth;
        m_frame.scene.items.emplace_back(std::move(chart));
        m_frame.line({m_plot.x, m_plot.bottom()}, {m_plot.right(), m_plot.bottom()},
            m_frame.theme.textMuted, m_frame.theme.lineWidth);
    }

    void drawTicks(bool last) const {
        for (const auto& tick : ticksOf(m_data.amplitude, mostTicks(m_frame, m_plot.height)))
            m_frame.text({m_plot.x - m_frame.gap(), m_frame.centred(yOf(tick.value), kChartRole)},
                tick.label, m_frame.theme.textSecondary, kChartRole, Align::Right);
        if (!last)
            return;
        const double y = m_plot.bottom() + m_frame.gap() + m_frame.size(kChartRole);
        for (const auto& tick : ticksOf(m_data.frequency, 8))
            m_frame.text({xOf(tick.value), y}, tick.label, m_frame.theme.textSecondary, kChartRole,
                Align::Centre);
        m_frame.text({m_plot.x + m_plot.width / 2.0, y + m_frame.lineHeight(kChartRole)},
            axisTitle(m_data.frequency), m_frame.theme.textSecondary, kChartRole, Align::Centre);
    }

    void drawTitle() const {
        std::string text = axisTitle(m_data.amplitude);
        if (m_data.spectra.size() > 1)
            text = m_data.runs[m_spectrum.run].label + (m_index == 0 ? " · " + text : "");
        if (m_spectrum.iterationHz)
            text += " · iteration " + frequencyText(*m_spectrum.iterationHz);
        m_frame.text({m_plot.x - 0.5 * m_frame.gap(), m_plot.y - 2.5 * m_frame.gap()},
            elided(text, m_plot.width, m_frame.style.measure, kChartRole, true), m_frame.theme.text,
            kChartRole, Align::Left, true);
    }

    [[nodiscard]] std::string textOf(const FigureSpectrum::Line& line) const {
        const std::string text
            = fmt::format("{}, {}", frequencyText(line.frequencyHz), powerText(line.amplitudeW));
        return line.harmonic == 0 ? text
            : line.harmonic == 1  ? text + " (iteration)"
                                  : fmt::format("{} ({}×)", text, line.harmonic);
    }

    // The strongest first; a label that would touch another stays out.
    void drawLines() {
        std::vector<Rect> taken;
        const double size = m_frame.size(kChartRole);
        for (std::size_t i = 0; i < m_spectrum.lines.size(); ++i) {
            const auto& line = m_spectrum.lines[i];
            const Point peak{xOf(line.frequencyHz), yOf(line.amplitudeW)};
            const double dot = 0.45 * size;
            m_frame.scene.items.emplace_back(
                FillRect{{peak.x - dot / 2, peak.y - dot / 2, dot, dot}, m_frame.theme.text,
                    dot / 2, Hatch::None});
            m_geometry.targets.push_back(
                {{peak.x - size, peak.y - size, 2.0 * size, 2.0 * size}, m_index, 0, i});
            placeLabel(textOf(line), peak, taken);
        }
    }

    void placeLabel(const std::string& text, Point peak, std::vector<Rect>& taken) const {
        const double size = m_frame.size(kChartRole);
        const double width = m_frame.width(text, kChartRole);
        const double gap = 0.5 * size;
        const double y = std::clamp(
            peak.y - 0.6 * size, m_plot.y, std::max(m_plot.bottom() - 1.2 * size, m_plot.y));
        for (const double x : {peak.x + gap, peak.x - gap - width}) {
            const Rect rect{x, y, width, 1.15 * size};
            const bool inside = x >= m_plot.x && rect.right() <= m_plot.right();
            const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& other) {
                return rect.x < other.right() && other.x < rect.right() && rect.y < other.bottom()
                    && other.y < rect.bottom();
            });
            if (!inside || !free)
                continue;
            taken.push_back(rect);
            m_frame.text({x, y + size}, text, m_frame.theme.text, kChartRole);
            return;
        }
    }

    const FigureFrame& m_frame;
    const FigureData& m_data;
    const FigureSpectrum& m_spectrum;
    std::size_t m_index;
    Rect m_plot;
    FigureGeometry& m_geometry;
};

double footOf(const FigureFrame& frame) {
    return 2.0 * frame.lineHeight(kChartRole) + frame.gap();
}

} // namespace

double spectraHeight(const FigureFrame& frame, const FigureData& data) {
    return static_cast<double>(data.spectra.size())
        * (panelHead(frame) + kPlot * frame.lineHeight(kChartRole) + frame.gap())
        + footOf(frame);
}

void drawSpectra(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry) {
    const auto count = static_cast<double>(data.spectra.size());
    FigurePanel like;
    like.left = data.amplitude;
    const auto margins = marginsOf(frame, like, kPlot * frame.lineHeight(kChartRole));
    const double width = std::max(area.width - margins.left - 4.0 * frame.gap(), 1.0);
    const double height
        = std::max((area.height - footOf(frame)) / count - panelHead(frame) - frame.gap(),
            kLeastPlot * frame.lineHeight(kChartRole));
    double y = area.y;
    for (std::size_t i = 0; i < data.spectra.size(); ++i) {
        y += panelHead(frame);
        SpectrumDrawing(frame, data, i, {area.x + margins.left, y, width, height}, geometry)
            .draw(i + 1 == data.spectra.size());
        y += height + frame.gap();
    }
}

std::optional<FigureHit> hitSpectrum(
    const FigureData& data, const FigureGeometry& geometry, Point at) {
    for (const auto& target : geometry.targets) {
        const Rect& rect = target.rect;
        const bool inside
            = at.x >= rect.x && at.x < rect.right() && at.y >= rect.y && at.y < rect.bottom();
        if (!inside || target.panel >= data.spectra.size())
            continue;
        const FigureSpectrum& spectrum = data.spectra[target.panel];
        const auto& line = spectrum.lines[target.category];
        FigureHit hit;
        hit.outline = rect;
        hit.run = data.runs[spectrum.run].id;
        hit.title = data.runs[spectrum.run].name;
        hit.facts.emplace_back("Frequency", frequencyText(line.frequencyHz));
        hit.facts.emplace_back("Amplitude", powerText(line.amplitudeW));
        if (line.harmonic > 0)
            hit.facts.emplace_back("Harmonic", fmt::format("{} × iteration", line.harmonic));
        return hit;
    }
    return std::nullopt;
}

} // namespace trainscope::plot
