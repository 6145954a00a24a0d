#pragma once
// The frame of a list model over a vector of plain rows: rows that change in place keep their
// delegates, so that nothing that is read jumps. A model derives from it, adds Q_OBJECT, its roles
// and its signal. GUI thread.

#include <QAbstractListModel>

#include <utility>
#include <vector>

namespace trainscope::app {

template <typename Row>
class RowListModel : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

    void setRows(std::vector<Row> rows) {
        if (rows.size() != m_rows.size()) {
            beginResetModel();
            m_rows = std::move(rows);
            endResetModel();
            notifyCount();
            return;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            setRow(i, std::move(rows[i]));
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : count();
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        if (!checkIndex(index, CheckIndexOption::IndexIsValid))
            return {};
        return value(m_rows[static_cast<std::size_t>(index.row())], role);
    }

protected:
    [[nodiscard]] virtual QVariant value(const Row& row, int role) const = 0;
    virtual void notifyCount() = 0;
    // One of those there are.
    void setRow(std::size_t at, Row row) {
        if (row == m_rows[at])
            return;
        m_rows[at] = std::move(row);
        const QModelIndex changed = index(static_cast<int>(at));
        dataChanged(changed, changed);
    }
    // For a model that inserts, removes and moves rows by itself, and tells so.
    [[nodiscard]] std::vector<Row>& ownRows() { return m_rows; }

private:
    std::vector<Row> m_rows;
};

} // namespace trainscope::app
