#include "importers/perfetto/RocprofEvents.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonMembers.h"
#include "importers/common/JsonText.h"
#include "importers/common/Number.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/rocprof/Words.h"

#include <algorithm>
#include <array>
#include <map>

namespace trainscope::importers::perfetto {

namespace {

struct RocprofEvent {
    std::string phase;
    std::string category;
    std::string name;
    std::int64_t process = 0;
    std::string track; // a thread's number, or a name
    std::optional<std::int64_t> start, duration; // ns
    std::map<std::string, std::string> arguments; // texts, by key with '_' for '-'

    [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const {
        const auto found = arguments.find(std::string(key));
        return found == arguments.end() ? std::nullopt : wholeNumber<std::int64_t>(found->second);
    }
    [[nodiscard]] std::string_view text(std::string_view key) const {
        const auto found = arguments.find(std::string(key));
        return found == arguments.end() ? std::string_view() : std::string_view(found->second);
    }
};

std::string_view plainCategory(std::string_view category) {
    constexpr std::string_view kSystems = "rocm_";
    return category.starts_with(kSystems) ? category.substr(kSystems.size()) : category;
}

bool isWork(std::string_view category) {
    const std::string_view plain = plainCategory(category);
    return plain == "kernel_dispatch" || plain == "memory_copy";
}

RocprofEvent eventFrom(std::string_view object) {
    RocprofEvent event;
    std::string storage;
    forEachMember(object, [&](std::string_view key, const JsonToken& value) {
        if (key == "ph")
            event.phase = value.text;
        else if (key == "cat")
            event.category = plainText(value, storage);
        else if (key == "name")
            event.name = plainText(value, storage);
        else if (key == "pid")
            event.process = integerOf(value).value_or(0);
        else if (key == "tid")
            event.track = plainText(value, storage);
        else if (key == "ts")
            event.start = microsecondsToNs(value.text);
        else if (key == "dur")
            event.duration = microsecondsToNs(value.text);
        else if (key == "args")
            forEachMember(value.text, [&](std::string_view name, const JsonToken& argument) {
                std::string known = lowered(name);
                std::ranges::replace(known, '-', '_');
                event.arguments[known] = plainText(argument, storage);
            });
    });
    return event;
}

// All whole numbers in a text, up to three: "256", "(8,8,1)", "GPU-4".
std::array<std::int64_t, 3> numbersIn(std::string_view text, std::size_t& count) {
    std::array<std::int64_t, 3> numbers{1, 1, 1};
    count = 0;
    for (std::size_t at = text.find_first_of("0123456789");
         at != text.npos && count < numbers.size(); at = text.find_first_of("0123456789", at)) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        numbers[count++] = wholeNumber<std::int64_t>(text.substr(at, end - at)).value_or(0);
        at = end;
    }
    return numbers;
}

std::optional<std::int64_t> firstNumber(std::string_view text) {
    std::size_t count = 0;
    const auto numbers = numbersIn(text, count);
    return count == 0 ? std::nullopt : std::optional(numbers[0]);
}

// The agent as it is told, else as the track is called: "COMPUTE GPU [4] QUEUE [0] GPU".
int deviceOf(const RocprofEvent& event) {
    const std::string_view target = event.text("dst_agent");
    const bool isToHost = containsIgnoringCase(target, "cpu");
    const bool isOfAgent = event.track.starts_with("COMPUTE") || event.track.starts_with("COPY");
    for (const std::string_view text :
        {event.text("agent"), isToHost ? event.text("src_agent") : target,
            isOfAgent ? std::string_view(event.track) : std::string_view()}) {
        constexpr std::int64_t kMost = 1'000;
        if (const auto number = firstNumber(text); number && *number < kMost)
            return static_cast<int>(*number);
    }
    return 0;
}

// "STREAM [" 1 "] " is the stream 1; without streams, its queue.
std::string streamOf(const RocprofEvent& event) {
    const bool isStream = event.track.starts_with("STREAM");
    const auto told = event.number("stream_id");
    const auto number = told && *told > 0 ? told
        : isStream                        ? firstNumber(event.track)
                                          : event.number("queue");
    return number ? std::to_string(*number) : event.track;
}

Status addCall(const RocprofEvent& event, TimeRange range, ProfileWriter& writer) {
    ProfiledCall call;
    call.process = event.process;
    call.thread = event.number("tid").value_or(wholeNumber<std::int64_t>(event.track).value_or(0));
    call.range = range;
    call.correlation = event.number("corr_id").value_or(0);
    call.name = event.name;
    call.kind = isRocprofCategory(event.category) ? rocprof::callKindOf(event.category)
        : plainCategory(event.category) == "user" ? SpanKind::Annotation
                                                  : SpanKind::Other;
    return writer.call(call);
}

Status addWork(const RocprofEvent& event, TimeRange range, rocprof::TraceImport& into) {
    ProfiledWork work;
    work.process = event.process;
    work.device = deviceOf(event);
    const std::string stream = streamOf(event);
    work.stream = stream;
    work.range = range;
    work.correlation = event.number("corr_id").value_or(0);
    const bool isKernel = plainCategory(event.category) == "kernel_dispatch";
    const std::string name = isKernel ? event.name : rocprof::copyName(event.name);
    work.name = name;
    if (!isKernel) {
        work.kind = SpanKind::Copy;
        for (const char* key : {"copy_bytes", "bytes", "size"}) {
            if (const auto bytes = event.number(key)) {
                into.detail().add("bytes", *bytes);
                break;
            }
        }
        return into.writer().work(work, into.detail());
    }
    std::size_t grid = 0;
    std::size_t workgroup = 0;
    const rocprof::KernelShape shape{numbersIn(event.text("grid_size"), grid),
        numbersIn(event.text("workgroup_size"), workgroup), std::nullopt,
        event.number("group_segment_size")};
    if (grid > 0 && workgroup > 0)
        rocprof::describe(shape, into.detail());
    return into.writer().work(work, into.detail());
}

void addSamples(const RocprofEvent& event, rocprof::TraceImport& into) {
    const std::string_view unit = event.text("unit");
    for (const auto& [key, text] : event.arguments) {
        const auto value = parseNumber(text);
        if (value && event.start)
            into.writer().outputs().output(0).addSample(
                event.name, unit.empty() ? "1" : unit, {*event.start}, *value);
    }
}

Status addEvent(const RocprofEvent& event, bool ofGpus, rocprof::TraceImport& into) {
    if (event.phase == "C" && ofGpus)
        addSamples(event, into);
    if (event.phase != "X" || isWork(event.category) != ofGpus)
        return {};
    ++into.report().rows;
    const auto end = event.start && event.duration
        ? std::optional(clampedSum(*event.start, *event.duration))
        : std::nullopt;
    const auto range = into.writer().rangeOf(event.start, end);
    if (!range)
        return {};
    return ofGpus ? addWork(event, *range, into) : addCall(event, *range, into.writer());
}

} // namespace

bool isRocprofCategory(std::string_view category) {
    const std::string_view plain = plainCategory(category);
    constexpr std::array<std::string_view, 10> kKnown{"hip_api", "hip_runtime_api",
        "hip_compiler_api", "hsa_api", "marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api",
        "memory_allocation", "scratch_memory"};
    return isWork(category) || std::ranges::find(kKnown, plain) != kKnown.end();
}

Result<ImportReport> importRocprof(const SourceTree& chrome, const ImportUnit& unit, Sink& sink,
    const Progress& progress, std::optional<DurationNs> toUtc) {
    rocprof::TraceImport into(chrome, unit, sink, {}, toUtc.value_or(DurationNs{0}));
    RETURN_IF_ERROR(into.begin());
    for (const bool ofGpus : {false, true}) {
        ASSIGN_OR_RETURN(const auto read,
            readObjects(chrome, unit.path, {"traceEvents"}, "Reading the trace", progress,
                [&](const JsonPaths::Found& found) -> Result<bool> {
                    RETURN_IF_ERROR(addEvent(eventFrom(found.text), ofGpus, into));
                    return true;
                }));
        if (!ofGpus)
            into.writer().nest();
        else if (!read.problem.empty())
            into.lose(read.problem);
    }
    RETURN_IF_ERROR(into.finish({}));
    return std::move(into.report());
}

} // namespace trainscope::importers::perfetto
