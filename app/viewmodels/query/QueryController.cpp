#include "app/viewmodels/query/QueryController.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/catalogue/Tables.h"
#include "core/model/InteractiveThread.h"
#include "core/report/QueryText.h"

#include <QFileInfo>
#include <QFontDatabase>
#include <QSaveFile>

namespace trainscope::app {
namespace {

// Jobs of the view of queries on a reader thread: ask for the rows that the window keeps, write all
// of them to a file, and list the tables.

using analysis::KernelCategories;

// Rows so far, in words for the progress.
class RowCount {
public:
    explicit RowCount(const Progress& progress)
        : m_progress(progress) { }

    void add() { ++m_rows; }
    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    bool goOn() {
        if (!m_progress)
            return true;
        if (m_rows != m_told) {
            m_told = m_rows;
            m_text = QStringLiteral("%1 rows").arg(wholeText(m_rows)).toStdString();
        }
        return m_progress({m_text, 0, 0});
    }

private:
    const Progress& m_progress;
    std::int64_t m_rows = 0;
    std::int64_t m_told = -1;
    std::string m_text;
};

Result<store::QueryOptions> optionsFor(
    const store::Store& store, const Progress& progress, std::function<bool()> proceed) {
    ASSIGN_OR_RETURN(auto categories, KernelCategories::fromFolder(catalogue::configFolder()));
    return store::QueryOptions{
        analysis::spanColumns(store, std::move(categories), progress), std::move(proceed)};
}

Error notWritten(const QSaveFile& file) {
    return {ErrorCode::Io,
        "The file cannot be written (" + file.errorString().toStdString()
            + "); nothing was changed. Choose another folder.",
        file.fileName().toStdString()};
}

// The rows of the last statement, as many as are kept. progress tells how many there are so far.
Result<std::shared_ptr<const QueryRows>> readRows(
    const store::Store& store, const std::string& sql, const Progress& progress) {
    RowCount count(progress);
    ASSIGN_OR_RETURN(
        const auto options, optionsFor(store, progress, [&count] { return count.goOn(); }));
    auto rows = std::make_shared<QueryRows>();
    RETURN_IF_ERROR(store::query(
        store, sql, [&rows](const std::vector<std::string>& names) { rows->begin(names); },
        [&](const std::vector<store::SqlValue>& values) {
            count.add();
            return rows->add(values);
        },
        options));
    return std::shared_ptr<const QueryRows>(std::move(rows));
}

// Every row, as the command line writes them; the file appears whole or not at all. Gives the
// number of rows.
Result<std::int64_t> writeRows(const store::Store& store, const std::string& sql,
    const QString& path, const Progress& progress) {
    assertMayBlock("writes a file");
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return notWritten(file);
    RowCount count(progress);
    ASSIGN_OR_RETURN(
        const auto options, optionsFor(store, progress, [&count] { return count.goOn(); }));
    bool isGood = true;
    const auto write = [&file, &isGood](const std::string& line) {
        const auto size = static_cast<qint64>(line.size());
        isGood = isGood && file.write(line.data(), size) == size;
        return isGood;
    };
    RETURN_IF_ERROR(store::query(
        store, sql,
        [&write](const std::vector<std::string>& names) { write(report::csvLine(names)); },
        [&](const std::vector<store::SqlValue>& values) {
            count.add();
            return write(report::csvLine(values));
        },
        options));
    if (!isGood || !file.commit())
        return notWritten(file);
    return count.rows();
}

// The rows that the window keeps, in the same form.
std::string rowsCsv(const QueryRows& rows) {
    std::string csv = report::csvLine(rows.names());
    for (std::size_t row = 0; row < rows.rows(); ++row)
        csv += report::csvLine(rows.row(row));
    return csv;
}

Result<std::vector<store::SqlTable>> readTables(const store::Store& store) {
    ASSIGN_OR_RETURN(const auto options, optionsFor(store, {}, {}));
    return store::sqlTables(store, options);
}

const QString kTextKey = QStringLiteral("sql");
const QString kPastKey = QStringLiteral("history");
const QString kChartKey = QStringLiteral("chart");
constexpr std::int64_t kInTheWay = -1; // instead of rows: the file is there already

QString writtenText(std::int64_t rows, const QString& file) {
    return QStringLiteral("%1 written to %2").arg(countedText(rows, "row"), file);
}

} // namespace

QueryController::QueryController(QObject* parent)
    : DrawnView(false, parent) {
    m_examples.setRows(queryExamples());
    connect(&m_table, &TableModel::sortWanted, this, &QueryController::sortBy);
}

QString QueryController::editorFont() {
    return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

void QueryController::restore() {
    const QJsonObject saved = savedSettings(Views::Query);
    m_sql = saved.value(kTextKey).toString();
    m_history.restore(saved.value(kPastKey).toArray());
    m_isChartShown = saved.value(kChartKey).toBool();
    Q_EMIT sqlChanged();
    Q_EMIT sqlRestored();
    Q_EMIT chartChanged();
}

void QueryController::remember() {
    saveSettings(Views::Query,
        {{kTextKey, m_sql}, {kPastKey, m_history.encoded()}, {kChartKey, m_isChartShown}});
}

void QueryController::setSql(const QString& sql) {
    if (sql == std::exchange(m_sql, sql))
        return;
    remember();
    Q_EMIT sqlChanged();
}

void QueryController::forget() {
    m_schemaTask.cancel();
    m_isSchemaKnown = false;
    m_exportTask.cancel();
    m_isExporting = false;
    m_asked.clear();
    show(nullptr);
}

// Nothing is asked before the user says so; the tables are listed when the view is seen.
void QueryController::load() {
    if (workspace() != nullptr && isActive() && !m_isSchemaKnown)
        readSchema();
}

void QueryController::readSchema() {
    m_schemaTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<Tables>&) { return readTables(store); },
        [this](Result<Tables> tables) {
            if (!tables.hasValue()) {
                if (views() != nullptr)
                    views()->report(tables.error());
                return;
            }
            m_isSchemaKnown = true;
            m_schema.setTables(tables.value());
        });
}

