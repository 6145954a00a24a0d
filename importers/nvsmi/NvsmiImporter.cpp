#include "importers/nvsmi/NvsmiImporter.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "importers/common/NodeFiles.h"
#include "importers/common/RunFolders.h"
#include "importers/nvsmi/LogReader.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::string_view kVersion = "nvsmi 1";

// Looks at all dates of a file whose first ones do not tell whether the day or the month is first.
// `said`: by the user, where nothing tells.
Status settleDates(
    const SourceTree& tree, const std::string& path, DateOrder said, ColumnOrder& order) {
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    LineReader lines(std::move(stream));
    CellSplitter splitter;
    DateOrderEvidence evidence;
    const auto column = static_cast<std::size_t>(order.stamp);
    while (true) {
        const auto line = lines.next();
        if (!line.hasValue() || !line.value())
            break;
        const auto& cells = splitter.split(*line.value(), order.separator, order.columns.size());
        if (cells.size() > column)
            evidence.see(cells[column]);
    }
    order.dates = evidence.order();
    order.hasOpenDates = evidence.isOpen();
    if (order.hasOpenDates && said != DateOrder::Unknown)
        order.dates = said;
    else if (order.hasOpenDates)
        order.warnings.emplace_back(
            "The dates can be read with the day or with the month first, and nothing in the file "
            "tells: with '/' the month was taken first, with '-' and '.' the day. Say which in the "
            "import sheet, or as --dates day-first or month-first.");
    return {};
}

Result<ColumnOrder> orderOf(
    const SourceTree& tree, const std::string& path, DateOrder said = DateOrder::Unknown) {
    ASSIGN_OR_RETURN(const auto head, readHead(tree, path, kHeadOfLines));
    ASSIGN_OR_RETURN(auto order, readColumnOrder(linesOfHead(head)));
    if (order.hasOpenDates && order.stamp >= 0)
        RETURN_IF_ERROR(settleDates(tree, path, said, order));
    return order;
}

// `nvidia-smi`'s table has the banner's date, which says no zone.
std::optional<StampKind> stampsOf(const ColumnOrder& order) {
    return order.shape == ColumnOrder::Shape::Table ? StampKind::Local : order.clock;
}

std::set<std::string> metricsOf(const ColumnOrder& order) {
    std::set<std::string> metrics;
    for (const Column& column : order.columns) {
        if (column.role == Column::Role::Metric)
            metrics.insert(column.metric.name);
    }
    return metrics;
}

// " in mW"; empty for plain numbers.
std::string unitOfNumbers(const Column& column) {
    struct Prefix {
        double scale;
        std::string_view text;
    };
    constexpr std::array<Prefix, 8> kPrefixes{Prefix{1.0, ""}, {1e-3, "m"}, {1e3, "k"}, {1e6, "M"},
        {1e9, "G"}, {1024.0, "Ki"}, {1024.0 * 1024.0, "Mi"}, {1024.0 * 1024.0 * 1024.0, "Gi"}};
    if (column.metric.unit == "1")
        return column.scale == 0.01 ? " in %" : "";
    for (const Prefix& prefix : kPrefixes) {
        if (prefix.scale == column.scale)
            return " in " + std::string(prefix.text) + column.metric.unit;
    }
    return " in " + column.metric.unit;
}

// "Columns: P_tot is gpu_power in mW; t the time; note is left out." Empty where all are called as
// nvidia-smi calls them.
std::string understoodColumns(const ColumnOrder& order) {
    constexpr std::size_t kLongestText = 1500;
    std::string text;
    bool isPlain = true;
    for (const Column& column : order.columns) {
        std::string meaning;
        switch (column.role) {
        case Column::Role::Ignored:
            meaning = "left out";
            break;
        case Column::Role::Stamp:
        case Column::Role::TimeOfDay:
        case Column::Role::Elapsed:
            meaning = "the time";
            break;
        case Column::Role::Gpu:
        case Column::Role::Uuid:
        case Column::Role::BusId:
        case Column::Role::Serial:
            meaning = "the GPU";
            break;
        case Column::Role::Host:
            meaning = "the node";
            break;
        case Column::Role::Name:
            meaning = "the model";
            break;
        case Column::Role::Process:
            meaning = "the process";
            break;
        case Column::Role::Metric:
            meaning = column.metric.name + unitOfNumbers(column);
            isPlain = isPlain && column.header.find('.') != std::string::npos;
            break;
        }
        if (text.size() < kLongestText)
            text += (text.empty() ? "Columns: " : "; ") + column.header + " is " + meaning;
    }
    return isPlain ? std::string() : text + ".";
}

