#pragma once
// Settings of the view Kernels. Plain functions; any thread.

#include "app/viewmodels/operators/OperatorsAnswer.h"
#include "app/viewmodels/workspace/Setting.h"

namespace trainscope::app {

enum class OperatorsOf { Run, Window, Selection, Part }; // window and selection: the timeline's
enum class OperatorsPicture { Flame, Roofline };

struct OperatorsSettings {
    int rank = -1; // all
    OperatorsOf of = OperatorsOf::Run;
    std::string part; // "capture NAME" or "iteration 5", with Part
    OperatorsBy by = OperatorsBy::Kernel;
    OperatorsPicture picture = OperatorsPicture::Flame;
    figures::OperatorsAsked flame; // colouring and Python of the flame graph
    bool path = false; // with the column of the critical path
    std::string against; // the second run's name, or "capture NAME"; empty: none
    bool operator==(const OperatorsSettings&) const = default;
};

// Choices of the controls.
struct OperatorsChoices {
    std::vector<int> ranks;
    std::vector<std::string> others; // names of runs, captures of the run as parts
    bool hasModules = false;
    std::vector<std::string> parts = {}; // captures and iterations of the run
};

// The grouping that is shown: the chosen one, where it can be had. A run by itself has no Path,
// which is its Tree; two runs beside each other have Kernel, Tree, Operator and Path only.
OperatorsBy shownBy(OperatorsBy chosen, bool isCompared);

using OperatorsSettingList = SettingList<OperatorsSettings, OperatorsChoices>;
const OperatorsSettingList& operatorsSettings();

} // namespace trainscope::app
