#include "core/model/RecordedEdge.h"

#include <nlohmann/json.hpp>

namespace trainscope {

namespace {

using EdgeJson = nlohmann::json;

// Writers have −1 for what they do not know.
std::optional<std::int64_t> knownNumber(const EdgeJson& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0)
        return std::nullopt;
    return found->get<std::int64_t>();
}

} // namespace

RecordedEdge recordedEdgeOf(std::string_view detail) {
    const auto object = EdgeJson::parse(detail, nullptr, false);
    if (!object.is_object())
        return {};
    RecordedEdge edge;
    edge.record = knownNumber(object, "wait_on_cuda_event_record_corr_id");
    edge.event = knownNumber(object, "wait_on_cuda_event_id");
    edge.isBackward = object.contains("backward");
    if (const auto stream = knownNumber(object, "wait_on_stream"))
        edge.from = std::to_string(*stream);
    if (const auto stream = object.find("from_stream");
        stream != object.end() && stream->is_string())
        edge.from = stream->get<std::string>();
    return edge;
}

std::string graphEdgeDetail(std::string_view fromStream, bool isBackward) {
    EdgeJson object{{"from_stream", fromStream}};
    if (isBackward)
        object["backward"] = true;
    return object.dump(-1, ' ', false, EdgeJson::error_handler_t::replace);
}

} // namespace trainscope
