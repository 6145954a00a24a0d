#pragma once
// Something about a run that deserves attention, as a plain sentence with its numbers.

#include "core/model/Time.h"

#include <map>
#include <string>
#include <string_view>

namespace trainscope::analysis {

enum class Severity {
    Note, // good to know when reading figures
    Attention, // costs something, or makes figures doubtful
    Serious, // costs 5 % of the GPUs' time or more, or the run is not what it should be
};
std::string_view toString(Severity severity); // "note", "attention", "serious"

// Where it shows.
struct Evidence {
    int rank = -1; // -1: the whole run
    TimeRange range;
    std::string metric; // or empty: kernels
};

struct Finding {
    std::string rule; // "front_rear_gradient"
    std::string text; // one sentence
    std::map<std::string, double> values; // SI; the names end in their unit
    Evidence evidence;
    std::string threshold; // from where on the rule speaks
    std::string denominator; // what the shares are shares of, what was averaged over what
    Severity severity = Severity::Note;
    double cost = 0.0; // share of the GPUs' time that it takes, for the order; 0: takes none
};

} // namespace trainscope::analysis
