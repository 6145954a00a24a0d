#pragma once
// The first of the shown runs, and those that are shown after a click, Ctrl+click or Shift+click:
// the same in every list of runs. At least one stays shown. GUI thread.

#include "app/viewmodels/workspace/Workspace.h"

#include <vector>

namespace trainscope::app {

// The preferred run where it is shown, else the first that is; nullptr: none, or no database is
// open.
const Run* leadingRun(const Workspace* workspace, RunId preferred = {});

void showOnly(Workspace& workspace, const std::vector<RunId>& runs);
void showBeside(Workspace& workspace, const std::vector<RunId>& runs);
// Takes them away where all of them are shown, else adds them.
void toggleShown(Workspace& workspace, const std::vector<RunId>& runs);

} // namespace trainscope::app
