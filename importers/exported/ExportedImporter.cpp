// A run that Trainscope exported as CSV (`export --out FOLDER`): a file per metric, with
// metrics.csv and iterations.csv beside them, plain or packed.
//
// Times are UTC in nanoseconds, values are SI, an empty value is a missing one. A file's metric is
// the one that metrics.csv names for it, else the one of the file's name; units, kinds, widths of
// counters and sensors are those of metrics.csv, else of the registry of metrics. A folder is a
// run.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/common/Cells.h"
#include "importers/common/FileLines.h"
#include "importers/common/NamedTable.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
#include "importers/common/SampleStatistics.h"

#include <fmt/format.h>

namespace trainscope::importers::exported {

namespace {

constexpr std::string_view kMetricHeader = "time_ns,";
constexpr std::string_view kIterationHeader = "index,";
constexpr std::string_view kIndexHeader = "metric,unit,kind,file,";
constexpr std::size_t kBlockSamples = 16384;

bool isMetricHeader(std::string_view line) {
    const TableHeader columns(line, ',');
    return line.substr(0, kMetricHeader.size()) == kMetricHeader && columns.has("rank")
        && columns.has("node") && columns.has("device") && columns.has("value");
}

bool isIterationHeader(std::string_view line) {
    const TableHeader columns(line, ',');
    return line.substr(0, kIterationHeader.size()) == kIterationHeader && columns.has("start_ns")
        && columns.has("duration_ns");
}

bool isIndexHeader(std::string_view line) {
    return line.substr(0, kIndexHeader.size()) == kIndexHeader;
}

std::string firstLine(std::string_view head) {
    const auto lines = linesOfHead(head, 1);
    return lines.empty() ? std::string() : lines.front();
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    const std::string line = firstLine(head);
    return isMetricHeader(line) || isIterationHeader(line) || isIndexHeader(line) ? 99 : 0;
}

int smallOf(std::string_view text) {
    constexpr std::int64_t kMost = 10'000'000;
    const auto number = wholeNumber<std::int64_t>(text);
    return number && *number >= 0 && *number <= kMost ? static_cast<int>(*number) : -1;
}

// As the columns of a file say it; see SubjectKind.
Subject subjectOf(std::string_view rank, std::string_view node, std::string_view device) {
    Subject subject;
    subject.device = std::string(device);
    if (!rank.empty()) {
        subject.rank = smallOf(rank);
        return subject;
    }
    subject.node = node.empty() ? -1 : smallOf(node);
    if (subject.node >= 0)
        subject.kind = device.empty() ? SubjectKind::Node : SubjectKind::Link;
    else
        subject.kind = device.empty() ? SubjectKind::Run : SubjectKind::Switch;
    return subject;
}

// A description without a subject, for each file that metrics.csv names.
using DescriptionsByFile = std::map<std::string, SeriesDescription, std::less<>>;

SeriesDescription describedByName(std::string_view path) {
    SeriesDescription description;
    const std::string name(namePart(withoutSuffixes(path)));
    if (const auto* known = findMetric(name))
        description.metric = *known;
    else
        description.metric = {name, "1", MetricKind::Gauge, name};
    return description;
}

SeriesDescription describedByRow(const NamedRow& row) {
    SeriesDescription description;
    const std::string name(row.text("metric"));
    if (const auto* known = findMetric(name))
        description.metric = *known;
    else
        description.metric = {name, std::string(row.text("unit")),
            fromString(row.text("kind"), MetricKind::Gauge), name};
    if (const int bits = smallOf(row.text("counter_bits")); bits > 0)
        description.counterBits = bits;
    if (const auto scale = parseNumber(row.text("scale")); scale && *scale > 0.0)
        description.scale = *scale;
    description.sensor = fromString(row.text("sensor"), SensorKind::Unknown);
    return description;
}

DescriptionsByFile readIndex(const SourceTree& tree, const std::string& path) {
    DescriptionsByFile found;
    const auto text = readHead(tree, path, std::size_t{1} << 20);
    if (!text.hasValue())
        return found;
    CellSplitter splitter;
    std::optional<TableHeader> columns;
    for (const std::string& line : linesOfHead(text.value())) {
        if (!columns) {
            columns.emplace(line, ',');
            continue;
        }
        const NamedRow row(*columns, splitter.split(line, ','));
        const std::string_view file = row.text("file");
        if (!file.empty() && !row.text("metric").empty())
            found.emplace(std::string(withoutSuffixes(file)), describedByRow(row));
    }
    return found;
}

std::optional<TimeNs> firstTime(const SourceTree& tree, const std::string& path) {
    const auto head = readHead(tree, path, kHeadOfLines);
    const auto lines = linesOfHead(head.valueOr({}), 2);
    if (lines.size() < 2 || !isMetricHeader(lines.front()))
        return std::nullopt;
    const auto time
        = wholeNumber<std::int64_t>(std::string_view(lines[1]).substr(0, lines[1].find(',')));
    return time ? std::optional(TimeNs{*time}) : std::nullopt;
}

ImportUnit unitOfFolder(const SourceTree& tree, const RunFolders& folders,
    const std::string& folder, const std::vector<SourceFile>& files) {
    ImportUnit unit;
    unit.path = folder.empty() && files.size() == 1 ? files.front().path : folder;
    unit.runName = folders.nameOf(folder);
    unit.clock = ClockKind::Utc;
    std::int64_t metrics = 0;
    for (const SourceFile& file : files) {
        unit.files.push_back(file.path);
        unit.bytes += file.size;
        const auto time = firstTime(tree, file.path);
        if (!time)
            continue;
        ++metrics;
        if (!unit.start || *time < *unit.start)
            unit.start = time;
    }
    unit.summary = text::counted(metrics, "metric") + ", exported by Trainscope";
    return unit;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, std::vector<SourceFile>> byFolder;
    for (const SourceFile& file : mine)
        byFolder[std::string(folderPart(file.path))].push_back(file);
    const RunFolders folders(tree);
    std::vector<ImportUnit> units;
    for (const auto& [folder, files] : byFolder)
        units.push_back(unitOfFolder(tree, folders, folder, files));
    return units;
}

// Reads the files of a unit, one after the other.
class FolderImport {
public:
    FolderImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink) {
        m_report.importer = "exported 1";
        m_report.facts["clock"] = "UTC, in nanoseconds";
    }

