#pragma once
// Room for labels among what is drawn: each takes the first of its places that is free, so that the
// same picture always gives the same ones. Pure.

#include "core/plot/PlotScene.h"

namespace trainscope::plot {

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
