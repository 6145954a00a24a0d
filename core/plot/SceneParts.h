#pragma once
// Scenes made of scenes.

#include "core/plot/PlotScene.h"

namespace trainscope::plot {

// Moves everything that is drawn.
void moveItem(SceneItem& item, double dx, double dy);
// Adds the items of `part`, moved so that its corner lies at `at`; its background stays away.
void appendScene(PlotScene& scene, PlotScene part, Point at);

} // namespace trainscope::plot
