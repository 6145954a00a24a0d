#include "app/viewmodels/query/QueryJobs.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/catalogue/Tables.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/report/QueryText.h"

#include <QDir>
#include <QSaveFile>

#include <utility>

namespace trainscope::app {
namespace {

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

} // namespace

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

} // namespace trainscope::app
