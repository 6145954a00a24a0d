#include "importers/meters/ColumnOrder.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/FileLines.h"

namespace trainscope::importers::meters::smi {

namespace {

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

std::string_view meaningOf(ColumnRole role) {
    switch (role) {
    case ColumnRole::Stamp:
    case ColumnRole::TimeOfDay:
    case ColumnRole::Elapsed:
        return "the time";
    case ColumnRole::Gpu:
    case ColumnRole::Uuid:
    case ColumnRole::BusId:
    case ColumnRole::Serial:
        return "the GPU";
    case ColumnRole::Host:
        return "the node";
    case ColumnRole::Name:
        return "the model";
    case ColumnRole::Process:
        return "the process";
    default:
        return "left out";
    }
}

// "Columns: P_tot is gpu_power in mW; t the time; note is left out." Empty where all are called as
// nvidia-smi calls them.
std::string understoodColumns(const ColumnOrder& order) {
    constexpr std::size_t kLongestText = 1500;
    std::string text;
    bool isPlain = true;
    for (const Column& column : order.columns) {
        const bool isMetric = column.role == ColumnRole::Metric;
        const std::string meaning = isMetric ? column.metric.name + unitOfNumbers(column)
                                             : std::string(meaningOf(column.role));
        isPlain = isPlain && (!isMetric || column.header.find('.') != std::string::npos);
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

} // namespace

Result<ColumnOrder> orderOf(const SourceTree& tree, const std::string& path, DateOrder said) {
    ASSIGN_OR_RETURN(const auto head, readHead(tree, path, kHeadOfLines));
    ASSIGN_OR_RETURN(auto order, readColumnOrder(linesOfHead(head)));
    if (order.hasOpenDates && order.stamp >= 0)
        RETURN_IF_ERROR(settleDates(tree, path, said, order));
    return order;
}

std::set<std::string> metricsOf(const ColumnOrder& order) {
    std::set<std::string> metrics;
    for (const Column& column : order.columns) {
        if (column.role == ColumnRole::Metric)
            metrics.insert(column.metric.name);
    }
    return metrics;
}

void describe(ImportUnit& unit, const ColumnOrder& order) {
    unit.asksDates = order.hasOpenDates;
    unit.columns = understoodColumns(order);
    if (!unit.columns.empty()) {
        unit.notes.push_back(unit.columns);
        unit.heads = headsOf(order);
    }
    unit.notes.insert(unit.notes.end(), order.notes.begin(), order.notes.end());
    unit.notes.insert(unit.notes.end(), order.warnings.begin(), order.warnings.end());
}

int gpusOfNode(const ColumnOrder& order) {
    const auto at = static_cast<std::size_t>(std::max(order.gpu, 0));
    return order.hostsSeen > 1 && order.columns[at].role != ColumnRole::Gpu
        ? order.gpusSeen / order.hostsSeen
        : order.highestIndex + 1;
}

} // namespace trainscope::importers::meters::smi
