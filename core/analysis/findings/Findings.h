#pragma once
// Findings: what deserves attention in a run, each a sentence with its numbers, evidence, threshold
// and denominator. A run without defects gives none.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

enum class Severity {
    Note, // good to know when reading figures
    Attention, // costs something, or makes figures doubtful
    Serious, // costs 5 % of the GPUs' time or more, or the run is not what it should be
};
constexpr auto namesOf(Severity) {
    return enumNames("note", "attention", "serious");
}
constexpr auto titlesOf(Severity) {
    return enumNames("to know", "needs attention", "serious");
}
using trainscope::titleOf;

// Place where a finding shows.
struct Evidence {
    int rank = -1; // -1: the whole run
    TimeRange range;
    std::string metric; // or empty: kernels
};

struct Finding {
    std::string rule; // "front_rear_gradient"
    std::string text; // one sentence
    // SI; the names end in their unit, but for counts and shares; `worst` and `median` are in that
    // of the evidence's metric.
    std::map<std::string, double> values;
    Evidence evidence;
    std::string threshold; // from where on the rule speaks
    std::string denominator; // the whole behind the shares, and the averages behind the values
    Severity severity = Severity::Note;
    double cost = 0.0; // share of the GPUs' time that it takes, for the order; 0: takes none
};

struct FindingsOptions {
    std::optional<double> networkBandwidth; // one GPU, per direction, B/s: peak of scale-out links
    std::string capture
        = {}; // only what it recorded and what was measured meanwhile; empty: the run
};

// The costliest first. Reads everything that is recorded of the run; cancelled by progress.
// NotFound where the run has no such capture. Rules that speak of a whole run (how it ended,
// whether it settled) say nothing of a capture.
Result<std::vector<Finding>> findingsOf(const RunStudy& study, const FindingsOptions& options);
Result<std::vector<Finding>> findingsOf(const RunStudy& study);

} // namespace trainscope::analysis
