#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/figures/PanelBuild.h"
#include "core/text/NumberMarks.h"

namespace trainscope::plot {

namespace {

constexpr double kPlot = 7.0; // lines of small text that a plot area wants
constexpr std::size_t kMostHarmonics = 40;

std::string frequencyText(double hz) {
    return fmt::format("{:.3g} Hz", text::worded(hz));
}
std::string powerText(double watts) {
    return watts >= 100.0 ? fmt::format("{:.0f} W", watts)
                          : fmt::format("{:.3g} W", text::worded(watts));
}

void tellLine(const FigureRun& run, const FigureSpectrum::Line& line, Hit& hit) {
    hit.title = run.name;
    hit.facts.emplace_back("Frequency", frequencyText(line.frequencyHz));
    hit.facts.emplace_back("Amplitude", powerText(line.amplitudeW));
    if (line.harmonic > 0)
        hit.facts.emplace_back("Harmonic", fmt::format("{} × iteration", line.harmonic));
}

class SpectrumDrawing {
public:
    SpectrumDrawing(const Sheet& sheet, const FigureData& data, std::size_t index, Rect plot)
        : m_sheet(sheet)
        , m_data(data)
        , m_spectrum(data.spectra[index])
        , m_index(index)
        , m_plot(plot) { }

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
            if (k > 1 && distance < 3.0 * m_sheet.theme.lineWidth)
                break;
            const double x = xOf(static_cast<double>(k) * step);
            m_sheet.scene.items.emplace_back(Line{{x, m_plot.y}, {x, m_plot.bottom()},
                m_sheet.theme.line, m_sheet.theme.lineWidth, true});
        }
    }

    // The bins, and between them the peaks of the marked lines, which bins beside a peak lie below.
    [[nodiscard]] std::vector<std::pair<double, double>> points() const {
        std::vector<std::pair<double, double>> all;
        for (std::size_t i = 0; i < m_spectrum.frequencyHz.size(); ++i)
            all.emplace_back(m_spectrum.frequencyHz[i], m_spectrum.amplitudeW[i]);
        for (const auto& line : m_spectrum.lines)
            all.emplace_back(line.frequencyHz, line.amplitudeW);
        std::ranges::sort(all);
        return all;
    }

    void addCurve() const {
        const int most = mostTicks(m_sheet, m_plot.height);
        Chart chart;
        chart.area = m_plot;
        chart.x = chartAxis(m_data.frequency, 8, false);
        chart.left = chartAxis(m_data.amplitude, most, true);
        ChartCurve curve;
        curve.color = legibleOn(seriesColor(4), m_sheet.theme.window);
        curve.width = 1.5 * m_sheet.theme.lineWidth;
        for (const auto& [hertz, watts] : points())
            curve.points.push_back({hertz * m_data.frequency.unit.scale,
                std::max(watts, m_data.amplitude.range.low) * m_data.amplitude.unit.scale});
        chart.curves.push_back(std::move(curve));
        addChart(m_sheet, std::move(chart));
    }

    void drawTicks(bool last) const {
        for (const auto& tick : ticksOf(m_data.amplitude, mostTicks(m_sheet, m_plot.height)))
            m_sheet.note({m_plot.x - m_sheet.gap(), m_sheet.centred(yOf(tick.value))}, tick.label,
                Align::Right);
        if (!last)
            return;
        const double y = m_plot.bottom() + m_sheet.gap() + m_sheet.size();
        for (const auto& tick : ticksOf(m_data.frequency, 8))
            m_sheet.note({xOf(tick.value), y}, tick.label, Align::Centre);
        m_sheet.note({m_plot.x + m_plot.width / 2.0, y + m_sheet.lineHeight()},
            axisTitle(m_data.frequency), Align::Centre);
    }

