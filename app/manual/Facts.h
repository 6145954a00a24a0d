#pragma once
// Tables of the program's own lists for the manual: a line "{metrics}" of a page stands for the
// table of the metrics, and so on, so that pages tell nothing that the code does not have.

#include <string>
#include <string_view>

namespace trainscope::app::manual {

// The text of a page with its lists filled in. A name that there is no list for stays as it is.
std::string withFacts(std::string_view text);

} // namespace trainscope::app::manual