void QueryController::run(const QString& sql) {
    if (workspace() == nullptr || sql.trimmed().isEmpty())
        return;
    m_running = sql;
    m_clock.start();
    read<QueryRowsPtr>(
        {},
        [text = sql.toStdString()](const store::Store& store, const Progress& progress) {
            return readRows(store, text, progress);
        },
        [this](QueryRowsPtr rows) {
            m_seconds = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
            m_asked = m_running;
            show(std::move(rows));
            m_history.add({m_asked, outcome()});
            remember();
        });
}

void QueryController::stop() {
    m_exportTask.cancel();
    m_isExporting = false;
    cancel();
    Q_EMIT stateChanged();
}

void QueryController::clearHistory() {
    const QJsonArray was = m_history.encoded();
    m_history.clear();
    remember();
    views()->offerUndo(QStringLiteral("The history was cleared."), this, [this, was] {
        QJsonArray all = m_history.encoded();
        for (const auto& past : was)
            all.append(past);
        m_history.restore(all);
        remember();
    });
}

void QueryController::show(QueryRowsPtr rows) {
    m_orderTask.cancel();
    m_written.clear();
    const bool isSameShape = rows && m_rows && rows->names() == m_rows->names();
    m_rows = std::move(rows);
    m_table.show(queryContent(m_rows));
    if (!m_rows)
        m_columns = {};
    else if (!isSameShape || m_columns.x < 0 || m_columns.y < 0)
        m_columns = usualColumns(*m_rows);
    makeChart();
}

void QueryController::sortBy(int column, bool isDescending) {
    if (!m_rows || workspace() == nullptr)
        return;
    m_orderTask.cancel();
    if (column < 0)
        return m_table.setOrder(rowsInOrder(m_rows->rows()), column, isDescending);
    m_orderTask.ask(
        workspace()->readers(),
        [rows = m_rows, column, isDescending](
            const store::Store&, const TaskStage<Order>&) -> Result<Order> {
            const auto order = rows->sorted(static_cast<std::size_t>(column), isDescending);
            return Order(order.begin(), order.end());
        },
        [this, rows = m_rows, column, isDescending](Result<Order> order) {
            if (order.hasValue() && rows == m_rows)
                m_table.setOrder(std::move(order).value(), column, isDescending);
        });
}

