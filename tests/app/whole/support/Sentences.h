#pragma once
// Sentences of a run, in its overview and its findings, beside the values that they have.

#include "app/whole/support/Places.h"

#include <string>
#include <vector>

namespace trainscope::test {

// A line for each value that its sentence shows otherwise, or not at all.
std::vector<std::string> wrongSentences(const AskedRun& asked);

} // namespace trainscope::test
