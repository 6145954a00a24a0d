// CharLLM-PPT result trees: per run folder one header-less file per metric and global rank, lines
// of `unix_seconds,value` . Clock: unix seconds, UTC. Units: see
// RunPlan.h. A -1 is a failed read and becomes a missing sample. GPUs per node come from the
// launch YAML that lies with the results (importers/launch), else 8; rank R is GPU R mod that of
// node R / that. `<N>_kineto` folders are left to the importer of traces.
//
// Confidence 90: named as telemetry and with usable lines; 40: named so, but empty or unreadable,
// which is for the report to say; 20: a metric that only a run folder makes telemetry.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "importers/charllm/FileImport.h"
#include "importers/charllm/RunPlan.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"

#include <iterator>

namespace trainscope::importers::charllm {

namespace {

constexpr int kLinesToJudge = 50;
// Rank 0 of a run that ended in out-of-memory has fewer samples than this.
constexpr int kOomSamples = 10;

struct Judgement {
    int usable = 0;
    int bad = 0;
};

Judgement judge(std::string_view head) {
    Judgement judgement;
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    for (int i = 0; i < kLinesToJudge && !head.empty(); ++i) {
        const std::size_t end = head.find('\n');
        const LineKind kind = parseTelemetryLine(head.substr(0, end)).kind;
        judgement.usable += kind == LineKind::Sample || kind == LineKind::Missing ? 1 : 0;
        judgement.bad += kind == LineKind::Bad ? 1 : 0;
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    }
    return judgement;
}

class RunImport {
public:
    RunImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_inventory(takeInventory(tree, unit)) {
        m_report.importer = "charllm 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        m_progress = progress;
        m_run.name = m_unit.runName;
        m_run.worldSize = m_inventory.ranksExpected;
        m_run.launch = m_inventory.launch;
        m_run.gpuModel = m_inventory.gpuFamily;
        ASSIGN_OR_RETURN(auto run, m_sink.run(m_run));
        m_runId = run;
        RETURN_IF_ERROR(importFiles());
        if (m_report.rows == 0 && !isEmptyRun())
            return nothingUsable();
        return finish();
    }

private:
    Status importFiles() {
        Status status;
        auto file = m_inventory.files.begin();
        OrderedJobs<FileStart> starts(WorkerPool::shared(), 0, [&](FileStart&& start) {
            if (status.hasValue())
                status = importOne(*file++, std::move(start));
        });
        for (const TelemetryFile& next : m_inventory.files) {
            if (!status.hasValue())
                break;
            starts.submit([this, &next] { return startFile(m_tree, next.path); });
        }
        if (!status.hasValue())
            starts.abandon();
        starts.finish();
        return status;
    }

    Status importOne(const TelemetryFile& file, FileStart start) {
        const std::string phase = file.name.isSystem
            ? "Reading node " + std::to_string(file.description.subject.node)
            : "Reading rank " + std::to_string(file.name.rank);
        const FileProgress progress = [&](std::uint64_t bytes) {
            return !m_progress || m_progress({phase, m_bytesDone + bytes, m_unit.bytes});
        };
        ASSIGN_OR_RETURN(auto outcome,
            importFile(m_tree, file, std::move(start), m_runId, m_sink, m_report, progress));
        m_bytesDone += outcome.bytes;
        return take(file, outcome);
    }

    Status take(const TelemetryFile& file, const FileOutcome& outcome) {
        const std::int64_t rows = outcome.statistics.rows();
        m_isBroken |= outcome.isBroken;
        if (!file.name.isSystem && file.name.rank == 0)
            m_samplesOfRank0 = std::max(m_samplesOfRank0.value_or(0), rows);
        if (rows == 0) {
            m_found = outcome.found.empty() ? m_found : outcome.found;
            // An empty file is what an early end leaves; other content was meant to be something.
            m_isBroken |= !outcome.found.empty();
            m_report.lost(m_tree.displayPath(file.path), 0,
                outcome.found.empty() ? "There is nothing in this file."
                                      : "No line of this file is \"unix_seconds,value\".");
            return {};
        }
        if (file.description.metric.name == "gpu_power") {
            notePeriods(outcome.statistics);
            m_powerKind = file.description.sensor;
        }
        if (file.name.isSystem)
            return {};
        m_ranksByMetric[file.description.metric.name].insert(file.name.rank);
        if (!m_ranks.insert(file.name.rank).second)
            return {};
        const int perNode = m_inventory.gpusPerNode;
        return m_sink.gpu(
            m_runId, {file.name.rank, file.name.rank / perNode, file.name.rank % perNode, {}, {}});
    }

    void notePeriods(const SampleStatistics& statistics) {
        if (const auto period = statistics.samplePeriod())
            m_samplePeriods.push_back(period->ns);
        if (const auto period = statistics.changePeriod())
            m_changePeriods.push_back(period->ns);
    }

    // A recorder that was started and stopped before its first sample leaves only empty files.
    [[nodiscard]] bool isEmptyRun() const {
        return m_samplesOfRank0 && !m_isBroken && m_inventory.files.size() > 1;
    }

