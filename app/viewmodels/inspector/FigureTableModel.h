#pragma once
// A table of the inspector: rows with a name and their figures, sorted by a column, the first of
// many. Copied whole. GUI thread.

#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include "app/viewmodels/window/RowListModel.h"
#include "core/report/SelectionTables.h"
#include "core/text/Table.h"

#include <cstddef>
#include <vector>

namespace trainscope::app {

struct FigureRow {
    QString name;
    QStringList figures; // of the other columns, ready to read
    bool operator==(const FigureRow&) const = default;
};

class FigureTableModel : public RowListModel<FigureRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY tableChanged FINAL)
    // Heads of the columns; the first is that of the names.
    Q_PROPERTY(QStringList heads READ heads NOTIFY tableChanged FINAL)
    // −1: as they came.
    Q_PROPERTY(int sortColumn READ sortColumn NOTIFY tableChanged FINAL)
    Q_PROPERTY(bool descending READ isDescending NOTIFY tableChanged FINAL)
    // Remarks: rows left out, and the meaning of the numbers.
    Q_PROPERTY(QString note READ note NOTIFY tableChanged FINAL)
    Q_PROPERTY(bool selectable READ isSelectable NOTIFY tableChanged FINAL)

public:
    static constexpr std::size_t kMostShown = 20;

    explicit FigureTableModel(QObject* parent = nullptr);

    // Sorted as the one before was.
    void setTable(text::Table table) { setTable({std::move(table), {}}); }
    void setTable(report::SourcedTable table);
    [[nodiscard]] const text::Table& table() const { return m_made.table; }

    [[nodiscard]] QString title() const;
    [[nodiscard]] QStringList heads() const;
    [[nodiscard]] int sortColumn() const { return m_sortColumn; }
    [[nodiscard]] bool isDescending() const { return m_isDescending; }
    [[nodiscard]] QString note() const;
    [[nodiscard]] bool isSelectable() const { return !m_made.sources.empty(); }

    // Names from A on, figures from the largest on; a second time the other way round.
    Q_INVOKABLE void sortBy(int column);
    Q_INVOKABLE void select(int row);

    // All rows as they are sorted: tab-separated with title and heads; and as CSV, with the title
    // in a line before it.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString csv() const;

Q_SIGNALS:
    void tableChanged();
    void selected(const trainscope::report::RowSource& source);

private:
    void showRows();
    [[nodiscard]] text::Table sorted() const;

    report::SourcedTable m_made;
    std::vector<std::size_t> m_order; // of the rows
    int m_sortColumn = -1;
    bool m_isDescending = false;
};

} // namespace trainscope::app
