#pragma once
// `compare`: as JSON the quantities with their spread, the reasons and what is configured
// differently; for people the verdict with its reasons, then the quantities side by side.

#include "app/cli/text/Json.h"
#include "core/analysis/comparison/Comparison.h"

#include <iosfwd>

namespace trainscope::cli {

// by: also the quantities as divided, under "normalised"; Absolute leaves that out.
Json comparisonJson(const analysis::Comparison& comparison, analysis::Normalisation by);

// scaleUp: the name of that run; empty where none of them is.
Json verdictJson(const analysis::Verdict& verdict, const std::string& scaleUp);
// Headline, reason and statements.
void printVerdict(const analysis::Verdict& verdict, std::ostream& out);

void printComparison(
    std::ostream& out, const analysis::Comparison& comparison, analysis::Normalisation by);

// Gates: one line each; a JSON array; JUnit XML, in which what cannot be told is skipped and what
// cannot be compared an error.
using Gated = std::vector<analysis::GateOutcome>;
void printGates(std::ostream& out, const Gated& gated);
Json gatesJson(const Gated& gated);
std::string junitText(const Gated& gated);

} // namespace trainscope::cli
