#pragma once
// The JSON that the command line prints: one object, keys in the order they are written, SI units.

#include "core/model/Time.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace trainscope::cli {

using Json = nlohmann::ordered_json;

// Compact, on one line; text that is not UTF-8 gets replacement characters.
inline void printJson(std::ostream& out, const Json& json) {
    out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

// A quantity that the data cannot give is absent, never null or 0.
template <typename T>
void setIfPresent(Json& object, const char* key, const std::optional<T>& value) {
    if (value)
        object[key] = *value;
}

// Whole ns as µs with three decimals: the division is exact to the last digit that is printed.
inline double microseconds(DurationNs duration) {
    return static_cast<double>(duration.ns) / 1000.0;
}

inline double seconds(DurationNs duration) {
    return static_cast<double>(duration.ns) / 1e9;
}

} // namespace trainscope::cli
