#pragma once
// The layout of a run, from what knows it best: what was entered by hand, else its launch
// configuration, else the process groups of its traces, else its name. The origin is always told.

#include "core/analysis/RunStudy.h"
#include "core/layout/Layout.h"
#include "core/layout/ProcessGroup.h"
#include "core/model/EnumNames.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

enum class LayoutOrigin { Launch, ProcessGroups, Name, Entered };
constexpr auto namesOf(LayoutOrigin) {
    return enumNames("launch", "process_groups", "name", "entered");
}

struct RunLayout {
    layout::LayoutRequest request; // for makeLayout(), with the cluster of the run
    LayoutOrigin origin = LayoutOrigin::Launch;
    std::string wording; // "launch configuration config.yaml"
    std::vector<std::string> notes; // contradictions, assumptions
};

// NotFound where nothing says it; the message tells what would.
Result<RunLayout> runLayout(const RunStudy& study);

// A layout that was told and fits the ranks.
struct FittingLayout {
    RunLayout told;
    layout::Layout layout;
};
// Absent where nothing tells one, or what is told cannot be. Errors are those of the database.
Result<std::optional<FittingLayout>> fittingLayout(const RunStudy& study);

// runLayout() without what was entered by hand.
Result<RunLayout> recordedLayout(const RunStudy& study);

// Keeps it as the layout entered by hand; absent takes that back. Usage error for one that cannot
// be (makeLayout), with what is known of the run in place of what it leaves open.
Status enterLayout(
    store::Store& store, const Run& run, const std::optional<layout::LayoutRequest>& request);

} // namespace trainscope::analysis
