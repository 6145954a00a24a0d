#include "core/analysis/machine/AllocatorMemory.h"

#include "core/model/Try.h"
#include "core/text/Times.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainscope::analysis {

namespace {

using RecordJson = nlohmann::json;

std::int64_t wholeIn(const RecordJson& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::optional<std::int64_t> optionalIn(const RecordJson& object, const char* key) {
    return object.contains(key) ? std::optional(wholeIn(object, key)) : std::nullopt;
}

std::optional<TimeNs> momentIn(const RecordJson& object) {
    const auto ns = optionalIn(object, "time_ns");
    return ns ? std::optional(TimeNs{*ns}) : std::nullopt;
}

std::string wordIn(const RecordJson& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const RecordJson& listIn(const RecordJson& object, const char* key) {
    static const RecordJson kEmpty = RecordJson::array();
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : kEmpty;
}

std::vector<std::string> callsIn(const RecordJson& object) {
    std::vector<std::string> calls;
    for (const RecordJson& one : listIn(object, "calls")) {
        if (one.is_string())
            calls.push_back(one.get<std::string>());
    }
    return calls;
}

RecordJson jsonOf(const MemoryPeak& peak) {
    RecordJson json{{"allocated", peak.allocated}, {"reserved", peak.reserved},
        {"count", peak.count}, {"uses", RecordJson::array()}, {"largest", RecordJson::array()}};
    if (peak.time)
        json["time_ns"] = peak.time->ns;
    for (const auto& [use, bytes] : peak.byUse)
        json["uses"].push_back({{"use", toString(use)}, {"bytes", bytes}});
    for (const LiveAllocations& one : peak.largest)
        json["largest"].push_back({{"use", toString(one.use)}, {"size", one.size},
            {"count", one.count}, {"calls", one.calls}});
    return json;
}

MemoryPeak peakFrom(const RecordJson& json) {
    MemoryPeak peak{momentIn(json), wholeIn(json, "allocated"), wholeIn(json, "reserved"),
        wholeIn(json, "count"), {}, {}};
    for (const RecordJson& one : listIn(json, "uses"))
        peak.byUse.emplace_back(
            fromString(wordIn(one, "use"), MemoryUse::Unknown), wholeIn(one, "bytes"));
    for (const RecordJson& one : listIn(json, "largest"))
        peak.largest.push_back({fromString(wordIn(one, "use"), MemoryUse::Unknown),
            wholeIn(one, "size"), wholeIn(one, "count"), callsIn(one)});
    return peak;
}

RecordJson jsonOf(const OutOfMemory& one) {
    RecordJson json{{"requested", one.requested}, {"reserved", one.reserved},
        {"allocated", one.allocated}, {"pieces", one.freePieces}, {"largest_free", one.largestFree},
        {"calls", one.calls}};
    if (one.time)
        json["time_ns"] = one.time->ns;
    if (one.deviceFree)
        json["device_free"] = *one.deviceFree;
    return json;
}

OutOfMemory outOfMemoryFrom(const RecordJson& json) {
    return {momentIn(json), wholeIn(json, "requested"), optionalIn(json, "device_free"),
        wholeIn(json, "reserved"), wholeIn(json, "allocated"), wholeIn(json, "pieces"),
        wholeIn(json, "largest_free"), callsIn(json)};
}

RecordJson jsonOf(const AllocatorRecord& record) {
    RecordJson json{{"rank", record.rank}, {"device", record.device}, {"events", record.events},
        {"peak", jsonOf(record.peak)}, {"out_of_memory", RecordJson::array()},
        {"out_of_memory_count", record.outOfMemoryCount}, {"ended_so", record.endedSo},
        {"settings", record.settings}};
    for (const OutOfMemory& one : record.outOfMemory)
        json["out_of_memory"].push_back(jsonOf(one));
    return json;
}

AllocatorRecord recordFrom(const RecordJson& json) {
    AllocatorRecord record;
    record.rank = static_cast<int>(wholeIn(json, "rank"));
    record.device = static_cast<int>(wholeIn(json, "device"));
    record.events = wholeIn(json, "events");
    if (const auto peak = json.find("peak"); peak != json.end())
        record.peak = peakFrom(*peak);
    for (const RecordJson& one : listIn(json, "out_of_memory"))
        record.outOfMemory.push_back(outOfMemoryFrom(one));
    record.outOfMemoryCount = wholeIn(json, "out_of_memory_count");
    const auto ended = json.find("ended_so");
    record.endedSo = ended != json.end() && ended->is_boolean() && ended->get<bool>();
    record.settings = wordIn(json, "settings");
    return record;
}

} // namespace

std::int64_t LiveAllocations::bytes() const {
    std::int64_t all = 0;
    return __builtin_mul_overflow(size, count, &all) ? std::numeric_limits<std::int64_t>::max()
                                                     : all;
}

std::string allocatorText(const std::vector<AllocatorRecord>& records) {
    RecordJson json = RecordJson::array();
    for (const AllocatorRecord& record : records)
        json.push_back(jsonOf(record));
    return json.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
}

std::vector<AllocatorRecord> allocatorFromText(std::string_view text) {
    std::vector<AllocatorRecord> records;
    const auto json = RecordJson::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_array())
        return records;
    for (const RecordJson& one : json) {
        if (one.is_object())
            records.push_back(recordFrom(one));
    }
    return records;
}

Result<std::vector<AllocatorRecord>> allocatorRecordsOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    std::vector<AllocatorRecord> records;
    for (const store::Source& source : sources) {
        const auto fact = source.report.facts.find(std::string(kAllocatorFact));
        if (fact == source.report.facts.end()
            || std::find(source.runs.begin(), source.runs.end(), study.run.id) == source.runs.end())
            continue;
        for (AllocatorRecord& record : allocatorFromText(fact->second))
            records.push_back(std::move(record));
    }
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
        return std::pair(a.rank, a.device) < std::pair(b.rank, b.device);
    });
    return records;
}

std::string memoryText(std::int64_t bytes) {
    return text::rounded(static_cast<double>(bytes), "B");
}

std::string outOfMemoryText(const OutOfMemory& one, TimeNs start) {
    std::string text = "Ran out of memory";
    if (one.time)
        text += " at " + text::seconds((*one.time - start).seconds());
    text += ": asked for " + memoryText(one.requested);
    if (one.deviceFree)
        text += ", " + memoryText(*one.deviceFree) + " free on the device";
    text += ", " + memoryText(one.allocated) + " allocated";
    if (one.unallocated() > 0)
        text += fmt::format(", {} reserved but not allocated in {}, the largest {}",
            memoryText(one.unallocated()), text::counted(one.freePieces, "piece"),
            memoryText(one.largestFree));
    return text + ".";
}

std::string outOfMemoryReason(const OutOfMemory& one) {
    const std::int64_t free = clampedSum(one.deviceFree.value_or(0), one.unallocated());
    if (one.unallocated() >= one.requested)
        return fmt::format("Enough is reserved but not allocated, in pieces of which the largest "
                           "is too small: the memory is fragmented. Try "
                           "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.");
    if (one.deviceFree && free >= one.requested)
        return "What is free on the device and what is reserved but not allocated would do "
               "together, and neither does alone: the memory is fragmented. Try "
               "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
    return "Less is free than was asked for, wherever it lies: the job needs more memory than "
           "there is. Look at what is allocated.";
}

} // namespace trainscope::analysis
