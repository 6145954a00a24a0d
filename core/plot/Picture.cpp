#include "core/plot/Picture.h"

#include "core/plot/SceneParts.h"

#include <cmath>
#include <iterator>

namespace trainscope::plot {

namespace {

constexpr double kLineReach = 4.0; // distance from a line at which the pointer still means it
// Targets in the same row or column come first.
constexpr double kAsideWeight = 4.0;
constexpr double kFar = 0.01; // weight of the centres' distance, among what is equally near

struct TargetCell {
    const Target* target = nullptr;
    std::size_t row = 0;
    std::size_t column = 0;
};

Point centreOf(const Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

std::optional<Hit> told(const TargetCell& cell, Point at) {
    const auto shown = cell.target->shownBy(cell.row, cell.column);
    if (!shown || !cell.target->tell)
        return std::nullopt;
    Hit hit;
    static_cast<Shown&>(hit) = *shown;
    hit.outline = cell.target->rectOf(cell.row, cell.column);
    cell.target->tell(hit, {cell.row, cell.column, {at.x - hit.outline.x, at.y - hit.outline.y}});
    return hit.title.empty() ? std::nullopt : std::optional(std::move(hit));
}

std::optional<Hit> toldInMiddle(const TargetCell& cell) {
    return told(cell, centreOf(cell.target->rectOf(cell.row, cell.column)));
}

std::size_t indexAt(double from, double extent, std::size_t count, double at) {
    const auto index
        = static_cast<std::size_t>((at - from) / (extent / static_cast<double>(count)));
    return std::min(index, count - 1);
}

TargetCell cellAt(const Target& target, Point at) {
    const Rect& rect = target.rect;
    return {&target, indexAt(rect.y, rect.height, target.rows, at.y),
        indexAt(rect.x, rect.width, target.columns, at.x)};
}

template <typename Visit>
void forEachCell(const std::vector<Target>& targets, const Visit& visit) {
    for (const Target& target : targets) {
        if (!target.line.empty())
            continue;
        for (std::size_t row = 0; row < target.rows; ++row) {
            for (std::size_t column = 0; column < target.columns; ++column)
                visit(TargetCell{&target, row, column});
        }
    }
}

double distance(Point from, Point to, Point at) {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = dx * dx + dy * dy;
    const double along = length > 0.0
        ? std::clamp(((at.x - from.x) * dx + (at.y - from.y) * dy) / length, 0.0, 1.0)
        : 0.0;
    return std::hypot(at.x - from.x - along * dx, at.y - from.y - along * dy);
}

double distance(const Target& target, Point at) {
    double least = 2.0 * kLineReach;
    for (std::size_t i = 1; i < target.line.size(); ++i)
        least = std::min(
            least, distance(target.line[i - 1], target.line[i], at) - target.lineWidth / 2.0);
    return least;
}

std::optional<Hit> lineAt(const std::vector<Target>& targets, Point at) {
    const Target* nearest = nullptr;
    double least = kLineReach;
    for (const Target& target : targets) {
        const double away = distance(target, at);
        if (away >= least)
            continue;
        least = away;
        nearest = &target;
    }
    if (nearest == nullptr)
        return std::nullopt;
    auto hit = told({nearest, 0, 0}, at);
    if (hit)
        hit->outline = {at.x, at.y, 1.0, 1.0};
    return hit;
}

// Room between two stretches; 0 where they touch.
double between(double low, double high, double otherLow, double otherHigh) {
    return std::max({otherLow - high, low - otherHigh, 0.0});
}

// Way from one rectangle to another; absent where it does not lie in that direction, and where it
// holds the first.
std::optional<double> wayTo(const Rect& from, const Rect& to, int columns, int rows) {
    const Point start = centreOf(from);
    const Point end = centreOf(to);
    const bool holds = to.x <= from.x && to.y <= from.y && to.right() >= from.right()
        && to.bottom() >= from.bottom();
    if (holds || columns * (end.x - start.x) + rows * (end.y - start.y) <= 1.0)
        return std::nullopt;
    const double x = between(from.x, from.right(), to.x, to.right());
    const double y = between(from.y, from.bottom(), to.y, to.bottom());
    const double far = std::abs(end.x - start.x) + std::abs(end.y - start.y);
    return (columns != 0 ? x + kAsideWeight * y : y + kAsideWeight * x) + kFar * far;
}

} // namespace

std::optional<Shown> Target::shownBy(std::size_t row, std::size_t column) const {
    return cell ? cell(row, column) : std::optional(shown);
}

Rect Target::rectOf(std::size_t row, std::size_t column) const {
    if (rows == 1 && columns == 1)
        return rect;
    const double width = rect.width / static_cast<double>(columns);
    const double height = rect.height / static_cast<double>(rows);
    return {rect.x + width * static_cast<double>(column),
        rect.y + height * static_cast<double>(row), width, height};
}

void Picture::append(Picture part, Point at) {
    const auto move = [&at](auto& place) {
        place.x += at.x;
        place.y += at.y;
    };
    for (Target& target : part.targets) {
        move(target.rect);
        for (Point& point : target.line)
            move(point);
    }
    targets.insert(targets.end(), std::make_move_iterator(part.targets.begin()),
        std::make_move_iterator(part.targets.end()));
    appendScene(scene, std::move(part.scene), at);
}

std::optional<Hit> Picture::hitAt(Point at) const {
    std::optional<Hit> hit;
    const auto tells = [&hit, at](const Target& target) {
        if (target.line.empty() && target.rect.contains(at))
            hit = told(cellAt(target, at), at);
        return hit.has_value();
    };
    if (std::any_of(targets.rbegin(), targets.rend(), tells))
        return hit;
    return lineAt(targets, at);
}

std::vector<Hit> Picture::placesOf(RunId run, std::optional<int> rank) const {
    std::vector<TargetCell> of[3]; // the GPU or the run; the GPU's run; a part of it
    forEachCell(targets, [&](const TargetCell& cell) {
        const auto shown = cell.target->shownBy(cell.row, cell.column);
        if (!shown || !shown->run.isValid() || shown->run != run)
            return;
        if (!shown->isOwn)
            of[2].push_back(cell);
        else if (shown->rank == rank)
            of[0].push_back(cell);
        else if (!shown->rank)
            of[1].push_back(cell);
    });
    std::vector<Hit> places;
    for (const auto& cells : of) {
        for (const TargetCell& cell : cells) {
            if (auto hit = toldInMiddle(cell))
                places.push_back(std::move(*hit));
        }
    }
    return places;
}

std::optional<Hit> Picture::offered(
    std::optional<std::size_t> choice, const std::string& title) const {
    for (const Target& target : targets) {
        if (!target.shown.choice || (choice && target.shown.choice != choice))
            continue;
        auto hit = toldInMiddle({&target, 0, 0});
        if (hit && (title.empty() || hit->title == title))
            return hit;
    }
    return std::nullopt;
}

std::optional<Hit> Picture::first() const {
    std::optional<Hit> found;
    forEachCell(targets, [&found](const TargetCell& cell) {
        if (!found)
            found = toldInMiddle(cell);
    });
    return found;
}

std::optional<Hit> Picture::neighbour(const Rect& from, int columns, int rows) const {
    TargetCell best;
    double least = 0.0;
    forEachCell(targets, [&](const TargetCell& cell) {
        const auto way = wayTo(from, cell.target->rectOf(cell.row, cell.column), columns, rows);
        if (!way || (best.target != nullptr && *way >= least))
            return;
        if (!cell.target->shownBy(cell.row, cell.column))
            return;
        best = cell;
        least = *way;
    });
    return best.target == nullptr ? std::nullopt : toldInMiddle(best);
}

} // namespace trainscope::plot
