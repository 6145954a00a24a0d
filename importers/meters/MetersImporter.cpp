#include "importers/meters/MetersImporter.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/HeadLines.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/NodeFiles.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/Formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <span>
#include <string>

namespace trainscope::importers::meters {
namespace {

// Facts in the first bytes of a telemetry file, by reading them into nothing.

struct FileProbe {
    const MeterFormat* format = nullptr; // nullptr: none knows it
    std::size_t gpus = 0;
    std::size_t nodes = 0;
    std::size_t switches = 0;
    std::set<std::string> metrics;
    std::string gpuModel;
    std::optional<StampKind> clock; // of the first stamp
    std::optional<TimeNs> start; // as written
};

constexpr std::int64_t kQuarterNs = std::int64_t{900} * 1'000'000'000;
constexpr std::int64_t kNearNs = std::int64_t{120} * 1'000'000'000; // files do not start at once

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

FileProbe probeMeters(const SourceTree& tree, const std::string& path) {
    FileProbe probe;
    const auto text = readHead(tree, path, kHeadOfLines);
    if (!text.hasValue())
        return probe;
    probe.format = meterFormatOf(meterHead(text.value()));
    if (probe.format == nullptr)
        return probe;
    NoSink sink;
    ImportReport report;
    MeterTable table(sink, RunId{1}, report, 0);
    table.startFile(std::nullopt);
    MeterLog log(table, report, path, {});
    const auto reader = probe.format->open();
    Status status;
    if (probe.format->isDocument) {
        status = reader->take(text.value(), log);
    } else {
        for (const std::string& line : linesOfHead(text.value())) {
            if (status.hasValue())
                status = reader->take(line, log);
        }
    }
    if (!status.hasValue() || !reader->finish(log).hasValue() || !log.finish().hasValue()
        || !table.finish().hasValue())
        return probe;
    probe.gpus = table.gpuCount();
    probe.nodes = table.nodeCount();
    probe.switches = table.countOf(SubjectKind::Switch);
    probe.metrics = table.metrics();
    probe.gpuModel = table.gpuModel();
    probe.clock = log.clockKind();
    probe.start = log.firstStamp();
    return probe;
}

// Distance of each clock from that of most files, as whole quarters of an hour; 0 where starts are
// not such a step apart. `starts`: first stamps, absent where there is none.
std::vector<DurationNs> clockSteps(const std::vector<std::optional<TimeNs>>& starts) {
    std::vector<DurationNs> steps(starts.size());
    std::vector<std::int64_t> known;
    for (const auto& start : starts) {
        if (start)
            known.push_back(start->ns);
    }
    if (known.size() < 2)
        return steps;
    std::sort(known.begin(), known.end());
    const std::int64_t usual = known[known.size() / 2];
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (!starts[i])
            continue;
        const std::int64_t apart = starts[i]->ns - usual;
        const std::int64_t quarters
            = std::llround(static_cast<double>(apart) / static_cast<double>(kQuarterNs));
        constexpr std::int64_t kMostQuarters = 104; // 26 h: no zones are further apart
        if (quarters != 0 && std::abs(quarters) <= kMostQuarters
            && std::abs(apart - quarters * kQuarterNs) <= kNearNs)
            steps[i] = {quarters * kQuarterNs};
    }
    return steps;
}

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::int64_t kLinesPerReport = 512;

// "node power of 8 nodes and 1 switch", "8 GPUs, 4 metrics".
std::string summaryOf(const std::vector<FileProbe>& probes) {
    std::int64_t gpus = 0;
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
    std::set<std::string> metrics;
    for (const FileProbe& probe : probes) {
        gpus += static_cast<std::int64_t>(probe.gpus);
        switches += static_cast<std::int64_t>(probe.switches);
        nodes += static_cast<std::int64_t>(probe.nodes);
        metrics.insert(probe.metrics.begin(), probe.metrics.end());
    }
    const auto count = static_cast<std::int64_t>(metrics.size());
    std::string text(probes.front().format == nullptr ? "telemetry" : probes.front().format->name);
    if (gpus > 0)
        text += ", " + text::counted(gpus, "GPU");
    else if (nodes > 0)
        text += ", " + text::counted(nodes, "node");
    if (switches > 0)
        text += ", " + text::counted(switches, "switch", "switches");
    return text + ", " + text::counted(count, "metric");
}

std::string stepNote(const std::string& path, DurationNs step) {
    const std::int64_t seconds = step.ns / 1'000'000'000;
    return "The clock of " + path + " is " + std::to_string(std::abs(seconds)) + " s "
        + (seconds < 0 ? "behind" : "ahead of")
        + " that of the other files: its times are set right by that.";
}

void describeClock(ImportUnit& unit, const std::vector<FileProbe>& probes) {
    const FileProbe& first = probes.front();
    unit.clock = clockOf(first.clock);
    unit.isUndated = unit.clock == ClockKind::None;
    unit.hasNoStamps = !first.clock.has_value();
    if (!unit.isUndated)
        unit.start = first.start;
    if (unit.clock == ClockKind::Local)
        unit.notes.emplace_back(
            "Stamps are local time without zone; without an offset they are taken as UTC.");
    else if (unit.clock == ClockKind::None)
        unit.notes.emplace_back(
            "The file says no date: give its start, and the period where it has "
            "no stamps at all.");
    std::vector<std::optional<TimeNs>> starts;
    for (const FileProbe& probe : probes)
        starts.push_back(probe.start);
    const auto steps = clockSteps(starts);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].ns != 0)
            unit.notes.push_back(stepNote(std::string(namePart(unit.files[i])), steps[i]));
    }
}

