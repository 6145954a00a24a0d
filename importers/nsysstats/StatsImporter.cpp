// Tables of `nsys stats --format csv`: cuda_gpu_trace (kernels, copies and memory sets), and beside
// it cuda_api_trace (calls) and nvtx_pushpop_trace (ranges). Units stand in the header. Clock:
// times count from the start of the session, which the tables do not say; names are short, sizes
// rounded.

#include "importers/common/Formats.h"

#include "core/model/WholeNumber.h"
#include "importers/common/NamedTable.h"
#include "importers/common/Number.h"
#include "importers/trace/ProfileWriter.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers::nsysstats {

namespace {

enum class StatsTable { None, Gpu, Calls, Ranges };

StatsTable tableOf(std::string_view head) {
    if (headerIn(head, {"start", "duration", "corrid", "strm", "device", "name"}))
        return StatsTable::Gpu;
    if (headerIn(head, {"start", "duration", "corrid", "name", "pid", "tid"}))
        return StatsTable::Calls;
    if (headerIn(head, {"start", "end", "name", "pid", "tid", "lvl"}))
        return StatsTable::Ranges;
    return StatsTable::None;
}

// The name of the report that a table is of: "torch-ex_cuda_gpu_trace" is of "torch-ex".
std::string_view reportStem(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const std::string_view suffix : {"_cuda_gpu_trace", "_gputrace", "_cuda_api_trace",
             "_cudaapitrace", "_nvtx_pushpop_trace", "_nvtxpptrace"}) {
        const std::size_t at = name.rfind(suffix);
        if (at == std::string_view::npos || at == 0)
            continue;
        const std::string_view rest = name.substr(at + suffix.size());
        if (rest.empty() || rest.front() == '.')
            return name.substr(0, at);
    }
    return traceStem(path);
}

std::int64_t nanosecondsPer(std::string_view unit) {
    if (unit == "s" || unit == "sec")
        return 1'000'000'000;
    if (unit.starts_with("ms"))
        return 1'000'000;
    if (unit.starts_with("us") || unit.starts_with("µs") || unit.starts_with("μs"))
        return 1'000;
    return 1;
}

// Places of a table's columns, and the unit of its times.
struct StatsColumns {
    explicit StatsColumns(const TableHeader& header)
        : start(header.find("start"))
        , duration(header.find("duration"))
        , end(header.find("end"))
        , name(header.find("name"))
        , nsPerStart(nanosecondsPer(header.units[static_cast<std::size_t>(start)]))
        , nsPerDuration(
              duration < 0 ? 1 : nanosecondsPer(header.units[static_cast<std::size_t>(duration)])) {
    }

    int start;
    int duration;
    int end;
    int name;
    std::int64_t nsPerStart;
    std::int64_t nsPerDuration;
};

std::string unquoted(std::string_view text) {
    std::string result(text);
    for (std::size_t at = result.find("\"\""); at != std::string::npos;
         at = result.find("\"\"", at + 1))
        result.erase(at, 1);
    return result;
}

// ":step 3" of the default domain, and "NCCL:ncclAllReduce"; other domains stay before the name.
std::string_view withoutDomain(std::string_view range) {
    if (range.starts_with(":"))
        return range.substr(1);
    return range.starts_with("NCCL:") ? range.substr(5) : range;
}

// "[CUDA memcpy Host-to-Device]" with "Pageable" and "Device", in the words of PyTorch's traces.
std::string movedName(std::string_view name, std::string_view from, std::string_view to) {
    const bool isSet = name.find("memset") != std::string_view::npos;
    if (isSet)
        return "Memset (" + std::string(to.empty() ? from.empty() ? "Unknown" : from : to) + ")";
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDirections{
        {{"Host-to-Device", " HtoD"}, {"Device-to-Host", " DtoH"}, {"Device-to-Device", " DtoD"},
            {"Host-to-Host", " HtoH"}, {"Peer-to-Peer", " PtoP"}}};
    std::string text
        = name.find("Unified") == std::string_view::npos ? "Memcpy" : "Unified memory copy";
    for (const auto& [written, direction] : kDirections) {
        if (name.find(written) != std::string_view::npos)
            text += direction;
    }
    if (!from.empty() && !to.empty())
        text.append(" (").append(from).append(" -> ").append(to).append(")");
    return text;
}

