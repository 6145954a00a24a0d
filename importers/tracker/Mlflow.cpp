// MLflow: mlruns/EXPERIMENT/RUN holds meta.yaml, a file for each parameter, tag and metric, of
// which each line is "milliseconds value step"; its SQLite store has the same in tables. Metrics
// below "system/" are readings of the machine. Values come metric by metric: those of a run are
// held together (32 B each) and put in order.
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/tracker/Lines.h"

#include <fmt/format.h>

#include <unordered_map>

namespace trainscope::importers::tracker {

namespace {

constexpr Confidence kSureOfMlflow = 95;
constexpr std::string_view kMetrics = "metrics";
constexpr std::string_view kParams = "params";
constexpr std::string_view kMeta = "meta.yaml";
constexpr std::string_view kOfSystem = "system/";
constexpr std::size_t kMostMeta = std::size_t{1} << 20;
constexpr std::size_t kMostOfRun = 4'000'000; // values
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kLastMs = 7'000'000'000'000;

// Absent where no run can begin.
std::optional<TimeNs> startOf(std::optional<std::int64_t> ms) {
    return ms && *ms > 0 && *ms <= kLastMs ? std::optional(TimeNs{*ms * kNsPerMs}) : std::nullopt;
}

// A name of MLflow's system metrics as W&B has it, with the factor to its unit.
struct SystemName {
    std::string_view name;
    std::string_view wandb;
    double factor = 1.0;
};
constexpr auto kOfGpu = std::to_array<SystemName>(
    {{"power_usage_watts", "powerWatts"}, {"power_usage_percentage", "powerPercent"},
        {"utilization_percentage", "gpu"}, {"memory_usage_percentage", "memoryAllocated"},
        {"memory_usage_megabytes", "memoryAllocatedBytes", 1e6}});

// "gpu_0_power_usage_watts" → "gpu.0.powerWatts".
SystemName systemName(std::string_view name, std::string& storage) {
    constexpr std::string_view kGpu = "gpu_";
    if (name == "cpu_utilization_percentage")
        return {name, "cpu"};
    const std::size_t end = name.find('_', kGpu.size());
    if (!name.starts_with(kGpu) || end == std::string_view::npos)
        return {name, name};
    const auto found = std::ranges::find(kOfGpu, name.substr(end + 1), &SystemName::name);
    if (found == kOfGpu.end())
        return {name, name};
    storage = fmt::format("gpu.{}.{}", name.substr(kGpu.size(), end - kGpu.size()), found->wandb);
    return {name, storage, found->factor};
}

class MlflowLines final : public LineStream {
public:
    using LineStream::LineStream;

private:
    struct Point {
        std::int64_t ms = 0;
        std::int64_t step = 0;
        double value = 0.0;
        std::size_t name = 0;
    };

    Result<bool> more() override {
        if (!m_isLoaded) {
            m_isLoaded = true;
            RETURN_IF_ERROR(load());
            std::ranges::stable_sort(
                m_points, {}, [](const Point& point) { return std::pair(point.ms, point.step); });
            return true;
        }
        if (m_next == m_points.size())
            return false;
        writeGroup();
        return true;
    }

    Status load() {
        const bool isDatabase = !run().unit.part.empty();
        RETURN_IF_ERROR(isDatabase ? loadDatabase() : loadFolder());
        if (m_leftOut > 0)
            damaged(0,
                fmt::format(
                    "The run has more than {} values: {} are left out.", kMostOfRun, m_leftOut));
        return {};
    }

    // The values of one moment, or of one step.
    void writeGroup() {
        const Point first = m_points[m_next];
        const bool isTraining = lines() == Lines::Training;
        std::string storage;
        for (; m_next < m_points.size(); ++m_next) {
            const Point& point = m_points[m_next];
            const std::string& name = m_names[point.name];
            const SystemName known
                = isTraining ? SystemName{name, name} : systemName(name, storage);
            const bool isSame = isTraining ? point.step == first.step : point.ms == first.ms;
            if (!isSame || has(known.wandb))
                break;
            value(std::string(known.wandb), fmt::format("{}", point.value * known.factor));
        }
        const std::string time = secondsText({first.ms * kNsPerMs});
        if (isTraining)
            endTraining("step", first.step, time);
        else
            endMachine(time);
    }

