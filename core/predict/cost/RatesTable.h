#pragma once
// The table of constants that comes with the program, compiled in.

#include <string_view>

namespace trainscope::predict {

std::string_view builtInRates(); // the text of resources/prediction.json

} // namespace trainscope::predict
