#pragma once
// Operators of a run as text tables and JSON.

#include "app/cli/text/Rows.h"
#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/operators/OperatorMfu.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Run.h"
#include "core/text/Table.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace trainscope::cli {

struct OperatorsReport {
    struct OfRank {
        int rank = -1;
        bool hasHost = false;
        bool isOfHost = false; // no device was traced: the time is self time of calls
        bool hasShapes = false;
        analysis::FrameSums all;
        analysis::OperatorTable table;
        std::optional<analysis::MeasuredBandwidth> bandwidth;
        std::optional<analysis::OperatorMfu> mfu; // over the window
        std::vector<analysis::IterationMfu> iterations; // those that are whole in it
        std::vector<analysis::PartEnergy> energies; // by row of the table; empty: not known
    };
    Run run;
    const catalogue::GpuModel* gpu = nullptr; // nullptr: not known
    analysis::OperatorGrouping by = analysis::OperatorGrouping::Shape;
    std::vector<OfRank> ranks;
    // By the model's formula: of the run's iterations, and of one that takes 1 s.
    std::optional<double> formulaMfu;
    std::optional<double> formulaMfuOfOneSecond;
    std::string windowNote; // empty: nothing to say
};

// Records that the traces lack for the question.
std::vector<std::string> warningsOf(const OperatorsReport& report);

// All rows of all ranks.
text::Table operatorTable(const OperatorsReport& report);
// The rows that take the longest.
void printOperators(const OperatorsReport& report, std::ostream& out);
Json operatorsJson(const OperatorsReport& report);

} // namespace trainscope::cli
