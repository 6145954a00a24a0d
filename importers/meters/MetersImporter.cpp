#include "importers/meters/MetersImporter.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "importers/common/HeadLines.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/NodeFiles.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/Formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
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
    std::optional<TimeNs> end; // likewise, of what was looked at
};

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

// End of the reading of a JSON text.
struct ObjectsEnd {
    Status status;
    std::optional<Error> broken; // the stream broke off
};

// `goesOn` is told how many bytes are behind.
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

enum class Look { Begin, BeginAndEnd };

// The lines at the end of a file; none of one that is compressed, or no longer than what is read of
// its begin.
std::vector<std::string> lastLines(const SourceTree& tree, const std::string& path) {
    auto lines = linesOfHead(readTail(tree, path, kHeadOfLines - 1));
    if (!lines.empty())
        lines.erase(lines.begin()); // its begin is missing
    return lines;
}

FileProbe probeMeters(const SourceTree& tree, const std::string& path, Look look = Look::Begin) {
    FileProbe probe;
    const auto text = readHead(tree, path, kHeadOfLines);
    if (!text.hasValue())
        return probe;
    probe.format = meterFormatOf(meterHead(text.value()));
    if (probe.format == nullptr)
        return probe;
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
    probe.end = log.lastStamp();
    return probe;
}

// Distance of a file's begin from that of most others of its unit, if zones can be so far apart.
// The file is of another zone when its end is as far from theirs, else of another time.
struct ClockStep {
    DurationNs apart{0};
    bool isOfZone = false;
};

bool isApart(TimeNs later, TimeNs earlier, DurationNs by) {
    constexpr std::int64_t kAgree = std::int64_t{10} * 1'000'000'000; // files do not start at once
    return std::abs((later - earlier - by).ns) <= kAgree;
}

// In whole half hours, from UTC+1 to UTC+14; zero where no zone is as far.
DurationNs zoneStep(TimeNs later, TimeNs earlier) {
    constexpr std::int64_t kHalfHour = std::int64_t{1800} * 1'000'000'000;
    const std::int64_t steps
        = std::llround(static_cast<double>((later - earlier).ns) / static_cast<double>(kHalfHour));
    const DurationNs apart{steps * kHalfHour};
    const bool isZone = std::abs(steps) >= 2 && std::abs(steps) <= 28;
    return isZone && isApart(later, earlier, apart) ? apart : DurationNs{0};
}

// Stamps with a zone of their own are right.
bool mayBeLocal(const FileProbe& probe) {
    return probe.start && (probe.clock == StampKind::Unix || probe.clock == StampKind::Local);
}

// True where both begin and end of a recording of a minute and more are as far apart.
bool isWhollyApart(const FileProbe& own, const FileProbe& usual, DurationNs by) {
    constexpr std::int64_t kMinute = std::int64_t{60} * 1'000'000'000;
    return own.end && usual.end && (*own.end - *own.start).ns >= kMinute
        && isApart(*own.start, *usual.start, by) && isApart(*own.end, *usual.end, by);
}

// One for each file. Only where more than half of the files begin together is another one wrong.
std::vector<ClockStep> clockSteps(const SourceTree& tree, const std::vector<std::string>& files,
    const std::vector<FileProbe>& probes) {
    std::vector<ClockStep> steps(files.size());
    std::vector<TimeNs> known;
    for (const FileProbe& probe : probes) {
        if (mayBeLocal(probe))
            known.push_back(*probe.start);
    }
    std::ranges::sort(known);
    const TimeNs usual = known.empty() ? TimeNs{} : known[known.size() / 2];
    std::vector<std::size_t> together;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!mayBeLocal(probes[i]))
            continue;
        steps[i].apart = zoneStep(*probes[i].start, usual);
        if (isApart(*probes[i].start, usual, {0}))
            together.push_back(i);
    }
    std::map<std::size_t, FileProbe> ends; // of the files that matter
    const auto withEnd = [&](std::size_t i) -> const FileProbe& {
        const auto [entry, isNew] = ends.try_emplace(i);
        if (isNew)
            entry->second = probeMeters(tree, files[i], Look::BeginAndEnd);
        return entry->second;
    };
    for (std::size_t i = 0; i < files.size(); ++i) {
        steps[i].isOfZone = steps[i].apart.ns != 0 && 2 * together.size() > known.size()
            && std::ranges::any_of(together, [&](std::size_t other) {
                   return isWhollyApart(withEnd(i), withEnd(other), steps[i].apart);
               });
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

std::string stepNote(std::string_view path, const ClockStep& step) {
    const std::string apart
        = text::duration({std::abs(step.apart.ns)}) + (step.apart.ns < 0 ? " behind" : " ahead of");
    if (step.isOfZone)
        return fmt::format("The clock of {} is {} that of the other files, whose begin and end it "
                           "shares otherwise: its times are set right by that.",
            namePart(path), apart);
    return fmt::format("{} begins {} the other files and is taken as recorded then: nothing shows "
                       "whose clock is of another zone, if any is.",
        namePart(path), apart);
}

void describeClock(const SourceTree& tree, ImportUnit& unit, const std::vector<FileProbe>& probes) {
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
    const auto steps = clockSteps(tree, unit.files, probes);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].apart.ns != 0)
            unit.notes.push_back(stepNote(unit.files[i], steps[i]));
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
    describeClock(tree, unit, probes);
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
        for (const std::string& file : m_unit.files)
            m_probes.push_back(probeMeters(m_tree, file));
        const auto steps = clockSteps(m_tree, m_unit.files, m_probes);
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        MeterTable table(
            m_sink, id, m_report, m_tree.displayPath(m_unit.path), m_unit.rank.value_or(0));
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

    Status readFile(std::size_t i, const ClockStep& step, MeterTable& table) {
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
        log.setShift(step.isOfZone ? step.apart : DurationNs{0});
        log.setSwitch(name.switchName);
        log.setPart(m_unit.part);
        if (step.apart.ns != 0)
            m_report.warn(shown, 0, stepNote(path, step));
        if (step.isOfZone)
            m_report.facts["clock_step"] = fmt::format("{} s", step.apart.ns / 1'000'000'000);
        ASSIGN_OR_RETURN(auto stream, m_tree.open(path));
        m_phase = "Reading " + std::string(namePart(path));
        const auto reader = format->open();
        RETURN_IF_ERROR(format->isJson ? readJson(*format, std::move(stream), *reader, log)
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

    Status readJson(const MeterFormat& format, std::unique_ptr<ByteStream> raw, MeterReader& reader,
        MeterLog& log) {
        const auto stream = asUtf8(std::move(raw));
        std::uint64_t bytes = 0;
        const auto end = readObjects(format, *stream, reader, log, [&](std::uint64_t behind) {
            bytes = behind;
            return goesOn(stream->bytesConsumed());
        });
        if (end.broken)
            breakOff(*end.broken, log);
        m_report.bytes += bytes;
        m_bytesBefore += stream->bytesConsumed();
        return end.status;
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
