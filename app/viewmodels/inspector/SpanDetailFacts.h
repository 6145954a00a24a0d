#pragma once
// The arguments that a trace gives with a span, as labelled values. Any thread.

#include "app/viewmodels/workspace/FactListModel.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::app {

// `detail` is the JSON object kept with a span (see core/model/Span.h); known keys get plain labels
// and units, others keep their names. Nothing for text that is not an object.
std::vector<Fact> detailFacts(std::string_view detail);

// The value of "Collective name" in it; empty: none.
std::string collectiveName(std::string_view detail);

} // namespace trainscope::app
