#pragma once
// The rows of a query that the window keeps, as many as fit into a fixed room, in columns of small
// cells, each text once; the table of them, which copies nothing: a cell is worded when it is
// shown; and two of their columns as a chart. Filled by one thread, then read by any.

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/figures/Figure.h"
#include "core/plot/figures/ColumnChart.h"

namespace trainscope::app {

class QueryRows {
public:
    // 1,000,000 rows of four columns, and as much text.
    static constexpr std::size_t kMostRows = 1'000'000;
    static constexpr std::size_t kMostCells = 4'000'000; // 64 MB
    static constexpr std::size_t kMostText = std::size_t{64} << 20U;

    QueryRows() = default;
    QueryRows(QueryRows&&) = default;
    QueryRows& operator=(QueryRows&&) = default;
    QueryRows(const QueryRows&) = delete; // m_texts looks into m_places
    QueryRows& operator=(const QueryRows&) = delete;
    ~QueryRows() = default;

    // Begins the rows of another statement; the rows of the last one go.
    void begin(std::vector<std::string> names);
    // false: the room is full, and the row was not taken.
    bool add(const std::vector<store::SqlValue>& values);

    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    [[nodiscard]] std::size_t columns() const { return m_names.size(); }
    [[nodiscard]] std::size_t rows() const { return m_rows; }
    // There were more rows than are kept.
    [[nodiscard]] bool isCut() const { return m_isCut; }

    [[nodiscard]] bool isNull(std::size_t row, std::size_t column) const {
        return at(row, column).type == Type::Null;
    }
    [[nodiscard]] bool isNumber(std::size_t row, std::size_t column) const;
    // NaN for what is no number.
    [[nodiscard]] double number(std::size_t row, std::size_t column) const;
    [[nodiscard]] store::SqlValue value(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::vector<store::SqlValue> row(std::size_t row) const;
    // True for a column with numbers and nothing else but NULL.
    [[nodiscard]] bool isNumeric(std::size_t column) const { return m_numeric[column]; }

    // Places of the rows by a column: numbers before texts, NULL last either way; equal ones stay
    // as they came.
    [[nodiscard]] std::vector<std::uint32_t> sorted(std::size_t column, bool isDescending) const;

private:
    using Type = store::SqlValue::Type;
    struct Cell {
        union {
            std::int64_t integer = 0;
            double real;
            std::uint64_t text; // place in m_texts
        };
        Type type = Type::Null;
    };
    [[nodiscard]] bool isLess(const Cell& a, const Cell& b) const;
    [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
        return m_cells[row * m_names.size() + column];
    }
    std::uint64_t placeOf(const std::string& text);

    std::vector<std::string> m_names;
    std::vector<bool> m_numeric;
    std::vector<Cell> m_cells; // row by row
    std::size_t m_rows = 0;
    std::vector<std::string_view> m_texts; // keys of m_places
    std::unordered_map<std::string, std::uint64_t> m_places;
    std::size_t m_textBytes = 0;
    bool m_isCut = false;
};

using QueryRowsPtr = std::shared_ptr<const QueryRows>;

// nullptr: nothing is known.
TableContent queryContent(const QueryRowsPtr& rows);

struct ChartColumns {
    int x = -1;
    int y = -1;
    bool isLine = false;
    bool operator==(const ChartColumns&) const = default;
};

// The first two columns of numbers, a line where x ascends as time does; −1 where there are none.
ChartColumns usualColumns(const QueryRows& rows);

// The columns as settings, where there are two of numbers at least.
using ChartSettingList = SettingList<ChartColumns, QueryRowsPtr>;
const ChartSettingList& chartSettings();

// Rows without a number in one of the columns are left out, and so are those beyond what a chart
// shows. Times in nanoseconds since the epoch become seconds since the first.
plot::ColumnChart columnChart(const QueryRows& rows, const ChartColumns& columns);

figures::Figure chartFigure(const std::shared_ptr<const plot::ColumnChart>& chart);

} // namespace trainscope::app
