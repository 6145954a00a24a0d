// Traces of AMD's rocprofv3: its SQLite databases (rocpd, schema 3) and its CSV tables
// (kernel_trace, hip_api_trace, memory_copy_trace, marker_api_trace, rccl_api_trace, agent_info),
// and the results.csv of the older rocprof. Clock: ns since the machine started, of which nobody
// says when that was; ranks of one machine share it.

#include "importers/common/Formats.h"

#include "core/model/WholeNumber.h"
#include "importers/common/NamedTable.h"
#include "importers/rocprof/TraceImport.h"

namespace trainscope::importers::rocprof {

namespace {

constexpr std::size_t kFirstBytes = std::size_t{16} << 10;

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    if (isToolJson(head) || isOldJson(head))
        return 97; // more than what knows any trace of events
    switch (csvTableOf(head)) {
    case CsvTable::None:
        return 0;
    case CsvTable::Counters:
    case CsvTable::Agents:
        return 60;
    default:
        return 92;
    }
}

// nullptr: it is of none.
const DatabaseForm* formOf(const ForeignDatabase& database) {
    for (const DatabaseForm* form : {&kRocpd, &kRpd, &kOldDatabase}) {
        if (form->isIt(database))
            return form;
    }
    return nullptr;
}

Confidence look(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    if (!ForeignDatabase::isDatabase(head))
        return 0;
    const Progress noProgress;
    const auto database = ForeignDatabase::open(tree, file.path, noProgress);
    return database.hasValue() && formOf(database.value()) != nullptr ? 95 : 0;
}

// A database that is of none is taken for rocpd's, whose reader says what it lacks.
TraceFacts factsOfDatabase(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    const Progress noProgress;
    auto database = ForeignDatabase::open(tree, file.path, noProgress);
    const DatabaseForm* const known = database.hasValue() ? formOf(database.value()) : nullptr;
    const DatabaseForm& form = known == nullptr ? kRocpd : *known;
    facts.kind = form.kind;
    if (database.hasValue())
        form.tell(database.value(), facts);
    else
        facts.problem = database.error().describe();
    return facts;
}

Result<ImportReport> importDatabase(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    ASSIGN_OR_RETURN(auto database, ForeignDatabase::open(tree, unit.path, progress));
    const DatabaseForm* const known = formOf(database);
    return (known == nullptr ? kRocpd : *known).import(database, tree, unit, sink);
}

// The first stamp of a table, which tells processes of one job from recordings of other days.
std::optional<std::int64_t> firstStamp(std::string_view head) {
    const auto header = headerIn(head, {"start_timestamp"});
    if (!header)
        return std::nullopt;
    CellSplitter splitter;
    for (std::size_t at = head.find('\n'); at != std::string_view::npos;) {
        const std::size_t next = head.find('\n', at + 1);
        const auto& cells = splitter.split(
            head.substr(at + 1, next == std::string_view::npos ? next : next - at - 1),
            header->separator);
        if (const auto stamp = NamedRow(*header, cells).integer("start_timestamp"))
            return stamp;
        at = next;
    }
    return std::nullopt;
}

// The tables of one process; empty: nothing that happened is among them.
std::optional<TraceFile> traceOf(
    const SourceTree& tree, const std::vector<const SourceFile*>& files) {
    TraceFacts facts;
    facts.kind = "tables of rocprof";
    const SourceFile* main = nullptr;
    CsvTable mainKind = CsvTable::None;
    for (const SourceFile* file : files) {
        const auto head = readHead(tree, file->path, kFirstBytes);
        const CsvTable kind = head.hasValue() ? csvTableOf(head.value()) : CsvTable::None;
        if (kind == CsvTable::None || kind == CsvTable::Agents || kind == CsvTable::Counters)
            continue;
        if (main == nullptr || (kind == CsvTable::Kernels && mainKind != CsvTable::Kernels)) {
            main = file;
            mainKind = kind;
            facts.firstNs = firstStamp(head.value());
        }
    }
    if (main == nullptr)
        return std::nullopt;
    if (mainKind != CsvTable::Kernels && mainKind != CsvTable::OldKernels)
        facts.notes.emplace_back("There are no kernels in these tables.");
    TraceFile trace = traceFileOf(*main, std::move(facts));
    for (const SourceFile* file : files)
        trace.files.push_back(file->path);
    return trace;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<TraceFile> traces;
    std::map<std::pair<std::string, std::string>, std::vector<const SourceFile*>> tables;
    for (const SourceFile& file : mine) {
        const auto head = readHead(tree, file.path, kFirstBytes);
        if (!head.hasValue())
            continue;
        if (ForeignDatabase::isDatabase(head.value()))
            traces.push_back(traceFileOf(file, factsOfDatabase(tree, file)));
        else if (isToolJson(head.value()))
            traces.push_back(traceFileOf(file, factsOfToolJson(tree, file)));
        else if (isOldJson(head.value()))
            traces.push_back(traceFileOf(file, factsOfOldJson(tree, file)));
        else
            tables[{std::string(folderPart(file.path)), std::string(csvPrefix(file.path))}]
                .push_back(&file);
    }
    for (const auto& [key, files] : tables) {
        if (auto trace = traceOf(tree, files))
            traces.push_back(std::move(*trace));
    }
    return groupIntoRuns(tree, RunFolders(tree), std::move(traces));
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return caught(tree, unit, [&]() -> Result<ImportReport> {
        ASSIGN_OR_RETURN(const auto head, readHead(tree, unit.path, kFirstBytes));
        const auto read = isToolJson(head)       ? importToolJson
            : isOldJson(head)                    ? importOldJson
            : !ForeignDatabase::isDatabase(head) ? importTables
                                                 : importDatabase;
        return read(tree, unit, sink, progress);
    });
}

} // namespace

constinit const Importer kImporter{
    {"rocprof", "rocprof trace",
        "traces of AMD's rocprofv3: rocpd databases, CSV tables and JSON; of rocprof: "
        "results.csv, .db and .json; of rocmProfileData: .rpd",
        Joins::OwnRun, LaunchSettings::Beside, {}, "rocprof trace", "rocprof traces"},
    sniff, plan, import, nullptr, look};

} // namespace trainscope::importers::rocprof
