#include "app/viewmodels/workspace/ShownRuns.h"

#include <algorithm>

namespace trainscope::app {

const Run* leadingRun(const Workspace* workspace, RunId preferred) {
    if (workspace == nullptr || workspace->shownRuns().empty())
        return nullptr;
    const auto shown = workspace->shownIds();
    const bool isShown = std::find(shown.begin(), shown.end(), preferred) != shown.end();
    return workspace->findRun(isShown ? preferred : shown.front());
}

void showOnly(Workspace& workspace, const std::vector<RunId>& runs) {
    if (!runs.empty())
        workspace.setShown(runs);
}

void showBeside(Workspace& workspace, const std::vector<RunId>& runs) {
    auto shown = workspace.shownIds();
    shown.insert(shown.end(), runs.begin(), runs.end());
    showOnly(workspace, shown);
}

void toggleShown(Workspace& workspace, const std::vector<RunId>& runs) {
    const auto isOne
        = [&runs](RunId run) { return std::find(runs.begin(), runs.end(), run) != runs.end(); };
    auto shown = workspace.shownIds();
    const auto already = std::count_if(shown.begin(), shown.end(), isOne);
    std::erase_if(shown, isOne);
    if (already < static_cast<std::ptrdiff_t>(runs.size()))
        shown.insert(shown.end(), runs.begin(), runs.end());
    showOnly(workspace, shown);
}

} // namespace trainscope::app
