#include "importers/rocprof/TraceImport.h"

#include "core/model/WholeNumber.h"

namespace trainscope::importers::rocprof {

std::string copyName(std::string_view direction) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDirections{
        {{"hosttodevice", "HtoD"}, {"devicetohost", "DtoH"}, {"devicetodevice", "DtoD"},
            {"hosttohost", "HtoH"}}};
    std::string said = lowered(direction);
    std::erase(said, '_');
    for (const auto& [written, name] : kDirections) {
        if (said.find(written) != std::string::npos)
            return "Memcpy " + std::string(name);
    }
    return "Memcpy";
}

SpanKind callKindOf(std::string_view domain) {
    const auto has = [&](std::string_view word) { return containsIgnoringCase(domain, word); };
    if (has("marker") || has("roctx"))
        return SpanKind::Annotation;
    return SpanKind::Runtime;
}

void describe(const KernelShape& shape, DetailText& detail) {
    std::array<std::int64_t, 3> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t items = shape.workgroup[i];
        blocks[i] = items > 0 && shape.grid[i] > 0 ? (shape.grid[i] - 1) / items + 1 : 0;
    }
    detail.add("grid", blocks).add("block", shape.workgroup);
    if (shape.registers)
        detail.add("registers per thread", *shape.registers);
    if (shape.localMemory)
        detail.add("shared memory", *shape.localMemory);
}

std::int64_t agentNumber(std::string_view text) {
    constexpr std::string_view kWord = "Agent ";
    if (text.starts_with(kWord))
        text.remove_prefix(kWord.size());
    return wholeNumber<std::int64_t>(text).value_or(-1);
}

void takeFirst(
    ForeignDatabase& database, std::string_view table, std::string_view column, TraceFacts& facts) {
    const Status read = database.scanFacts(
        table, column,
        [&](const ForeignRow& row) {
            facts.firstNs = facts.firstNs ? facts.firstNs : row.integer(0);
        },
        1);
    if (!read.hasValue())
        facts.problem = read.error().describe();
}

TraceImport::TraceImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const std::vector<std::int64_t>& processes, DurationNs base)
    : m_tree(tree)
    , m_unit(unit)
    , m_sink(sink)
    , m_writer(sink, m_report, unit.path, unit.rank.value_or(0), processes, base) {
    m_report.importer = "rocprof 1";
    m_report.ranksExpected = unit.worldSize;
}

Status TraceImport::begin(std::string_view gpuModel) {
    m_run.name = m_unit.runName;
    m_run.worldSize = m_unit.worldSize;
    m_run.gpuModel = gpuModel;
    return m_writer.begin(m_run);
}

void TraceImport::opened(const ForeignDatabase& database) {
    m_report.bytes = database.bytesTotal();
    if (database.isCutShort())
        lose("the file is cut short: its last pages are missing");
}

Status TraceImport::scan(ForeignDatabase& database, std::string_view table,
    std::string_view columns, const std::function<Status(const ForeignRow&)>& visit) {
    ASSIGN_OR_RETURN(
        const bool isDamaged, database.scanInto(m_report, m_unit.path, table, columns, visit));
    if (isDamaged)
        m_run.status = RunStatus::Partial;
    return {};
}

void TraceImport::lose(std::string problem) {
    m_run.status = RunStatus::Partial;
    m_report.lost(m_unit.path, 0, std::move(problem));
}

Status TraceImport::finish(const TracedMachine& machine) {
    RETURN_IF_ERROR(m_writer.finish());
    if (m_report.spans == 0)
        return Error{ErrorCode::Unrecognised,
            "There is nothing with times in this trace of rocprof.",
            m_tree.displayPath(m_unit.path)};
    RETURN_IF_ERROR(m_writer.describeGpus(machine));
    if (m_writer.kernels() == 0)
        m_report.lost(m_unit.path, 0, "there are no kernels: record with --kernel-trace");
    m_report.facts["clock"] = "ns since the machine started; when that was is not said";
    return m_run.status == RunStatus::Partial ? m_writer.begin(m_run) : Status();
}

} // namespace trainscope::importers::rocprof