QString QueryController::text() {
    const bool isCut = m_rows && m_rows->rows() > static_cast<std::size_t>(kMostCopied);
    m_written = isCut ? QStringLiteral("only the first %1 copied, Export CSV writes all")
                            .arg(wholeText(kMostCopied))
                      : QString();
    Q_EMIT stateChanged();
    return textOf(0, kMostCopied);
}

QString QueryController::outcome() const {
    const auto& rows = m_rows;
    if (!rows)
        return {};
    const auto count = static_cast<std::int64_t>(rows->rows());
    const QString words
        = rows->columns() == 0 ? QStringLiteral("No answer") : countedText(count, "row");
    const QString answer = QStringLiteral("%1 · %2").arg(
        words, durationText({static_cast<std::int64_t>(m_seconds * 1e9)}));
    return m_written.isEmpty() ? answer : QStringLiteral("%1 · %2").arg(answer, m_written);
}

QString QueryController::cutText() const {
    const auto& rows = m_rows;
    if (!rows || !rows->isCut())
        return {};
    return QStringLiteral(
        "There are more rows than the window keeps: these are the first %1. Export CSV "
        "writes all of them.")
        .arg(wholeText(static_cast<std::int64_t>(rows->rows())));
}

void QueryController::exportCsv(const QUrl& file, bool replaces) {
    if (workspace() == nullptr || m_asked.isEmpty())
        return;
    const QString path = file.toLocalFile();
    m_isExporting = true;
    m_written.clear();
    Q_EMIT stateChanged();
    m_exportTask.ask(
        workspace()->readers(),
        [path, replaces, text = m_asked.toStdString()](const store::Store& store,
            const TaskStage<std::int64_t>& stage) -> Result<std::int64_t> {
            if (!replaces && QFileInfo::exists(path))
                return kInTheWay;
            return writeRows(store, text, path, stage.progress());
        },
        [this, file, path](Result<std::int64_t> rows) {
            m_isExporting = false;
            if (rows.hasValue() && rows.value() == kInTheWay)
                Q_EMIT replaceWanted(file, shownLine(QFileInfo(path).fileName()));
            else if (rows.hasValue())
                m_written = writtenText(rows.value(), shownLine(QFileInfo(path).fileName()));
            else if (views() != nullptr)
                views()->report(rows.error());
            Q_EMIT stateChanged();
        });
}

void QueryController::setChartShown(bool shown) {
    if (shown == std::exchange(m_isChartShown, shown))
        return;
    remember();
    makeChart();
}

void QueryController::choose(const QString& key, int choice) {
    m_columns = chartSettings().with(m_columns, m_rows, key, choice);
    makeChart();
}

void QueryController::makeChart() {
    m_settings.setRows(
        m_isChartShown ? chartSettings().rows(m_columns, m_rows) : std::vector<SettingRow>());
    m_chart.reset();
    if (m_rows && m_isChartShown)
        m_chart = std::make_shared<const plot::ColumnChart>(columnChart(*m_rows, m_columns));
    Q_EMIT chartChanged();
    pictureChanged();
}

plot::SheetTexts QueryController::texts() const {
    plot::SheetTexts texts = textsOf(m_chart);
    if (m_isChartShown && isAnswered() && !isReady())
        texts.emptyText = "A chart needs two columns of numbers.";
    return texts;
}

// The picture is the chart; the numbers are the rows, where the window keeps all of them.
ExportJob QueryController::exportJob() const {
    const QueryRowsPtr rows = m_rows;
    if (!rows)
        return {};
    figures::Figure shown;
    if (isReady())
        shown = figure();
    shown.csv = [rows] { return rowsCsv(*rows); };
    ExportJob job;
    job.name = Views::keyOf(Views::Query);
    job.figure = [shown, cut = cutText()](
                     const figures::Request& request, const Progress&) -> Result<figures::Figure> {
        if (request.numbers && !cut.isEmpty())
            return Error{ErrorCode::Usage, cut.toStdString(), {}};
        return shown;
    };
    return job;
}

} // namespace trainscope::app