std::string headsOf(const ColumnOrder& order) {
    std::set<std::string> heads;
    for (const Column& column : order.columns)
        heads.insert(lowered(trimmed(column.header)));
    std::string text;
    for (const std::string& head : heads)
        text += head + "\n";
    return text;
}

void describe(ImportUnit& unit, const ColumnOrder& order) {
    unit.clock = clockOf(stampsOf(order));
    unit.asksDates = order.hasOpenDates;
    unit.columns = understoodColumns(order);
    if (!unit.columns.empty()) {
        unit.notes.push_back(unit.columns);
        unit.heads = headsOf(order);
    }
    unit.notes.insert(unit.notes.end(), order.notes.begin(), order.notes.end());
    unit.notes.insert(unit.notes.end(), order.warnings.begin(), order.warnings.end());
    if (order.shape == ColumnOrder::Shape::Table) {
        unit.summary = "table of nvidia-smi";
        return;
    }
    if (order.clock && clockOf(order.clock) != ClockKind::None)
        unit.start = order.firstStamp;
    unit.gpuModel = order.model;
    if (order.hostsSeen <= 1)
        unit.gpusPerNode = order.gpusSeen;
    const auto metrics = metricsOf(order);
    unit.summary
        = text::counted(order.gpusSeen * static_cast<std::int64_t>(unit.files.size()), "GPU") + ", "
        + text::counted(static_cast<std::int64_t>(metrics.size()), "metric");
    if (order.stamp < 0)
        unit.notes.emplace_back("The log has no time stamps and cannot be placed on a time axis.");
    else if (unit.clock == ClockKind::Local)
        unit.notes.emplace_back(
            "Stamps are local time without zone; without an offset they are taken as UTC.");
    else if (unit.clock == ClockKind::None)
        unit.notes.emplace_back(
            "Stamps count from the start of the recording; its date is not known.");
}

using Files = std::vector<SourceFile>;

// Logs of several nodes are named by their folder, one log by its stem.
std::string runNameOf(const Files& files) {
    const std::string& path = files.front().path;
    if (files.size() == 1)
        return std::string(withoutSuffixes(namePart(path)));
    const NodeFileName name = nodeFileName(path);
    return folderPart(path).empty() ? withoutJoint(name.before + name.word)
                                    : std::string(folderPart(path));
}

ImportUnit unitOf(const SourceTree& tree, const Files& files) {
    ImportUnit unit;
    unit.path = files.size() > 1 ? std::string(folderPart(files.front().path)) : files.front().path;
    unit.runName = runNameOf(files);
    for (const SourceFile& file : files) {
        unit.files.push_back(file.path);
        unit.bytes += file.size;
    }
    const auto order = orderOf(tree, unit.files.front());
    if (order.hasValue())
        describe(unit, order.value());
    else
        unit.notes.push_back(order.error().message);
    return unit;
}

// GPUs of a node, over all files; 0 where there is one node only.
int gpusPerNode(const std::vector<ColumnOrder>& orders) {
    int most = 0;
    int nodes = 0;
    for (const ColumnOrder& order : orders) {
        nodes += std::max(order.hostsSeen, 1);
        const int each = order.hostsSeen > 1
                && order.columns[static_cast<std::size_t>(std::max(order.gpu, 0))].role
                    != Column::Role::Gpu
            ? order.gpusSeen / order.hostsSeen
            : order.highestIndex + 1;
        most = std::max(most, each);
    }
    return nodes > 1 ? std::max(most, 1) : 0;
}

Error nothingUsable(
    const ImportReport& report, const ColumnOrder& order, const std::string& where) {
    if (order.shape == ColumnOrder::Shape::Table) {
        return {ErrorCode::Unrecognised,
            "A snapshot of nvidia-smi without a date: it has no place on a time axis. Record with "
            "nvidia-smi "
            "--query-gpu=timestamp,index,power.draw,… --format=csv -l 1 instead.",
            where};
    }
    std::string found
        = report.warnings.empty() ? std::string("no rows at all") : report.warnings.front().text;
    return {ErrorCode::Unrecognised,
        "No usable row. Expected rows such as \"2026/04/22 00:03:09.407, 0, 115.49 W\" with a time "
        "stamp and "
        "numbers; found: "
            + found,
        where};
}

// One import from open to end, over the files of a unit.
class UnitImport {
public:
    UnitImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_progress(progress) {
        m_report.importer = kVersion;
    }

