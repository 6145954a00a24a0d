#pragma once
// What a click, Ctrl+click and Shift+click on runs make of those that are shown: the same in every
// list of runs. At least one stays shown. GUI thread.

#include "app/viewmodels/workspace/Workspace.h"

#include <vector>

namespace trainscope::app {

void showOnly(Workspace& workspace, const std::vector<RunId>& runs);
void showBeside(Workspace& workspace, const std::vector<RunId>& runs);
// Takes them away where all of them are shown, else adds them.
void toggleShown(Workspace& workspace, const std::vector<RunId>& runs);

} // namespace trainscope::app