// "NVIDIA RTX A4500 (0)"
std::pair<std::string, int> modelAndIndex(std::string_view device) {
    const std::size_t open = device.rfind('(');
    if (open == std::string_view::npos || device.back() != ')')
        return {std::string(device), 0};
    const auto index = wholeNumber<int>(device.substr(open + 1, device.size() - open - 2));
    return {std::string(trimmed(device.substr(0, open))), index.value_or(0)};
}

class StatsImport {
public:
    StatsImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_writer(sink, m_report, unit.path, unit.rank.value_or(0), {}, DurationNs{0}) {
        m_report.importer = "nsys-stats 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        Run run;
        run.name = m_unit.runName;
        run.gpuModel = m_unit.gpuModel;
        RETURN_IF_ERROR(m_writer.begin(run));
        ASSIGN_OR_RETURN(const auto tables, tablesByKind());
        for (const StatsTable kind : {StatsTable::Ranges, StatsTable::Calls})
            RETURN_IF_ERROR(read(tables, kind, progress));
        m_writer.nest();
        RETURN_IF_ERROR(read(tables, StatsTable::Gpu, progress));
        return finish();
    }

private:
    static constexpr std::size_t kHead = std::size_t{64} << 10;

    // Two of a kind hold the same: one is packed, or was made by another version.
    Result<std::map<StatsTable, std::string>> tablesByKind() {
        std::map<StatsTable, std::string> tables;
        for (const std::string& path : m_unit.files) {
            ASSIGN_OR_RETURN(const auto head, readHead(m_tree, path, kHead));
            const auto [first, isNew] = tables.emplace(tableOf(head), path);
            if (!isNew)
                m_report.remark(path, 0,
                    "not read: " + std::string(namePart(first->second)) + " holds the same table");
        }
        return tables;
    }

    Status read(const std::map<StatsTable, std::string>& tables, StatsTable kind,
        const Progress& progress) {
        const auto table = tables.find(kind);
        return table == tables.end() ? Status() : read(kind, table->second, progress);
    }

    Status read(StatsTable kind, const std::string& path, const Progress& progress) {
        ASSIGN_OR_RETURN(const auto head, readHead(m_tree, path, kHead));
        const auto header = headerIn(head, {"start", "name"});
        if (!header)
            return {};
        const StatsColumns columns(*header);
        return readTable(
            m_tree, path, {"start", "name"},
            [&](const NamedRow& row) {
                return kind == StatsTable::Gpu ? work(row, columns) : call(kind, row, columns);
            },
            progress, m_report);
    }

    std::optional<TimeRange> rangeOf(const NamedRow& row, const StatsColumns& columns) {
        const auto start = decimalToNs(row.text(columns.start), columns.nsPerStart);
        std::optional<std::int64_t> end;
        if (columns.duration >= 0) {
            const auto duration = decimalToNs(row.text(columns.duration), columns.nsPerDuration);
            constexpr std::int64_t kLongest = 1'000'000'000'000'000'000;
            if (start && duration && *start > -kLongest && *start<kLongest&& * duration> - kLongest
                && *duration < kLongest)
                end = *start + *duration;
        } else {
            end = decimalToNs(row.text(columns.end), columns.nsPerStart);
        }
        return m_writer.rangeOf(start, end);
    }

    Status call(StatsTable kind, const NamedRow& row, const StatsColumns& columns) {
        ProfiledCall call;
        const auto range = rangeOf(row, columns);
        if (!range)
            return {};
        const std::string written = unquoted(row.text(columns.name));
        const std::string_view name = withoutDomain(written);
        call.range = *range;
        call.process = row.integer("pid").value_or(0);
        call.thread = row.integer("tid").value_or(0);
        call.correlation = row.integer("corrid").value_or(0);
        call.name = name;
        call.kind = kind == StatsTable::Ranges ? SpanKind::Annotation : SpanKind::Runtime;
        m_process = call.process;
        return m_writer.call(call);
    }

