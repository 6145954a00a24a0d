#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/common/Formats.h"
#include "importers/common/Importer.h"
#include "importers/common/MessageFields.h"
#include "importers/common/RunFolders.h"
#include "importers/kineto/EventFacts.h"
#include "importers/kineto/RecordMaker.h"
#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceSyntax.h"
#include "importers/perfetto/EventMaker.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <future>

namespace trainscope::importers::perfetto {
namespace {

// Perfetto traces of AMD's rocprofv3 and rocprofiler-systems, by their categories, as the other
// forms of rocprof's are read: each process that uses a GPU is a rank, ranges of ROCTx are
// annotations, are projected onto the GPU and tell iterations. Arguments as in rocprofiler-sdk's
// generatePerfetto.cpp; sizes of grids are in work items.

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

// "kernel_dispatch", "hip_api", "rocm_marker_api".
bool isRocprofCategory(std::string_view category) {
    const std::string_view plain = plainCategory(category);
    constexpr std::array<std::string_view, 10> kKnown{"hip_api", "hip_runtime_api",
        "hip_compiler_api", "hsa_api", "marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api",
        "memory_allocation", "scratch_memory"};
    return isWork(category) || std::ranges::find(kKnown, plain) != kKnown.end();
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

// Fields of a packet that are numbers; all other known ones are messages.
constexpr std::array<std::uint32_t, 10> kNumbers{3, 8, 10, 13, 41, 42, 58, 79, 87, 98};

// Fields that tell a packet from other messages; negative: it is none. Its end may be missing.
int packetSigns(std::string_view message, bool isWhole) {
    int signs = 0;
    bool isIt = true;
    const bool isSound = eachField(message, [&](const MessageField& field) {
        constexpr std::uint32_t kLast = 2000;
        const bool isNumber = std::ranges::find(kNumbers, field.number) != kNumbers.end();
        isIt = isIt && field.number <= kLast && (isNumber ? field.isWhole : field.isBytes);
        constexpr std::array<std::uint32_t, 4> kSigns{36, 50, 60, 133};
        signs += isNumber || std::ranges::find(kSigns, field.number) != kSigns.end() ? 1 : 0;
    });
    return isIt && (isSound || !isWhole) ? signs : -1;
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    const auto stream = memoryStream(head);
    WireStream wire(*stream, {});
    WireField field;
    constexpr int kEnough = 20;
    int packets = 0;
    int signs = 0;
    for (; packets < kEnough && wire.next(field); ++packets) {
        const auto start = static_cast<std::size_t>(wire.offset());
        if (field.number != 1 || !field.isBytes)
            return 0;
        const std::string_view message = head.substr(start, static_cast<std::size_t>(field.value));
        const int own = packetSigns(message, message.size() == field.value);
        // The third one may be damaged.
        if (own < 0)
            return packets >= 2 && signs > 0 ? 90 : 0;
        signs += own;
    }
    return signs > 0 ? 90 : 0;
}

// Facts in the first packets.
struct FirstPackets {
    std::optional<std::int64_t> firstNs;
    std::optional<TimeNs> start;
    std::string process;
    bool isRocprof = false;
    std::string problem;
};

FirstPackets lookAt(const SourceTree& tree, const std::string& path) {
    FirstPackets first;
    auto stream = tree.open(path);
    if (!stream.hasValue()) {
        first.problem = stream.error().describe();
        return first;
    }
    PacketReader reader(*stream.value(), {});
    Packet packet;
    Tracks tracks;
    bool isTold = false; // by whom it was written
    constexpr int kMostPackets = 200'000;
    for (int i = 0; i < kMostPackets && !isTold && reader.next(packet); ++i) {
        tracks.take(packet.track);
        if (!packet.event.empty() || !packet.stage.empty())
            first.firstNs = first.firstNs.value_or(*packet.ns);
        TrackEvent event;
        event.take(packet.event);
        isTold = !packet.stage.empty();
        std::vector<std::string_view> categories = event.categories;
        for (const std::uint64_t number : event.categoryNumbers) {
            if (const std::string* text = packet.sequence->text(Told::Categories, number))
                categories.push_back(*text);
        }
        for (const std::string_view category : categories) {
            first.isRocprof = first.isRocprof || isRocprofCategory(category);
            isTold = isTold || first.isRocprof
                || kineto::eventKindOf(category).place != kineto::SpanPlace::Elsewhere;
        }
    }
    if (first.firstNs) {
        const TimeNs moment{*first.firstNs};
        const auto toUtc = reader.clocks().toUtc();
        if (kineto::isAbsolute(moment) || toUtc)
            first.start = kineto::isAbsolute(moment) ? moment : moment + *toUtc;
    }
    for (const auto& [uuid, track] : tracks.all()) {
        if (track.pid && first.process.empty())
            first.process = std::to_string(*track.pid);
    }
    return first;
}

std::optional<TimeRange> extentOf(const SourceTree& tree, const TraceFile& file) {
    constexpr std::uint64_t kReadWhole = std::uint64_t{64} << 20;
    if (file.file.size > kReadWhole)
        return std::nullopt;
    const auto scan = scanTrace(tree, file.file.path, {}, {});
    if (!scan.hasValue() || !scan.value()->extent)
        return std::nullopt;
    const TimeRange extent = *scan.value()->extent;
    const DurationNs shift = kineto::isAbsolute(extent.begin)
        ? DurationNs{0}
        : scan.value()->toUtc.value_or(DurationNs{0});
    return TimeRange{extent.begin + shift, extent.end + shift};
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<TraceFile> traces;
    for (const SourceFile& file : mine) {
        FirstPackets first = lookAt(tree, file.path);
        TraceFacts facts;
        facts.kind = "Perfetto trace";
        facts.firstNs = first.firstNs;
        facts.start = first.start;
        facts.process = std::string(processInStem(traceStem(file.path)));
        if (facts.process.empty())
            facts.process = first.process;
        facts.problem = std::move(first.problem);
        traces.push_back(traceFileOf(file, std::move(facts)));
    }
    return groupIntoRuns(tree, RunFolders(tree), std::move(traces),
        [&tree](const TraceFile& file) { return extentOf(tree, file); });
}

Error nothingUsable(const SourceTree& tree, const ImportUnit& unit, const TraceScan& scan) {
    return {ErrorCode::Unrecognised,
        "There is no slice, instant, counter or stage of a GPU in this Perfetto trace; found "
            + std::to_string(scan.bytes) + " bytes of other packets"
            + (scan.problem.empty() ? "." : ": " + scan.problem + "."),
        tree.displayPath(unit.path)};
}

void tellFindings(const TraceScan& scan, const std::string& path, ImportReport& report) {
    const Findings& found = scan.findings;
    report.skipped += found.bad + found.withoutTime + found.withoutState;
    for (const std::string& text : found.first)
        report.lost(path, 0, text);
    const auto tell
        = [&](std::int64_t count, const char* one, const char* many, std::string_view what) {
              if (count > 0)
                  report.lost(path, 0, text::counted(count, one, many) + std::string(what));
          };
    tell(std::max<std::int64_t>(found.bad - static_cast<std::int64_t>(found.first.size()), 0),
        "further packet", "further packets", " could not be read");
    tell(found.lost, "time", "times",
        " the recorder lost packets: what they held is missing, and a slice whose end was among "
        "them "
        "may seem too long");
    tell(found.withoutState, "packet", "packets",
        " without the names and defaults that were lost before them were left out");
    tell(found.withoutTime, "packet", "packets", " of an unknown clock or time were left out");
    tell(found.withoutName, "event", "events", " without a name that is known");
    tell(found.beyondMemory, "name", "names", " beyond those that are kept were forgotten");
    tell(scan.unsaid, "end", "ends", " of slices have arguments for which there was no room");
    tell(scan.waits.leftOut(), "wait", "waits", " of a stage for another were too many");
    tell(scan.slices.leftOut() + scan.withoutTrack, "begin or end", "begins and ends",
        " of slices are more than fit in memory at once, and were left out");
    if (scan.slices.unpaired() > 0)
        report.counts["begins or ends without their other half"] += scan.slices.unpaired();
}

// Makes a batch of events while the one before is understood.
Result<kineto::ReadResult> readEvents(const SourceTree& tree, const std::string& path,
    const std::shared_ptr<TraceScan>& scan, std::string_view phase, kineto::TraceVisitor& visitor,
    const Progress& progress) {
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    if (scan->toUtc && scan->toUtc->ns != 0)
        visitor.header(
            "baseTimeNanoseconds", {TokenKind::Number, true, std::to_string(scan->toUtc->ns)});
    struct Batch {
        kineto::EventBatch events;
        std::vector<std::string> texts; // in which its others lie
        std::uint64_t consumed = 0;
    };
    std::array<Batch, 2> batches;
    Batch* making = batches.data();
    kineto::RecordMaker records;
    kineto::EventPlan plan;
    EventMaker maker(
        std::move(stream), {}, scan, [&](const kineto::TraceEvent& event, std::string& text) {
            records.plan(event, plan);
            records.add(event, plan, 0);
            if (kineto::RecordMaker::isTakenWhole(plan.phase))
                making->texts.push_back(std::move(text));
        });
    const auto make = [&](Batch& batch) {
        constexpr std::size_t kMostRecords = 10'000;
        making = &batch;
        batch.texts.clear();
        records.begin(batch.events);
        while (batch.events.records.size() < kMostRecords && maker.next()) { }
        batch.consumed = maker.bytesConsumed();
    };
    const std::uint64_t size = tree.sizeOf(path);
    const kineto::TraceSyntax none; // the events stand in no text
    make(batches[0]);
    for (std::size_t at = 0; batches[at].events.events > 0; at = 1 - at) {
        // The scan was the first half of the work.
        if (progress && !progress({std::string(phase), (size + batches[at].consumed) / 2, size}))
            return cancelled();
        auto ahead = std::async(std::launch::async, [&] { make(batches[1 - at]); });
        const Status taken = visitor.events(batches[at].events, none);
        ahead.get();
        if (!taken.hasValue())
            return taken.error();
    }
    if (!scan->problem.empty())
        visitor.broken(0,
            "the trace ends before it is complete (" + scan->problem
                + "); what was there has been read",
            false);
    return kineto::ReadResult{scan->bytes, !scan->problem.empty()};
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return caught(tree, unit, [&]() -> Result<ImportReport> {
        const std::string phase = "Reading rank " + std::to_string(unit.rank.value_or(0));
        ASSIGN_OR_RETURN(const auto scan, scanTrace(tree, unit.path, phase, progress));
        if (scan->events == 0)
            return nothingUsable(tree, unit, *scan);
        const auto read = [&](kineto::TraceVisitor& visitor, const Progress& goesOn) {
            return readEvents(tree, unit.path, scan, phase, visitor, goesOn);
        };
        ASSIGN_OR_RETURN(auto report,
            lookAt(tree, unit.path).isRocprof
                ? importRocprof(tree, unit, sink, progress, scan)
                : kineto::importEvents(tree, unit, sink, progress, read));
        report.importer = "perfetto 1";
        report.bytes = scan->bytes;
        tellFindings(*scan, unit.path, report);
        if (scan->toUtc)
            report.facts["clock"] = "UTC, by a snapshot of the trace's clocks";
        return report;
    });
}

Result<UsedGpu> usedGpu(const SourceTree& tree, const ImportUnit& unit, const Progress& progress) {
    const std::string phase = "Looking for the GPU";
    ASSIGN_OR_RETURN(const auto scan, scanTrace(tree, unit.path, phase, progress));
    const auto read = [&](kineto::TraceVisitor& visitor, const Progress& goesOn) {
        return readEvents(tree, unit.path, scan, phase, visitor, goesOn);
    };
    return kineto::usedGpuOf(read, progress);
}

} // namespace

constinit const Importer kImporter{
    {.id = "perfetto",
        .name = "Perfetto trace",
        .description = "Perfetto traces of PyTorch, rocprofv3, rocprofiler-systems and others, "
                       ".pftrace or .perfetto-trace",
        .joins = Joins::OwnRun,
        .launch = LaunchSettings::Beside,
        .oneFile = "Perfetto trace",
        .manyFiles = "Perfetto traces",
        .readsBytes = true},
    sniff, plan, import, nullptr, nullptr, nullptr, nullptr, nullptr, usedGpu};

} // namespace trainscope::importers::perfetto
