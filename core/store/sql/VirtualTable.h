#pragma once
// The part that read-only virtual tables of SQLite share: which constraints and orders are handed
// down, errors, and no exception across the C interface. A table is its columns and a RowSource.

#include "core/store/Query.h"
#include "core/store/database/Database.h"

struct sqlite3_context;

namespace trainscope::store {

// A condition `column op value` of a query on a virtual table, as SQLite hands it down. Equality is
// exact; what is left by other comparisons may be more than they allow, and SQLite compares again.
enum class Comparison { Equal, Greater, GreaterOrEqual, Less, LessOrEqual };

struct Constraint {
    int column = 0;
    Comparison op = Comparison::Equal;
    // One; several of `column IN (…)`, of which one has to be equal. For columns of numbers a text
    // that is a number is that number already.
    std::vector<SqlValue> values;
};

// The whole number that equality asks of the column; absent without one.
std::optional<std::int64_t> numberAsked(const std::vector<Constraint>& constraints, int column);

// False where equality on that column rules the value out; on a column of text, equality with text.
bool admits(const std::vector<Constraint>& constraints, int column, std::int64_t value);
bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value);

// The half-open range that the constraints on a column of integers leave; the largest integer is
// never in it.
struct IntegerRange {
    std::int64_t begin = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool isEmpty() const { return begin >= end; }
    [[nodiscard]] bool contains(std::int64_t value) const { return value >= begin && value < end; }
};
IntegerRange integerRangeOf(const std::vector<Constraint>& constraints, int column);

// The closed range that they leave of a column of reals.
struct RealRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool isAsked = false; // then missing values are out

    [[nodiscard]] bool isEmpty() const { return low > high; }
    [[nodiscard]] bool contains(double value) const { return value >= low && value <= high; }
};
RealRange realRangeOf(const std::vector<Constraint>& constraints, int column);

// Rows come by this column; a column by which they all come the same way.
struct OrderTerm {
    int column = 0;
    bool isDescending = false;
};

// One pass, as SQLite has planned it.
struct Scan {
    std::vector<Constraint> constraints;
    std::vector<OrderTerm> order; // to be kept
    std::uint64_t columns = 0; // columns asked for, a bit each

    [[nodiscard]] bool uses(int column) const { return (columns >> column & 1U) != 0; }
};

// The rows of a pass, a block after the other; within a block a step is an addition.
class RowSource {
public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    // Goes to the first block.
    virtual Status start(const Scan& scan) = 0;
    // Goes to the next block, which is not empty unless it is the end.
    virtual Status nextBlock() = 0;
    // Puts the value of a column of the row into the context, or a failure.
    virtual void column(int index, sqlite3_context* into) = 0;
    // The number of a row, its own and the same in every pass: by it SQLite knows the rows that
    // several passes of one statement (for OR) give twice.
    [[nodiscard]] virtual std::int64_t rowId() const = 0;

    // False: the block is over.
    bool step() { return ++m_row < m_rows; }
    [[nodiscard]] bool isAtEnd() const { return m_row >= m_rows; }

protected:
    void enterBlock(std::size_t rows) {
        m_row = 0;
        m_rows = rows;
    }
    [[nodiscard]] std::size_t row() const { return m_row; }

private:
    std::size_t m_row = 0; // in the block
    std::size_t m_rows = 0;
};

// By what a table can be narrowed: nothing; equality, which SQLite checks again; equality with a
// value or one of a list; any comparison, which SQLite checks again.
enum class Narrowing { None, Hint, Equal, Range };

struct VirtualColumn {
    enum class Type { Text, Integer, Real } type = Type::Text;
    std::string name;
    Narrowing narrowing = Narrowing::None;
    std::string help; // for people
    bool isArgument
        = false; // an argument of the table as a function, in their order; behind all others
};

constexpr auto namesOf(VirtualColumn::Type) {
    return enumNames("TEXT", "INTEGER", "REAL");
}

