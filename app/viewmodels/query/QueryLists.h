#pragma once
// The lists beside the editor: examples, what was asked before, and the tables with their columns.
// GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "core/store/Query.h"

#include <QJsonArray>
#include <QQmlEngine>

#include <set>

namespace trainscope::app {

struct QueryExample {
    QString title;
    QString sql;
    bool operator==(const QueryExample&) const = default;
};

// resources/queries.json, and the examples in it.
std::string_view queryTable();
std::vector<QueryExample> queryExamples();

struct PastQuery {
    QString sql;
    QString outcome; // "1,024 rows · 0.3 s"
    [[nodiscard]] QString line() const { return sql.simplified(); }
    bool operator==(const PastQuery&) const = default;
};

// Newest first, each text once.
class QueryHistoryModel : public RowListModel<PastQuery> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    static constexpr std::size_t kKept = 50;

    explicit QueryHistoryModel(QObject* parent = nullptr);
    void add(const PastQuery& past);
    void clear() { resetRows({}); }
    [[nodiscard]] QJsonArray encoded() const;
    void restore(const QJsonArray& json);
};

struct SchemaLine {
    QString table;
    QString column; // empty: the line is the table's
    QString type;
    QString help;
    bool open = false; // the table's columns are shown
    [[nodiscard]] QString name() const { return column.isEmpty() ? table : column; }
    [[nodiscard]] bool isTable() const { return column.isEmpty(); }
    bool operator==(const SchemaLine&) const = default;
};

// Tables with the columns of those that are open.
class SchemaModel : public RowListModel<SchemaLine> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit SchemaModel(QObject* parent = nullptr);
    // Those that say what their rows are; the virtual ones are open at first.
    void setTables(const std::vector<store::SqlTable>& tables);
    // Folds and unfolds the table of the line.
    Q_INVOKABLE void toggle(int row);

private:
    void show();

    std::vector<store::SqlTable> m_tables;
    std::set<std::string> m_open;
};

} // namespace trainscope::app
