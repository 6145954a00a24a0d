#include "app/viewmodels/operators/OperatorRowModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Translated.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/Theme.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

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

// Columns of which nothing is known are left out.
std::vector<int> columnsWithValues(const OperatorOutline& outline) {
    std::vector<int> columns;
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        const bool isKnown = outline.columns()[i].unit.empty()
            || std::any_of(outline.nodes().begin(), outline.nodes().end(),
                [i](const OutlineNode& node) { return node.values[i].has_value(); });
        if (isKnown)
            columns.push_back(static_cast<int>(i));
    }
    return columns;
}

} // namespace

OperatorRowModel::OperatorRowModel(QObject* parent)
    : RowListModel({{"name", &OperatorRow::name}, {"note", &OperatorRow::note},
                       {"kind", &OperatorRow::kind}, {"cells", &OperatorRow::cells},
                       {"depth", &OperatorRow::depth}, {"expandable", &OperatorRow::isExpandable},
                       {"unfolded", &OperatorRow::isUnfolded}, {"found", &OperatorRow::isFound},
                       {"work", &OperatorRow::isWork}, {"mark", &OperatorRow::color}},
        parent) { }

void OperatorRowModel::show(const OperatorOutline& outline, const QString& nameHead) {
    m_columns = columnsWithValues(outline);
    showHeads(outline, nameHead);
    std::vector<OperatorRow> rows;
    for (const auto& seen : outline.seen()) {
        const OutlineNode& node = outline.nodes()[seen.node];
        OperatorRow& row = rows.emplace_back();
        row.node = seen.node;
        row.name = QString::fromStdString(node.name);
        row.note = QString::fromStdString(node.note);
        row.kind = kindWords(node);
        row.depth = seen.depth;
        row.isExpandable = seen.hasChildren;
        row.isUnfolded = seen.isUnfolded;
        row.isFound = seen.isFound;
        row.isWork = analysis::isWork(node.kind);
        row.color = markOf(node);
        for (const int column : m_columns) {
            const auto at = static_cast<std::size_t>(column);
            row.cells.push_back(outline.columns()[at].unit.empty()
                    ? QString::fromStdString(node.words)
                    : valueWords(outline.columns()[at], node.values[at]));
        }
    }
    showRows(std::move(rows));
}

void OperatorRowModel::showHeads(const OperatorOutline& outline, const QString& nameHead) {
    m_heads = {nameHead};
    m_tips = {QString()};
    m_sortColumn = 0;
    for (const int column : m_columns) {
        const OutlineColumn& shown = outline.columns()[static_cast<std::size_t>(column)];
        if (column == outline.sortColumn())
            m_sortColumn = static_cast<int>(m_heads.size());
        m_heads.push_back(QString::fromStdString(shown.title));
        m_tips.push_back(QString::fromStdString(shown.tip));
    }
    m_isDescending = outline.isDescending();
    Q_EMIT headsChanged();
}

void OperatorRowModel::showRows(std::vector<OperatorRow> made) {
    const auto& known = rows();
    const auto isSame = [](const OperatorRow& one, const OperatorRow& other) {
        return one.node == other.node && one.name == other.name && one.depth == other.depth;
    };
    std::size_t first = 0;
    const std::size_t least = std::min(known.size(), made.size());
    while (first < least && isSame(known[first], made[first]))
        ++first;
    std::size_t last = 0; // that are the same, from the end
    while (last < least - first
        && isSame(known[known.size() - 1 - last], made[made.size() - 1 - last]))
        ++last;
    if (const std::size_t gone = known.size() - first - last; gone > 0)
        eraseRows(static_cast<int>(first), static_cast<int>(gone));
    if (const std::size_t come = made.size() - first - last; come > 0)
        addRows(static_cast<int>(first),
            {made.begin() + static_cast<std::ptrdiff_t>(first),
                made.begin() + static_cast<std::ptrdiff_t>(first + come)});
    for (std::size_t i = 0; i < made.size(); ++i)
        setRow(i, std::move(made[i]));
}

int OperatorRowModel::columnOf(int head) const {
    return head < 1 || head > static_cast<int>(m_columns.size())
        ? -1
        : m_columns[static_cast<std::size_t>(head - 1)];
}

int OperatorRowModel::rowOf(std::uint32_t node) const {
    const auto found = std::find_if(
        rows().begin(), rows().end(), [node](const OperatorRow& row) { return row.node == node; });
    return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

QString OperatorRowModel::text(int row) const {
    QStringList lines{m_heads.join(QLatin1Char('\t'))};
    for (int i = 0; i < count(); ++i) {
        const OperatorRow& one = rows()[static_cast<std::size_t>(i)];
        if (row >= 0 && row != i)
            continue;
        QString name = QString(qsizetype{2} * one.depth, QLatin1Char(' ')) + one.name;
        if (!one.note.isEmpty())
            name += QLatin1Char(' ') + one.note;
        lines.push_back(name + QLatin1Char('\t') + one.cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString OperatorRowModel::csv(const OperatorOutline& outline, const QString& nameHead) {
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
