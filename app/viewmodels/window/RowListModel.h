#pragma once
// A list model over a vector of plain rows. Each role is declared once, by its name in QML and what
// it is of a row. Rows that change in place keep their delegates, so that nothing that is read
// jumps. GUI thread.

#include <QAbstractListModel>
#include <QQmlEngine>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace trainscope::app {

// Base of all of them, and the type in QML of one that has no members of its own. A class below it
// makes a property of the number of rows again if QML reads that.
class ListModel : public QAbstractListModel {
    Q_OBJECT
    QML_NAMED_ELEMENT(RowModel)
    QML_UNCREATABLE("Belongs to what lists something.")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int count() const { return rowCount(); }
    [[nodiscard]] bool isThere(int row) const { return row >= 0 && row < count(); }
    // The role of that name; invalid where there is no such row.
    [[nodiscard]] QVariant at(int row, const char* role) const {
        return data(index(row), roleNames().key(role));
    }

Q_SIGNALS:
    void countChanged();
};

template <typename Row>
class RowListModel : public ListModel {
public:
    // `of` is a member of the row, or a function of it.
    struct Role {
        template <typename Of>
        Role(const char* called, Of of)
            : name(called)
            , value([of](const Row& row) { return QVariant::fromValue(std::invoke(of, row)); }) { }
        QByteArray name;
        std::function<QVariant(const Row&)> value;
    };

    // The first of the roles is also what is displayed.
    explicit RowListModel(std::vector<Role> roles, QObject* parent = nullptr)
        : ListModel(parent)
        , m_roles(std::move(roles)) { }

    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

    // Rows that stay keep their delegates (fitRows()); by default those of the same place.
    void setRows(std::vector<Row> rows) {
        setRows(std::move(rows), [](const Row&, const Row&) { return true; });
    }
    template <typename IsSame>
    void setRows(std::vector<Row> rows, const IsSame& isSame) {
        fitRows(rows, isSame);
        for (std::size_t i = 0; i < rows.size(); ++i)
            setRow(i, std::move(rows[i]));
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        const int at = role == Qt::DisplayRole ? 0 : role - kFirstRole;
        if (!checkIndex(index, CheckIndexOption::IndexIsValid) || at < 0
            || at >= static_cast<int>(m_roles.size()))
            return {};
        return m_roles[static_cast<std::size_t>(at)].value(
            m_rows[static_cast<std::size_t>(index.row())]);
    }
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override {
        QHash<int, QByteArray> names;
        for (const auto& role : m_roles)
            names.insert(kFirstRole + static_cast<int>(names.size()), role.name);
        return names;
    }

protected:
    void resetRows(std::vector<Row> rows) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        Q_EMIT countChanged();
    }
    // Makes them as many as `rows`: more or fewer come or go between those that are the same at
    // both ends.
    template <typename IsSame>
    void fitRows(const std::vector<Row>& rows, const IsSame& isSame) {
        const auto least = std::min(std::ssize(m_rows), std::ssize(rows));
        const auto end = m_rows.begin() + least;
        const auto first = std::mismatch(m_rows.begin(), end, rows.begin(), isSame).first;
        const auto rest = end - first;
        const auto last
            = std::mismatch(m_rows.rbegin(), m_rows.rbegin() + rest, rows.rbegin(), isSame).first;
        const auto at = least - (last - m_rows.rbegin());
        if (const auto more = std::ssize(rows) - std::ssize(m_rows); more > 0)
            addRows(static_cast<int>(at), {rows.begin() + at, rows.begin() + at + more});
        else
            eraseRows(static_cast<int>(at), static_cast<int>(-more));
    }
    // One of those there are.
    void setRow(std::size_t at, Row row) {
        if (row == m_rows[at])
            return;
        m_rows[at] = std::move(row);
        rowChanged(static_cast<int>(at));
    }
    void addRows(int first, std::vector<Row> rows) {
        if (rows.empty())
            return;
        beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
        m_rows.insert(m_rows.begin() + first, std::make_move_iterator(rows.begin()),
            std::make_move_iterator(rows.end()));
        endInsertRows();
        Q_EMIT countChanged();
    }
    void eraseRows(int first, int count = 1) {
        if (count == 0)
            return;
        beginRemoveRows({}, first, first + count - 1);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + first + count);
        endRemoveRows();
        Q_EMIT countChanged();
    }
    // For a model that changes its rows in place or moves them, and tells so.
    [[nodiscard]] std::vector<Row>& ownRows() { return m_rows; }
    void rowChanged(int row) { Q_EMIT dataChanged(index(row), index(row)); }

private:
    static constexpr int kFirstRole = Qt::UserRole + 1;

    std::vector<Role> m_roles;
    std::vector<Row> m_rows;
};

} // namespace trainscope::app
