#pragma once
// Neutral geometry: what a figure consists of, decided once and replayed by the painter on the
// screen, to PNG, PDF and SVG. One unit is one logical pixel on the screen and one point (1/72 in)
// on paper. Every item is already clipped to where it may be seen: Qt 6.4's SVG generator ignores
// clipping.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainscope::plot {

struct Color {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;
    std::uint8_t a = 255;

    bool operator==(const Color&) const = default;
};
constexpr Color rgb(std::uint32_t hex) {
    return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8),
        static_cast<std::uint8_t>(hex), 255};
}
constexpr Color withAlpha(Color color, std::uint8_t alpha) {
    return {color.r, color.g, color.b, alpha};
}

struct Point {
    double x = 0.0;
    double y = 0.0;
    bool operator==(const Point&) const = default;
};
struct Rect {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;
    double height = 0.0;
    bool operator==(const Rect&) const = default;
    [[nodiscard]] double right() const { return x + width; }
    [[nodiscard]] double bottom() const { return y + height; }
    [[nodiscard]] bool contains(Point at) const {
        return at.x >= x && at.x < right() && at.y >= y && at.y < bottom();
    }
};

enum class Hatch { None, Diagonal };

struct FillRect {
    Rect rect;
    Color fill;
    double radius = 0.0;
    Hatch hatch = Hatch::None;
};
struct Line {
    Point from;
    Point to;
    Color color;
    double width = 1.0;
    bool dashed = false;
};
struct Polyline {
    std::vector<Point> points;
    Color color;
    double width = 1.0;
};
// Dense data: one vertical bar per column from top[i] to bottom[i] (y down); NaN: nothing there. On
// the screen filled straight into an image, on paper drawn as a path.
struct Columns {
    Rect area; // columns divide its width evenly
    std::vector<float> top;
    std::vector<float> bottom;
    Color color;
    bool isSloped = false; // on paper joined from middle to middle; else each as wide as it is
    // Neighbouring items of one content form a picture. The same content in a later scene is the
    // same picture, moved: its column firstColumn is drawn first. 0: not to be recognised.
    std::uint64_t content = 0;
    std::int64_t firstColumn = 0;
};
// Rows × columns of colours over an area, row by row; alpha 0: no data.
struct HeatStrip {
    Rect area;
    int rows = 0;
    int columns = 0;
    std::vector<Color> cells;
};

// A row of bars of the row's height: spans of a track. Later bars lie over earlier ones.
struct Bar {
    double left = 0.0; // scene units; left <= right
    double right = 0.0;
    Color color;
    // Part of the row's height, from its foot.
    float from = 0.0F;
    float to = 1.0F;
};
struct Bars {
    Rect area; // one row; the bars do not leave it
    std::vector<Bar> bars;
};

enum class TextRole { Body, Secondary, Small, Title }; // sizes come from the style
enum class Align { Left, Centre, Right };
struct Label {
    Point anchor; // on the baseline
    std::string text; // UTF-8, already elided
    Color color;
    TextRole role = TextRole::Body;
    Align align = Align::Left;
    bool bold = false;
    double rotation = 0.0; // degrees, clockwise, around the anchor
};

// The data of a standard chart with few points: bars, lines and markers in a plot area with grid
// and axis lines. Values are in units of the axes and within their ranges. Categories stand at x =
// 0, 1, 2, … Drawn with Qt Charts, on the thread of its application.
struct ChartAxis {
    double low = 0.0;
    double high = 1.0;
    bool log = false;
    double gridFrom = 0.0; // lines at gridFrom + k × gridStep; logarithmic: at powers of ten
    double gridStep = 0.0; // 0: none
};
struct ChartBars {
    bool stacked = false;
    double width = 0.7; // share of a category's width, all its bars together
    std::vector<Color> colors; // by set
    std::vector<std::vector<double>> values; // by set, then category; 0: nothing
};
struct ChartCurve {
    std::vector<Point> points;
    Color color;
    double width = 0.0; // the line's; 0: none
    double marker = 0.0; // diameter; 0: none
    bool onRight = false;
};
struct Chart {
    Rect area;
    ChartAxis x;
    ChartAxis left;
    std::optional<ChartAxis> right;
    ChartBars bars;
    std::vector<ChartCurve> curves;
    Color grid;
    double lineWidth = 1.0;
};

using SceneItem = std::variant<FillRect, Line, Polyline, Columns, HeatStrip, Bars, Label, Chart>;

struct PlotScene {
    double width = 0.0;
    double height = 0.0;
    Color background;
    std::vector<SceneItem> items; // painted in order
};

// Width of a text in scene units; supplied by the painter's fonts, by a fixed-pitch fake in tests.
using MeasureText = std::function<double(std::string_view text, TextRole role, bool bold)>;

} // namespace trainscope::plot
