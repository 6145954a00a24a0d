#include "app/comparing/SavedInReport.h"

#include "app/comparing/SavedComparison.h"

#include <algorithm>

namespace trainscope::app {

Result<std::vector<report::ComparisonRequest>> savedInReport(
    const store::Store& store, const std::vector<RunId>& chosen) {
    const auto saved = savedComparisons(store);
    if (!saved.hasValue())
        return saved.error();
    const auto isChosen = [&chosen](const Run& run) {
        return chosen.empty() || std::find(chosen.begin(), chosen.end(), run.id) != chosen.end();
    };
    std::vector<report::ComparisonRequest> requests;
    for (const auto& one : saved.value()) {
        const bool fits
            = one.runs.size() > 1 && std::all_of(one.runs.begin(), one.runs.end(), isChosen);
        if (!fits)
            continue;
        report::ComparisonRequest request{one.name, queryOf(one.settings, one.runs), {},
            one.settings.stacked, one.settings.perStage, one.notes};
        for (const auto panel : plot::kComparisonPanels) {
            if (one.settings.shows(panel))
                request.panels.push_back(panel);
        }
        requests.push_back(std::move(request));
    }
    return requests;
}

} // namespace trainscope::app
