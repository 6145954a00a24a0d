#include "app/cli/text/Json.h"

#include <ostream>

namespace trainscope::cli {

void printJson(std::ostream& out, const Json& json) {
    out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace trainscope::cli
