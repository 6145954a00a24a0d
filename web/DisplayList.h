#pragma once
// A scene as words of 32 bits that a script paints: numbers are floats, colours 0xAABBGGRR (the
// bytes r, g, b, a), texts UTF-8 behind the words. Pure; any thread.
//
// Header: words of the items, width, height, background. Items by their first word:
//   1 x y width height colour radius hatch          5 x y width height rows columns cells…
//   2 x0 y0 x1 y1 colour width dashed               6 x y width height n (left right colour from
//   to)… 3 colour width n (x y)…                         7 x y colour role align bold rotation at
//   length 4 x y width height colour sloped n tops… bottoms…

#include "core/plot/PlotScene.h"

namespace trainscope::web {

std::vector<std::uint8_t> displayList(const plot::PlotScene& scene);

} // namespace trainscope::web
