#include "core/plot/figures/CurvePlot.h"

#include "core/plot/Palette.h"

#include <cmath>

namespace trainscope::plot {

float CurvePlot::yOf(float value) const {
    if (std::isnan(value))
        return value;
    return static_cast<float>(
        m_plot.bottom() - m_plot.height * fractionOf(m_axis, static_cast<double>(value)));
}

void CurvePlot::grid() const {
    const int most = std::clamp(static_cast<int>(m_plot.height / (2.2 * m_sheet.size())), 2, 6);
    for (const auto& tick : ticksOf(m_axis, most)) {
        const double y = m_plot.bottom() - m_plot.height * fractionOf(m_axis, tick.value);
        m_sheet.line({m_plot.x, y}, {m_plot.right(), y}, m_sheet.theme.grid);
        m_sheet.note({m_plot.x - m_sheet.gap(), m_sheet.centred(y)}, tick.label, Align::Right);
    }
}

void CurvePlot::band(
    const std::vector<float>& low, const std::vector<float>& high, Color fill) const {
    Columns columns;
    columns.area = m_plot;
    columns.color = fill;
    for (std::size_t i = 0; i < low.size(); ++i) {
        columns.top.push_back(yOf(high[i]));
        columns.bottom.push_back(yOf(low[i]));
    }
    m_sheet.scene.items.emplace_back(std::move(columns));
}

void CurvePlot::line(std::vector<float> values, Color ink, std::optional<std::size_t> place) const {
    const double step = m_plot.width / static_cast<double>(std::max<std::size_t>(values.size(), 1));
    if (place && isPrinted(m_sheet.theme)) {
        // A dash has two points at least.
        const double unit = std::max(m_sheet.theme.lineWidth, 0.5 * step);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!isInked(*place, step * static_cast<double>(i) / unit))
                values[i] = std::numeric_limits<float>::quiet_NaN();
        }
    }
    Polyline line{{}, ink, 1.5 * m_sheet.theme.lineWidth};
    const auto finish = [&] {
        if (line.points.size() > 1)
            m_sheet.scene.items.emplace_back(line);
        line.points.clear();
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]))
            finish();
        else
            line.points.push_back({m_plot.x + step * (static_cast<double>(i) + 0.5),
                static_cast<double>(yOf(values[i]))});
    }
    finish();
}

void CurvePlot::shade(const std::vector<float>& values, Color fill) const {
    const float zero = yOf(0.0F);
    Columns columns;
    columns.area = m_plot;
    columns.color = fill;
    for (const float value : values) {
        const float y = yOf(value);
        columns.top.push_back(std::isnan(y) ? y : std::min(y, zero));
        columns.bottom.push_back(std::isnan(y) ? y : std::max(y, zero));
    }
    m_sheet.scene.items.emplace_back(std::move(columns));
    const auto level = static_cast<double>(zero);
    m_sheet.line({m_plot.x, level}, {m_plot.right(), level}, m_sheet.theme.textMuted);
}

} // namespace trainscope::plot
