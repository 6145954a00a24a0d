#pragma once
// What every panel's drawing gets, and the few things that several of them draw.

#include "core/plot/comparison/ComparisonGeometry.h"
#include "core/plot/figures/FigureFrame.h"

#include <functional>
#include <string>

namespace trainscope::plot {

struct ComparisonFrame {
    const ComparisonData& data;
    const ComparisonStyle& style;
    const FigureFrame& draw;
    ComparisonGeometry& geometry;

    [[nodiscard]] const Theme& theme() const { return draw.theme; }
    [[nodiscard]] double gap() const { return draw.gap(); }
    [[nodiscard]] double line() const { return draw.lineHeight(TextRole::Small); }
    // Of the panels, which text lies on.
    [[nodiscard]] Color paper() const { return draw.theme.panel; }
    [[nodiscard]] Color fillOf(std::size_t run) const;
    [[nodiscard]] Color inkOf(std::size_t run) const; // for text and lines
    [[nodiscard]] const std::string& mark(std::size_t run) const { return data.runs[run].mark; }
    [[nodiscard]] std::string fitted(
        const std::string& text, double width, TextRole role, bool bold = false) const;
    void target(Rect rect, ComparisonPanel panel, std::size_t item, std::size_t run,
        std::size_t part = 0) const;
};

// Ticks along x, of seconds or of shares: `plot` gets grid lines, labels stand below it.
enum class AxisTicks { Seconds, Shares };
void drawTimeTicks(const ComparisonFrame& frame, Rect plot, double from, double to,
    AxisTicks ticks = AxisTicks::Seconds);
double timeTicksHeight(const ComparisonFrame& frame);

// A row of swatches and texts, wrapped; returns its height. With draw false only that.
struct ComparisonLegendEntry {
    std::string category; // key
    std::string text;
};
double drawCategoryLegend(const ComparisonFrame& frame,
    const std::vector<ComparisonLegendEntry>& entries, Point at, double width, bool draw);

// A bar of colours with the axis' ticks below it, from 0 to 1 along the axis.
using ColorOf = std::function<Color(double)>;
double colorBarHeight(const ComparisonFrame& frame);
void drawColorBar(
    const ComparisonFrame& frame, const FigureAxis& axis, const ColorOf& color, Rect area);

// Of a metric: a fraction of its axis, and a value, in few steps so that neighbours merge.
Color heatShade(const FigureAxis& axis, double fraction);
Color heatColor(const FigureAxis& axis, double value);

// Fixed everywhere; idle time suits the theme.
Color categoryFill(const ComparisonFrame& frame, const std::string& category);

// Each panel: the height it wants in that width, and its drawing.
// With many runs cards and bars are tables of runs, heat maps and curves rows of them.
double verdictHeight(const ComparisonFrame& frame, double width);
void drawVerdict(const ComparisonFrame& frame, Rect area);
double reasonsHeight(const ComparisonFrame& frame, double width);
void drawReasons(const ComparisonFrame& frame, Rect area);
double cardsHeight(const ComparisonFrame& frame, double width);
void drawCards(const ComparisonFrame& frame, Rect area);
double runsTableHeight(const ComparisonFrame& frame, double width, bool onlyCards);
void drawRunsTable(const ComparisonFrame& frame, Rect area, bool onlyCards);
double barsHeight(const ComparisonFrame& frame, double width);
void drawBars(const ComparisonFrame& frame, Rect area);
double stacksHeight(const ComparisonFrame& frame, double width);
void drawStacks(const ComparisonFrame& frame, Rect area);
double kernelsHeight(const ComparisonFrame& frame, double width);
void drawKernels(const ComparisonFrame& frame, Rect area);
double heatHeight(const ComparisonFrame& frame, double width);
void drawHeat(const ComparisonFrame& frame, Rect area);
double heatRowsHeight(const ComparisonFrame& frame, double width);
void drawHeatRows(const ComparisonFrame& frame, Rect area);
double curvesHeight(const ComparisonFrame& frame, double width);
void drawCurves(const ComparisonFrame& frame, Rect area);
double curveRowsHeight(const ComparisonFrame& frame, double width);
void drawCurveRows(const ComparisonFrame& frame, Rect area);
double tracksHeight(const ComparisonFrame& frame, double width);
void drawTracks(const ComparisonFrame& frame, Rect area);
double configurationHeight(const ComparisonFrame& frame, double width);
void drawConfiguration(const ComparisonFrame& frame, Rect area);

} // namespace trainscope::plot
