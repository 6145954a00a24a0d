#include "importers/nccl/TestTimings.h"

#include "core/model/Try.h"
#include "importers/common/LineBlocks.h"
#include "importers/nccl/NcclLog.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace trainscope::importers::nccl {

namespace {

using predict::CollectiveKind;

constexpr std::size_t kTableHead = std::size_t{64} << 10;
constexpr double kMicrosecond = 1e-6;

std::optional<CollectiveKind> kindOf(const std::string& tested) {
    static constexpr std::array<std::pair<std::string_view, CollectiveKind>, 5> kKinds{
        {{"all_reduce", CollectiveKind::AllReduce}, {"all_gather", CollectiveKind::AllGather},
            {"reduce_scatter", CollectiveKind::ReduceScatter},
            {"alltoall", CollectiveKind::AllToAll}, {"sendrecv", CollectiveKind::SendReceive}}};
    const auto known = std::find_if(
        kKinds.begin(), kKinds.end(), [&tested](const auto& one) { return one.first == tested; });
    return known == kKinds.end() ? std::nullopt : std::optional(known->second);
}

Result<bool> addLog(const SourceTree& tree, const SourceFile& file, predict::Timings& timings,
    ImportReport& report) {
    ASSIGN_OR_RETURN(auto stream, tree.open(file.path));
    LineReader lines(std::move(stream));
    NcclLog log;
    while (true) {
        const auto line = lines.next();
        if (!line.hasValue() || !line.value())
            break;
        (void)log.take(*line.value(), lines.lineNumber());
    }
    if (log.rows().empty())
        return false;
    const auto kind = kindOf(log.testedCollective());
    const auto gpus = log.gpus();
    if (!kind || gpus.empty()) {
        report.warn(file.path, 0,
            !kind ? "its table does not tell which collective it is of: left out"
                  : "its table does not tell the ranks: NCCL_DEBUG=INFO would");
        return false;
    }
    std::set<int> nodes;
    for (const Gpu& gpu : gpus)
        nodes.insert(gpu.node);
    const auto facts = log.facts();
    const auto network = facts.find("network");
    predict::CollectiveTimings taken;
    taken.gpu = gpus.front().model.empty() ? "GPU" : gpus.front().model;
    taken.fabric = network == facts.end() ? "NCCL" : network->second;
    taken.name = log.testedCollective();
    taken.kind = *kind;
    taken.nodes = static_cast<int>(nodes.size());
    taken.gpusPerNode = static_cast<int>(gpus.size() / nodes.size());
    for (const BandwidthRow& row : log.rows()) {
        if (row.bytes > 0)
            taken.rows.push_back({static_cast<double>(row.bytes), row.timeUs * kMicrosecond});
    }
    report.rows += static_cast<std::int64_t>(taken.rows.size());
    timings.collectives.push_back(std::move(taken));
    return true;
}

} // namespace

Result<std::size_t> addTestTimings(const SourceTree& tree, predict::Timings& timings,
    ImportReport& report, const Progress& progress) {
    std::size_t logs = 0;
    for (const SourceFile& file : tree.files()) {
        if (progress && !progress({"Looking for tables of nccl-tests", 0, 0}))
            return cancelled();
        const auto head = file.problem.empty() ? readHead(tree, file.path, kTableHead)
                                               : Result<std::string>(std::string());
        const bool mayBe = head.hasValue()
            && (head.value().find(" NCCL INFO ") != std::string::npos
                || head.value().find("# nThread ") != std::string::npos);
        if (!mayBe)
            continue;
        ASSIGN_OR_RETURN(const auto isTaken, addLog(tree, file, timings, report));
        logs += isTaken ? 1 : 0;
    }
    return logs;
}

} // namespace trainscope::importers::nccl