    Result<ImportReport> run(const Progress& progress) {
        m_progress = progress;
        for (const std::string& path : m_unit.files) {
            if (isIndexHeader(firstLine(readHead(m_tree, path, kHeadOfLines).valueOr({}))))
                m_described = readIndex(m_tree, path);
        }
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(m_run, m_sink.run(run));
        for (const std::string& path : m_unit.files)
            RETURN_IF_ERROR(readFile(path));
        if (m_report.rows == 0)
            return Error{ErrorCode::Unrecognised,
                "There is no row in these files. An exported metric has rows such as "
                "\"1795732620885509253,0,0,0,,73.812\" under time_ns,rank,node,local,device,value.",
                m_tree.displayPath(m_unit.path)};
        if (m_isCut) {
            run.status = RunStatus::Partial;
            ASSIGN_OR_RETURN(m_run, m_sink.run(run));
        }
        m_report.ranksFound.assign(m_ranks.begin(), m_ranks.end());
        return std::move(m_report);
    }

private:
    // A series while its file is read.
    struct OpenSeries {
        std::string key; // the cells that say whose it is
        SeriesId id;
        SampleStatistics statistics;
    };

    Status readFile(const std::string& path) {
        ASSIGN_OR_RETURN(auto stream, m_tree.open(path));
        LineReader lines(std::move(stream));
        const auto header = lines.next();
        if (!header.hasValue() || !header.value()) {
            m_report.lost(m_tree.displayPath(path), 0, "This file is empty.");
            return {};
        }
        const std::string first(*header.value());
        const TableHeader columns(first, ',');
        Status status;
        if (isMetricHeader(first))
            status = readMetric(path, columns, lines);
        else if (isIterationHeader(first))
            status = readRows(path, lines,
                [&](const Cells& cells) { return takeIteration(NamedRow(columns, cells)); });
        m_bytesDone += m_tree.sizeOf(path);
        m_report.bytes += lines.bytesConsumed();
        return status;
    }

    using Cells = std::vector<std::string_view>;

    // take(cells): false for a row that cannot be understood.
    template <typename Take>
    Status readRows(const std::string& path, LineReader& lines, Take&& take) {
        CellSplitter splitter;
        constexpr std::int64_t kFewWarnings = 5;
        std::int64_t skipped = 0;
        while (true) {
            const auto line = lines.next();
            if (!line.hasValue()) {
                m_report.lost(m_tree.displayPath(path), lines.lineNumber(), line.error().message);
                m_isCut = true;
                break;
            }
            if (!line.value())
                break;
            if (line.value()->empty())
                continue;
            ASSIGN_OR_RETURN(const bool isUnderstood, take(splitter.split(*line.value(), ',')));
            if (isUnderstood) {
                ++m_report.rows;
            } else if (++skipped <= kFewWarnings) {
                m_report.lost(m_tree.displayPath(path), lines.lineNumber(),
                    fmt::format(
                        "Skipped: no row of an export (\"{}\").", line.value()->substr(0, 60)));
            }
            constexpr std::int64_t kEvery = 4096;
            if (lines.lineNumber() % kEvery == 0 && m_progress
                && !m_progress(
                    {"Reading samples", m_bytesDone + lines.bytesConsumed(), m_unit.bytes}))
                return cancelled();
        }
        m_report.skipped += skipped;
        return {};
    }

    Status readMetric(const std::string& path, const TableHeader& columns, LineReader& lines) {
        const auto described = m_described.find(namePart(withoutSuffixes(path)));
        m_description = described == m_described.end() ? describedByName(path) : described->second;
        m_series.clear();
        m_current = nullptr;
        RETURN_IF_ERROR(readRows(path, lines, [&](const Cells& cells) {
            return cells.size() < 3 ? Result<bool>(false) : takeSample(NamedRow(columns, cells));
        }));
        RETURN_IF_ERROR(flush());
        return finishSeries(path);
    }

