#include "core/plot/LabelRoom.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

bool isApart(const Rect& one, const Rect& other) {
    return one.right() <= other.x || other.right() <= one.x || one.bottom() <= other.y
        || other.bottom() <= one.y;
}

Rect grown(const Rect& rect, double by) {
    return {rect.x - by, rect.y - by, rect.width + 2.0 * by, rect.height + 2.0 * by};
}

// Narrows [enter, leave] of a line to where it lies between two bounds.
bool narrow(double from, double step, double low, double high, double& enter, double& leave) {
    if (step == 0.0)
        return from > low && from < high;
    const double one = (low - from) / step;
    const double other = (high - from) / step;
    enter = std::max(enter, std::min(one, other));
    leave = std::min(leave, std::max(one, other));
    return enter < leave;
}

// True where the slant meets the rectangle; a little early at its corners.
bool meets(const Slant& slant, const Rect& rect) {
    const Rect room = grown(rect, slant.thickness / 2.0);
    double enter = 0.0;
    double leave = 1.0;
    return narrow(slant.from.x, slant.to.x - slant.from.x, room.x, room.right(), enter, leave)
        && narrow(slant.from.y, slant.to.y - slant.from.y, room.y, room.bottom(), enter, leave);
}

} // namespace

bool LabelRoom::isFree(const Rect& rect) const {
    const bool isInside = rect.x >= m_area.x && rect.right() <= m_area.right() && rect.y >= m_area.y
        && rect.bottom() <= m_area.bottom();
    return isInside
        && std::ranges::all_of(m_rects, [&rect](const Rect& taken) { return isApart(rect, taken); })
        && std::ranges::none_of(
            m_slants, [&rect](const Slant& taken) { return meets(taken, rect); });
}

bool LabelRoom::isFree(const Slant& slant) const {
    const Rect room = grown(m_area, -slant.thickness / 2.0);
    const auto isInside = [&room](const Point& at) {
        return at.x >= room.x && at.x <= room.right() && at.y >= room.y && at.y <= room.bottom();
    };
    return isInside(slant.from) && isInside(slant.to)
        && std::ranges::none_of(
            m_rects, [&slant](const Rect& taken) { return meets(slant, taken); });
}

} // namespace trainscope::plot
