#include "importers/perfetto/RocprofEvents.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/JsonText.h"
#include "importers/rocprof/TraceImport.h"

namespace trainscope::importers::perfetto {

namespace {

using kineto::TraceEvent;

std::string textOf(const JsonToken* token) {
    std::string storage;
    return token == nullptr ? std::string() : std::string(plainText(*token, storage));
}

std::optional<std::int64_t> argumentOf(const TraceEvent& event, std::string_view key) {
    const JsonToken* const token = event.arg(key);
    return token == nullptr ? std::nullopt : integerOf(*token);
}

std::string_view plainCategory(std::string_view category) {
    constexpr std::string_view kSystems = "rocm_";
    return category.starts_with(kSystems) ? category.substr(kSystems.size()) : category;
}

bool isWork(std::string_view category) {
    const std::string_view plain = plainCategory(category);
    return plain == "kernel_dispatch" || plain == "memory_copy";
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
int deviceOf(const TraceEvent& event) {
    const std::string target = textOf(event.arg("dst_agent"));
    const std::string track = textOf(&event.tid);
    const bool isOfAgent = track.starts_with("COMPUTE") || track.starts_with("COPY");
    for (const std::string& text : {textOf(event.arg("agent")),
             containsIgnoringCase(target, "cpu") ? textOf(event.arg("src_agent")) : target,
             isOfAgent ? track : std::string()}) {
        constexpr std::int64_t kMost = 1'000;
        if (const auto number = firstNumber(text); number && *number < kMost)
            return static_cast<int>(*number);
    }
    return 0;
}

// "STREAM [" 1 "] " is the stream 1; without streams, its queue.
std::string streamOf(const TraceEvent& event) {
    const std::string track = textOf(&event.tid);
    const auto told = argumentOf(event, "stream_ID");
    const auto number = told && *told > 0 ? told
        : track.starts_with("STREAM")     ? firstNumber(track)
                                          : argumentOf(event, "queue");
    return number ? std::to_string(*number) : track;
}

Status addCall(
    const TraceEvent& event, std::string_view category, TimeRange range, ProfileWriter& writer) {
    const std::string name = textOf(&event.name);
    ProfiledCall call;
    call.process = integerOf(event.pid).value_or(0);
    call.thread = argumentOf(event, "tid").value_or(integerOf(event.tid).value_or(0));
    call.range = range;
    call.correlation = argumentOf(event, "corr_id").value_or(0);
    call.name = name;
    call.kind = isRocprofCategory(category) ? rocprof::callKindOf(category)
        : category == "user"                ? SpanKind::Annotation
                                            : SpanKind::Other;
    return writer.call(call);
}

Status addWork(const TraceEvent& event, std::string_view category, TimeRange range,
    rocprof::TraceImport& into) {
    const bool isKernel = plainCategory(category) == "kernel_dispatch";
    const std::string stream = streamOf(event);
    const std::string told = textOf(&event.name);
    const std::string name = isKernel ? told : rocprof::copyName(told);
    ProfiledWork work;
    work.process = integerOf(event.pid).value_or(0);
    work.device = deviceOf(event);
    work.stream = stream;
    work.range = range;
    work.correlation = argumentOf(event, "corr_id").value_or(0);
    work.name = name;
    work.kind = isKernel ? SpanKind::Kernel : SpanKind::Copy;
    std::size_t grid = 0;
    std::size_t workgroup = 0;
    const rocprof::KernelShape shape{numbersIn(textOf(event.arg("grid_size")), grid),
        numbersIn(textOf(event.arg("workgroup_size")), workgroup), std::nullopt,
        argumentOf(event, "group_segment_size")};
    if (grid > 0 && workgroup > 0)
        rocprof::describe(shape, into.detail());
    if (const auto bytes = argumentOf(event, "copy_bytes"); bytes && !isKernel)
        into.detail().add("bytes", *bytes);
    return into.writer().work(work, into.detail());
}

void addSamples(const TraceEvent& event, rocprof::TraceImport& into) {
    const std::string name = textOf(&event.name);
    const std::string unit = textOf(event.arg("unit"));
    const auto moment = microsecondsToNs(event.ts.text);
    for (const kineto::EventField& field : event.args) {
        const auto value = field.key.text == "unit" ? std::nullopt : numberOf(field.value);
        if (value && moment)
            into.writer().outputs().output(0).addSample(
                name, unit.empty() ? "1" : unit, {*moment}, *value);
    }
}

Status addEvent(const TraceEvent& event, bool ofGpus, rocprof::TraceImport& into) {
    const std::string category = textOf(&event.cat);
    if (event.ph.text == "C" && ofGpus)
        addSamples(event, into);
    if (event.ph.text != "X" || isWork(category) != ofGpus)
        return {};
    ++into.report().rows;
    const auto start = microsecondsToNs(event.ts.text);
    const auto duration = microsecondsToNs(event.dur.text);
    const auto range = into.writer().rangeOf(
        start, start && duration ? std::optional(clampedSum(*start, *duration)) : std::nullopt);
    if (!range)
        return {};
    return ofGpus ? addWork(event, category, *range, into)
                  : addCall(event, category, *range, into.writer());
}

} // namespace

bool isRocprofCategory(std::string_view category) {
    const std::string_view plain = plainCategory(category);
    constexpr std::array<std::string_view, 10> kKnown{"hip_api", "hip_runtime_api",
        "hip_compiler_api", "hsa_api", "marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api",
        "memory_allocation", "scratch_memory"};
    return isWork(category) || std::ranges::find(kKnown, plain) != kKnown.end();
}

Result<ImportReport> importRocprof(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const Progress& progress, const std::shared_ptr<TraceScan>& scan) {
    rocprof::TraceImport into(tree, unit, sink, {}, scan->toUtc.value_or(DurationNs{0}));
    RETURN_IF_ERROR(into.begin());
    for (const bool ofGpus : {false, true}) {
        ASSIGN_OR_RETURN(auto stream, tree.open(unit.path));
        Status status;
        const auto goesOn = [&, size = tree.sizeOf(unit.path)](std::uint64_t consumed) {
            return !progress || progress({"Reading the trace", consumed, size});
        };
        EventMaker maker(
            std::move(stream), goesOn, scan, [&](const TraceEvent& event, std::string& /*text*/) {
                if (status.hasValue())
                    status = addEvent(event, ofGpus, into);
            });
        while (status.hasValue() && maker.next()) { }
        if (!status.hasValue())
            return status.error();
        if (maker.isCancelled())
            return cancelled();
        if (!ofGpus)
            into.writer().nest();
    }
    if (!scan->problem.empty())
        into.lose(scan->problem);
    RETURN_IF_ERROR(into.finish({}));
    return std::move(into.report());
}

} // namespace trainscope::importers::perfetto