using Files = std::vector<SourceFile>;

std::string runNameOf(const SourceTree& tree, const Files& files) {
    const std::string& path = files.front().path;
    const std::string_view folder = folderPart(path);
    if (files.size() == 1)
        return std::string(withoutSuffixes(path));
    const std::string before = withoutJoint(nodeFileName(path).before);
    if (!before.empty())
        return folder.empty() ? before : std::string(folder) + "/" + before;
    if (!folder.empty())
        return std::string(folder);
    const std::string root = tree.displayPath("");
    const std::string_view name
        = namePart(root.ends_with('/') ? std::string_view(root).substr(0, root.size() - 1)
                                       : std::string_view(root));
    return name.empty() ? "nodes" : std::string(name);
}

ImportUnit unitOf(const SourceTree& tree, const Files& files) {
    ImportUnit unit;
    unit.path = files.size() > 1 ? std::string(folderPart(files.front().path)) : files.front().path;
    unit.runName = runNameOf(tree, files);
    std::vector<FileProbe> probes;
    for (const SourceFile& file : files) {
        unit.files.push_back(file.path);
        unit.bytes += file.size;
        probes.push_back(probeMeters(tree, file.path));
    }
    describeClock(unit, probes);
    unit.summary = summaryOf(probes);
    unit.gpuModel = probes.front().gpuModel;
    if (probes.front().nodes <= 1)
        unit.gpusPerNode = static_cast<int>(probes.front().gpus);
    return unit;
}

// The runs of a file that has several.
std::vector<std::string> partsOf(const SourceTree& tree, const Files& files) {
    const auto head = readHead(tree, files.front().path, kPiece);
    const MeterFormat* format = head.hasValue() ? meterFormatOf(meterHead(head.value())) : nullptr;
    if (format == nullptr || format->runs == nullptr || files.size() > 1)
        return {};
    auto runs = format->runs(tree, files.front().path);
    return runs.size() > 1 ? runs : std::vector<std::string>{};
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<std::string> keys;
    for (const SourceFile& file : mine) {
        const auto head = readHead(tree, file.path, kPiece);
        const MeterFormat* format
            = head.hasValue() ? meterFormatOf(meterHead(head.value())) : nullptr;
        keys.emplace_back(format == nullptr ? std::string_view() : format->name);
    }
    std::vector<ImportUnit> units;
    for (const Files& group : groupByNode(mine, keys)) {
        ImportUnit unit = unitOf(tree, group);
        const auto parts = partsOf(tree, group);
        for (const std::string& part : parts) {
            units.push_back(unit);
            units.back().part = part;
            units.back().runName += " " + part;
        }
        if (parts.empty())
            units.push_back(std::move(unit));
    }
    return units;
}

