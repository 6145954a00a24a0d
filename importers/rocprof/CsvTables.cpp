#include "importers/common/NamedTable.h"
#include "importers/common/RunFolders.h"
#include "importers/rocprof/OldRocprof.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers::rocprof {

namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;

// A GPU among the agents of a machine.
struct Agent {
    std::int64_t node = -1;
    std::int64_t logical = -1;
    std::string model;
};

class TablesImport {
public:
    TablesImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_import(tree, unit, sink)
        , m_writer(m_import.writer())
        , m_report(m_import.report())
        , m_detail(m_import.detail()) { }

    Result<ImportReport> run(const Progress& progress) {
        ASSIGN_OR_RETURN(const auto tables, tablesByKind());
        RETURN_IF_ERROR(each(tables, CsvTable::Agents, {"agent_type", "node_id"}, progress,
            [&](const NamedRow& row) { return agent(row); }));
        std::ranges::stable_sort(m_gpus, {}, &Agent::node);
        TracedMachine machine;
        for (const Agent& gpu : m_gpus)
            machine.models.push_back(gpu.model);
        RETURN_IF_ERROR(m_import.begin(m_gpus.empty() ? std::string() : m_gpus.front().model));
        RETURN_IF_ERROR(each(tables, CsvTable::Calls, {"function", "start_timestamp"}, progress,
            [&](const NamedRow& row) { return call(row); }));
        m_writer.nest();
        RETURN_IF_ERROR(each(tables, CsvTable::Kernels, {"kernel_name", "start_timestamp"},
            progress, [&](const NamedRow& row) { return kernel(row); }));
        RETURN_IF_ERROR(each(tables, CsvTable::OldKernels, {"kernelname", "beginns"}, progress,
            [&](const NamedRow& row) { return oldKernel(row); }));
        RETURN_IF_ERROR(each(tables, CsvTable::Copies, {"direction", "start_timestamp"}, progress,
            [&](const NamedRow& row) { return copy(row); }));
        if (const auto counters = tables.count(CsvTable::Counters); counters > 0)
            m_report.lost(m_unit.path, 0, "tables of performance counters are not read");
        RETURN_IF_ERROR(m_import.finish(machine));
        return std::move(m_report);
    }

private:
    using Tables = std::multimap<CsvTable, std::string>;

    // Without those that lie there a second time, packed.
    Result<Tables> tablesByKind() {
        Tables tables;
        std::map<std::string_view, std::string_view> read; // by stem
        for (const std::string& path : m_unit.files) {
            const auto [first, isNew] = read.emplace(traceStem(path), path);
            if (!isNew) {
                m_report.remark(path, 0,
                    "not read: " + std::string(namePart(first->second)) + " holds the same table");
                continue;
            }
            ASSIGN_OR_RETURN(const auto head, readHead(m_tree, path, kHead));
            tables.emplace(csvTableOf(head), path);
        }
        return tables;
    }

    template <typename Visit>
    Status each(const Tables& tables, CsvTable kind,
        std::initializer_list<std::string_view> required, const Progress& progress,
        const Visit& visit) {
        const auto [begin, end] = tables.equal_range(kind);
        for (auto table = begin; table != end; ++table) {
            RETURN_IF_ERROR(readTable(m_tree, table->second, required, visit, progress, m_report));
        }
        return {};
    }

    Status agent(const NamedRow& row) {
        if (!equalsIgnoringCase(row.text("agent_type"), "GPU"))
            return {};
        std::string_view model = row.text("product_name");
        if (model.empty())
            model = row.text("name");
        m_gpus.push_back({row.integer("node_id").value_or(-1),
            row.integer("logical_node_id").value_or(-1), std::string(model)});
        return {};
    }

    // The GPUs of the machine in their order; without the table of agents as they are numbered.
    int deviceOf(std::string_view agent) {
        const bool isTypeRelative = agent.starts_with("GPU ");
        const std::int64_t number = agentNumber(isTypeRelative ? agent.substr(4) : agent);
        const bool isLogical = agent.starts_with("Agent");
        for (std::size_t i = 0; i < m_gpus.size() && !isTypeRelative; ++i) {
            if ((isLogical ? m_gpus[i].logical : m_gpus[i].node) == number)
                return static_cast<int>(i);
        }
        constexpr std::int64_t kMost = 1'000;
        if (number >= 0 && number < kMost)
            return static_cast<int>(number);
        // Old versions write handles.
        const auto next = static_cast<int>(m_handles.size());
        return m_handles.size() < kMost ? m_handles.try_emplace(number, next).first->second : 0;
    }