    void add(std::string_view name, std::int64_t ms, double number, std::int64_t step) {
        const bool isOfMachine = name.starts_with(kOfSystem);
        if (isOfMachine != (lines() == Lines::Machine) || ms < 0 || ms > kLastMs)
            return;
        if (m_points.size() == kMostOfRun) {
            ++m_leftOut;
            return;
        }
        if (isOfMachine)
            name.remove_prefix(kOfSystem.size());
        const auto [entry, isNew] = m_places.try_emplace(std::string(name), m_names.size());
        if (isNew)
            m_names.emplace_back(name);
        m_points.push_back({ms, step, number, entry->second});
    }

    Status loadFolder() {
        const std::string folder(folderPart(run().unit.files.front()));
        for (const std::string& path : run().unit.files) {
            std::string_view inner
                = std::string_view(path).substr(folder.empty() ? 0 : folder.size() + 1);
            const std::string_view kind = inner.substr(0, inner.find('/'));
            if (kind == inner)
                continue;
            inner.remove_prefix(kind.size() + 1);
            if (kind == kParams && lines() == Lines::Training)
                setting(std::string(inner),
                    readHead(run().tree, path, kMostMeta).valueOr(std::string()));
            else if (kind == kMetrics)
                RETURN_IF_ERROR(loadMetric(inner, path));
        }
        return {};
    }

    Status loadMetric(std::string_view name, const std::string& path) {
        if (name.starts_with(kOfSystem) != (lines() == Lines::Machine))
            return {};
        ASSIGN_OR_RETURN(auto stream, run().tree.open(path));
        LineReader reader(std::move(stream));
        while (true) {
            ASSIGN_OR_RETURN(const auto line, reader.next());
            if (!line)
                return {};
            const auto parts = words(*line, " ");
            const auto ms = parts.size() >= 2 ? wholeNumber<std::int64_t>(parts[0]) : std::nullopt;
            const auto number = ms ? parseNumber(parts[1]) : std::nullopt;
            const auto step
                = parts.size() > 2 ? wholeNumber<std::int64_t>(parts[2]) : std::optional(m_lines++);
            if (number && step)
                add(name, *ms, *number, *step);
            else if (!line->empty())
                run().told.damages.try_emplace(
                    {path, static_cast<std::uint64_t>(reader.lineNumber())},
                    fmt::format("Line {} is no \"milliseconds value step\": left out.",
                        reader.lineNumber()));
        }
    }

    Status loadDatabase() {
        const Progress progress;
        ASSIGN_OR_RETURN(
            auto database, ForeignDatabase::open(run().tree, run().unit.files.front(), progress));
        if (lines() == Lines::Training)
            RETURN_IF_ERROR(scanned(database, kParams, "key, value", [&](const ForeignRow& row) {
                setting(std::string(row.text(0)), std::string(row.text(1)));
            }));
        return scanned(
            database, kMetrics, "key, timestamp, value, step, is_nan", [&](const ForeignRow& row) {
                if (row.integer(1) && row.integer(4, 0) == 0)
                    add(row.text(0), *row.integer(1), row.number(2).value_or(kMissing),
                        row.integer(3, 0));
            });
    }

    template <typename Visit>
    Status scanned(ForeignDatabase& database, std::string_view table, std::string_view columns,
        const Visit& visit) {
        const auto each = [&visit](const ForeignRow& row) {
            visit(row);
            return Status();
        };
        ASSIGN_OR_RETURN(const auto end,
            database.scan(table, columns, each, {.column = "run_uuid", .text = run().unit.part}));
        if (!end.problem.empty() || database.isCutShort()) {
            run().told.isCut = true;
            damaged(0, fmt::format("The table {} breaks off: {}", table, end.problem));
        }
        return {};
    }

    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

