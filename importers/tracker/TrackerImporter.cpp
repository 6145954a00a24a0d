// Runs of experiment trackers: Weights & Biases (run-*.wandb with the files of its folder),
// TensorBoard (events.out.tfevents.*), MLflow (mlruns folders and its SQLite store). Each is read
// as lines of JSON (Lines.h) by the readers of training logs and of telemetry, which thus decide
// what words mean. Clocks are unix time. A damaged record is left out; of a file that is cut what
// is whole is read; both are told.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "importers/common/Formats.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/Fields.h"
#include "importers/tracker/Lines.h"

namespace trainscope::importers::tracker {

namespace {

struct Tracker {
    std::string_view version;
    std::unique_ptr<ByteStream> (*open)(const RunFiles&, Lines);
    bool hasMachine = true;
};
constexpr Tracker kWandb{"wandb 1", wandbLines};
constexpr Tracker kEvents{"tensorboard 1", eventLines, false};
constexpr Tracker kMlflow{"mlflow 1", mlflowLines};

// A run's lines as the only file of a tree, under the name of the run's first.
class LinesTree final : public SourceTree {
public:
    LinesTree(const RunFiles& run, const Tracker& tracker, Lines lines)
        : m_run(run)
        , m_tracker(tracker)
        , m_lines(lines)
        , m_files{{run.unit.files.front(), run.unit.bytes, {}}} { }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(const std::string&) const override {
        return m_tracker.open(m_run, m_lines);
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_run.tree.displayPath(path);
    }

private:
    RunFiles m_run;
    const Tracker& m_tracker;
    Lines m_lines;
    std::vector<SourceFile> m_files;
};

// The log of the program's output among a run's files.
std::optional<std::string> outputOf(const ImportUnit& unit) {
    const auto found = std::ranges::find_if(
        unit.files, [](const std::string& path) { return namePart(path) == "output.log"; });
    return found == unit.files.end() ? std::nullopt : std::optional(*found);
}

// The unit of that log; absent where no iteration shows in it.
std::optional<ImportUnit> outputUnit(const SourceTree& tree, const ImportUnit& unit) {
    constexpr std::size_t kHead = std::size_t{64} << 10;
    const Importer& logs = trainlog::kImporter;
    const auto path = outputOf(unit);
    const auto head = path ? readHead(tree, *path, kHead).valueOr("") : std::string();
    if (logs.sniff(head, "") == 0)
        return std::nullopt;
    ImportUnit log = logs.plan(tree, {{*path, tree.sizeOf(*path), {}}}).front();
    log.runName = unit.runName;
    log.gpuModel = unit.gpuModel;
    if (log.clock == ClockKind::None && unit.start) {
        log.placement.emplace();
        log.placement->start = *unit.start;
        log.placement->isSaid = true;
    }
    return log;
}

class RunImport {
public:
    RunImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress,
        const Tracker& tracker)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_progress(progress)
        , m_tracker(tracker)
        , m_run{tree, unit, m_told} {
        m_report.importer = tracker.version;
    }

    Result<ImportReport> run() {
        RETURN_IF_ERROR(readLines(trainlog::kImporter, Lines::Training));
        if (!m_hasRead)
            RETURN_IF_ERROR(readOutput());
        if (m_tracker.hasMachine)
            RETURN_IF_ERROR(readLines(meters::kGpuImporter, Lines::Machine));
        if (!m_hasRead)
            return m_nothing;
        return complete();
    }

private:
    Status readLines(const Importer& reader, Lines lines) {
        ImportUnit unit = m_unit;
        unit.files.resize(1);
        unit.part.clear();
        return read(reader, LinesTree(m_run, m_tracker, lines), unit);
    }

    // The log tells the iterations of a run whose history does not.
    Status readOutput() {
        const auto log = outputUnit(m_tree, m_unit);
        return log ? read(trainlog::kImporter, m_tree, *log) : Status();
    }

    Status read(const Importer& reader, const SourceTree& tree, const ImportUnit& unit) {
        const auto report = reader.import(tree, unit, m_sink, m_progress);
        if (!report.hasValue()) {
            m_nothing = report.error();
            return report.error().code == ErrorCode::Unrecognised ? Status() : m_nothing;
        }
        m_hasRead = true;
        m_report.add(report.value());
        return {};
    }

    Result<ImportReport> complete() {
        for (const auto& [place, text] : m_told.damages)
            m_report.lost(m_tree.displayPath(place.first), 0, text);
        if (!m_told.damages.empty())
            m_report.counts["damaged records"] = static_cast<std::int64_t>(m_told.damages.size());
        Run run;
        run.name = m_unit.runName;
        run.gpuModel = m_unit.gpuModel;
        run.launch = launch::readFields(launch::Fields(m_told.settings));
        if (run.launch != LaunchConfig{})
            run.launch.origin = m_unit.files.front();
        if (m_told.isCut)
            run.status = RunStatus::Partial;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        (void)id;
        return std::move(m_report);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    const Progress& m_progress;
    const Tracker& m_tracker;
    Told m_told;
    RunFiles m_run;
    ImportReport m_report;
    bool m_hasRead = false;
    Error m_nothing;
};

template <const Tracker& tracker>
Result<ImportReport> importRun(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return RunImport(tree, unit, sink, progress, tracker).run();
}

} // namespace

constinit const Importer kWandbImporter{
    {.id = "wandb",
        .name = "Weights & Biases run",
        .description = "run folders of Weights & Biases: run-*.wandb with the files beside it",
        .oneFile = "Weights & Biases run",
        .manyFiles = "Weights & Biases runs",
        .readsGpus = true,
        .readsBytes = true,
        .tellsSteps = true},
    sniffWandb, wandbRuns, importRun<kWandb>};

constinit const Importer kEventsImporter{
    {.id = "tensorboard",
        .name = "TensorBoard run",
        .description
        = "events of TensorBoard (events.out.tfevents.*), those of a folder are one run",
        .oneFile = "TensorBoard run",
        .manyFiles = "TensorBoard runs",
        .readsBytes = true,
        .tellsSteps = true},
    sniffEvents, eventRuns, importRun<kEvents>};

constinit const Importer kMlflowImporter{
    {.id = "mlflow",
        .name = "MLflow run",
        .description = "runs of MLflow: its mlruns folder and its SQLite store",
        .oneFile = "MLflow run",
        .manyFiles = "MLflow runs",
        .readsGpus = true,
        .readsBytes = true,
        .tellsSteps = true},
    sniffMlflow, mlflowRuns, importRun<kMlflow>, nullptr, lookForMlflow};

} // namespace trainscope::importers::tracker
