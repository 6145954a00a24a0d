#pragma once
// The table of all runs as QML shows it: a row per run with its cells in words, and the heads of
// the columns with their units and widths. GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "core/report/RunColumns.h"

#include <QQmlEngine>
#include <QStringList>

#include <cstddef>
#include <vector>

namespace trainscope::app {

struct RunTableHead {
    QString title;
    QString unit; // that the cells below are in; empty: none
    QString definition;
    QString key;
    bool isNumber = false;
    bool isEditable = false;
    double width = 0.0;
    int order = 0; // 1: rows are sorted by it, smallest first; −1: largest first
    bool operator==(const RunTableHead&) const = default;
};

class RunTableHeads : public RowListModel<RunTableHead> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the table of runs.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit RunTableHeads(QObject* parent = nullptr);
    void setHeads(std::vector<RunTableHead> heads) { setRows(std::move(heads)); }

    // Logical pixels from the table's left.
    [[nodiscard]] int columnAt(double x) const; // −1: none
    Q_INVOKABLE [[nodiscard]] double leftOf(const QString& key) const; // −1: not shown
    Q_INVOKABLE [[nodiscard]] double widthOf(const QString& key) const; // 0: not shown
    Q_INVOKABLE [[nodiscard]] QString editableAt(double x) const; // its key; empty: none
};

struct RunTableRow {
    RunId run;
    QString name;
    QStringList cells;
    QStringList whys; // why a cell has no value
    int colorIndex = -1; // of Theme.seriesColor; −1 while not shown
    bool operator==(const RunTableRow&) const = default;
};

class RunTableModel : public RowListModel<RunTableRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the table of runs.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit RunTableModel(QObject* parent = nullptr);
    // Rows of the same runs as before change in place.
    void setTable(std::vector<RunTableRow> rows);
};

// Content of the table: the columns and rows by their places in runColumns() and among the runs.
struct RunTableView {
    const std::vector<report::RunRecord>* runs = nullptr;
    std::vector<std::size_t> columns;
    std::vector<std::size_t> rows;
    std::size_t sortColumn = 0;
    bool isDescending = false;
};
struct RunTableContent {
    std::vector<RunTableHead> heads;
    std::vector<RunTableRow> rows; // none is shown yet
};
// Numbers of a column have one unit, that of its largest; names are without what all runs share.
RunTableContent tableContent(const RunTableView& view);

} // namespace trainscope::app
