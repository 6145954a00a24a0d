#pragma once
// Scenes as SVG elements inside a page that carries their fonts once.

#include "core/model/Result.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <QByteArray>

#include <vector>

namespace trainscope::app {

// An <svg> element that takes the width it is given; without fonts.
Result<QByteArray> inlineSvg(const plot::PlotScene& scene, const plot::Theme& theme);

// @font-face rules for the text of all of them; empty where the font must not be embedded.
QByteArray inlineFonts(const std::vector<plot::PlotScene>& scenes, const plot::Theme& theme);

} // namespace trainscope::app
