#include "importers/meters/MeterProbe.h"

#include "importers/common/HeadLines.h"
#include "importers/common/JsonPaths.h"
#include "importers/meters/LogColumns.h"

#include <algorithm>
#include <iterator>

namespace trainscope::importers::meters {

namespace {

class NoSink final : public Sink {
public:
    Result<RunId> run(const Run&) override { return RunId{1}; }
    Status gpu(RunId, const Gpu&) override { return {}; }
    Result<SeriesId> series(RunId, const SeriesDescription&) override { return SeriesId{1}; }
    Status samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override {
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription&) override { return TrackId{1}; }
    Status spans(TrackId, std::span<const Span>) override { return {}; }
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration&) override { return {}; }
};

// The lines at the end of a file; none of one that is compressed, or no longer than what is read of
// its begin.
std::vector<std::string> lastLines(const SourceTree& tree, const std::string& path) {
    auto lines = linesOfHead(readTail(tree, path, kHeadOfLines - 1));
    if (!lines.empty())
        lines.erase(lines.begin()); // its begin is missing
    return lines;
}

void takeOrder(FileProbe& probe, const smi::ColumnOrder& order) {
    probe.gpus = order.gpusSeen;
    probe.nodes = std::max(order.hostsSeen, 1);
    probe.gpusPerNode = smi::gpusOfNode(order);
    probe.metrics = smi::metricsOf(order);
    probe.gpuModel = order.model;
    probe.clock = order.clock;
    if (order.clock && order.clock != StampKind::Relative)
        probe.start = order.firstStamp;
}

void takeTable(FileProbe& probe, const MeterTable& table, const MeterLog& log) {
    probe.gpus = static_cast<int>(table.gpuCount());
    probe.nodes = static_cast<int>(table.nodeCount());
    probe.switches = static_cast<int>(table.countOf(SubjectKind::Switch));
    probe.metrics = table.metrics();
    probe.gpuModel = table.gpuModel();
    probe.clock = log.clockKind();
    probe.start = log.firstStamp();
    probe.end = log.lastStamp();
}

} // namespace

ObjectsEnd readObjects(const MeterFormat& format, ByteStream& stream, MeterReader& reader,
    MeterLog& log, const std::function<bool(std::uint64_t)>& goesOn) {
    std::vector<std::string_view> paths;
    if (!format.objects.empty())
        paths.push_back(format.objects);
    JsonPaths objects(stream, std::move(paths), JsonPaths::Outside::Given);
    bool hasInner = false; // the object around them is none of its own
    while (true) {
        const auto found = objects.next();
        if (found.hasValue() && !found.value())
            return {};
        if (!found.hasValue()) {
            const auto rest = objects.cutOff();
            if (!rest)
                return {{}, found.error()};
            if (rest->empty())
                return {};
            log.warn("The last record breaks off.");
            return {reader.take(*rest, log), {}};
        }
        const bool isOutside = found.value()->path == JsonPaths::kOutside;
        if (!isOutside || !std::exchange(hasInner, false)) {
            if (const Status status = reader.take(found.value()->text, log); !status.hasValue())
                return {status, {}};
        }
        hasInner = hasInner || !isOutside;
        if (goesOn && !goesOn(objects.bytes()))
            return {cancelled(), {}};
    }
}

FileProbe probeMeters(
    const SourceTree& tree, const std::string& path, MeterKinds kinds, DateOrder dates, Look look) {
    FileProbe probe;
    const auto text = readHead(tree, path, kHeadOfLines);
    if (!text.hasValue())
        return probe;
    probe.format = meterFormatOf(meterHead(text.value()), kinds);
    if (probe.format == nullptr)
        return probe;
    if (probe.format->open == nullptr) {
        probe.order = smi::orderOf(tree, path, dates);
        if (probe.order->hasValue())
            takeOrder(probe, probe.order->value());
        return probe;
    }
    NoSink sink;
    ImportReport report;
    MeterTable table(sink, RunId{1}, report, path, 0);
    table.startFile(std::nullopt);
    MeterLog log(table, report, path, {});
    const auto reader = probe.format->open();
    Status status;
    if (probe.format->isJson) {
        const auto stream = memoryStream(text.value());
        status = readObjects(*probe.format, *stream, *reader, log, {}).status;
    } else {
        auto lines = linesOfHead(text.value());
        if (look == Look::BeginAndEnd && text.value().size() == kHeadOfLines)
            std::ranges::move(lastLines(tree, path), std::back_inserter(lines));
        for (const std::string& line : lines) {
            if (status.hasValue())
                status = reader->take(line, log);
        }
    }
    if (status.hasValue() && reader->finish(log).hasValue() && log.finish().hasValue()
        && table.finish().hasValue())
        takeTable(probe, table, log);
    return probe;
}

} // namespace trainscope::importers::meters
