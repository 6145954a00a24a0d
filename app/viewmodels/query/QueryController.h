#pragma once
// The view in which people ask the database in SQL: a text, its answer as a table and as a chart of
// two columns, what was asked before, and the tables there are. Queries run on a reader thread and
// can only read; the window keeps as many rows as QueryRows holds, the CSV has all. GUI thread.

#include <QElapsedTimer>
#include <QQmlEngine>
#include <QUrl>

#include "app/viewmodels/query/QueryLists.h"
#include "app/viewmodels/query/QueryRows.h"
#include "app/viewmodels/workspace/DrawnView.h"

namespace trainscope::app {

class QueryController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString editorFont READ editorFont CONSTANT FINAL)
    // Text in the editor; remembered per database.
    Q_PROPERTY(QString sql READ sql WRITE setSql NOTIFY sqlChanged FINAL)
    Q_PROPERTY(trainscope::app::TableModel* table READ table CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ListModel* examples READ examples CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::QueryHistoryModel* history READ history CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::SchemaModel* schema READ schema CONSTANT FINAL)
    Q_PROPERTY(bool answered READ isAnswered NOTIFY stateChanged FINAL) // the table is an answer
    // "1,024 rows · 0.3 s", and what was exported of them or left out of a copy.
    Q_PROPERTY(QString outcome READ outcome NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString cutText READ cutText NOTIFY stateChanged FINAL) // rows are left out
    Q_PROPERTY(bool exporting READ isExporting NOTIFY stateChanged FINAL)

    Q_PROPERTY(bool chartShown READ isChartShown WRITE setChartShown NOTIFY chartChanged FINAL)
    // Settings of the chart while it is shown: its columns, and whether points are joined.
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)

public:
    explicit QueryController(QObject* parent = nullptr);

    [[nodiscard]] static QString editorFont();
    [[nodiscard]] QString sql() const { return m_sql; }
    void setSql(const QString& sql);
    [[nodiscard]] TableModel* table() { return &m_table; }
    [[nodiscard]] ListModel* examples() { return &m_examples; }
    [[nodiscard]] QueryHistoryModel* history() { return &m_history; }
    [[nodiscard]] SchemaModel* schema() { return &m_schema; }
    [[nodiscard]] bool isAnswered() const { return m_rows != nullptr; }
    [[nodiscard]] QString outcome() const;
    [[nodiscard]] QString cutText() const;
    [[nodiscard]] bool isExporting() const { return m_isExporting; }

    // Runs the text in the editor, or its selected part.
    Q_INVOKABLE void run(const QString& sql);
    Q_INVOKABLE void stop();
    Q_INVOKABLE void clearHistory();
    // Rows of the table with its heads, tab-separated; at most kMostCopied.
    Q_INVOKABLE [[nodiscard]] QString textOf(int first, int count) const {
        return m_table.text(first, std::min(count, kMostCopied));
    }
    // The table; the outcome says when that is not all of it.
    Q_INVOKABLE [[nodiscard]] QString text();
    // Asks again and writes every row, as `trainscope-cli query --csv` does. If the file is
    // there already, replaceWanted() asks, unless it `replaces`.
    Q_INVOKABLE void exportCsv(const QUrl& file, bool replaces = false);

    static constexpr int kMostCopied = 100'000;

    [[nodiscard]] bool isChartShown() const { return m_isChartShown; }
    void setChartShown(bool shown);
    [[nodiscard]] SettingListModel* settings() { return &m_settings; }
    Q_INVOKABLE void choose(const QString& key, int choice);

    [[nodiscard]] bool isReady() const override { return m_chart && !m_chart->points.empty(); }
    [[nodiscard]] ExportJob exportJob() const override;

Q_SIGNALS:
    void sqlChanged();
    void chartChanged();
    // Another text came into the editor from outside: a database was opened.
    void sqlRestored();
    void replaceWanted(
        const QUrl& file, const QString& name); // to be answered by exportCsv() with `replaces`

private:
    using Tables = std::vector<store::SqlTable>;
    using Order = std::vector<std::int64_t>;

    void restore() override;
    void forget() override;
    void load() override;
    [[nodiscard]] plot::SheetTexts texts() const override;
    [[nodiscard]] Needs needs() const override { return Needs::Nothing; }
    [[nodiscard]] figures::Figure figure() const override { return chartFigure(m_chart); }
    void readSchema();
    void show(QueryRowsPtr rows);
    void sortBy(int column, bool isDescending);
    void makeChart();
    void remember();

    QString m_sql;
    QString m_asked; // the query that the table answers
    QString m_running;
    double m_seconds = 0.0; // time until the answer
    QString m_written; // report on the last export, or on rows that a copy left out
    QElapsedTimer m_clock;
    QueryRowsPtr m_rows; // rows of the answer
    TableModel m_table;
    RowListModel<QueryExample> m_examples{
        {{"title", &QueryExample::title}, {"sql", &QueryExample::sql}}};
    QueryHistoryModel m_history;
    SchemaModel m_schema;
    bool m_isSchemaKnown = false;
    bool m_isExporting = false;
    bool m_isChartShown = false;
    ChartColumns m_columns; // columns of the table
    SettingListModel m_settings;
    std::shared_ptr<const plot::ColumnChart> m_chart;
    Task<Tables> m_schemaTask{Urgency::Background};
    Task<Order> m_orderTask{Urgency::Pointer};
    Task<std::int64_t> m_exportTask;
};

} // namespace trainscope::app
