#include "core/plot/SceneParts.h"

#include <iterator>

namespace trainscope::plot {

namespace {

struct Mover {
    double dx;
    double dy;

    void operator()(Point& point) const {
        point.x += dx;
        point.y += dy;
    }
    void operator()(Rect& rect) const {
        rect.x += dx;
        rect.y += dy;
    }
    void operator()(FillRect& item) const { (*this)(item.rect); }
    void operator()(Line& item) const {
        (*this)(item.from);
        (*this)(item.to);
    }
    void operator()(Polyline& item) const {
        for (Point& point : item.points)
            (*this)(point);
    }
    void operator()(Columns& item) const {
        (*this)(item.area);
        for (auto* edges : {&item.top, &item.bottom}) {
            for (float& y : *edges)
                y += static_cast<float>(dy); // NaN stays
        }
    }
    void operator()(HeatStrip& item) const { (*this)(item.area); }
    void operator()(Bars& item) const {
        (*this)(item.area);
        for (Bar& bar : item.bars) {
            bar.left += dx;
            bar.right += dx;
        }
    }
    void operator()(Label& item) const { (*this)(item.anchor); }
    void operator()(Chart& item) const { (*this)(item.area); }
};

} // namespace

void moveItem(SceneItem& item, double dx, double dy) {
    std::visit(Mover{dx, dy}, item);
}

void appendScene(PlotScene& scene, PlotScene part, Point at) {
    for (SceneItem& item : part.items)
        moveItem(item, at.x, at.y);
    scene.items.insert(scene.items.end(), std::make_move_iterator(part.items.begin()),
        std::make_move_iterator(part.items.end()));
}

Rect placeOf(const Bar& bar, const Rect& row) {
    const double from = static_cast<double>(bar.from) * row.height;
    const double to = static_cast<double>(bar.to) * row.height;
    return {bar.left, row.bottom() - to, bar.right - bar.left, to - from};
}

} // namespace trainscope::plot
