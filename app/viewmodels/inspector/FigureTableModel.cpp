#include "app/viewmodels/inspector/FigureTableModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TabbedText.h"
#include "core/text/TableOrder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::app {

FigureTableModel::FigureTableModel(QObject* parent)
    : RowListModel({{"name", &FigureRow::name}, {"figures", &FigureRow::figures}}, parent) { }

void FigureTableModel::setTable(report::SourcedTable made) {
    m_made = std::move(made);
    if (m_sortColumn >= static_cast<int>(m_made.table.columns.size()))
        m_sortColumn = -1;
    showRows();
}

void FigureTableModel::sortBy(int column) {
    if (column < 0 || column >= static_cast<int>(m_made.table.columns.size()))
        return;
    m_isDescending = column == m_sortColumn ? !m_isDescending : column > 0;
    m_sortColumn = column;
    showRows();
}

void FigureTableModel::select(int row) {
    if (isThere(row) && isSelectable())
        Q_EMIT selected(m_made.sources[m_order[static_cast<std::size_t>(row)]]);
}

void FigureTableModel::showRows() {
    const text::Table& table = m_made.table;
    if (m_sortColumn < 0) {
        m_order.resize(table.rows.size());
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    } else {
        m_order = text::sortedRows(table, static_cast<std::size_t>(m_sortColumn), m_isDescending);
    }
    std::vector<FigureRow> rows;
    for (std::size_t i = 0; i < std::min(kMostShown, m_order.size()); ++i) {
        const auto& cells = table.rows[m_order[i]];
        FigureRow& row = rows.emplace_back();
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const QString words = QString::fromStdString(
                cells[column].inWords(table.columns[column], text::Digits::Three));
            if (column == 0)
                row.name = words;
            else
                row.figures.push_back(words);
        }
    }
    setRows(std::move(rows));
    Q_EMIT tableChanged();
}

QString FigureTableModel::title() const {
    return QString::fromStdString(m_made.table.title);
}

QStringList FigureTableModel::heads() const {
    QStringList heads;
    for (const auto& column : m_made.table.columns)
        heads.push_back(QString::fromStdString(column.title));
    return heads;
}

QString FigureTableModel::note() const {
    QStringList notes;
    if (m_order.size() > kMostShown)
        notes.push_back(tr("%1 of %2 rows are shown; a copy has all.")
                            .arg(wholeText(kMostShown), wholeText(std::ssize(m_order))));
    for (const auto& note : m_made.table.notes)
        notes.push_back(QString::fromStdString(note));
    return notes.join(QLatin1Char(' '));
}

text::Table FigureTableModel::sorted() const {
    text::Table table = m_made.table;
    for (std::size_t i = 0; i < m_order.size(); ++i)
        table.rows[i] = m_made.table.rows[m_order[i]];
    return table;
}

QString FigureTableModel::text() const {
    return tabbedLine({title()}) + tabbedText(sorted());
}

QString FigureTableModel::csv() const {
    const std::string title = text::csvCell(m_made.table.title) + '\n';
    return QString::fromStdString(title + text::csv(sorted()));
}

} // namespace trainscope::app
