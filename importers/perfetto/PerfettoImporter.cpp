// Perfetto traces (protobuf, .pftrace and .perfetto-trace, plain or compressed): of PyTorch, whose
// spans are what its Kineto traces have, of AMD's rocprofv3 and rocprofiler-systems, and of any
// program, as other Chrome traces are. Clock: that of the packets, which is the time since boot
// unless they say another, moved to UTC by the first snapshot of clocks that has both; what counts
// from the epoch already is UTC. Memory: see Packets.h and EventMaker.h.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/MessageFields.h"
#include "importers/common/RunFolders.h"
#include "importers/kineto/EventFacts.h"
#include "importers/kineto/RecordMaker.h"
#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceSyntax.h"
#include "importers/perfetto/EventMaker.h"
#include "importers/perfetto/RocprofEvents.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <future>

namespace trainscope::importers::perfetto {

namespace {

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