    Result<ImportReport> run() {
        const SaidOfSource said(m_unit.saidColumns);
        RETURN_IF_ERROR(readOrders());
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(auto id, m_sink.run(run));
        MeterTable table(
            m_sink, id, m_report, m_tree.displayPath(m_unit.path), m_unit.rank.value_or(0));
        table.expectGpusPerNode(gpusPerNode(m_orders));
        for (std::size_t i = 0; i < m_unit.files.size(); ++i)
            RETURN_IF_ERROR(readFile(i, table));
        for (const Column& column : m_orders.front().columns) {
            if (column.metric.label == kEnergyOfRow)
                m_report.warn(m_tree.displayPath(m_unit.path), 0,
                    "The numbers of column \"" + column.header
                        + "\" do not count up: each row has the energy since the row before. They "
                          "are kept under that name; the energy of the run is that of its power.");
        }
        RETURN_IF_ERROR(table.finish());
        if (m_report.rows == 0)
            return nothingUsable(m_report, m_orders.front(), m_tree.displayPath(m_unit.path));
        return complete(std::move(run), table);
    }

private:
    Status readOrders() {
        for (const std::string& file : m_unit.files) {
            auto order = orderOf(m_tree, file, m_unit.saidDates);
            if (!order.hasValue())
                return Error{order.error().code, order.error().message, m_tree.displayPath(file)};
            if (order.value().shape == ColumnOrder::Shape::Rows && order.value().stamp < 0)
                return Error{ErrorCode::Unrecognised,
                    "The log has no time stamps. Record it with timestamp among the fields: "
                    "nvidia-smi "
                    "--query-gpu=timestamp,index,power.draw,… --format=csv -l 1",
                    m_tree.displayPath(file)};
            if (metricsOf(order.value()).empty() && !order.value().warnings.empty())
                return Error{ErrorCode::Unrecognised, order.value().warnings.front(),
                    m_tree.displayPath(file)};
            m_orders.push_back(std::move(order).value());
        }
        return {};
    }

    Status readFile(std::size_t i, MeterTable& table) {
        const std::string& file = m_unit.files[i];
        ASSIGN_OR_RETURN(auto stream, m_tree.open(file));
        LineBlocks blocks(std::move(stream), RowBlock::kLongestLine);
        table.startFile(std::nullopt);
        MeterClock clock;
        clock.utcOffset = {m_unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
        clock.start = m_unit.saidStart.value_or(clock.start);
        MeterLog log(table, m_report, m_tree.displayPath(file), clock);
        for (const std::string& warning : m_orders[i].warnings)
            log.warn(warning);
        LogReader reader(m_orders[i], log, m_unit.saidStart);
        const std::string phase = "Reading " + std::string(namePart(file));
        RETURN_IF_ERROR(reader.read(blocks, [&](std::uint64_t bytes) {
            return !m_progress || m_progress({phase, m_bytes + bytes, m_unit.bytes});
        }));
        RETURN_IF_ERROR(log.finish());
        log.completeFacts();
        m_bytes += blocks.bytesConsumed();
        m_cutShort = m_cutShort || reader.wasCutShort();
        return {};
    }

    Result<ImportReport> complete(Run run, const MeterTable& table) {
        m_report.bytes = m_bytes;
        m_report.facts["clock"] = clockText(stampsOf(m_orders.front()), m_unit.utcOffsetSeconds);
        run.gpuModel = table.gpuModel();
        if (!run.gpuModel.empty())
            m_report.facts["gpu_model"] = run.gpuModel;
        if (m_cutShort)
            run.status = RunStatus::Partial;
        std::string notes;
        for (const std::string& note : m_orders.front().notes)
            notes += (notes.empty() ? "" : " ") + note;
        if (!notes.empty())
            m_report.facts["columns"] = notes;
        RETURN_IF_ERROR(m_sink.run(run));
        return std::move(m_report);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    const Progress& m_progress;
    ImportReport m_report;
    std::vector<ColumnOrder> m_orders;
    std::uint64_t m_bytes = 0;
    bool m_cutShort = false;
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    const auto order = readColumnOrder(linesOfHead(head));
    return order.hasValue() ? order.value().confidence : 0;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, int> named;
    for (const SourceFile& file : mine)
        ++named[std::string(withoutSuffixes(namePart(file.path)))];
    std::vector<ImportUnit> units;
    for (const Files& group : groupByNode(mine)) {
        units.push_back(unitOf(tree, group));
        ImportUnit& unit = units.back();
        if (group.size() == 1 && named[unit.runName] > 1)
            unit.runName = withoutSuffixes(unit.path);
    }
    return units;
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return UnitImport(tree, unit, sink, progress).run();
}

} // namespace

const Importer& importer() {
    static constexpr Importer kImporter{
        {"nvsmi", "nvidia-smi log", "nvidia-smi --query-gpu … --format=csv logs", Joins::RunBeside,
            LaunchSettings::Beside, {}, "nvidia-smi log", "nvidia-smi logs", false, true},
        sniff, plan, import};
    return kImporter;
}

} // namespace trainscope::importers::nvsmi
