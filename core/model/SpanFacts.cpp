#include "core/model/SpanFacts.h"

#include <nlohmann/json.hpp>

namespace trainscope {

RecordedEdge recordedEdgeOf(std::string_view detail) {
    const auto object = nlohmann::json::parse(detail, nullptr, false);
    if (!object.is_object())
        return {};
    // Writers have −1 for what they do not know.
    const auto known = [&](const char* key) -> std::optional<std::int64_t> {
        const auto found = object.find(key);
        const bool isNumber = found != object.end() && found->is_number_integer();
        const std::int64_t number = isNumber ? found->get<std::int64_t>() : -1;
        return number < 0 ? std::nullopt : std::optional(number);
    };
    RecordedEdge edge{{}, known("wait_on_cuda_event_record_corr_id"),
        known("wait_on_cuda_event_id"), object.contains("backward")};
    if (const auto stream = known("wait_on_stream"))
        edge.from = std::to_string(*stream);
    if (const auto stream = object.find("from_stream");
        stream != object.end() && stream->is_string())
        edge.from = stream->get<std::string>();
    return edge;
}

} // namespace trainscope