    Status work(const NamedRow& row, const StatsColumns& columns) {
        const auto range = rangeOf(row, columns);
        if (!range)
            return {};
        const auto [model, device] = modelAndIndex(row.text("device"));
        if (m_model.empty())
            m_model = model;
        std::string name = unquoted(row.text(columns.name));
        ProfiledWork work;
        work.process = m_process; // the table does not tell
        work.device = device;
        work.stream = row.text("strm");
        work.range = *range;
        work.correlation = row.integer("corrid").value_or(0);
        if (name.starts_with("[CUDA") || name.starts_with("[Unified")) {
            work.kind = name.find("memset") == std::string::npos ? SpanKind::Copy : SpanKind::Set;
            name = movedName(name, row.text("srcmemkd"), row.text("dstmemkd"));
        } else {
            describe(row);
        }
        work.name = name;
        return m_writer.work(work, m_detail);
    }

    void describe(const NamedRow& row) {
        const auto three = [&](const char* x, const char* y, const char* z) {
            return std::array{
                row.integer(x).value_or(0), row.integer(y).value_or(0), row.integer(z).value_or(0)};
        };
        m_detail.add("grid", three("grdx", "grdy", "grdz"));
        m_detail.add("block", three("blkx", "blky", "blkz"));
        if (const auto registers = row.integer("reg/trd"))
            m_detail.add("registers per thread", *registers);
    }

    Result<ImportReport> finish() {
        RETURN_IF_ERROR(m_writer.finish());
        if (m_report.spans == 0)
            return Error{ErrorCode::Unrecognised,
                "There is no row with times in this table of nsys stats.",
                m_tree.displayPath(m_unit.path)};
        RETURN_IF_ERROR(m_writer.describeGpus({{}, {}, m_model}));
        if (!m_model.empty())
            m_report.facts["GPU"] = m_model;
        m_report.facts["clock"] = "relative: since the start of the session, which is not said";
        m_report.facts["sizes"] = "rounded in the table, and left out";
        return std::move(m_report);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    ImportReport m_report;
    ProfileWriter m_writer;
    DetailText m_detail;
    std::string m_model;
    std::int64_t m_process = 0;
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return tableOf(head) == StatsTable::None ? 0 : 92;
}

// The report itself, where it lies in the same folder.
std::string reportBeside(const SourceTree& tree, const std::string& path) {
    const std::string_view stem = reportStem(path);
    const std::string_view folder = folderPart(path);
    for (const SourceFile& file : tree.files()) {
        if (folderPart(file.path) != folder || !file.path.ends_with(".sqlite"))
            continue;
        if (traceStem(file.path) == stem)
            return std::string(namePart(file.path));
    }
    return {};
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::pair<std::string, std::string>, std::vector<const SourceFile*>> reports;
    for (const SourceFile& file : mine)
        reports[{std::string(folderPart(file.path)), std::string(reportStem(file.path))}].push_back(
            &file);
    std::vector<TraceFile> traces;
    std::map<std::string, std::string> besides;
    for (const auto& [key, files] : reports) {
        TraceFacts facts;
        facts.kind = "tables of nsys stats";
        TraceFile trace = traceFileOf(*files.front(), std::move(facts));
        for (const SourceFile* file : files)
            trace.files.push_back(file->path);
        besides[trace.file.path] = reportBeside(tree, trace.file.path);
        traces.push_back(std::move(trace));
    }
    auto units = groupIntoRuns(tree, RunFolders(tree), std::move(traces));
    for (ImportUnit& unit : units) {
        const std::string& report = besides[unit.path];
        if (report.empty())
            continue;
        unit.enabled = false;
        unit.notes.insert(unit.notes.begin(), "Not imported: " + report + " holds the same trace.");
    }
    return units;
}

} // namespace

constinit const Importer kImporter{
    {"nsys-stats", "table of nsys stats",
        "tables of nsys stats as CSV: cuda_gpu_trace, "
        "cuda_api_trace, nvtx_pushpop_trace",
        Joins::OwnRun, LaunchSettings::Beside, {}, "table of nsys stats", "tables of nsys stats"},
    sniff, plan, importBy<StatsImport>};

} // namespace trainscope::importers::nsysstats
