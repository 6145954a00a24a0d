#pragma once
// Styles of pictures, and their targets and items, as tests look them up.

#include "core/plot/Picture.h"
#include "core/plot/Theme.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trainscope::test {

// Every byte is that wide.
inline plot::MeasureText lettersOf(double width) {
    return [width](std::string_view text, plot::TextRole, bool) {
        return width * static_cast<double>(text.size());
    };
}

inline plot::FigureStyle styleWith(
    plot::MeasureText measure, const plot::Theme& theme, double width, double height = 0.0) {
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
    style.measure = std::move(measure);
    return style;
}

// In words, also where another target lies over it.
inline plot::Hit told(const plot::Target& target) {
    plot::Hit hit;
    static_cast<plot::Shown&>(hit) = target.shown;
    hit.outline = target.rect;
    target.tell(hit, {});
    return hit;
}

template <typename Item>
std::vector<Item> itemsOf(const plot::PlotScene& scene) {
    std::vector<Item> found;
    for (const auto& item : scene.items) {
        if (const auto* match = std::get_if<Item>(&item))
            found.push_back(*match);
    }
    return found;
}

// True where a label is those words.
inline bool hasLabel(const plot::PlotScene& scene, std::string_view words) {
    const auto labels = itemsOf<plot::Label>(scene);
    return std::any_of(labels.begin(), labels.end(),
        [words](const plot::Label& label) { return label.text == words; });
}

inline plot::Point centreOf(const plot::Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

inline std::string factOf(const plot::Hit& hit, const std::string& label) {
    for (const auto& [name, value] : hit.facts) {
        if (name == label)
            return value;
    }
    return {};
}

inline std::vector<plot::Rect> rectsOf(const plot::Picture& picture) {
    std::vector<plot::Rect> rects;
    for (const plot::Target& target : picture.targets)
        rects.push_back(target.rect);
    return rects;
}

} // namespace trainscope::test
