#include "importers/meters/MeterProbe.h"

#include "core/model/Try.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/LogColumns.h"
#include "importers/meters/LogReader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

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

Status readRows(const smi::ColumnOrder& order, std::unique_ptr<ByteStream> stream, MeterLog& log,
    const GoesOn& goesOn) {
    for (const std::string& warning : order.warnings)
        log.warn(warning);
    LineBlocks blocks(std::move(stream), smi::RowBlock::kLongestLine);
    return smi::LogReader(order, log).read(blocks, goesOn);
}

Status readLines(
    MeterReader& reader, std::unique_ptr<ByteStream> stream, MeterLog& log, const GoesOn& goesOn) {
    constexpr std::int64_t kLinesPerReport = 512;
    LineReader lines(std::move(stream));
    while (true) {
        const auto line = lines.next();
        if (!line.hasValue())
            log.breakOff(line.error());
        if (!line.hasValue() || !line.value())
            return {};
        log.setLine(lines.lineNumber());
        log.report().bytes += line.value()->size() + 1;
        if (lines.lineWasCut())
            log.skip("The line is longer than 1 MiB.");
        else
            RETURN_IF_ERROR(reader.take(*line.value(), log));
        if (lines.lineNumber() % kLinesPerReport == 0 && !goesOn(lines.bytesConsumed()))
            return cancelled();
    }
}

Status readObjects(const MeterFormat& format, MeterReader& reader, std::unique_ptr<ByteStream> raw,
    MeterLog& log, const GoesOn& goesOn) {
    const auto stream = asUtf8(std::move(raw));
    std::vector<std::string_view> paths;
    if (!format.objects.empty())
        paths.push_back(format.objects);
    JsonPaths objects(*stream, std::move(paths), JsonPaths::Outside::Given);
    bool hasInner = false; // the object around them is none of its own
    for (std::uint64_t before = 0;; before = objects.bytes()) {
        const auto found = objects.next();
        log.report().bytes += objects.bytes() - before;
        if (!found.hasValue()) {
            const auto rest = objects.cutOff();
            if (!rest)
                log.breakOff(found.error());
            if (!rest || rest->empty())
                return {};
            log.warn("The last record breaks off.");
            return reader.take(*rest, log);
        }
        if (!found.value())
            return {};
        const bool isOutside = found.value()->path == JsonPaths::kOutside;
        if (!isOutside || !std::exchange(hasInner, false))
            RETURN_IF_ERROR(reader.take(found.value()->text, log));
        hasInner = hasInner || !isOutside;
        if (!goesOn(stream->bytesConsumed()))
            return cancelled();
    }
}

} // namespace

Status readMeters(const MeterFormat& format, const smi::ColumnOrder* order,
    std::unique_ptr<ByteStream> stream, MeterLog& log, const GoesOn& goesOn) {
    if (format.open == nullptr) {
        smi::ColumnOrder ofTable;
        ofTable.kind = format.table;
        return readRows(order == nullptr ? ofTable : *order, std::move(stream), log, goesOn);
    }
    const auto reader = format.open();
    RETURN_IF_ERROR(format.isJson ? readObjects(format, *reader, std::move(stream), log, goesOn)
                                  : readLines(*reader, std::move(stream), log, goesOn));
    return reader->finish(log);
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
    if (probe.format->open == nullptr && probe.format->table == nullptr) {
        probe.order = smi::orderOf(tree, path, dates);
        if (probe.order->hasValue())
            takeOrder(probe, probe.order->value());
        return probe;
    }
    std::string looked = text.value();
    if (!probe.format->isJson) {
        auto lines = linesOfHead(text.value());
        if (look == Look::BeginAndEnd && text.value().size() == kHeadOfLines)
            std::ranges::move(lastLines(tree, path), std::back_inserter(lines));
        looked = fmt::format("{}", fmt::join(lines, "\n"));
    }
    NoSink sink;
    ImportReport report;
    MeterTable table(sink, RunId{1}, report, path, 0);
    table.startFile(std::nullopt);
    MeterLog log(table, report, path, {});
    const Status status = readMeters(
        *probe.format, nullptr, memoryStream(looked), log, [](std::uint64_t) { return true; });
    if (status.hasValue() && log.finish().hasValue() && table.finish().hasValue())
        takeTable(probe, table, log);
    return probe;
}

} // namespace trainscope::importers::meters
