#pragma once
// The rows of a query as a table for QML, in the order that the user chose. Nothing is copied: a
// cell is worded when it is shown. GUI thread.

#include <QAbstractTableModel>
#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/query/QueryRows.h"

#include <memory>
#include <vector>

namespace trainscope::app {

using QueryRowsPtr = std::shared_ptr<const QueryRows>;

class QueryTableModel : public QAbstractTableModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the query.")
    Q_PROPERTY(QStringList heads READ heads NOTIFY changed FINAL)
    Q_PROPERTY(QList<double> widths READ widths NOTIFY changed FINAL) // of the columns, pixels
    Q_PROPERTY(double totalWidth READ totalWidth NOTIFY changed FINAL)
    Q_PROPERTY(int rows READ rows NOTIFY changed FINAL)
    Q_PROPERTY(int sortColumn READ sortColumn NOTIFY changed FINAL) // −1: as they came
    Q_PROPERTY(bool descending READ isDescending NOTIFY changed FINAL)

public:
    using QAbstractTableModel::QAbstractTableModel;

    // nullptr: nothing is known.
    void setRows(QueryRowsPtr rows);
    void setOrder(std::vector<std::uint32_t> order, int column, bool isDescending);
    [[nodiscard]] const QueryRowsPtr& kept() const { return m_data; }

    [[nodiscard]] QStringList heads() const;
    [[nodiscard]] QList<double> widths() const { return m_widths; }
    [[nodiscard]] double totalWidth() const;
    [[nodiscard]] int rows() const { return rowCount(); }
    [[nodiscard]] int sortColumn() const { return m_sortColumn; }
    [[nodiscard]] bool isDescending() const { return m_isDescending; }
    Q_INVOKABLE [[nodiscard]] double widthOf(int column) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    // "display"; "missing": it is NULL; "figure": it is a number.
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    // Tab-separated with the names of the columns; rows of the table, [first, first + count).
    [[nodiscard]] QString text(int first, int count) const;

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] std::size_t placeOf(int row) const {
        const auto at = static_cast<std::size_t>(row);
        return m_order.empty() ? at : m_order[at];
    }
    void measureColumns();

    QueryRowsPtr m_data;
    std::vector<std::uint32_t> m_order; // empty: as they came
    int m_sortColumn = -1;
    bool m_isDescending = false;
    QList<double> m_widths;
};

} // namespace trainscope::app
