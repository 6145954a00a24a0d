// Records of NCCL's inspector (ext-profiler/inspector), one JSON object a line and collective:
// {"header": {"rank": 0, "n_ranks": 4, …}, "metadata": {"dump_timestamp_us": …, "hostname": "n1",
// "pid": 77}, "coll_perf": {"coll": "AllGather", "coll_msg_size_bytes": …, "coll_exec_time_us": …,
// "coll_busbw_gbs": …}}. A record says how long its collective took and when it was written down:
// it is placed before that, and never over the one before it.
#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>

namespace trainscope::importers::nccl {

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr double kGiga = 1e9;

struct InspectorRecord {
    int rank = -1;
    int ranks = 0;
    std::string host;
    std::string process;
    std::string collective;
    std::int64_t bytes = 0;
    std::int64_t durationNs = 0;
    std::int64_t writtenNs = 0;
    double busBandwidth = 0.0; // GB/s

    [[nodiscard]] bool isWhole() const {
        return rank >= 0 && !collective.empty() && durationNs > 0 && writtenNs > 0;
    }
};

int wholeOf(std::string_view text) {
    const auto number = parseNumber(text);
    return number && *number >= 0.0 && *number < 1e7 ? static_cast<int>(*number) : -1;
}

void readMember(InspectorRecord& record, std::string_view key, const JsonToken& value) {
    if (key == "rank")
        record.rank = wholeOf(value.text);
    else if (key == "n_ranks")
        record.ranks = std::max(wholeOf(value.text), 0);
    else if (key == "hostname")
        record.host = value.text;
    else if (key == "pid")
        record.process = value.text;
    else if (key == "coll")
        record.collective = value.text;
    else if (key == "coll_msg_size_bytes")
        record.bytes = std::max(wholeNumber<std::int64_t>(value.text).value_or(0), std::int64_t{0});
    else if (key == "coll_exec_time_us")
        record.durationNs = decimalToNs(value.text, kMicrosecond).value_or(0);
    else if (key == "dump_timestamp_us")
        record.writtenNs = decimalToNs(value.text, kMicrosecond).value_or(0);
    else if (key == "coll_busbw_gbs")
        record.busBandwidth = parseNumber(value.text).value_or(0.0);
}

InspectorRecord recordIn(std::string_view line) {
    InspectorRecord record;
    std::string text(line);
    text.append(JsonScanner::kPadding, '\0');
    forEachMember(std::string_view(text).substr(0, line.size()),
        [&record](std::string_view key, const JsonToken& value) {
            if (value.kind != TokenKind::Object)
                return readMember(record, key, value);
            forEachMember(value.text, [&record](std::string_view name, const JsonToken& one) {
                readMember(record, name, one);
            });
        });
    return record;
}

Confidence sniffInspector(std::string_view head, std::string_view /*path*/) {
    constexpr Confidence kSureOfRecords = 95;
    return head.find("\"coll_perf\"") != std::string_view::npos
            && head.find("\"coll_exec_time_us\"") != std::string_view::npos
        ? kSureOfRecords
        : 0;
}

InspectorRecord firstOf(const SourceTree& tree, const std::string& path) {
    constexpr std::size_t kFirst = std::size_t{64} << 10;
    const auto head = readHead(tree, path, kFirst);
    const std::string text = head.valueOr(std::string());
    return recordIn(trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

// The processes of a folder are ranks of one run.
std::vector<ImportUnit> planInspector(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string_view, int> files;
    for (const SourceFile& file : mine)
        ++files[folderPart(file.path)];
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        const InspectorRecord first = firstOf(tree, file.path);
        const std::string_view folder = folderPart(file.path);
        ImportUnit unit = unitOfFile(file);
        unit.runName = files[folder] > 1 && !folder.empty()
            ? std::string(folder)
            : std::string(withoutSuffixes(namePart(file.path)));
        if (files[folder] > 1 && folder.empty())
            unit.runName = "nccl-inspector";
        if (first.rank >= 0)
            unit.rank = first.rank;
        unit.worldSize = first.ranks;
        if (first.writtenNs > 0)
            unit.start = TimeNs{first.writtenNs - first.durationNs};
        unit.summary = fmt::format("rank {} of {}, collectives", first.rank, first.ranks);
        units.push_back(std::move(unit));
    }
    return units;
}

class InspectorImport {
public:
    InspectorImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink) {
        m_report.importer = "nccl-inspector 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = m_unit.worldSize;
        ASSIGN_OR_RETURN(m_run, m_sink.run(run));
        RETURN_IF_ERROR(readLines(m_tree, m_unit.path, "Reading collectives", progress, m_report,
            [this](std::string_view line, std::int64_t number) {
                return take(trimmed(line), number);
            }));
        RETURN_IF_ERROR(flush());
        if (m_report.rows == 0)
            return Error{ErrorCode::Unrecognised,
                "No record of NCCL's inspector has a collective with its time.",
                m_tree.displayPath(m_unit.path)};
        m_report.skipped += m_ofOthers;
        if (m_ofOthers > 0)
            m_report.lost(m_tree.displayPath(m_unit.path), 0,
                text::counted(m_ofOthers, "record")
                    + " of other processes than the first one left out: keep the file of each "
                      "process by itself, as the inspector writes it.");
        m_report.ranksExpected = m_unit.worldSize;
        m_report.facts["clock"]
            = "unix time of the records; each collective is placed before its record";
        if (!m_host.empty())
            m_report.facts["host"] = m_host;
        return std::move(m_report);
    }

private:
    Status take(std::string_view line, std::int64_t number) {
        if (line.empty())
            return {};
        const InspectorRecord record = recordIn(line);
        if (!record.isWhole()) {
            ++m_report.skipped;
            m_report.lost(m_tree.displayPath(m_unit.path), number,
                "The record has no collective with its rank and times.");
            return {};
        }
        if (!m_track.isValid())
            RETURN_IF_ERROR(begin(record));
        // Ranks are those of a communicator, so that only the process tells whose a record is.
        if (record.process != m_process || record.host != m_host) {
            ++m_ofOthers;
            return {};
        }
        const TimeNs start{std::max(record.writtenNs - record.durationNs, m_lastEnd.ns)};
        const DurationNs duration{record.durationNs};
        ASSIGN_OR_RETURN(const auto name, m_sink.intern("nccl " + record.collective));
        ASSIGN_OR_RETURN(const auto detail, m_sink.intern(detailOf(record)));
        m_spans.push_back({start, duration, name, SpanKind::Kernel, 0, detail, 0});
        m_lastEnd = start + duration;
        m_times.push_back(m_lastEnd);
        m_bandwidths.push_back(record.busBandwidth);
        ++m_report.rows;
        constexpr std::size_t kBlock = 4096;
        return m_spans.size() >= kBlock ? flush() : Status();
    }

    Status begin(const InspectorRecord& record) {
        const int rank = m_unit.rank.value_or(record.rank);
        m_host = record.host;
        m_process = record.process;
        m_report.ranksFound = {rank};
        Gpu gpu;
        gpu.rank = rank;
        gpu.local = rank;
        RETURN_IF_ERROR(m_sink.gpu(m_run, gpu));
        TrackDescription description;
        description.kind = TrackKind::Stream;
        description.rank = rank;
        description.device = 0;
        description.name = "collectives of NCCL";
        ASSIGN_OR_RETURN(m_track, m_sink.track(m_run, description));
        SeriesDescription series;
        series.metric
            = {"nccl_bus_bandwidth", "B/s", MetricKind::Gauge, "Bus bandwidth of collectives"};
        series.scale = kGiga;
        series.subject.rank = rank;
        ASSIGN_OR_RETURN(m_series, m_sink.series(m_run, series));
        return {};
    }

    // As PyTorch says it: elements that go in and come out. The inspector counts all of them.
    static std::string detailOf(const InspectorRecord& record) {
        const std::int64_t share = record.bytes / std::max(record.ranks, 1);
        const bool gathers = record.collective == "AllGather";
        const bool scatters = record.collective == "ReduceScatter";
        return fmt::format(R"({{"Collective name":"{}","In msg nelems":{},"Out msg nelems":{},)"
                           R"("dtype":"Byte","Group size":{}}})",
            record.collective, gathers ? share : record.bytes, scatters ? share : record.bytes,
            record.ranks);
    }

    Status flush() {
        if (m_spans.empty())
            return {};
        RETURN_IF_ERROR(m_sink.spans(m_track, m_spans));
        RETURN_IF_ERROR(m_sink.samples(m_series, m_times, m_bandwidths));
        m_report.spans += static_cast<std::int64_t>(m_spans.size());
        m_spans.clear();
        m_times.clear();
        m_bandwidths.clear();
        return {};
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    ImportReport m_report;
    RunId m_run;
    TrackId m_track;
    SeriesId m_series;
    std::string m_host;
    std::string m_process;
    std::int64_t m_ofOthers = 0; // records
    TimeNs m_lastEnd;
    std::vector<Span> m_spans;
    std::vector<TimeNs> m_times;
    std::vector<double> m_bandwidths;
};

} // namespace

constinit const Importer kInspectorImporter{
    {"nccl-inspector", "records of NCCL's inspector",
        "JSON lines of NCCL's inspector plugin, one file per process", Joins::OwnRun,
        LaunchSettings::None, {}, "file of NCCL's inspector", "files of NCCL's inspector"},
    sniffInspector, planInspector, importBy<InspectorImport>};

} // namespace trainscope::importers::nccl
