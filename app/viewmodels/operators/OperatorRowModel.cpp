#include "app/viewmodels/operators/OperatorRowModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TabbedText.h"
#include "app/viewmodels/text/Translated.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/Theme.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trainscope::app {
namespace {

constexpr double kColumnMargins = 17.0; // of the texts, on both sides
constexpr double kLeastName = 240.0; // before columns give way to the names
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
    QFont font(theme.fontFamily());
    font.setPixelSize(theme.smallSize());
    const QString head = kSortArrow + QString::fromStdString(column.title);
    const double heads = QFontMetricsF(font).horizontalAdvance(head);
    font.setPixelSize(theme.secondarySize());
    const double cells = QFontMetricsF(font).horizontalAdvance(widest);
    return std::ceil(std::max(heads, cells)) + kColumnMargins;
}

} // namespace

OperatorRowModel::OperatorRowModel(QObject* parent)
    : RowListModel({{"name", &OperatorRow::name}, {"note", &OperatorRow::note},
                       {"kind", &OperatorRow::kind}, {"cells", &OperatorRow::shown},
                       {"depth", &OperatorRow::depth}, {"expandable", &OperatorRow::isExpandable},
                       {"unfolded", &OperatorRow::isUnfolded}, {"found", &OperatorRow::isFound},
                       {"work", &OperatorRow::isWork}, {"mark", &OperatorRow::color}},
        parent) { }

void OperatorRowModel::show(const OperatorOutline& outline, const QString& nameHead) {
    measure(outline);
    m_known = fitted();
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
        for (const KnownColumn& column : m_known) {
            row.cells.push_back(cellWords(outline, static_cast<std::size_t>(column.place), node));
            if (column.isShown)
                row.shown.push_back(row.cells.back());
        }
    }
    showRows(std::move(rows));
}

void OperatorRowModel::measure(const OperatorOutline& outline) {
    m_known.clear();
    m_sorted = outline.sortColumn();
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        const OutlineColumn& column = outline.columns()[i];
        if (isKnown(outline, i))
            m_known.push_back(
                {static_cast<int>(i), column.order, needOf(column, widestCell(outline, i)), true});
    }
}

std::vector<OperatorRowModel::KnownColumn> OperatorRowModel::fitted() const {
    std::vector<KnownColumn> columns = m_known;
    double taken = kLeastName;
    for (KnownColumn& column : columns) {
        column.isShown = true;
        taken += column.width;
    }
    while (m_room > 0.0 && taken > m_room) {
        KnownColumn* least = nullptr;
        for (KnownColumn& column : columns) {
            const bool canGo = column.isShown && column.place != m_sorted && column.order > 0;
            if (canGo && (least == nullptr || column.order > least->order))
                least = &column;
        }
        if (least == nullptr)
            break;
        least->isShown = false;
        taken -= least->width;
    }
    return columns;
}

void OperatorRowModel::setRoom(double room) {
    if (room == m_room)
        return;
    m_room = room;
    const auto columns = fitted();
    const bool isSame = std::equal(columns.begin(), columns.end(), m_known.begin(), m_known.end(),
        [](const KnownColumn& one, const KnownColumn& other) {
            return one.isShown == other.isShown;
        });
    if (!isSame)
        Q_EMIT roomChanged();
}

double OperatorRowModel::cellsWidth() const {
    return std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
}

std::vector<std::pair<QString, QString>> OperatorRowModel::figuresOf(
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

void OperatorRowModel::showHeads(const OperatorOutline& outline, const QString& nameHead) {
    m_heads = {nameHead};
    m_allHeads = m_heads;
    m_tips = {QString()};
    m_widths.clear();
    m_columns.clear();
    m_sortColumn = 0;
    QStringList left;
    for (const KnownColumn& column : m_known) {
        const OutlineColumn& shown = outline.columns()[static_cast<std::size_t>(column.place)];
        const QString title = QString::fromStdString(shown.title);
        m_allHeads.push_back(title);
        if (!column.isShown) {
            left.push_back(title);
            continue;
        }
        if (column.place == outline.sortColumn())
            m_sortColumn = static_cast<int>(m_heads.size());
        m_columns.push_back(column.place);
        m_widths.push_back(column.width);
        m_heads.push_back(title);
        m_tips.push_back(QString::fromStdString(shown.tip));
    }
    if (!left.isEmpty())
        m_tips.front() = tr("There is no room for: %1").arg(left.join(QStringLiteral(", ")));
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
    QString text = tabbedLine(m_allHeads);
    for (int i = 0; i < count(); ++i) {
        const OperatorRow& one = rows()[static_cast<std::size_t>(i)];
        if (row >= 0 && row != i)
            continue;
        QString name = QString(qsizetype{2} * one.depth, QLatin1Char(' ')) + one.name;
        if (!one.note.isEmpty())
            name += QLatin1Char(' ') + one.note;
        text += tabbedLine(QStringList{name} + one.cells);
    }
    return text;
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
