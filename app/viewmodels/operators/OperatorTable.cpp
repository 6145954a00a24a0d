#include "app/viewmodels/operators/OperatorTable.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/Theme.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace trainscope::app {
namespace {

constexpr double kColumnMargins = 17.0; // beside the texts, both sides together
const QString kSortArrow = QStringLiteral("↓ ");

QString valueWords(const OutlineColumn& column, const std::optional<double>& value) {
    if (!value)
        return QString::fromUtf8(text::kMissing);
    if (column.unit == "1")
        return std::floor(*value) == *value ? wholeText(static_cast<qint64>(*value))
                                            : QString::fromStdString(text::number(*value));
    if (column.unit == "%")
        return QString::fromStdString(text::roundedPercent(*value));
    if (column.unit == "×")
        return QStringLiteral("× %1").arg(QString::fromStdString(text::number(*value)));
    return QString::fromStdString(text::quantity(*value, column.unit, text::Digits::Three));
}

QString kindWords(const OutlineNode& node) {
    QString words = textOf(analysis::toString(node.kind));
    if (node.pass != analysis::StepPass::None)
        words += QStringLiteral(" · ") + textOf(analysis::toString(node.pass));
    return words;
}

QColor markOf(const OutlineNode& node) {
    const plot::Color color = node.pass == analysis::StepPass::None && !node.category.empty()
        ? plot::categoryColor(node.category)
        : plot::passColor(node.pass);
    return {color.r, color.g, color.b};
}

QString cellWords(const OperatorOutline& outline, std::size_t column, const OutlineNode& node) {
    const OutlineColumn& shown = outline.columns()[column];
    return shown.unit.empty() ? QString::fromStdString(node.words)
                              : valueWords(shown, node.values[column]);
}

bool isKnown(const OperatorOutline& outline, std::size_t column) {
    return outline.columns()[column].unit.empty()
        || std::any_of(outline.nodes().begin(), outline.nodes().end(),
            [column](const OutlineNode& node) { return node.values[column].has_value(); });
}

// As wide as any that the column can have: figures of other rows come and go.
QString widestCell(const OperatorOutline& outline, std::size_t column) {
    const OutlineColumn& shown = outline.columns()[column];
    if (shown.unit.empty())
        return QStringLiteral("slower");
    if (shown.unit == "%")
        return QStringLiteral("100 %");
    if (shown.unit == "×")
        return QStringLiteral("× 0.0088");
    if (shown.unit != "1")
        return (shown.isByMagnitude ? QStringLiteral("−8.88 M") : QStringLiteral("8.88 M"))
            + QString::fromStdString(shown.unit);
    double largest = 0.0;
    bool isWhole = true;
    for (const OutlineNode& node : outline.nodes()) {
        const double value = node.values[column].value_or(0.0);
        largest = std::max(largest, value);
        isWhole = isWhole && value == std::floor(value);
    }
    return isWhole ? valueWords(shown, largest)
                   : wholeText(static_cast<qint64>(largest)) + QStringLiteral(".88");
}

double needOf(const OutlineColumn& column, const QString& widest) {
    const Theme& theme = *Theme::instance();
    const double head
        = widestOf({kSortArrow + QString::fromStdString(column.title)}, theme.smallSize());
    return std::ceil(std::max(head, widestOf({widest}, theme.secondarySize()))) + kColumnMargins;
}

using SeenNodes = std::unordered_map<std::uint32_t, OperatorOutline::Seen>;

TableRow operatorRow(const OperatorOutline& outline, const OperatorOutline::Seen& seen,
    const std::vector<std::size_t>& columns) {
    const OutlineNode& node = outline.nodes()[seen.node];
    TableRow row;
    row.name = QString::fromStdString(node.name);
    row.note = QString::fromStdString(node.note);
    row.cells = {row.name};
    for (const std::size_t column : columns)
        row.cells.push_back(cellWords(outline, column, node));
    const QString kind = kindWords(node);
    row.spoken = QStringLiteral("%1 %2, %3")
                     .arg(kind, row.note, row.cells.mid(1).join(QStringLiteral(", ")));
    row.tip = row.name + QLatin1Char('\n')
        + (row.note.isEmpty() ? QString() : row.note + QLatin1Char('\n')) + kind;
    row.depth = seen.depth;
    row.isExpandable = seen.hasChildren;
    row.isUnfolded = seen.isUnfolded;
    row.isStrong = seen.isFound;
    row.isQuiet = row.isRound = analysis::isWork(node.kind);
    row.mark = markOf(node);
    return row;
}

text::Table copiedNodes(const OperatorOutline& outline, const SeenNodes& seen,
    const std::vector<TableHead>& heads, const std::vector<std::int64_t>& rows) {
    const auto columns = knownColumns(outline);
    text::Table table;
    for (const TableHead& head : heads)
        table.columns.push_back({head.title.toStdString()});
    for (const std::int64_t at : rows) {
        const auto& place = seen.at(static_cast<std::uint32_t>(at));
        const OutlineNode& node = outline.nodes()[place.node];
        std::string name = std::string(std::size_t{2} * static_cast<std::size_t>(place.depth), ' ');
        name += node.note.empty() ? node.name : node.name + ' ' + node.note;
        std::vector<text::Cell> cells{name};
        for (const std::size_t column : columns)
            cells.emplace_back(cellWords(outline, column, node).toStdString());
        table.add(std::move(cells));
    }
    return table;
}

} // namespace

