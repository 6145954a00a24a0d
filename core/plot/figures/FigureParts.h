#pragma once
// What every part of a figure's drawing gets: the style and the scene, and the few things that are
// drawn.

#include "core/plot/figures/FigureGeometry.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::plot {

struct FigureFrame {
    const FigureStyle& style;
    const Theme& theme;
    PlotScene& scene;

    void fill(Rect rect, Color color) const;
    void hatch(Rect rect, Color color) const;
    void line(Point from, Point to, Color color, double width) const;
    // rotation: degrees, clockwise around the anchor.
    void text(Point anchor, std::string text, Color color, TextRole role, Align align = Align::Left,
        bool bold = false, double rotation = 0.0) const;
    [[nodiscard]] double width(std::string_view text, TextRole role, bool bold = false) const;
    [[nodiscard]] double size(TextRole role) const { return theme.size(role); }
    // Distance between baselines.
    [[nodiscard]] double lineHeight(TextRole role) const { return 1.25 * size(role); }
    // Baseline of text of that role that is centred on y.
    [[nodiscard]] double centred(double y, TextRole role) const;
    [[nodiscard]] double gap() const { return theme.spacing; }
};

std::vector<std::string> linesOf(std::string_view text);
// Of the widest line.
double widestLine(const FigureFrame& frame, std::string_view text, TextRole role);

// Every how many-th of labels of that extent fits without touching its neighbour.
std::size_t labelStep(double extent, double distance);

// Texts of an axis' ticks within its range.
struct FigureTick {
    double value = 0.0; // SI
    std::string label;
};
std::vector<FigureTick> ticksOf(const FigureAxis& axis, int most);
// Where a value lies on the axis, 0 to 1; clamped.
double fractionOf(const FigureAxis& axis, double value);
// "GPU temperature (°C)".
std::string axisTitle(const FigureAxis& axis);
// "61.2 °C", "—" for absent.
std::string valueText(const FigureAxis& axis, const std::optional<double>& value);

// Each part: the height it wants, and its drawing into an area of at least that width.
double heatmapsHeight(const FigureFrame& frame, const FigureData& data);
void drawHeatmaps(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry);

double panelsHeight(const FigureFrame& frame, const FigureData& data, double width);
void drawPanels(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry);
double spectraHeight(const FigureFrame& frame, const FigureData& data);
void drawSpectra(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry);

std::optional<FigureHit> hitPanel(const FigureData& data, const FigureGeometry& geometry, Point at);
std::optional<FigureHit> hitSpectrum(
    const FigureData& data, const FigureGeometry& geometry, Point at);
std::optional<FigureHit> hitHeatmap(
    const FigureData& data, const FigureGeometry& geometry, Point at);

} // namespace trainscope::plot
