#include "importers/nccl/BandwidthTables.h"

#include "core/model/Try.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/RunFolders.h"
#include "importers/nccl/NcclLog.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace trainscope::importers::nccl {

namespace {

using predict::CollectiveKind;

constexpr std::size_t kTableHead = std::size_t{1} << 20; // with what the library says before it
constexpr double kMicro = 1e-6;

std::optional<CollectiveKind> kindOf(std::string_view test) {
    constexpr std::array<std::pair<std::string_view, CollectiveKind>, 5> kKinds{
        std::pair{"all_reduce", CollectiveKind::AllReduce},
        std::pair{"all_gather", CollectiveKind::AllGather},
        std::pair{"reduce_scatter", CollectiveKind::ReduceScatter},
        std::pair{"alltoall", CollectiveKind::AllToAll},
        std::pair{"sendrecv", CollectiveKind::SendReceive}};
    for (const auto& [name, kind] : kKinds) {
        if (test == name)
            return kind;
    }
    return std::nullopt;
}

std::string fabricNamed(std::string_view path) {
    std::string_view folder = namePart(folderPart(path));
    for (const std::string_view before : {"nccl_", "rccl_"}) {
        if (folder.starts_with(before))
            folder.remove_prefix(before.size());
    }
    return folder.empty() ? "nccl-tests" : std::string(folder);
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
    timings.fabric = fabricNamed(path);
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
    ASSIGN_OR_RETURN(auto stream, tree.open(file.path));
    LineReader lines(std::move(stream));
    NcclLog log;
    while (true) {
        const auto line = lines.next();
        if (!line.hasValue())
            tables.report.lost(file.path, lines.lineNumber(), line.error().message);
        if (!line.hasValue() || !line.value())
            break;
        log.take(*line.value(), lines.lineNumber());
    }
    if (const std::string problem = addTable(log, tree.displayPath(file.path), tables);
        !problem.empty())
        tables.report.lost(file.path, 0, problem);
    return {};
}

} // namespace

Result<BandwidthTables> readBandwidthTables(const SourceTree& tree, const Progress& progress) {
    BandwidthTables tables;
    ProgressState state{"Reading tables of nccl-tests"};
    for (const SourceFile& file : tree.files())
        state.bytesTotal += file.size;
    for (const SourceFile& file : tree.files()) {
        if (progress && !progress(state))
            return cancelled();
        if (file.problem.empty())
            RETURN_IF_ERROR(readFile(tree, file, tables));
        state.bytesDone += file.size;
    }
    return tables;
}

} // namespace trainscope::importers::nccl
