#include "app/viewmodels/workspace/TableModel.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"

#include <QFontMetricsF>

#include <numeric>

namespace trainscope::app {

namespace {

constexpr double kLeastName = 240.0; // before columns give way to the first
constexpr double kNarrowestName = 136.0; // half a list of runs
constexpr double kBeyondRoom = 32.0; // seen beside the room, below the scroll bar

QString tableWords(const text::Cell& cell, const text::Column& column, text::Digits digits) {
    return QString::fromStdString(cell.inWords(column, digits));
}

} // namespace

FactListModel::FactListModel(QObject* parent)
    : RowListModel({{"label", &Fact::label}, {"value", &Fact::value}, {"isHead", &Fact::isHead},
                       {"note", &Fact::note}},
        parent) { }

QString FactListModel::text() const {
    QString text;
    for (const auto& fact : facts()) {
        QStringList cells{fact.label};
        if (!fact.isHead)
            cells.append(fact.value);
        if (!fact.note.isEmpty())
            cells.append(fact.note);
        text += tabbedLine(cells);
    }
    return text;
}

double widestOf(const QStringList& texts, int pixelSize) {
    QFont font(Theme::instance()->fontFamily());
    font.setPixelSize(pixelSize);
    const QFontMetricsF metrics(font);
    double widest = 0.0;
    for (const QString& text : texts)
        widest = std::max(widest, metrics.horizontalAdvance(text));
    return widest;
}

std::vector<std::int64_t> rowsInOrder(std::size_t count) {
    std::vector<std::int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    return rows;
}

TableContent contentOf(const std::shared_ptr<const text::Table>& table, text::Digits digits) {
    TableContent content;
    content.title = QString::fromStdString(table->title);
    for (const auto& column : table->columns) {
        TableHead& head = content.heads.emplace_back();
        head.title = QString::fromStdString(column.title);
        head.isNumber = column.align == text::Align::Right;
        head.isLargestFirst = content.heads.size() > 1;
    }
    content.note = listOf(table->notes).join(QLatin1Char(' '));
    content.rows = rowsInOrder(table->rows.size());
    content.row = [table, digits](std::int64_t at) {
        TableRow row;
        const auto& cells = table->rows[static_cast<std::size_t>(at)];
        for (std::size_t i = 0; i < cells.size() && i < table->columns.size(); ++i)
            row.cells.push_back(tableWords(cells[i], table->columns[i], digits));
        row.name = row.cells.value(0);
        row.spoken = row.cells.mid(1).join(QStringLiteral(", "));
        return row;
    };
    content.copied = [table](const std::vector<std::int64_t>& rows) {
        text::Table copy{table->title, table->columns, {}, {}};
        for (const std::int64_t row : rows)
            copy.add(table->rows[static_cast<std::size_t>(row)]);
        return copy;
    };
    content.canBeUnsorted = true;
    content.sorted = [table](int column, bool isDescending) {
        if (column < 0)
            return rowsInOrder(table->rows.size());
        const auto order = text::sortedRows(*table, static_cast<std::size_t>(column), isDescending);
        return std::vector<std::int64_t>(order.begin(), order.end());
    };
    return content;
}

TableHeads::TableHeads(QObject* parent)
    : RowListModel(
        {{"title", &TableHead::title}, {"unit", &TableHead::unit}, {"tip", &TableHead::tip},
            {"key", &TableHead::key}, {"number", &TableHead::isNumber},
            {"cellWidth", &TableHead::width}, {"order", &TableHead::order}},
        parent) { }

QStringList TableHeads::titles() const {
    return listOf(rows(), &TableHead::title);
}

int TableHeads::columnAt(double x) const {
    double left = 0.0;
    for (int column = 0; column < count(); ++column) {
        const double right = left + rows()[static_cast<std::size_t>(column)].width;
        if (x >= left && x < right)
            return column;
        left = right;
    }
    return -1;
}

double TableHeads::leftOf(const QString& key) const {
    double left = 0.0;
    for (const TableHead& head : rows()) {
        if (head.key == key)
            return left;
        left += head.width;
    }
    return -1.0;
}

double TableHeads::widthOf(const QString& key) const {
    const auto head = std::ranges::find(rows(), key, &TableHead::key);
    return head == rows().end() ? 0.0 : head->width;
}

QString TableHeads::editableAt(double x) const {
    const int column = columnAt(x);
    if (!isThere(column))
        return {};
    const TableHead& head = rows()[static_cast<std::size_t>(column)];
    return head.isEditable ? head.key : QString();
}

TableModel::TableModel(QObject* parent)
    : RowListModel(rolesOf(this), parent) { }

std::vector<TableModel::Role> TableModel::rolesOf(const TableModel* table) {
    const auto role = [table](const char* name, auto of) {
        return Role(
            name, [table, of](std::int64_t row) { return std::invoke(of, table->worded(row)); });
    };
    return {role("name", &TableRow::name), role("spoken", &TableRow::spoken),
        role("cells", [table](const TableRow& row) { return table->shownOf(row.cells); }),
        role("note", &TableRow::note),
        role("missing", [table](const TableRow& row) { return table->shownOf(row.missing); }),
        role("mark",
            [](const TableRow& row) {
                return row.mark.isValid() ? row.mark : QColor(Qt::transparent);
            }),
        role("round", &TableRow::isRound), role("depth", &TableRow::depth),
        role("expandable", &TableRow::isExpandable), role("unfolded", &TableRow::isUnfolded),
        role("chosen", &TableRow::isChosen), role("strong", &TableRow::isStrong),
        role("quiet", &TableRow::isQuiet)};
}

template <typename Cells>
Cells TableModel::shownOf(const Cells& byColumn) const {
    Cells cells;
    for (const int column : m_columns) {
        if (column < byColumn.size())
            cells.push_back(byColumn[column]);
    }
    return cells;
}

void TableModel::show(TableContent content) {
    if (content.sorted && sortColumn() >= 0
        && sortColumn() < static_cast<int>(content.heads.size())) {
        content.sortColumn = sortColumn();
        content.isDescending = isDescending();
        content.rows = content.sorted(content.sortColumn, content.isDescending);
    }
    m_content = std::move(content);
    replaceRows(std::exchange(m_content.rows, {}), m_content.isOther);
    showHeads();
    m_subject += m_content.isOther ? 1 : 0;
    Q_EMIT tableChanged();
}

void TableModel::setTable(report::SourcedTable made) {
    m_made = std::move(made);
    auto content
        = contentOf(std::make_shared<const text::Table>(m_made.table), text::Digits::Three);
    content.most = kMostOfInspector;
    content.isSelectable = !m_made.sources.empty();
    show(std::move(content));
}

void TableModel::setOrder(std::vector<std::int64_t> rows, int sortColumn, bool isDescending) {
    m_content.sortColumn = sortColumn;
    m_content.isDescending = isDescending;
    replaceRows(std::move(rows), false);
    showHeads();
    Q_EMIT tableChanged();
}

void TableModel::changed() {
    m_worded.reset();
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1));
}

