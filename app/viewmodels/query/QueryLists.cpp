#include "app/viewmodels/query/QueryLists.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

namespace trainscope::app {
namespace {

const QString kSqlKey = QStringLiteral("sql");
const QString kOutcomeKey = QStringLiteral("outcome");

} // namespace

std::vector<QueryExample> queryExamples() {
    const auto table = queryTable();
    const auto json
        = QJsonDocument::fromJson(QByteArray(table.data(), static_cast<qsizetype>(table.size())));
    std::vector<QueryExample> examples;
    for (const auto& one : json.array()) {
        QStringList lines;
        for (const auto& line : one.toObject().value(kSqlKey).toArray())
            lines.append(line.toString());
        examples.push_back({one.toObject().value(QLatin1String("title")).toString(),
            lines.join(QLatin1Char('\n'))});
    }
    return examples;
}

QueryHistoryModel::QueryHistoryModel(QObject* parent)
    : RowListModel(
        {{"line", &PastQuery::line}, {"sql", &PastQuery::sql}, {"outcome", &PastQuery::outcome}},
        parent) { }

void QueryHistoryModel::add(const PastQuery& past) {
    std::vector<PastQuery> kept{past};
    for (const PastQuery& one : rows()) {
        if (one.sql != past.sql && kept.size() < kKept)
            kept.push_back(one);
    }
    resetRows(std::move(kept));
}

QJsonArray QueryHistoryModel::encoded() const {
    QJsonArray json;
    for (const PastQuery& one : rows())
        json.append(QJsonObject{{kSqlKey, one.sql}, {kOutcomeKey, one.outcome}});
    return json;
}

void QueryHistoryModel::restore(const QJsonArray& json) {
    std::vector<PastQuery> kept;
    for (const auto& one : json) {
        const auto object = one.toObject();
        const QString sql = object.value(kSqlKey).toString();
        if (!sql.isEmpty() && kept.size() < kKept)
            kept.push_back({sql, object.value(kOutcomeKey).toString()});
    }
    resetRows(std::move(kept));
}

SchemaModel::SchemaModel(QObject* parent)
    : RowListModel({{"name", &SchemaLine::name}, {"table", &SchemaLine::table},
                       {"isTable", &SchemaLine::isTable}, {"type", &SchemaLine::type},
                       {"help", &SchemaLine::help}, {"open", &SchemaLine::open}},
        parent) { }

void SchemaModel::setTables(const std::vector<store::SqlTable>& tables) {
    m_tables.clear();
    m_open.clear();
    for (const store::SqlTable& table : tables) {
        if (table.help.empty())
            continue;
        m_tables.push_back(table);
        if (table.isVirtual)
            m_open.insert(table.name);
    }
    show();
}

void SchemaModel::toggle(int row) {
    if (!isThere(row))
        return;
    const std::string table = rows()[static_cast<std::size_t>(row)].table.toStdString();
    if (m_open.erase(table) == 0)
        m_open.insert(table);
    show();
}

void SchemaModel::show() {
    std::vector<SchemaLine> lines;
    for (const store::SqlTable& table : m_tables) {
        const QString name = QString::fromStdString(table.name);
        const bool isOpen = m_open.contains(table.name);
        lines.push_back({name, {}, {}, QString::fromStdString(table.help), isOpen});
        for (const auto& column : table.columns) {
            if (isOpen)
                lines.push_back(
                    {name, QString::fromStdString(column.name), QString::fromStdString(column.type),
                        QString::fromStdString(column.help), false});
        }
    }
    setRows(std::move(lines));
}

} // namespace trainscope::app
