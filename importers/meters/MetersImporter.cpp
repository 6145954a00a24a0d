// Telemetry files as three rows of the registry: logs of nvidia-smi and of scripts around it
// (`--query-gpu … --format=csv` with or without header and units, own column names, one column per
// GPU, drawn tables), monitors of GPUs (DCGM and its exporter, Prometheus' answers, nvidia-smi dmon
// and -q, amd-smi, rocm-smi, Zeus, nvitop, gpustat, Weights & Biases), and what measures nodes and
// switches (MLPerf power logs, PTDaemon, IPMI, Redfish, RAPL, management controllers, CodeCarbon).
// The formats are listed in Formats.h.
//
// Clock: as each format says; local stamps stay as written unless the unit says an offset; files
// without stamps are placed by the start and period that the unit says, else at the epoch, one
// reading a second. A file of a unit that begins and ends a zone's offset (whole half hours, 1 to
// 14 h) from where most of its files do is set right, and that is said; one that only begins there
// is not, and that is said as well. Several files that differ in the number of a node or switch are
// one unit. Units of logs: those of the cells, else the header's, else nvidia-smi's own (W, °C,
// MHz, %, MiB); °F becomes °C, and a column in a unit that is not known is left out. Values of -1,
// [N/A] and the like are missing.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/ColumnOrder.h"
#include "importers/meters/Formats.h"
#include "importers/meters/LogReader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <iterator>

