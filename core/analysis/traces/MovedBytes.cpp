#include "core/analysis/traces/MovedBytes.h"

#include <nlohmann/json.hpp>

namespace trainscope::analysis {

std::optional<std::int64_t> movedBytes(std::string_view detail) {
    const auto json = nlohmann::json::parse(detail, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    const auto bytes = json.find("bytes");
    if (bytes == json.end() || !bytes->is_number_integer() || bytes->get<std::int64_t>() < 0)
        return std::nullopt;
    return bytes->get<std::int64_t>();
}

} // namespace trainscope::analysis
