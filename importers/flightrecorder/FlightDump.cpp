#include "importers/flightrecorder/FlightDump.h"

#include "core/model/Try.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/NodeValues.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers::flightrecorder {

namespace {

constexpr std::int64_t kMostFlightRanks = 1 << 20;

std::optional<TimeNs> timeIn(const NodeJson& object, const char* key) {
    const auto ns = jsonInteger(jsonMember(object, key));
    return ns && *ns > 0 ? std::optional(TimeNs{*ns}) : std::nullopt;
}

std::int64_t elementsOf(const NodeJson* sizes) {
    std::int64_t all = 0;
    if (sizes == nullptr || !sizes->is_array())
        return 0;
    for (const NodeJson& dims : *sizes) {
        std::int64_t count = 1;
        for (const NodeJson& one : dims) {
            const auto size = jsonInteger(&one).value_or(0);
            constexpr std::int64_t kMost = std::int64_t{1} << 48;
            count = size >= 0 && size < kMost && (size == 0 || count < kMost / size) ? count * size
                                                                                     : 0;
        }
        all = std::min(all, std::int64_t{1} << 50) + count;
    }
    return all;
}

std::string firstText(const NodeJson* list) {
    return list != nullptr && list->is_array() && !list->empty() ? jsonText(&(*list)[0])
                                                                 : std::string();
}

std::optional<FlightEntry> entryFrom(std::string_view text) {
    const NodeJson object = parsedJson(text);
    const auto created = object.is_object() ? timeIn(object, "time_created_ns") : std::nullopt;
    if (!created)
        return std::nullopt;
    FlightEntry entry;
    entry.created = *created;
    entry.name = jsonText(jsonMember(object, "profiling_name"));
    entry.collective = entry.name.substr(entry.name.find(':') + 1);
    // Messages have their direction and peer in the name: "nccl:send 3->5".
    entry.collective = entry.collective.substr(0, entry.collective.find(' '));
    entry.group = firstText(jsonMember(object, "process_group"));
    if (entry.group.empty())
        if (const auto id = jsonInteger(jsonMember(object, "pg_id")))
            entry.group = std::to_string(*id);
    entry.state = jsonText(jsonMember(object, "state"));
    const NodeJson* message = jsonMember(object, "is_p2p");
    entry.isMessage = message != nullptr && message->is_boolean() && message->get<bool>();
    for (const char* key : {entry.isMessage ? "p2p_seq_id" : "collective_seq_id", "seq_id"}) {
        if (entry.sequence < 0)
            entry.sequence = jsonInteger(jsonMember(object, key)).value_or(-1);
    }
    entry.started = timeIn(object, "time_discovered_started_ns");
    entry.completed = timeIn(object, "time_discovered_completed_ns");
    const NodeJson* duration = jsonMember(object, "duration_ms");
    constexpr double kLongestMs = 1e12;
    if (duration != nullptr && duration->is_number() && duration->get<double>() >= 0.0
        && duration->get<double>() < kLongestMs)
        entry.durationNs = static_cast<std::int64_t>(duration->get<double>() * 1e6);
    const NodeJson* sizes = jsonMember(object, "input_sizes");
    entry.inputSizes = sizes == nullptr ? "" : dumpedJson(*sizes);
    entry.elements = elementsOf(sizes);
    if (const NodeJson* out = jsonMember(object, "output_sizes"))
        entry.outputSizes = dumpedJson(*out);
    entry.dataType = firstText(jsonMember(object, "input_dtypes"));
    return entry;
}

// "[0, 1]", or a list.
std::vector<int> ranksFrom(const NodeJson* list) {
    std::vector<int> ranks;
    const NodeJson inner = list != nullptr && list->is_string()
        ? parsedJson(list->get_ref<const std::string&>())
        : list != nullptr ? *list
                          : NodeJson();
    if (!inner.is_array())
        return ranks;
    for (const NodeJson& one : inner) {
        const auto rank = jsonInteger(&one);
        if (rank && *rank >= 0 && *rank < kMostFlightRanks)
            ranks.push_back(static_cast<int>(*rank));
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

void takeFlightHeader(std::string_view text, FlightHeader& header) {
    const NodeJson object = parsedJson(text);
    if (!object.is_object())
        return;
    header.version = jsonText(jsonMember(object, "version"));
    const auto rank = jsonInteger(jsonMember(object, "rank"));
    if (rank && *rank >= 0 && *rank < kMostFlightRanks)
        header.rank = static_cast<int>(*rank);
    const NodeJson* groups = jsonMember(object, "pg_config");
    if (groups == nullptr || !groups->is_object())
        return;
    for (const auto& [key, group] : groups->items()) {
        const std::string name = jsonText(jsonMember(group, "name"));
        auto ranks = ranksFrom(jsonMember(group, "ranks"));
        if (!ranks.empty())
            header.groups.push_back(
                {name.empty() ? key : name, jsonText(jsonMember(group, "desc")), std::move(ranks)});
    }
}

} // namespace

bool isFlightDump(std::string_view head) {
    const auto has
        = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return head.find_first_not_of(" \t\r\n") == head.find('{')
        && (has("\"pg_config\"") || has("\"entries\""))
        && (has("\"time_created_ns\"") || has("\"collective_seq_id\"") || has("\"pg_status\""));
}

Result<FlightDump> readFlightDump(const SourceTree& tree, const std::string& path,
    const std::function<Status(const FlightEntry&, const FlightHeader&)>& entry,
    const Progress& progress) {
    FlightDump dump;
    std::int64_t entries = 0;
    for (const bool isFirstPass : {true, false}) {
        ASSIGN_OR_RETURN(const auto stream, tree.open(path));
        JsonPaths objects(*stream, {"entries"}, JsonPaths::Outside::Given);
        while (true) {
            const auto found = objects.next();
            if (!found.hasValue()) {
                dump.problem = found.error().message;
                if (isFirstPass)
                    takeFlightHeader(objects.outside() + "}", dump.header);
                break;
            }
            if (!found.value())
                break;
            const std::string_view text = found.value()->text;
            if (found.value()->path == JsonPaths::kOutside) {
                if (isFirstPass)
                    takeFlightHeader(text, dump.header);
                continue;
            }
            if (isFirstPass)
                continue;
            const auto one = entryFrom(text);
            dump.broken += one ? 0 : 1;
            entries += one ? 1 : 0;
            if (one)
                RETURN_IF_ERROR(entry(*one, dump.header));
            constexpr std::int64_t kEvery = 256;
            if (entries % kEvery == 0 && progress
                && !progress(
                    {"Reading the flight recorder", stream->bytesConsumed(), tree.sizeOf(path)}))
                return cancelled();
        }
        dump.bytes = objects.bytes();
    }
    if (entries == 0)
        return Error{ErrorCode::Unrecognised,
            "There is no collective in this dump; PyTorch's flight recorder has them as "
            "\"entries\". Set TORCH_NCCL_TRACE_BUFFER_SIZE and dump again.",
            tree.displayPath(path)};
    return dump;
}

} // namespace trainscope::importers::flightrecorder