struct TableDefinition {
    std::string name;
    std::string help; // one row in words
    std::vector<VirtualColumn> columns;
    // True where rows can come in that order.
    std::function<bool(const std::vector<OrderTerm>&)> keepsOrder;
    std::function<std::unique_ptr<RowSource>(Database&)> open;
};

// Makes the table known to a connection, available at once under its name; its rows are read
// through `database`, the same connection or another, which must outlive its use.
Status addVirtualTable(sqlite3* connection, Database& database, TableDefinition definition);

// True for an order by columns that are the same throughout a part of the table (a series, a
// track), and within a single part by time: such parts have only to be sorted.
struct PartColumns {
    std::vector<int> columns; // they tell the parts apart
    int id = 0; // one of these; no two parts have it in common
    int time = 0;
};
bool isOrderOfParts(const std::vector<OrderTerm>& order, const PartColumns& parts);

// The values that all rows of a part have in common, by column; empty where each row has its own.
// Texts live as long as the connection.
inline constexpr std::size_t kPartColumns = 16;
using PartCells = std::array<SqlCell, kPartColumns>;
// False where equality rules out one of the cells.
bool admits(const std::vector<Constraint>& constraints, const PartCells& cells);
// True where part `a` comes before `b`.
bool comesBefore(const PartCells& a, const PartCells& b, const std::vector<OrderTerm>& order);

// The parts of a table, each with its `cells`, found by their numbers: a join asks for one after
// the other.
template <typename Part>
class PartIndex {
public:
    // `columns`: those of whole numbers that parts are found by.
    explicit PartIndex(std::vector<int> columns)
        : m_columns(std::move(columns)) { }

    void add(Part part) {
        for (const int column : m_columns) {
            const auto number
                = std::get<std::int64_t>(part.cells[static_cast<std::size_t>(column)]);
            m_places.emplace(std::pair(column, number), m_parts.size());
        }
        m_parts.push_back(std::move(part));
    }
    // Those that the constraints leave, in that order.
    [[nodiscard]] std::vector<const Part*> select(
        const std::vector<Constraint>& asked, const std::vector<OrderTerm>& order) const {
        std::vector<const Part*> parts;
        const auto look = [&](const Part& part) {
            if (admits(asked, part.cells))
                parts.push_back(&part);
        };
        const auto column = std::ranges::find_if(
            m_columns, [&asked](int one) { return numberAsked(asked, one).has_value(); });
        if (column == m_columns.end()) {
            std::ranges::for_each(m_parts, look);
        } else {
            const auto [first, last]
                = m_places.equal_range({*column, *numberAsked(asked, *column)});
            std::for_each(first, last, [&](const auto& place) { look(m_parts[place.second]); });
        }
        std::ranges::stable_sort(parts, [&order](const Part* a, const Part* b) {
            return comesBefore(a->cells, b->cells, order);
        });
        return parts;
    }

private:
    std::vector<int> m_columns;
    std::vector<Part> m_parts;
    std::multimap<std::pair<int, std::int64_t>, std::size_t> m_places;
};

// The number of a row by the series or track it is of and its place there, which is below 2^34.
constexpr std::int64_t rowIdOf(std::int64_t part, std::int64_t place) {
    constexpr unsigned placeBits = 34;
    return static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(part) << placeBits) + static_cast<std::uint64_t>(place));
}

// For RowSource::column().
void putText(sqlite3_context* into, std::string_view text);
// Puts a text that lives as long as the connection.
void putLastingText(sqlite3_context* into, std::string_view text);
void putReal(sqlite3_context* into, double value); // NULL for NaN
void putInteger(sqlite3_context* into, std::int64_t value);
void putCell(sqlite3_context* into, const SqlCell& cell); // its text lives as long, too
void putError(sqlite3_context* into, const Error& error);

} // namespace trainscope::store
