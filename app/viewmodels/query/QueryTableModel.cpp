#include "app/viewmodels/query/QueryTableModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/window/Theme.h"
#include "core/report/QueryText.h"

#include <QFont>
#include <QFontMetricsF>

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

enum QueryRole { kMissingRole = Qt::UserRole + 1, kFigureRole };

constexpr std::size_t kMeasuredRows = 200; // whose widths decide those of the columns
constexpr double kLeastWidth = 56.0;
constexpr double kMostWidth = 360.0;
constexpr double kCellPadding = 28.0; // with room for the sign of the order
constexpr int kMostCellCharacters = 400;

constexpr int kShownDigits = 12; // of reals; copies and files have all

QString cellText(const store::SqlValue& value) {
    if (value.type == store::SqlValue::Type::Real)
        return decimalText(value.real, 'g', kShownDigits);
    // A character has at most four bytes.
    const std::string text
        = report::plainText(value).substr(0, std::size_t{4} * kMostCellCharacters);
    return shownLine(text).left(kMostCellCharacters);
}

} // namespace

void QueryTableModel::setRows(QueryRowsPtr rows) {
    beginResetModel();
    m_data = std::move(rows);
    m_order.clear();
    m_sortColumn = -1;
    m_isDescending = false;
    measureColumns();
    endResetModel();
    Q_EMIT changed();
}

void QueryTableModel::setOrder(std::vector<std::uint32_t> order, int column, bool isDescending) {
    Q_EMIT layoutAboutToBeChanged();
    m_order = std::move(order);
    m_sortColumn = column;
    m_isDescending = isDescending;
    Q_EMIT layoutChanged();
    Q_EMIT changed();
}

void QueryTableModel::measureColumns() {
    m_widths.clear();
    if (!m_data)
        return;
    QFont font(Theme::instance()->fontFamily());
    font.setPixelSize(Theme::instance()->secondarySize());
    const QFontMetricsF metrics(font);
    for (std::size_t column = 0; column < m_data->columns(); ++column) {
        double width = metrics.horizontalAdvance(shownLine(m_data->names()[column]));
        for (std::size_t row = 0; row < std::min(kMeasuredRows, m_data->rows()); ++row)
            width
                = std::max(width, metrics.horizontalAdvance(cellText(m_data->value(row, column))));
        m_widths.append(std::clamp(width + kCellPadding, kLeastWidth, kMostWidth));
    }
}

QStringList QueryTableModel::heads() const {
    QStringList heads;
    for (int column = 0; column < columnCount(); ++column)
        heads.append(shownLine(m_data->names()[static_cast<std::size_t>(column)]));
    return heads;
}

double QueryTableModel::totalWidth() const {
    double sum = 0.0;
    for (const double width : m_widths)
        sum += width;
    return sum;
}

double QueryTableModel::widthOf(int column) const {
    return column >= 0 && column < m_widths.size() ? m_widths[column] : kLeastWidth;
}

int QueryTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_data ? 0 : static_cast<int>(m_data->rows());
}

int QueryTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_data ? 0 : static_cast<int>(m_data->columns());
}

QVariant QueryTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const std::size_t row = placeOf(index.row());
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return m_data->isNull(row, column) ? QStringLiteral("NULL")
                                           : cellText(m_data->value(row, column));
    case kMissingRole:
        return m_data->isNull(row, column);
    case kFigureRole:
        return m_data->isNumber(row, column);
    default:
        return {};
    }
}

QHash<int, QByteArray> QueryTableModel::roleNames() const {
    return {{Qt::DisplayRole, "display"}, {kMissingRole, "missing"}, {kFigureRole, "figure"}};
}

QString QueryTableModel::text(int first, int count) const {
    if (!m_data)
        return {};
    std::string text = report::tsvLine(m_data->names());
    const int end = std::min(first + count, rowCount());
    for (int row = std::max(first, 0); row < end; ++row)
        text += report::tsvLine(m_data->row(placeOf(row)));
    return QString::fromStdString(text);
}

} // namespace trainscope::app
