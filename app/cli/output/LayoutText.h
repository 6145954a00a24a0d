#pragma once
// A layout for people: who sits where, which groups cross nodes, and the pipeline's bubbles.

#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace trainscope::cli {

// `plan`: nullptr where it is not known.
void printLayout(std::ostream& out, const layout::Layout& layout, const layout::Schedule* plan);

// What the first rank of each stage sends per step.
void printTraffic(
    std::ostream& out, const layout::Layout& layout, const layout::TrafficModel& model);

// "0-7, 16-23", "0, 4, 8" or "0-28 step 4".
std::string rankListText(const std::vector<int>& ranks);

} // namespace trainscope::cli