    void drawTitle() const {
        std::string text = axisTitle(m_data.amplitude);
        if (m_data.spectra.size() > 1)
            text = m_data.runs[m_spectrum.run].label + (m_index == 0 ? " · " + text : "");
        if (m_spectrum.iterationHz)
            text += " · iteration " + frequencyText(*m_spectrum.iterationHz);
        m_sheet.heading({m_plot.x - 0.5 * m_sheet.gap(), m_plot.y - 2.5 * m_sheet.gap()}, text,
            m_plot.width, TextRole::Small);
    }

    [[nodiscard]] std::string textOf(const FigureSpectrum::Line& line) const {
        const std::string text
            = fmt::format("{}, {}", frequencyText(line.frequencyHz), powerText(line.amplitudeW));
        return line.harmonic == 0 ? text
            : line.harmonic == 1  ? text + " (iteration)"
                                  : fmt::format("{} ({}×)", text, line.harmonic);
    }

    [[nodiscard]] Point peakOf(const FigureSpectrum::Line& line) const {
        return {xOf(line.frequencyHz), yOf(line.amplitudeW)};
    }

    // The strongest first; a label that would touch another or the point of another stays out.
    void drawLines() {
        LabelRoom room(m_plot);
        const double size = m_sheet.size();
        const double dot = 0.45 * size;
        for (const auto& line : m_spectrum.lines) {
            const Point peak = peakOf(line);
            m_sheet.dot(peak, dot, m_sheet.theme.text);
            room.take(Rect{peak.x - dot / 2.0, peak.y - dot / 2.0, dot, dot});
        }
        for (const auto& line : m_spectrum.lines) {
            const Point peak = peakOf(line);
            const FigureRun& run = m_data.runs[m_spectrum.run];
            m_sheet.target({peak.x - size, peak.y - size, 2.0 * size, 2.0 * size}, {run.id},
                [&run, &line](Hit& hit) { tellLine(run, line, hit); });
            placeLabel(textOf(line), peak, room);
        }
    }

    void placeLabel(const std::string& text, Point peak, LabelRoom& room) const {
        const double size = m_sheet.size();
        const double width = m_sheet.width(text);
        const double gap = 0.5 * size;
        const double y = std::clamp(
            peak.y - 0.6 * size, m_plot.y, std::max(m_plot.bottom() - 1.2 * size, m_plot.y));
        std::vector<Rect> places;
        for (const double lift : {0.0, 1.2 * size, 2.4 * size}) {
            for (const double x : {peak.x + gap, peak.x - gap - width})
                places.push_back({x, y - lift, width, 1.15 * size});
        }
        if (const auto place = room.takeFirst(places))
            m_sheet.text({place->x, place->y + size}, text, m_sheet.theme.text);
    }

    const Sheet& m_sheet;
    const FigureData& m_data;
    const FigureSpectrum& m_spectrum;
    std::size_t m_index;
    Rect m_plot;
};

double footOf(const Canvas& canvas) {
    return 2.0 * canvas.lineHeight() + canvas.gap();
}

} // namespace

double spectraHeight(const Canvas& canvas, const FigureData& data) {
    return static_cast<double>(data.spectra.size())
        * (panelHead(canvas) + kPlot * canvas.lineHeight() + canvas.gap())
        + footOf(canvas);
}

void drawSpectra(const Sheet& sheet, const FigureData& data, Rect area) {
    const auto count = static_cast<double>(data.spectra.size());
    const double height
        = std::max((area.height - footOf(sheet)) / count - panelHead(sheet) - sheet.gap(),
            kLeastPlot * sheet.lineHeight());
    const double left = ticksWidth(sheet, data.amplitude, height);
    const double width = std::max(area.width - left - 4.0 * sheet.gap(), 1.0);
    double y = area.y;
    for (std::size_t i = 0; i < data.spectra.size(); ++i) {
        y += panelHead(sheet);
        const Rect plot{area.x + left, y, width, height};
        sheet.picture.areas.push_back(plot);
        SpectrumDrawing(sheet, data, i, plot).draw(i + 1 == data.spectra.size());
        y += height + sheet.gap();
    }
}

} // namespace trainscope::plot
