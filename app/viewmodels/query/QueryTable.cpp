#include "app/viewmodels/query/QueryTable.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/window/Theme.h"
#include "core/report/QueryText.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {
namespace {

constexpr std::size_t kMeasuredRows = 200; // their widths decide those of the columns
constexpr double kLeastWidth = 56.0;
constexpr double kMostWidth = 360.0;
constexpr double kCellPadding = 28.0; // with room for the sign of the order
constexpr int kMostCellCharacters = 400;
constexpr int kShownDigits = 12; // for reals; copies and files have all

QString queryCell(const store::SqlValue& value) {
    if (value.type == store::SqlValue::Type::Null)
        return QStringLiteral("NULL");
    if (value.type == store::SqlValue::Type::Real)
        return decimalText(value.real, 'g', kShownDigits);
    // A character has at most four bytes.
    const std::string text
        = report::plainText(value).substr(0, std::size_t{4} * kMostCellCharacters);
    return shownLine(text).left(kMostCellCharacters);
}

// The rows of a column of numbers that have its least and its greatest, which are the widest.
std::vector<std::size_t> extremeRows(const QueryRows& rows, std::size_t column) {
    std::optional<std::size_t> least;
    std::optional<std::size_t> greatest;
    for (std::size_t row = 0; rows.isNumeric(column) && row < rows.rows(); ++row) {
        if (rows.isNull(row, column))
            continue;
        const double value = rows.number(row, column);
        if (!least || value < rows.number(*least, column))
            least = row;
        if (!greatest || value > rows.number(*greatest, column))
            greatest = row;
    }
    return least ? std::vector{*least, *greatest} : std::vector<std::size_t>();
}

TableHead queryHead(const QueryRows& rows, std::size_t column) {
    TableHead head;
    head.title = shownLine(rows.names()[column]);
    head.isNumber = rows.isNumeric(column);
    QStringList texts{head.title};
    for (std::size_t row = 0; row < std::min(kMeasuredRows, rows.rows()); ++row)
        texts.push_back(queryCell(rows.value(row, column)));
    for (const std::size_t row : extremeRows(rows, column))
        texts.push_back(queryCell(rows.value(row, column)));
    head.width = std::clamp(widestOf(texts, Theme::instance()->secondarySize()) + kCellPadding,
        kLeastWidth, kMostWidth);
    return head;
}

TableRow queryRow(const QueryRows& rows, std::size_t at) {
    TableRow row;
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        row.cells.push_back(queryCell(rows.value(at, column)));
        row.missing.push_back(rows.isNull(at, column));
    }
    row.name = row.cells.value(0);
    row.spoken = row.cells.mid(1).join(QStringLiteral(", "));
    return row;
}

text::Table copiedRows(const QueryRows& rows, const std::vector<std::int64_t>& places) {
    text::Table table;
    for (const std::string& name : rows.names())
        table.columns.push_back({name});
    for (const std::int64_t place : places) {
        std::vector<text::Cell> cells;
        for (const auto& value : rows.row(static_cast<std::size_t>(place)))
            cells.emplace_back(report::plainText(value));
        table.add(std::move(cells));
    }
    return table;
}

} // namespace

TableContent queryContent(const QueryRowsPtr& rows) {
    TableContent content;
    content.isOther = true;
    if (!rows)
        return content;
    for (std::size_t column = 0; column < rows->columns(); ++column)
        content.heads.push_back(queryHead(*rows, column));
    content.rows = rowsInOrder(rows->rows());
    content.canBeUnsorted = true;
    content.row = [rows](std::int64_t at) { return queryRow(*rows, static_cast<std::size_t>(at)); };
    content.copied = [rows](const auto& places) { return copiedRows(*rows, places); };
    return content;
}

} // namespace trainscope::app