    Result<bool> takeSample(const NamedRow& row) {
        const auto time = wholeNumber<std::int64_t>(row.text("time_ns"));
        const auto text = row.text("value");
        const auto number = isMissingText(text) ? std::optional(kMissing) : parseNumber(text);
        // The value stands last: a row that breaks off has none.
        if (!time || !number)
            return false;
        const auto rank = row.text("rank");
        const auto node = row.text("node");
        const auto device = row.text("device");
        RETURN_IF_ERROR(choose(rank, node, row.text("local"), device));
        m_times.push_back(TimeNs{*time});
        m_values.push_back(*number / m_description.scale);
        if (m_times.size() == kBlockSamples)
            RETURN_IF_ERROR(flush());
        return true;
    }

    // Makes the series of these cells the current one.
    Status choose(std::string_view rank, std::string_view node, std::string_view local,
        std::string_view device) {
        m_key.assign(rank).append(",").append(node).append(",").append(device);
        if (m_current != nullptr && m_current->key == m_key)
            return {};
        RETURN_IF_ERROR(flush());
        const auto [at, isNew] = m_series.try_emplace(m_key);
        m_current = &at->second;
        if (!isNew)
            return {};
        m_current->key = m_key;
        SeriesDescription description = m_description;
        description.subject = subjectOf(rank, node, device);
        if (description.metric.kind == MetricKind::Counter && description.counterBits == 0)
            description.counterBits = 64;
        if (description.subject.rank >= 0 && m_ranks.insert(description.subject.rank).second)
            RETURN_IF_ERROR(addGpu(description.subject.rank, node, local));
        ASSIGN_OR_RETURN(m_current->id, m_sink.series(m_run, description));
        return {};
    }

    Status addGpu(int rank, std::string_view node, std::string_view local) {
        Gpu gpu;
        gpu.rank = rank;
        gpu.node = std::max(smallOf(node), 0);
        gpu.local = smallOf(local) < 0 ? rank : smallOf(local);
        return m_sink.gpu(m_run, gpu);
    }

    Status flush() {
        if (m_current == nullptr || m_times.empty())
            return {};
        m_current->statistics.append(SampleStatistics::of(m_times, m_values), m_times);
        const Status written = m_sink.samples(m_current->id, m_times, m_values);
        m_times.clear();
        m_values.clear();
        return written;
    }

    Status finishSeries(const std::string& path) {
        for (auto& [key, series] : m_series) {
            const SampleStatistics& statistics = series.statistics;
            m_report.samples += statistics.rows();
            m_report.missing += statistics.missing();
            m_report.gaps += statistics.gaps();
            if (m_description.metric.kind == MetricKind::Counter)
                m_report.counterFalls += statistics.falls();
            if (m_description.metric.kind == MetricKind::Counter && m_description.counterBits == 0
                && statistics.hasWrapOf32Bits())
                RETURN_IF_ERROR(m_sink.counterBits(series.id, 32));
            if (statistics.decreasingTimes() > 0)
                m_report.remark(m_tree.displayPath(path), 0,
                    fmt::format("The time goes back {} times; the samples were put in order.",
                        statistics.decreasingTimes()));
        }
        if (!m_series.empty())
            ++m_report.counts["files of " + m_description.metric.name];
        return {};
    }

    Result<bool> takeIteration(const NamedRow& row) {
        const auto index = wholeNumber<std::int64_t>(row.text("index"));
        const auto start = wholeNumber<std::int64_t>(row.text("start_ns"));
        const auto length = wholeNumber<std::int64_t>(row.text("duration_ns"));
        const auto rank = row.text("rank");
        if (!index || !start || !length || *length < 0)
            return false;
        Iteration iteration;
        iteration.index = *index;
        iteration.range = {{*start}, {*start + *length}};
        iteration.rank = smallOf(rank);
        iteration.warmup = row.text("warmup") == "1";
        RETURN_IF_ERROR(m_sink.iteration(m_run, iteration));
        return true;
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    Progress m_progress;
    ImportReport m_report;
    DescriptionsByFile m_described;
    RunId m_run;
    std::set<int> m_ranks;
    bool m_isCut = false;
    std::uint64_t m_bytesDone = 0;
    SeriesDescription m_description; // for the file at hand
    std::map<std::string, OpenSeries> m_series; // those of that file, by their key
    OpenSeries* m_current = nullptr;
    std::string m_key;
    std::vector<TimeNs> m_times; // the current series', not yet written
    std::vector<double> m_values;
};

} // namespace

constinit const Importer kImporter{
    {"exported", "export of Trainscope", "runs that Trainscope exported as CSV", Joins::OwnRun,
        LaunchSettings::Beside, {}, "exported file", "exported files", false, true},
    sniff, plan, importBy<FolderImport>};

} // namespace trainscope::importers::exported