namespace trainscope::importers::meters {
namespace {

// Facts in the first bytes of a telemetry file, by reading them into nothing.
struct FileProbe {
    const MeterFormat* format = nullptr; // nullptr: none knows it
    std::optional<Result<smi::ColumnOrder>> order; // for a log of rows
    int gpus = 0;
    int nodes = 0;
    int gpusPerNode = 0; // if the columns tell; 0: not known
    int switches = 0;
    std::set<std::string> metrics;
    std::string gpuModel;
    std::optional<StampKind> clock; // the first stamp's
    std::optional<TimeNs> start; // as written
    std::optional<TimeNs> end; // likewise, of what was looked at
};

enum class Look { Begin, BeginAndEnd };
using GoesOn
    = std::function<bool(std::uint64_t)>; // told how many bytes of the file on disk are behind

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

// Reads a file of that format to its end, or up to where it breaks off. `order`: of the columns of
// a log of rows.
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

// `dates`: as the user says, where nothing in the file tells.
FileProbe probeMeters(const SourceTree& tree, const std::string& path, MeterKinds kinds,
    DateOrder dates = DateOrder::Unknown, Look look = Look::Begin) {
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

// Stamps with a zone of their own are right, and so is unix time, unless a script made it of
// others.
bool mayBeLocal(const FileProbe& probe) {
    return probe.start && (probe.clock == StampKind::Local || probe.format->isOfLocalTime);
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
    std::map<std::size_t, FileProbe> ends; // those of the files that matter
    const auto withEnd = [&](std::size_t i) -> const FileProbe& {
        const auto [entry, isNew] = ends.try_emplace(i);
        if (isNew)
            entry->second = probeMeters(tree, files[i], MeterKinds::Others, {}, Look::BeginAndEnd);
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

// A sentence for people, of a step that is not zero.
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

using Files = std::vector<SourceFile>;

// "node power of 8 nodes and 1 switch", "8 GPUs, 4 metrics".
std::string summaryOf(const std::vector<FileProbe>& probes) {
    std::int64_t gpus = 0;
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
    std::set<std::string> metrics;
    for (const FileProbe& probe : probes) {
        gpus += probe.gpus;
        switches += probe.switches;
        nodes += probe.nodes;
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

ImportUnit unitOf(
    const SourceTree& tree, const Files& files, const std::map<std::string, FileProbe>& known) {
    ImportUnit unit;
    unit.path = files.size() > 1 ? std::string(folderPart(files.front().path)) : files.front().path;
    unit.runName = runNameOf(tree, files);
    std::vector<FileProbe> probes;
    for (const SourceFile& file : files) {
        unit.files.push_back(file.path);
        unit.bytes += file.size;
        probes.push_back(known.at(file.path));
    }
    const FileProbe& first = probes.front();
    if (first.order && !first.order->hasValue())
        unit.notes.push_back(first.order->error().message);
    else if (first.order)
        smi::describe(unit, first.order->value());
    describeClock(tree, unit, probes);
    unit.summary = summaryOf(probes);
    unit.gpuModel = first.gpuModel;
    if (first.nodes <= 1)
        unit.gpusPerNode = first.gpus;
    return unit;
}

template <MeterKinds kinds>
std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, FileProbe> probes;
    std::vector<std::string> keys;
    for (const SourceFile& file : mine) {
        const FileProbe& probe = probes[file.path] = probeMeters(tree, file.path, kinds);
        keys.emplace_back(probe.format == nullptr ? std::string_view() : probe.format->name);
    }
    std::vector<ImportUnit> units;
    for (const Files& group : groupByNode(mine, keys)) {
        ImportUnit unit = unitOf(tree, group, probes);
        const MeterFormat* format = probes.at(group.front().path).format;
        const bool mayHaveParts = format != nullptr && format->runs != nullptr && group.size() == 1;
        const auto parts
            = mayHaveParts ? format->runs(tree, group.front().path) : std::vector<std::string>{};
        for (const std::string& part : parts) { // the runs of a file that has several
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
        const Progress& progress, MeterKinds kinds)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_progress(progress)
        , m_kinds(kinds) { }

    Result<ImportReport> run(std::string_view version) {
        m_report.importer = version;
        const SaidOfSource said(m_unit.saidColumns);
        RETURN_IF_ERROR(probeFiles());
        const auto steps = clockSteps(m_tree, m_unit.files, m_probes);
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        const std::string shown = m_tree.displayPath(m_unit.path);
        MeterTable table(m_sink, id, m_report, shown, m_unit.rank.value_or(0));
        table.expectGpusPerNode(gpusPerNode());
        for (std::size_t i = 0; i < m_unit.files.size(); ++i)
            RETURN_IF_ERROR(readFile(i, steps[i], table));
        RETURN_IF_ERROR(table.finish());
        if (m_report.samples == 0 && (m_report.rows == 0 || m_kinds != MeterKinds::Logs))
            return nothingUsable();
        return complete(std::move(run), table);
    }

private:
    Status probeFiles() {
        for (const std::string& file : m_unit.files) {
            m_probes.push_back(probeMeters(m_tree, file, m_kinds, m_unit.saidDates));
            const FileProbe& probe = m_probes.back();
            const std::string shown = m_tree.displayPath(file);
            if (probe.format == nullptr)
                return Error{
                    ErrorCode::Unrecognised, "This is no telemetry file that is known.", shown};
            if (!probe.order)
                continue;
            if (!probe.order->hasValue())
                return Error{probe.order->error().code, probe.order->error().message, shown};
            const smi::ColumnOrder& order = probe.order->value();
            if (order.stamp < 0 && !order.hasDateLines)
                return Error{ErrorCode::Unrecognised,
                    "The log has no time stamps. Record it with timestamp among the fields: "
                    "nvidia-smi --query-gpu=timestamp,index,power.draw,… --format=csv -l 1",
                    shown};
            if (probe.metrics.empty() && !order.warnings.empty())
                return Error{ErrorCode::Unrecognised, order.warnings.front(), shown};
        }
        return {};
    }

    // Over all files; 0 where there is one node only, or nothing is known before.
    [[nodiscard]] int gpusPerNode() const {
        int most = 0;
        int nodes = 0;
        for (const FileProbe& probe : m_probes) {
            nodes += probe.nodes;
            most = std::max(most, probe.gpusPerNode);
        }
        return nodes > 1 ? most : 0;
    }

    [[nodiscard]] Error nothingUsable() const {
        const std::string found = m_report.warnings.empty() ? std::string("no rows at all")
                                                            : m_report.warnings.front().text;
        const std::string_view expected = m_probes.front().order
            ? "No usable row. Expected rows such as \"2026/04/22 00:03:09.407, 0, 115.49 W\" with "
              "a time stamp and numbers; found: "
            : "No reading of a metric was found in this file; found: ";
        return {ErrorCode::Unrecognised, std::string(expected) + found,
            m_tree.displayPath(m_unit.files.front())};
    }

    Status readFile(std::size_t i, const ClockStep& step, MeterTable& table) {
        const std::string& path = m_unit.files[i];
        const std::string shown = m_tree.displayPath(path);
        const FileProbe& probe = m_probes[i];
        const NodeFileName name = nodeFileName(path);
        // The number of a single GPU log's node would only shift its ranks.
        const bool isNumbered = probe.format->family == MeterFamily::Nodes
            || (probe.format->family == MeterFamily::Gpus && m_unit.files.size() > 1);
        table.startFile(isNumbered ? name.node : std::nullopt);
        MeterClock clock;
        clock.utcOffset = {m_unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
        clock.start = m_unit.saidStart;
        clock.period = m_unit.saidPeriod;
        MeterLog log(table, m_report, shown, clock);
        log.setShift(step.isOfZone ? step.apart : DurationNs{0});
        log.setSwitch(name.switchName);
        log.setPart(m_unit.part);
        if (step.apart.ns != 0)
            log.warn(stepNote(path, step));
        if (step.isOfZone)
            m_report.facts["clock_step"] = fmt::format("{} s", step.apart.ns / 1'000'000'000);
        ASSIGN_OR_RETURN(auto stream, m_tree.open(path));
        m_phase = "Reading " + std::string(namePart(path));
        RETURN_IF_ERROR(readMeters(*probe.format, probe.order ? &probe.order->value() : nullptr,
            std::move(stream), log, [this](std::uint64_t bytes) {
                return !m_progress || m_progress({m_phase, m_bytesBefore + bytes, m_unit.bytes});
            }));
        m_bytesBefore += m_tree.sizeOf(path);
        RETURN_IF_ERROR(log.finish());
        log.completeFacts();
        m_isCutShort = m_isCutShort || log.isCutShort();
        m_report.facts["format"] = probe.format->name;
        if (!probe.format->sensor.empty())
            m_report.facts["derived"] = probe.format->sensor;
        return {};
    }

    Result<ImportReport> complete(Run run, const MeterTable& table) {
        const FileProbe& first = m_probes.front();
        m_report.facts["clock"] = clockText(first.clock, m_unit.utcOffsetSeconds);
        std::string notes = m_unit.columns;
        if (first.order) {
            for (const std::string& note : first.order->value().notes)
                notes += (notes.empty() ? "" : " ") + note;
        }
        if (!notes.empty())
            m_report.facts["columns"] = notes;
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
    MeterKinds m_kinds;
    ImportReport m_report;
    std::vector<FileProbe> m_probes;
    std::string m_phase;
    std::uint64_t m_bytesBefore = 0; // in the files before
    bool m_isCutShort = false;
};

constexpr MeterKinds kindsOf(MeterFamily family) {
    return family == MeterFamily::Logs ? MeterKinds::Logs : MeterKinds::Others;
}

template <MeterFamily family>
Confidence sniff(std::string_view head, std::string_view /*path*/) {
    Confidence confidence = 0;
    const MeterFormat* format = meterFormatOf(meterHead(head), kindsOf(family), &confidence);
    return format != nullptr && format->family == family ? confidence : 0;
}

template <MeterFamily family>
Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    constexpr std::string_view kVersion = family == MeterFamily::Logs ? "nvsmi 1"
        : family == MeterFamily::Gpus                                 ? "meters 1"
                                                                      : "power 1";
    return MetersImport(tree, unit, sink, progress, kindsOf(family)).run(kVersion);
}

template <MeterFamily family>
constexpr Importer importerOf(const Format& format) {
    return {format, sniff<family>, plan<kindsOf(family)>, import <family>};
}

} // namespace

constinit const Importer kLogImporter = importerOf<MeterFamily::Logs>(
    {"nvsmi", "nvidia-smi log", "nvidia-smi --query-gpu … --format=csv logs", Joins::RunBeside,
        LaunchSettings::Beside, {}, "nvidia-smi log", "nvidia-smi logs", false, true});

constinit const Importer kGpuImporter = importerOf<MeterFamily::Gpus>({"meters", "GPU telemetry",
    "DCGM (dcgmi dmon, CSV, exporter text), answers of Prometheus, nvidia-smi dmon, pmon "
    "and -q, amd-smi, rocm-smi, xpu-smi, tegrastats, Zeus, nvitop, gpustat, "
    "Weights & Biases",
    Joins::RunBeside, LaunchSettings::Beside, {}, "telemetry file", "telemetry files", false,
    true});

constinit const Importer kNodeImporter = importerOf<MeterFamily::Nodes>({"power", "power of nodes",
    "MLPerf power logs, SPEC PTDaemon, ipmitool, Redfish, RAPL (perf, turbostat, energy_uj), "
    "logs of management controllers, CodeCarbon",
    Joins::RunBeside, LaunchSettings::Beside, {}, "log of node power", "logs of node power"});

} // namespace trainscope::importers::meters
