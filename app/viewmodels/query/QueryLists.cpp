#include "app/viewmodels/query/QueryLists.h"

#include "app/viewmodels/text/Texts.h"

#include <QJsonObject>

#include <array>
#include <utility>

namespace trainscope::app {
namespace {

struct ExampleText {
    const char* title;
    const char* sql;
};
constexpr std::array<ExampleText, 9> kExamples{{
    {"Mean and peak of every metric, per run",
        R"(SELECT run, metric, sum(mean * seconds) / sum(seconds) AS mean, max(max) AS peak,
       sum(count) AS samples
FROM sample_statistics
GROUP BY run, metric)"},
    {"Hottest GPUs",
        R"(SELECT run, rank, max AS peak_c, mean AS mean_c
FROM sample_statistics
WHERE metric = 'gpu_temperature'
ORDER BY peak_c DESC
LIMIT 20)"},
    {"Power of rank 0 over time",
        R"(SELECT time_ns, value AS power_w
FROM samples
WHERE metric = 'gpu_power' AND rank = 0 AND run = (SELECT min(name) FROM run)
ORDER BY time_ns
LIMIT 50000)"},
    {"Samples above 90 % of a GPU's peak power",
        R"(SELECT s.run, s.rank, count(*) AS samples_above
FROM samples s
JOIN (SELECT run, rank, max(max) AS peak FROM sample_statistics
      WHERE metric = 'gpu_power' GROUP BY run, rank) p
  ON p.run = s.run AND p.rank = s.rank
WHERE s.metric = 'gpu_power' AND s.value > 0.9 * p.peak
GROUP BY s.run, s.rank
ORDER BY samples_above DESC)"},
    {"Kernel time by category and phase",
        R"(SELECT run, category, phase, count(*) AS kernels, sum(duration_ns) / 1e9 AS seconds
FROM spans
WHERE kind = 'kernel'
GROUP BY run, category, phase
ORDER BY seconds DESC)"},
    {"Longest kernels",
        R"(SELECT run, rank, stream, name, category, duration_ns / 1e6 AS ms
FROM spans
WHERE kind = 'kernel'
ORDER BY duration_ns DESC
LIMIT 100)"},
    {"Bandwidth of collectives by communicator",
        R"(SELECT run, category, communicator, count(*) AS calls, sum(bytes) / 1e9 AS gb,
       sum(bytes) / (sum(duration_ns) / 1e9) / 1e9 AS gb_per_s
FROM spans
WHERE kind = 'kernel' AND bytes IS NOT NULL
GROUP BY run, category, communicator
ORDER BY gb DESC)"},
    {"Iterations and their kernel time",
        R"(SELECT run, rank, iteration, sum(duration_ns) / 1e9 AS kernel_s
FROM spans
WHERE kind = 'kernel' AND iteration IS NOT NULL
GROUP BY run, rank, iteration
ORDER BY run, rank, iteration)"},
    {"Runs with their layout",
        R"(SELECT r.name, r.status, r.gpu_count, l.model, l.tensor_parallel AS tp,
       l.pipeline_parallel AS pp, l.data_parallel AS dp, l.micro_batch
FROM run r LEFT JOIN launch l ON l.run = r.id
ORDER BY r.name)"},
}};

const QString kSqlKey = QStringLiteral("sql");
const QString kOutcomeKey = QStringLiteral("outcome");

} // namespace

QueryExampleModel::QueryExampleModel(QObject* parent)
    : RowListModel({{"title", &QueryExample::title}, {"sql", &QueryExample::sql}}, parent) {
    std::vector<QueryExample> rows;
    for (const ExampleText& example : kExamples)
        rows.push_back({textOf(example.title), QString::fromUtf8(example.sql)});
    resetRows(std::move(rows));
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
