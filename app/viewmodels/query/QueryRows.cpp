#include "app/viewmodels/query/QueryRows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace trainscope::app {
namespace {

constexpr std::size_t kTextOverhead = 64; // bytes per text in its table

} // namespace

void QueryRows::begin(std::vector<std::string> names) {
    *this = {};
    m_numeric.assign(names.size(), true);
    m_names = std::move(names);
}

bool QueryRows::add(const std::vector<store::SqlValue>& values) {
    m_isCut = m_rows >= kMostRows || m_cells.size() + values.size() > kMostCells
        || m_textBytes > kMostText;
    if (m_isCut)
        return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Cell& cell = m_cells.emplace_back();
        cell.type = values[i].type;
        if (cell.type == Type::Integer)
            cell.integer = values[i].integer;
        else if (cell.type == Type::Real)
            cell.real = values[i].real;
        else if (cell.type != Type::Null)
            cell.text = placeOf(values[i].text);
        m_numeric[i] = m_numeric[i] && cell.type != Type::Text && cell.type != Type::Blob;
    }
    ++m_rows;
    return true;
}

std::uint64_t QueryRows::placeOf(const std::string& text) {
    const auto [place, isNew] = m_places.try_emplace(text, m_texts.size());
    if (isNew) {
        m_texts.push_back(place->first);
        m_textBytes += text.size() + kTextOverhead;
    }
    return place->second;
}

bool QueryRows::isNull(std::size_t row, std::size_t column) const {
    return at(row, column).type == Type::Null;
}

bool QueryRows::isNumber(std::size_t row, std::size_t column) const {
    const Type type = at(row, column).type;
    return type == Type::Integer || type == Type::Real;
}

double QueryRows::number(std::size_t row, std::size_t column) const {
    const Cell& cell = at(row, column);
    if (cell.type == Type::Integer)
        return static_cast<double>(cell.integer);
    return cell.type == Type::Real ? cell.real : std::numeric_limits<double>::quiet_NaN();
}

store::SqlValue QueryRows::value(std::size_t row, std::size_t column) const {
    const Cell& cell = at(row, column);
    store::SqlValue value;
    value.type = cell.type;
    if (cell.type == Type::Integer)
        value.integer = cell.integer;
    else if (cell.type == Type::Real)
        value.real = cell.real;
    else if (cell.type != Type::Null)
        value.text = m_texts[cell.text];
    return value;
}

std::vector<store::SqlValue> QueryRows::row(std::size_t row) const {
    std::vector<store::SqlValue> values;
    for (std::size_t column = 0; column < columns(); ++column)
        values.push_back(value(row, column));
    return values;
}

// Neither is NULL.
bool QueryRows::isLess(const Cell& a, const Cell& b) const {
    const auto isText
        = [](const Cell& cell) { return cell.type == Type::Text || cell.type == Type::Blob; };
    const auto real = [](const Cell& cell) {
        return cell.type == Type::Integer ? static_cast<double>(cell.integer) : cell.real;
    };
    if (isText(a) != isText(b))
        return isText(b);
    if (isText(a))
        return m_texts[a.text] < m_texts[b.text];
    if (a.type == Type::Integer && b.type == Type::Integer)
        return a.integer < b.integer;
    return real(a) < real(b);
}

std::vector<std::uint32_t> QueryRows::sorted(std::size_t column, bool isDescending) const {
    std::vector<std::uint32_t> order(m_rows);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
        const Cell& a = at(left, column);
        const Cell& b = at(right, column);
        if (a.type == Type::Null || b.type == Type::Null)
            return a.type != Type::Null && b.type == Type::Null;
        return isDescending ? isLess(b, a) : isLess(a, b);
    });
    return order;
}

} // namespace trainscope::app