// Rows that are the same at both ends stay; those between them go before others come.
void TableModel::replaceRows(std::vector<std::int64_t> rows, bool isOther) {
    m_worded.reset();
    m_content.rows.clear();
    if (m_content.most > 0 && rows.size() > m_content.most) {
        m_content.rows = rows;
        rows.resize(m_content.most);
    }
    const auto& known = this->rows();
    const auto [first, firstNew] = std::ranges::mismatch(known, rows);
    const auto before = static_cast<int>(first - known.begin());
    const auto last = std::mismatch(known.rbegin(), std::make_reverse_iterator(first),
        rows.rbegin(), std::make_reverse_iterator(firstNew));
    const auto behind = static_cast<int>(last.first - known.rbegin());
    if (isOther || (before + behind == 0 && known.size() != rows.size()))
        return resetRows(std::move(rows));
    if (known.size() == rows.size()) {
        ownRows() = std::move(rows);
    } else {
        eraseRows(before, count() - before - behind);
        addRows(before, {rows.begin() + before, rows.end() - behind});
    }
    changed();
}

int TableModel::placeOf(std::int64_t row) const {
    const auto found = std::ranges::find(rows(), row);
    return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

QString TableModel::note() const {
    if (m_content.rows.empty())
        return m_content.note;
    const QString left = QStringLiteral("%1 of %2 rows are shown; a copy has all.")
                             .arg(wholeText(count()), wholeText(std::ssize(m_content.rows)));
    return m_content.note.isEmpty() ? left : left + QLatin1Char(' ') + m_content.note;
}

bool TableModel::hasUnits() const {
    return std::ranges::any_of(
        m_content.heads, [](const TableHead& head) { return !head.unit.isEmpty(); });
}

QList<bool> TableModel::numbers() const {
    QList<bool> numbers;
    for (const TableHead& head : m_heads.rows())
        numbers.push_back(head.isNumber);
    return numbers;
}

std::vector<int> TableModel::fittingColumns() const {
    std::vector<int> columns(m_content.heads.size());
    std::iota(columns.begin(), columns.end(), 0);
    const auto headOf = [this](int column) -> const TableHead& {
        return m_content.heads[static_cast<std::size_t>(column)];
    };
    double taken = 0.0;
    for (const int column : columns)
        taken += column == 0 && headOf(0).width == 0.0 ? Theme::instance()->grown(kLeastName)
                                                       : headOf(column).width;
    while (m_room > 0.0 && taken > m_room && columns.size() > 1) {
        const auto least = std::ranges::max_element(columns, [&](int one, int other) {
            const auto importance = [&](int column) {
                return column == sortColumn() ? 0 : headOf(column).importance;
            };
            return importance(one) < importance(other);
        });
        if (*least == sortColumn() || headOf(*least).importance == 0)
            break;
        taken -= headOf(*least).width;
        columns.erase(least);
    }
    return columns;
}

void TableModel::showHeads() {
    const auto shown = fittingColumns();
    const bool isSame = shown == m_columns;
    m_columns = shown;
    m_widths.clear();
    std::vector<TableHead> heads;
    QStringList left;
    for (std::size_t i = 0; i < m_content.heads.size(); ++i) {
        const auto column = static_cast<int>(i);
        if (std::ranges::find(shown, column) == shown.end()) {
            left.push_back(m_content.heads[i].title);
            continue;
        }
        heads.push_back(m_content.heads[i]);
        heads.back().order = column != sortColumn() ? 0 : isDescending() ? -1 : 1;
        m_widths.push_back(heads.back().width);
    }
    if (!left.isEmpty())
        heads.front().tip
            = QStringLiteral("There is no room for: %1").arg(left.join(QStringLiteral(", ")));
    if (!heads.empty() && m_widths[0] == 0.0)
        m_widths[0] = heads.front().width
            = std::max(Theme::instance()->grown(m_room == 0.0 ? kLeastName : kNarrowestName),
                m_room - tableWidth());
    m_heads.setHeads(std::move(heads));
    Q_EMIT headsChanged();
    showSeen();
    if (!isSame)
        changed();
}

void TableModel::look(double left, double room) {
    const bool isOther = room != m_room;
    m_left = left;
    m_room = room;
    if (isOther)
        showHeads();
    else
        showSeen();
}

void TableModel::showSeen() {
    const double end = m_room == 0.0 ? tableWidth() : m_left + m_room + kBeyondRoom;
    double left = nameWidth();
    int first = 1;
    while (first < m_widths.size() && left + m_widths[first] < m_left)
        left += m_widths[first++];
    int next = first;
    for (double right = left; next < m_widths.size() && right < end; ++next)
        right += m_widths[next];
    const int seen = next - first;
    if (first == m_firstSeen && seen == m_seenCount && left == m_seenLeft)
        return;
    m_firstSeen = first;
    m_seenCount = seen;
    m_seenLeft = left;
    Q_EMIT seenChanged();
}

void TableModel::sortBy(int head) {
    if (!m_heads.isThere(head))
        return;
    int column = m_columns[static_cast<std::size_t>(head)];
    const bool isFirst = m_content.heads[static_cast<std::size_t>(column)].isLargestFirst;
    const bool isSame = column == sortColumn();
    bool isDown = isSame ? !isDescending() : isFirst;
    if (isSame && m_content.canBeUnsorted && isDescending() != isFirst) {
        column = -1;
        isDown = false;
    }
    if (m_content.sorted)
        setOrder(m_content.sorted(column, isDown), column, isDown);
    else
        Q_EMIT sortWanted(column, isDown);
}

void TableModel::select(int place) {
    const auto row = rowAt(place);
    if (row && static_cast<std::size_t>(*row) < m_made.sources.size())
        Q_EMIT selected(m_made.sources[static_cast<std::size_t>(*row)]);
}

QString TableModel::tipAt(int place, double x, double scrolled, bool isCut) const {
    const int head = x - scrolled < nameWidth() ? 0 : m_heads.columnAt(x);
    if (!isThere(place) || !m_heads.isThere(head))
        return {};
    const TableRow& row = worded(*rowAt(place));
    const int column = m_columns[static_cast<std::size_t>(head)];
    const QString tip = row.tips.value(column);
    if (!tip.isEmpty() || !isCut)
        return tip;
    if (column > 0)
        return row.cells.value(column);
    return row.tip.isEmpty() ? row.name : row.tip;
}

QString TableModel::text(int first, int count) const {
    if (!m_content.copied)
        return {};
    const auto& rows = allRows();
    const auto all = std::ssize(rows);
    const auto from = std::min<std::ptrdiff_t>(std::max(first, 0), all);
    const auto until = count < 0 ? all : std::min<std::ptrdiff_t>(from + count, all);
    const auto table = m_content.copied({rows.begin() + from, rows.begin() + until});
    return (title().isEmpty() ? QString() : tabbedLine({title()})) + tabbedText(table);
}

QString TableModel::csv() const {
    if (!m_content.copied)
        return {};
    const std::string line
        = title().isEmpty() ? std::string() : text::csvCell(title().toStdString()) + '\n';
    return QString::fromStdString(line + text::csv(m_content.copied(allRows())));
}

const TableRow& TableModel::worded(std::int64_t row) const {
    if (!m_worded || m_worded->first != row)
        m_worded = {row, m_content.row(row)};
    return m_worded->second;
}

} // namespace trainscope::app
