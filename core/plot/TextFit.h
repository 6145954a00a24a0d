#pragma once
// Making text fit, by the width that the painter's fonts give it.

#include "core/plot/PlotScene.h"

namespace trainscope::plot {

// The text, or its beginning and "…", or nothing where not even two characters and "…" fit.
std::string elided(std::string_view text, double width, const MeasureText& measure, TextRole role,
    bool bold = false);

// Broken at spaces into at most `most` lines, the last one elided. A number stays with its unit
// where the two have room.
std::vector<std::string> wrapped(std::string_view text, double width, int most,
    const MeasureText& measure, TextRole role, bool bold = false);

// "ms", "%,": a unit, with what may follow it in a sentence.
bool isUnitWord(std::string_view word);

// Small text without spaces: broken after a comma, a slash and the like where there is one in the
// later half of a line, else between any characters; the last line is elided.
std::vector<std::string> brokenAnywhere(
    std::string_view text, double width, int most, const MeasureText& measure);

// The short name of a kernel: without return type, namespaces, template and call arguments.
std::string_view shortKernelName(std::string_view name);

// Room for labels among what is drawn: each takes the first of its places that is free, so that the
// same picture always gives the same ones. Pure.

// A line, or text along one: all that is nearer to it than half its thickness.
struct Slant {
    Point from;
    Point to;
    double thickness = 0.0;
};

class LabelRoom {
public:
    explicit LabelRoom(Rect area)
        : m_area(area) { }

    void take(const Rect& rect) { m_rects.push_back(rect); }
    void take(const Slant& slant) { m_slants.push_back(slant); }

    // Inside the area and beside all that is taken.
    [[nodiscard]] bool isFree(const Rect& rect) const;
    // The same; other slants are not asked: a label along a line lies beside that line.
    [[nodiscard]] bool isFree(const Slant& slant) const;

    // The first that is free, taken.
    template <typename Shape>
    std::optional<Shape> takeFirst(const std::vector<Shape>& places) {
        for (const Shape& place : places) {
            if (!isFree(place))
                continue;
            take(place);
            return place;
        }
        return std::nullopt;
    }

private:
    Rect m_area;
    std::vector<Rect> m_rects;
    std::vector<Slant> m_slants;
};

} // namespace trainscope::plot
