#pragma once
// Targets and items of pictures, as tests look them up.

#include "core/plot/Picture.h"

#include <string>
#include <vector>

namespace trainscope::test {

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