    [[nodiscard]] Error nothingUsable() const {
        const std::string found
            = m_found.empty() ? "only empty or unreadable files" : "\"" + m_found + "\"";
        return {ErrorCode::Unrecognised,
            "Nothing in this run folder can be used: lines of \"unix_seconds,value\" were expected "
            "in "
            "<metric>_<rank>.csv, "
                + found + " was found.",
            m_tree.displayPath(m_unit.path)};
    }

    Result<ImportReport> finish() {
        m_report.ranksExpected = m_inventory.ranksExpected;
        m_report.ranksFound.assign(m_ranks.begin(), m_ranks.end());
        warnOfRanks();
        stateFacts();
        const bool isOom = m_samplesOfRank0 && *m_samplesOfRank0 < kOomSamples;
        if (isOom)
            m_report.facts["status"] = "ended in out-of-memory: rank 0 has "
                + std::to_string(*m_samplesOfRank0) + " samples, fewer than "
                + std::to_string(kOomSamples);
        if (isOom || m_isBroken)
            m_run.status = isOom ? RunStatus::Oom : RunStatus::Partial;
        RETURN_IF_ERROR(m_sink.run(m_run));
        return std::move(m_report);
    }

    void warnOfRanks() {
        const std::string where = m_tree.displayPath(m_unit.path);
        std::set<int> missing;
        for (int rank = 0; rank < m_inventory.ranksExpected; ++rank) {
            if (!m_ranks.contains(rank))
                missing.insert(missing.end(), rank);
        }
        if (!missing.empty())
            m_report.lost(where, 0,
                "Of " + std::to_string(m_inventory.ranksExpected)
                    + " ranks expected, these are missing: " + listRanks(missing) + ".");
        for (const auto& [metric, ranks] : m_ranksByMetric) {
            std::set<int> without;
            std::ranges::set_difference(m_ranks, ranks, std::inserter(without, without.end()));
            if (!without.empty())
                m_report.lost(
                    where, 0, "Nothing of " + metric + " for rank " + listRanks(without) + ".");
        }
        for (const std::string& path : m_inventory.repeated)
            m_report.remark(m_tree.displayPath(path), 0,
                "Not read: another file holds the same series of the same GPU or node.");
        if (!m_inventory.launchProblem.empty())
            m_report.warn({}, 0, m_inventory.launchProblem);
        warnOfLaunch();
    }

    void warnOfLaunch() {
        const LaunchConfig& launch = m_inventory.launch;
        const int world = launchedGpus(launch);
        if (world > 0 && !m_ranks.empty() && *m_ranks.rbegin() >= world)
            m_report.warn(launch.origin, 0,
                "This launch configuration is for " + std::to_string(world)
                    + " GPUs, but there is a rank " + std::to_string(*m_ranks.rbegin())
                    + ": it may belong to another run.");
    }

    void stateFacts() {
        auto& facts = m_report.facts;
        facts["clock"] = "UTC, unix seconds";
        facts["gpus_per_node"] = std::to_string(m_inventory.gpusPerNode)
            + (m_inventory.launch.gpusPerNode ? ", from the launch configuration" : ", assumed");
        if (!m_inventory.gpuFamily.empty())
            facts["gpu_model"] = m_inventory.gpuFamily + ", from a folder's name";
        if (m_inventory.hasLaunchFile)
            facts["launch_configuration"] = m_inventory.launch.origin;
        if (const auto period = medianOf(m_samplePeriods))
            facts["sampling_period"] = secondsText({*period}, 1);
        if (const auto period = medianOf(m_changePeriods))
            facts["sensor_update_period"] = secondsText({*period}, 1);
        if (m_powerKind)
            facts["power_kind"] = *m_powerKind == SensorKind::Instant ? "instant" : "not said";
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    Progress m_progress;
    Inventory m_inventory;
    ImportReport m_report;
    Run m_run;
    RunId m_runId;
    std::uint64_t m_bytesDone = 0;
    std::set<int> m_ranks;
    std::map<std::string, std::set<int>> m_ranksByMetric;
    std::optional<std::int64_t> m_samplesOfRank0;
    std::vector<std::int64_t> m_samplePeriods; // gpu_power's, one per rank
    std::vector<std::int64_t> m_changePeriods;
    std::optional<SensorKind> m_powerKind;
    bool m_isBroken = false;
    std::string m_found;
};

Confidence sniff(std::string_view head, std::string_view path) {
    const auto name = telemetryName(namePart(path));
    if (!name)
        return 0;
    const Judgement judgement = judge(head);
    const bool isTelemetry = judgement.usable > judgement.bad;
    if (!name->isKnown)
        return isTelemetry ? 20 : 0;
    return isTelemetry ? 99 : 40; // by name and by content
}

} // namespace

constinit const Importer kImporter{
    {"charllm", "CharLLM-PPT telemetry",
        "CharLLM-PPT and Zeus result trees, with their launch YAML", Joins::OwnRun,
        LaunchSettings::OwnFiles, {}, "CharLLM-PPT file", "CharLLM-PPT files"},
    sniff, planRuns, importBy<RunImport>};

} // namespace trainscope::importers::charllm