// One import from open to end, over the files of a unit.
class MetersImport {
public:
    MetersImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
        const Progress& progress, std::string_view version)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_progress(progress) {
        m_report.importer = version;
    }

    Result<ImportReport> run() {
        std::vector<std::optional<TimeNs>> starts;
        for (const std::string& file : m_unit.files) {
            m_probes.push_back(probeMeters(m_tree, file));
            starts.push_back(m_probes.back().start);
        }
        const auto steps = clockSteps(starts);
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        MeterTable table(m_sink, id, m_report, m_unit.rank.value_or(0));
        for (std::size_t i = 0; i < m_unit.files.size(); ++i)
            RETURN_IF_ERROR(readFile(i, steps[i], table));
        RETURN_IF_ERROR(table.finish());
        if (m_report.samples == 0)
            return nothingUsable();
        return complete(std::move(run), table);
    }

private:
    Error nothingUsable() const {
        const std::string found = m_report.warnings.empty() ? std::string("no rows at all")
                                                            : m_report.warnings.front().text;
        return {ErrorCode::Unrecognised,
            "No reading of a metric was found in this file; found: " + found,
            m_tree.displayPath(m_unit.files.front())};
    }

    Status readFile(std::size_t i, DurationNs step, MeterTable& table) {
        const std::string& path = m_unit.files[i];
        const std::string shown = m_tree.displayPath(path);
        const MeterFormat* format = m_probes[i].format;
        if (format == nullptr)
            return Error{
                ErrorCode::Unrecognised, "This is no telemetry file that is known.", shown};
        const NodeFileName name = nodeFileName(path);
        // The number of a single GPU log's node would only shift its ranks.
        const bool isNumbered = m_unit.files.size() > 1 || format->family == MeterFamily::Nodes;
        table.startFile(isNumbered ? name.node : std::nullopt);
        MeterClock clock;
        clock.utcOffset = {m_unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
        clock.start = m_unit.saidStart.value_or(clock.start);
        clock.period = m_unit.saidPeriod.value_or(clock.period);
        MeterLog log(table, m_report, shown, clock);
        log.setShift(step);
        log.setSwitch(name.switchName);
        log.setPart(m_unit.part);
        if (step.ns != 0) {
            m_report.warn(shown, 0, stepNote(std::string(namePart(path)), step));
            m_report.facts["clock_step"] = std::to_string(step.ns / 1'000'000'000) + " s";
        }
        ASSIGN_OR_RETURN(auto stream, m_tree.open(path));
        m_phase = "Reading " + std::string(namePart(path));
        const auto reader = format->open();
        RETURN_IF_ERROR(format->isDocument ? readDocument(std::move(stream), *reader, log)
                                           : readLines(std::move(stream), *reader, log));
        RETURN_IF_ERROR(reader->finish(log));
        RETURN_IF_ERROR(log.finish());
        log.completeFacts();
        m_report.facts["format"] = format->name;
        if (!format->sensor.empty())
            m_report.facts["derived"] = format->sensor;
        return {};
    }

    Status readLines(std::unique_ptr<ByteStream> stream, MeterReader& reader, MeterLog& log) {
        LineReader lines(std::move(stream));
        while (true) {
            const auto line = lines.next();
            if (!line.hasValue())
                breakOff(line.error(), log);
            if (!line.hasValue() || !line.value())
                break;
            log.setLine(lines.lineNumber());
            m_report.bytes += line.value()->size() + 1;
            if (lines.lineWasCut())
                log.skip("The line is longer than 1 MiB.");
            else
                RETURN_IF_ERROR(reader.take(*line.value(), log));
            if (lines.lineNumber() % kLinesPerReport == 0 && !goesOn(lines.bytesConsumed()))
                return cancelled();
        }
        m_bytesBefore += lines.bytesConsumed();
        return {};
    }

    Status readDocument(std::unique_ptr<ByteStream> raw, MeterReader& reader, MeterLog& log) {
        const auto stream = asUtf8(std::move(raw));
        std::array<char, kPiece> buffer{};
        while (true) {
            const auto count = stream->read(std::as_writable_bytes(std::span(buffer)));
            if (!count.hasValue())
                breakOff(count.error(), log);
            if (!count.hasValue() || count.value() == 0)
                break;
            m_report.bytes += count.value();
            RETURN_IF_ERROR(reader.take({buffer.data(), count.value()}, log));
            if (!goesOn(stream->bytesConsumed()))
                return cancelled();
        }
        m_bytesBefore += stream->bytesConsumed();
        return {};
    }

    bool goesOn(std::uint64_t bytes) const {
        return !m_progress || m_progress({m_phase, m_bytesBefore + bytes, m_unit.bytes});
    }

    void breakOff(const Error& error, MeterLog& log) {
        m_isCutShort = true;
        log.warn("The file breaks off here: " + error.message + " What came before is kept.");
    }

    Result<ImportReport> complete(Run run, const MeterTable& table) {
        m_report.facts["clock"] = clockText(m_probes.front().clock, m_unit.utcOffsetSeconds);
        run.gpuModel = table.gpuModel();
        if (!run.gpuModel.empty())
            m_report.facts["gpu_model"] = run.gpuModel;
        if (m_isCutShort)
            run.status = RunStatus::Partial;
        RETURN_IF_ERROR(m_sink.run(run));
        return std::move(m_report);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    const Progress& m_progress;
    ImportReport m_report;
    std::vector<FileProbe> m_probes;
    std::string m_phase;
    std::uint64_t m_bytesBefore = 0; // of the files before
    bool m_isCutShort = false;
};

template <MeterFamily family>
Confidence sniff(std::string_view head, std::string_view /*path*/) {
    Confidence confidence = 0;
    const MeterFormat* format = meterFormatOf(meterHead(head), &confidence);
    return format != nullptr && format->family == family ? confidence : 0;
}

Result<ImportReport> importGpus(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return MetersImport(tree, unit, sink, progress, "meters 1").run();
}

Result<ImportReport> importNodes(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return MetersImport(tree, unit, sink, progress, "power 1").run();
}

} // namespace

const Importer& gpuImporter() {
    static constexpr Importer kImporter{
        {"meters", "GPU telemetry",
            "DCGM (dcgmi dmon, CSV, exporter text), answers of Prometheus, nvidia-smi dmon, pmon "
            "and -q, amd-smi, rocm-smi, xpu-smi, intel_gpu_top, tegrastats, Zeus, nvitop, gpustat, "
            "Weights & Biases",
            Joins::RunBeside, LaunchSettings::Beside, {}, "telemetry file", "telemetry files",
            false, true},
        sniff<MeterFamily::Gpus>, plan, importGpus};
    return kImporter;
}

const Importer& nodeImporter() {
    static constexpr Importer kImporter{{"power", "power of nodes",
                                            "MLPerf power logs, SPEC PTDaemon, ipmitool, Redfish, "
                                            "RAPL (perf, turbostat, energy_uj), "
                                            "logs of management controllers, CodeCarbon",
                                            Joins::RunBeside, LaunchSettings::Beside, {},
                                            "log of node power", "logs of node power"},
        sniff<MeterFamily::Nodes>, plan, importNodes};
    return kImporter;
}

} // namespace trainscope::importers::meters