    bool m_isLoaded = false;
    std::vector<std::string> m_names;
    std::unordered_map<std::string, std::size_t> m_places; // by name
    std::vector<Point> m_points;
    std::size_t m_next = 0;
    std::size_t m_leftOut = 0;
    std::int64_t m_lines = 0; // lines of metrics without steps
};

// "mlruns/0/9f2a" of "mlruns/0/9f2a/metrics/train/loss"; absent for other paths.
std::optional<std::string> mlflowFolderOf(std::string_view path) {
    for (const std::string_view kind : {kMetrics, kParams, std::string_view("tags")}) {
        const std::string inner = '/' + std::string(kind) + '/';
        if (path.starts_with(std::string_view(inner).substr(1)))
            return std::string();
        if (const std::size_t at = path.find(inner); at != std::string_view::npos)
            return std::string(path.substr(0, at));
    }
    return std::nullopt;
}

bool isMetricLine(std::string_view head) {
    constexpr std::size_t kDigitsOfMs = 13;
    const auto parts = words(head.substr(0, head.find('\n')), " \r");
    return parts.size() >= 2 && parts.size() <= 3 && parts[0].size() == kDigitsOfMs
        && wholeNumber<std::int64_t>(parts[0]) && parseNumber(parts[1]);
}

ImportUnit runOfFolder(const SourceTree& tree, const std::string& folder, const std::string& id,
    const std::vector<const SourceFile*>& files, std::set<std::string>& taken) {
    ImportUnit unit;
    const std::string below = folder.empty() ? folder : folder + '/';
    unit.path = folder;
    unit.files = {below + std::string(kMeta)};
    for (const SourceFile* file : files) {
        unit.files.push_back(file->path);
        unit.bytes += file->size;
    }
    const auto meta = launch::readYamlSettings(
        readHead(tree, unit.files.front(), kMostMeta).valueOr(std::string()), unit.files.front())
                          .valueOr({});
    const auto text = [&meta](std::string_view key) {
        const auto found = meta.find(key);
        return found == meta.end() ? std::string() : found->second;
    };
    unit.start = startOf(wholeNumber<std::int64_t>(text("start_time")));
    unit.runName = givenName(text("run_name"), id, taken);
    unit.summary = "MLflow run";
    return unit;
}

void addRunsOfDatabase(const SourceTree& tree, const SourceFile& file, std::set<std::string>& taken,
    std::vector<ImportUnit>& units) {
    const Progress progress;
    auto opened = ForeignDatabase::open(tree, file.path, progress);
    if (!opened.hasValue())
        return;
    constexpr std::int64_t kMostRuns = 10'000;
    std::set<std::string, std::less<>> measured;
    (void)opened.value().scan("latest_metrics", "run_uuid", [&measured](const ForeignRow& row) {
        measured.emplace(row.text(0));
        return Status();
    });
    (void)opened.value().scan("runs", "run_uuid, name, start_time, lifecycle_stage",
        [&](const ForeignRow& row) {
            const std::string id(row.text(0));
            if (id.empty() || row.text(3) == "deleted" || !measured.contains(id))
                return Status();
            ImportUnit unit;
            unit.path = file.path;
            unit.part = id;
            unit.files = {file.path};
            unit.bytes = file.size / measured.size();
            unit.runName = givenName(std::string(row.text(1)), id, taken);
            unit.summary = "MLflow run";
            unit.start = startOf(row.integer(2));
            units.push_back(std::move(unit));
            return Status();
        },
        {.limit = kMostRuns});
}

} // namespace

Confidence sniffMlflow(std::string_view head, std::string_view path) {
    const bool isMeta = namePart(path) == kMeta && head.find("artifact_uri:") != head.npos
        && (head.find("run_id:") != head.npos || head.find("run_uuid:") != head.npos);
    const bool isMetric = mlflowFolderOf(path) && isMetricLine(head);
    return isMeta || isMetric ? kSureOfMlflow : 0;
}

Confidence lookForMlflow(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    if (!ForeignDatabase::isDatabase(head))
        return 0;
    const Progress progress;
    const auto opened = ForeignDatabase::open(tree, file.path, progress);
    const auto has = [&opened](std::string_view table, std::string_view column) {
        return opened.value().hasColumn(table, column);
    };
    return opened.hasValue() && has("metrics", "run_uuid") && has("runs", "lifecycle_stage")
        ? kSureOfMlflow
        : 0;
}

std::vector<ImportUnit> mlflowRuns(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, std::vector<const SourceFile*>> folders;
    std::set<std::string> taken;
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        if (const auto folder = mlflowFolderOf(file.path))
            folders.try_emplace(*folder);
        else if (namePart(file.path) != kMeta)
            addRunsOfDatabase(tree, file, taken, units);
    }
    for (const SourceFile& file : tree.files()) {
        const auto folder = file.problem.empty() ? mlflowFolderOf(file.path) : std::nullopt;
        if (const auto found = folder ? folders.find(*folder) : folders.end();
            found != folders.end())
            found->second.push_back(&file);
    }
    const RunFolders names(tree);
    for (const auto& [folder, files] : folders)
        units.push_back(runOfFolder(tree, folder, names.nameOf(folder), files, taken));
    return units;
}

std::unique_ptr<ByteStream> mlflowLines(const RunFiles& run, Lines lines) {
    return std::make_unique<MlflowLines>(run, lines);
}

} // namespace trainscope::importers::tracker