std::vector<std::size_t> knownColumns(const OperatorOutline& outline) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        if (isKnown(outline, i))
            columns.push_back(i);
    }
    return columns;
}

TableContent operatorContent(
    const std::shared_ptr<const OperatorOutline>& outline, const QString& nameHead) {
    TableContent content;
    content.heads.push_back({nameHead});
    content.heads.front().isNumber = false;
    content.sortColumn = 0;
    content.isDescending = outline->isDescending();
    const auto columns = knownColumns(*outline);
    for (const std::size_t column : columns) {
        const OutlineColumn& shown = outline->columns()[column];
        if (static_cast<int>(column) == outline->sortColumn())
            content.sortColumn = static_cast<int>(content.heads.size());
        TableHead& head = content.heads.emplace_back();
        head.title = QString::fromStdString(shown.title);
        head.tip = QString::fromStdString(shown.tip);
        head.isLargestFirst = true;
        head.importance = shown.order;
        head.width = needOf(shown, widestCell(*outline, column));
    }
    auto seen = std::make_shared<SeenNodes>();
    for (const auto& one : outline->seen()) {
        content.rows.push_back(one.node);
        seen->emplace(one.node, one);
    }
    content.row = [outline, seen, columns](std::int64_t row) {
        return operatorRow(*outline, seen->at(static_cast<std::uint32_t>(row)), columns);
    };
    content.copied = [outline, seen, heads = content.heads](
                         const auto& rows) { return copiedNodes(*outline, *seen, heads, rows); };
    return content;
}

std::vector<std::pair<QString, QString>> operatorFigures(
    const OperatorOutline& outline, std::uint32_t node) {
    std::vector<std::pair<QString, QString>> figures;
    const OutlineNode& shown = outline.nodes()[node];
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        const bool hasValue = outline.columns()[i].unit.empty() || shown.values[i].has_value();
        if (hasValue)
            figures.emplace_back(
                QString::fromStdString(outline.columns()[i].title), cellWords(outline, i, shown));
    }
    return figures;
}

QString operatorCsv(const OperatorOutline& outline, const QString& nameHead) {
    text::Table table;
    table.columns
        = {{nameHead.toStdString(), text::Align::Left}, {"Inputs", text::Align::Left}, {"Depth"}};
    for (const auto& column : outline.columns())
        table.columns.push_back(text::inUnit(
            column.title, column.unit == "1" || column.unit == "×" ? std::string() : column.unit));
    for (const auto& seen : outline.seen()) {
        const OutlineNode& node = outline.nodes()[seen.node];
        std::vector<text::Cell> cells{node.name, node.note, seen.depth};
        for (std::size_t i = 0; i < outline.columns().size(); ++i)
            cells.push_back(outline.columns()[i].unit.empty() ? text::Cell(node.words)
                                                              : text::Cell(node.values[i]));
        table.add(std::move(cells));
    }
    return QString::fromStdString(text::csv(table));
}

} // namespace trainscope::app