    Status call(const NamedRow& row) {
        const auto range
            = m_writer.rangeOf(row.integer("start_timestamp"), row.integer("end_timestamp"));
        if (!range)
            return {};
        ProfiledCall call;
        call.process = row.integer("process_id").value_or(0);
        call.thread = row.integer("thread_id").value_or(0);
        call.range = *range;
        call.correlation = row.integer("correlation_id").value_or(0);
        call.name = row.text("function");
        call.kind = callKindOf(row.text("domain"));
        m_process = call.process;
        return m_writer.call(call);
    }

    static KernelShape shapeOf(const NamedRow& row) {
        const auto number = [&](std::string_view name) { return row.integer(name).value_or(0); };
        KernelShape shape;
        shape.grid = {number("grid_size_x"), number("grid_size_y"), number("grid_size_z")};
        shape.workgroup
            = {number("workgroup_size_x"), number("workgroup_size_y"), number("workgroup_size_z")};
        shape.registers = row.integer("vgpr_count");
        shape.localMemory = row.integer("lds_block_size");
        if (!shape.localMemory)
            shape.localMemory = row.integer("group_segment_size");
        return shape;
    }

    // Fields that kernels and copies have. Absent: the row has no times.
    std::optional<ProfiledWork> workOf(const NamedRow& row) {
        const auto range
            = m_writer.rangeOf(row.integer("start_timestamp"), row.integer("end_timestamp"));
        if (!range)
            return std::nullopt;
        ProfiledWork work;
        work.process = row.integer("process_id").value_or(m_process);
        work.stream = row.text("stream_id");
        work.range = *range;
        work.correlation = row.integer("correlation_id").value_or(0);
        return work;
    }

    Status kernel(const NamedRow& row) {
        auto work = workOf(row);
        if (!work)
            return {};
        work->device = deviceOf(row.text("agent_id"));
        if (work->stream.empty())
            work->stream = row.text("queue_id");
        work->name = row.text("kernel_name");
        rocprof::describe(shapeOf(row), m_detail);
        return m_writer.work(*work, m_detail);
    }

    Status oldKernel(const NamedRow& row) {
        OldRow old;
        old.begin = row.integer("beginns");
        old.end = row.integer("endns");
        old.process = row.integer("pid").value_or(0);
        old.device = deviceOf(row.text("gpu-id"));
        old.queue = row.integer("queue-id").value_or(0);
        old.name = row.text("kernelname");
        old.grid = row.integer("grd").value_or(0);
        old.workgroup = row.integer("wgr").value_or(0);
        old.registers = row.integer("arch_vgpr").value_or(0);
        old.localMemory = row.integer("lds").value_or(0);
        return writeOld(OldTable::Kernels, old, m_import);
    }

    Status copy(const NamedRow& row) {
        auto work = workOf(row);
        if (!work)
            return {};
        const std::string name = copyName(row.text("direction"));
        const bool isToHost = name.ends_with("DtoH");
        work->device = deviceOf(row.text(isToHost ? "source_agent_id" : "destination_agent_id"));
        if (work->stream.empty())
            work->stream = "copies";
        work->name = name;
        work->kind = SpanKind::Copy;
        return m_writer.work(*work, m_detail);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    TraceImport m_import;
    ProfileWriter& m_writer;
    ImportReport& m_report;
    DetailText& m_detail;
    std::vector<Agent> m_gpus;
    std::map<std::int64_t, int> m_handles;
    std::int64_t m_process = 0;
};

} // namespace

CsvTable csvTableOf(std::string_view head) {
    if (headerIn(head, {"counter_name", "counter_value", "kernel_name"}))
        return CsvTable::Counters;
    if (headerIn(head, {"kernel_name", "start_timestamp", "end_timestamp", "agent_id"}))
        return CsvTable::Kernels;
    if (headerIn(head, {"kernelname", "beginns", "endns"}))
        return CsvTable::OldKernels;
    if (headerIn(head, {"direction", "start_timestamp", "end_timestamp"}))
        return CsvTable::Copies;
    if (headerIn(head, {"function", "start_timestamp", "end_timestamp", "thread_id"}))
        return CsvTable::Calls;
    if (headerIn(head, {"agent_type", "node_id", "logical_node_id"}))
        return CsvTable::Agents;
    return CsvTable::None;
}

std::string_view csvPrefix(std::string_view path) {
    static constexpr std::array<std::string_view, 12> kTables{"kernel_trace", "hip_api_trace",
        "hip_trace", "hsa_api_trace", "memory_copy_trace", "marker_api_trace", "marker_trace",
        "rccl_api_trace", "agent_info", "counter_collection", "memory_allocation_trace",
        "scratch_memory_trace"};
    std::string_view stem = path.substr(path.rfind('/') + 1);
    stem = stem.substr(0, stem.find(".csv"));
    for (const std::string_view table : kTables) {
        if (stem.ends_with(table))
            return stem.substr(0, stem.size() - table.size());
    }
    return stem;
}

Result<ImportReport> importTables(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return TablesImport(tree, unit, sink).run(progress);
}

} // namespace trainscope::importers::rocprof
