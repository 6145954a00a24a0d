#pragma once
// Shown runs after a click, Ctrl+click or Shift+click: the same in every list of runs. At least one
// stays shown. GUI thread.

#include "app/viewmodels/workspace/Workspace.h"

#include <vector>

namespace trainscope::app {

void showOnly(Workspace& workspace, const std::vector<RunId>& runs);
void showBeside(Workspace& workspace, const std::vector<RunId>& runs);
// Takes them away where all of them are shown, else adds them.
void toggleShown(Workspace& workspace, const std::vector<RunId>& runs);

} // namespace trainscope::app
