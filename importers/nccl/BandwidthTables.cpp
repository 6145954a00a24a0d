#include "importers/nccl/BandwidthTables.h"

#include "core/model/Try.h"
#include "importers/common/FileLines.h"
#include "importers/common/RunFolders.h"
#include "importers/nccl/NcclLog.h"

namespace trainscope::importers::nccl {

namespace {

using predict::CollectiveKind;

constexpr std::size_t kTableHead = std::size_t{1} << 20; // with what the library says before it
constexpr double kMicro = 1e-6;

std::optional<CollectiveKind> kindOf(std::string_view test) {
    constexpr std::array<std::pair<std::string_view, CollectiveKind>, 5> kKinds{
        {{"all_reduce", CollectiveKind::AllReduce}, {"all_gather", CollectiveKind::AllGather},
            {"reduce_scatter", CollectiveKind::ReduceScatter},
            {"alltoall", CollectiveKind::AllToAll}, {"sendrecv", CollectiveKind::SendRecv}}};
    for (const auto& [name, kind] : kKinds) {
        if (test == name)
            return kind;
    }
    return std::nullopt;
}

// Reason that a table cannot be used; empty: it was added.
std::string addTable(const NcclLog& log, const std::string& path, BandwidthTables& tables) {
    const auto kind = kindOf(log.testedCollective());
    if (!kind)
        return "Which exchange the table of nccl-tests is of is not said, or it is none that is "
               "predicted.";
    const auto gpus = log.testedGpus();
    if (gpus.empty() || gpus.front().model.empty())
        return "The table of nccl-tests does not say between which GPUs it was measured.";
    std::map<int, int> perNode;
    for (const Gpu& gpu : gpus)
        ++perNode[gpu.node];
    predict::CollectiveTimings timings;
    timings.gpu = gpus.front().model;
    timings.fabric = fabricOf(path);
    if (timings.fabric.empty())
        timings.fabric = "nccl-tests";
    timings.name = log.testedCollective();
    timings.kind = *kind;
    timings.nodes = static_cast<int>(perNode.size());
    timings.gpusPerNode = perNode.begin()->second;
    for (const auto& [node, count] : perNode) {
        if (count != timings.gpusPerNode)
            return "The nodes of this test of NCCL had different numbers of GPUs.";
    }
    for (const BandwidthRow& row : log.rows()) {
        if (row.bytes > 0 && row.timeUs > 0.0)
            timings.rows.push_back({static_cast<double>(row.bytes), row.timeUs * kMicro});
    }
    if (timings.rows.empty())
        return "No row of the table of nccl-tests has a size and a time.";
    tables.report.rows += static_cast<std::int64_t>(timings.rows.size());
    ++tables.files;
    tables.collectives.push_back(std::move(timings));
    return {};
}

Status readFile(const SourceTree& tree, const SourceFile& file, BandwidthTables& tables) {
    const auto head = readHead(tree, file.path, kTableHead);
    if (!head.hasValue() || head.value().find("# nThread ") == std::string::npos)
        return {};
    NcclLog log;
    RETURN_IF_ERROR(readLines(
        tree, file.path, {}, {}, tables.report, [&log](std::string_view line, std::int64_t number) {
            log.take(line, number);
            return Status();
        }));
    if (const std::string problem = addTable(log, tree.displayPath(file.path), tables);
        !problem.empty())
        tables.report.lost(file.path, 0, problem);
    return {};
}

} // namespace

Result<BandwidthTables> readBandwidthTables(const SourceTree& tree, const Progress& progress) {
    BandwidthTables tables;
    RETURN_IF_ERROR(
        readFiles(tree, "Reading tables of nccl-tests", progress, [&](const SourceFile& file) {
            return file.problem.empty() ? readFile(tree, file, tables) : Status();
        }));
    return tables;
}

} // namespace trainscope::importers::nccl
