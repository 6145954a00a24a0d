#include "web/PageDatabase.h"

#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/model/LaunchConfig.h"
#include "core/store/database/OpenFile.h"
#include "core/store/samples/SampleData.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace trainscope::web {
namespace {

using store::ByteReader;
using store::Bytes;
using store::ByteView;

struct Place {
    std::uint32_t block = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Place>;

struct Table {
    std::vector<std::string> columns;
    std::vector<Cell> cells; // row by row
    std::map<int, std::unordered_multimap<std::int64_t, std::size_t>> byInteger = {};

    [[nodiscard]] std::size_t rows() const {
        return columns.empty() ? 0 : cells.size() / columns.size();
    }
    [[nodiscard]] const Cell& at(std::size_t row, int column) const {
        static const Cell nothing;
        return column < 0 ? nothing
                          : cells[row * columns.size() + static_cast<std::size_t>(column)];
    }
    [[nodiscard]] int column(std::string_view name) const {
        name = name.substr(name.find('.') + 1); // npos + 1 is 0
        const auto found = std::ranges::find(columns, name);
        return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
    }
    // Rows with that integer, in their order.
    std::vector<std::size_t> with(int column, std::int64_t value) {
        auto& index = byInteger[column];
        if (index.empty()) {
            for (std::size_t row = 0; row < rows(); ++row) {
                if (const auto* own = std::get_if<std::int64_t>(&at(row, column)))
                    index.emplace(*own, row);
            }
        }
        std::vector<std::size_t> found;
        const auto [from, to] = index.equal_range(value);
        for (auto one = from; one != to; ++one)
            found.push_back(one->second);
        std::ranges::sort(found);
        return found;
    }
};

constexpr std::uint32_t kAllOfPart = 0xFFFFFFFF;
constexpr std::uint32_t kFirstServed = 1U << 24U; // parts before it are those of the file
constexpr std::size_t kMostKept = std::size_t{256} << 20U;
constexpr std::uint32_t kFarthestAhead = 16; // rows

struct Part {
    Bytes bytes; // of one of these
    Table rows;
    std::uint32_t number = 0; // of the bytes of its first row
    std::uint64_t used = 0; // the last call that did
    [[nodiscard]] std::size_t size() const {
        return bytes.size() + rows.cells.size() * sizeof(Cell);
    }
};

struct Page {
    std::map<std::string, Table, std::less<>> tables;
    std::set<std::string, std::less<>> shelves;
    std::map<std::string, Part, std::less<>> parts;
    std::map<std::uint32_t, std::string> numbers; // of parts with rows
    std::uint32_t nextNumber = kFirstServed;
    std::size_t kept = 0; // bytes
    std::uint64_t call = 0;
    std::uint32_t ahead = 1; // rows that are asked for together
    std::set<std::string> wanted;
};
Page& page() {
    static Page one;
    return one;
}

Part* partOf(const std::string& name) {
    const auto found = page().parts.find(name);
    if (found == page().parts.end())
        return nullptr;
    found->second.used = page().call;
    return &found->second;
}

// Rows have two numbers each.
std::string nameOf(std::uint32_t number) {
    const auto behind = page().numbers.upper_bound(number);
    if (number < kFirstServed || behind == page().numbers.begin())
        return "b" + std::to_string(number);
    const auto& [first, name] = *std::prev(behind);
    const Table& rows = page().parts.at(name).rows;
    const std::size_t row = (number - first) / 2;
    const auto* id
        = row < rows.rows() ? std::get_if<std::int64_t>(&rows.at(row, rows.column("id"))) : nullptr;
    return id == nullptr
        ? std::string()
        : name + "." + std::to_string(*id) + "." + std::to_string((number - first) % 2);
}

// Samples are nothing without their times.
void want(std::uint32_t number) {
    for (std::uint32_t row = 0; row < page().ahead; ++row) {
        const std::uint32_t one = number + 2 * row;
        const std::string name = nameOf(one);
        const bool isServed = one >= kFirstServed;
        if (!name.empty() && !page().parts.contains(name))
            page().wanted.insert(name);
        if (isServed && name.starts_with("sample_chunk.")
            && !page().parts.contains(nameOf(one ^ 1U)))
            page().wanted.insert(nameOf(one ^ 1U));
        if (!isServed)
            break;
    }
}

ByteView bytesAt(const Place& place) {
    const Part* part = partOf(nameOf(place.block));
    if (part == nullptr) {
        want(place.block);
        return {};
    }
    if (place.size == kAllOfPart)
        return part->bytes;
    const bool isInside = std::uint64_t{place.offset} + place.size <= part->bytes.size();
    return isInside ? ByteView(part->bytes).subspan(place.offset, place.size) : ByteView();
}

Cell readCell(ByteReader& in, std::int64_t& before) {
    switch (in.u8()) {
    case 1:
        before = store::wrappingSum(before, in.signedVarint());
        return before;
    case 2: {
        double value = 0.0;
        if (const ByteView bytes = in.raw(sizeof(value)); !bytes.empty())
            std::memcpy(&value, bytes.data(), sizeof(value));
        return value;
    }
    case 3: {
        const ByteView text = in.block();
        return std::string(text.begin(), text.end());
    }
    case 4: {
        Place place;
        place.block = static_cast<std::uint32_t>(in.varint());
        place.offset = static_cast<std::uint32_t>(in.varint());
        place.size = static_cast<std::uint32_t>(in.varint());
        return place;
    }
    default:
        return {};
    }
}

std::string textOf(ByteView bytes) {
    return {bytes.begin(), bytes.end()};
}

bool readTables(ByteView bytes, std::map<std::string, Table, std::less<>>& tables) {
    ByteReader in(bytes);
    for (std::uint64_t left = in.varint(); left > 0 && in.ok(); --left) {
        Table& table = tables[textOf(in.block())];
        table = {};
        const auto columns = static_cast<std::size_t>(in.varint());
        if (columns > in.left())
            return false;
        for (std::size_t i = 0; i < columns; ++i)
            table.columns.push_back(textOf(in.block()));
        const std::uint64_t rows = in.varint();
        if (rows > in.left())
            return false;
        table.cells.resize(static_cast<std::size_t>(rows) * columns);
        for (std::size_t column = 0; column < columns; ++column) {
            std::int64_t before = 0;
            for (std::size_t row = 0; row < rows && in.ok(); ++row)
                table.cells[row * columns + column] = readCell(in, before);
        }
    }
    return in.ok();
}

void drop(const std::string& name) {
    const auto part = page().parts.find(name);
    if (part == page().parts.end())
        return;
    page().kept -= part->second.size();
    page().numbers.erase(part->second.number);
    page().parts.erase(part);
}

void dropOld() {
    std::vector<std::pair<std::uint64_t, std::string>> old;
    for (const auto& [name, part] : page().parts) {
        if (part.used < page().call && !name.starts_with('b'))
            old.emplace_back(part.used, name);
    }
    std::ranges::sort(old);
    for (const auto& [used, name] : old) {
        if (page().kept < kMostKept / 2)
            break;
        drop(name);
    }
}

} // namespace

bool openTables(ByteView bytes) {
    const std::uint64_t call = page().call;
    page() = {};
    page().call = call;
    const bool isGood = addTables(bytes);
    Table& shelves = page().tables["shelf"];
    for (const Cell& name : shelves.cells)
        page().shelves.insert(std::get<std::string>(name));
    return isGood;
}

bool addTables(ByteView bytes) {
    return readTables(bytes, page().tables);
}

void addPart(const std::string& name, ByteView bytes) {
    drop(name);
    if (page().kept > kMostKept)
        dropOld();
    Part part;
    part.used = page().call;
    if (std::ranges::count(name, '.') == 1) {
        std::map<std::string, Table, std::less<>> tables;
        if (!readTables(bytes, tables) || tables.empty())
            return;
        part.rows = std::move(tables.begin()->second);
        part.number = page().nextNumber;
        page().nextNumber += 2 * static_cast<std::uint32_t>(part.rows.rows());
        for (std::size_t i = 0; i < part.rows.cells.size(); ++i) {
            if (auto* place = std::get_if<Place>(&part.rows.cells[i]))
                place->block
                    += part.number + 2 * static_cast<std::uint32_t>(i / part.rows.columns.size());
        }
        if (part.rows.rows() > 0)
            page().numbers.emplace(part.number, name);
    } else {
        part.bytes.assign(bytes.begin(), bytes.end());
    }
    page().kept += part.size();
    page().parts.emplace(name, std::move(part));
    page().wanted.erase(name);
}

std::set<std::string>& wantedParts() {
    if (!page().wanted.empty())
        page().ahead = std::min(2 * page().ahead, kFarthestAhead);
    return page().wanted;
}

bool isWanting() {
    return !page().wanted.empty();
}

void endCall() {
    ++page().call;
    page().ahead = 1;
}

namespace {

// The statements that the readers ask: SELECT sums of columns and numbers, max(column) or EXISTS
// (…) FROM a table [LEFT JOIN one that is empty] WHERE comparisons with parameters, joined by AND,
// ORDER BY columns, LIMIT 1.
class Statement {
public:
    explicit Statement(std::string_view sql)
        : m_isSearch(sql.starts_with("WITH RECURSIVE used")) {
        split(sql);
        if (!m_isSearch)
            parse();
    }
    void bind(int index, Cell value) {
        m_bound.resize(std::max(m_bound.size(), static_cast<std::size_t>(index)));
        m_bound[static_cast<std::size_t>(index) - 1] = std::move(value);
    }
    bool step() {
        if (!m_isRun)
            run();
        m_isRun = true;
        if (m_isMissing)
            return false;
        return ++m_at <= (m_isSingle ? 1 : m_rows.size());
    }
    [[nodiscard]] bool isMissing() const { return m_isMissing; } // a part that it asks
    const Cell& value(int column) {
        if (m_isSingle)
            return m_single;
        const Terms& terms = m_select[static_cast<std::size_t>(column)];
        const std::size_t row = m_rows[m_at - 1];
        if (terms.size() == 1 && terms.front().column >= -1)
            return m_table->at(row, terms.front().column);
        std::int64_t sum = 0;
        for (const Term& term : terms)
            sum += integerOf(valueOf(term, row));
        return m_sum = sum;
    }
    static std::int64_t integerOf(const Cell& cell) {
        if (const auto* real = std::get_if<double>(&cell))
            return static_cast<std::int64_t>(*real);
        if (const auto* place
            = std::get_if<Place>(&cell)) // as sample_chunk and bucket_page have it
            return static_cast<std::int64_t>(std::uint64_t{place->block} << 32U | place->offset);
        const auto* integer = std::get_if<std::int64_t>(&cell);
        return integer == nullptr ? 0 : *integer;
    }

private:
    static constexpr int kNumber = -2; // a literal or a parameter in place of a column
    struct Term {
        int column = -1; // -1: NULL
        Cell literal = {};
        std::size_t parameter = 0; // from 1; 0: none
    };
    using Terms = std::vector<Term>;
    struct Comparison {
        Term left;
        std::string sign;
        Term right;
    };

    void split(std::string_view sql) {
        const auto isWord = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'
                || c == '?';
        };
        for (std::size_t at = 0; at < sql.size();) {
            std::size_t end = at + 1;
            if (isWord(sql[at])) {
                while (end < sql.size() && isWord(sql[end]))
                    ++end;
            } else if (sql[at] == '\'') {
                end = std::min(sql.find('\'', end), sql.size() - 1) + 1;
            } else if (sql[at] == '<' || sql[at] == '>') {
                end += end < sql.size() && (sql[end] == '=' || sql[end] == '>') ? 1 : 0;
            }
            if (sql[at] != ' ')
                m_words.push_back(sql.substr(at, end - at));
            at = end;
        }
    }
    [[nodiscard]] std::string_view word() const {
        return m_word < m_words.size() ? m_words[m_word] : std::string_view();
    }
    bool take(std::string_view wanted) {
        const bool isIt = word() == wanted;
        m_word += isIt ? 1 : 0;
        return isIt;
    }
    Term term() {
        const std::string text(word());
        ++m_word;
        if (text.starts_with('?'))
            return {kNumber, {}, text.size() > 1 ? std::stoul(text.substr(1)) : ++m_parameters};
        if (text.starts_with('\''))
            return {kNumber, text.substr(1, text.size() - 2)};
        if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0)
            return {kNumber, std::int64_t{std::atoll(text.c_str())}};
        return {m_table->column(text)};
    }
    void parse() {
        take("SELECT");
        m_isExists = take("EXISTS") && take("(") && take("SELECT");
        const std::size_t list = m_word;
        while (m_word < m_words.size() && word() != "FROM")
            ++m_word;
        ++m_word;
        m_name = word();
        m_table = &page().tables[std::string(m_name)];
        ++m_word;
        const std::size_t behind = m_word;
        m_word = list;
        m_isMax = take("max") && take("(");
        do {
            Terms& terms = m_select.emplace_back();
            do
                terms.push_back(term());
            while (take("+"));
        } while (take(","));
        m_isSingle = m_isExists || m_isMax;
        m_word = behind;
        while (m_word < m_words.size() && word() != "WHERE" && word() != "ORDER")
            ++m_word;
        if (take("WHERE")) {
            do {
                take("+");
                Comparison& one = m_where.emplace_back();
                one.left = term();
                one.sign = word();
                ++m_word;
                one.right = term();
            } while (take("AND"));
        }
        if (take("ORDER") && take("BY")) {
            do {
                const int column = term().column;
                m_order.emplace_back(column, take("DESC"));
            } while (take(","));
        }
        m_isOne = take("LIMIT");
    }

    [[nodiscard]] Cell valueOf(const Term& term, std::size_t row) const {
        if (term.column != kNumber)
            return m_table->at(row, term.column);
        if (term.parameter == 0)
            return term.literal;
        return term.parameter <= m_bound.size() ? m_bound[term.parameter - 1] : Cell();
    }
    static int compare(const Cell& a, const Cell& b) {
        const auto* text = std::get_if<std::string>(&a);
        const auto* other = std::get_if<std::string>(&b);
        if (text != nullptr && other != nullptr)
            return text->compare(*other);
        const std::int64_t left = integerOf(a);
        const std::int64_t right = integerOf(b);
        return left < right ? -1 : left > right ? 1 : 0;
    }
    [[nodiscard]] bool holds(const Comparison& one, std::size_t row) const {
        const int order = compare(valueOf(one.left, row), valueOf(one.right, row));
        return one.sign == "=" ? order == 0
            : one.sign == "<"  ? order < 0
            : one.sign == "<=" ? order <= 0
            : one.sign == ">"  ? order > 0
            : one.sign == ">=" ? order >= 0
                               : order != 0;
    }
    void run() {
        if (m_isSearch)
            return search();
        std::vector<const Comparison*> equals; // the last is the narrowest
        for (const Comparison& one : m_where) {
            if (one.sign == "=" && one.left.column >= 0 && one.right.column == kNumber
                && !std::holds_alternative<std::string>(one.right.literal))
                equals.push_back(&one);
        }
        if (page().shelves.contains(m_name) && !equals.empty()) {
            const std::string name = std::string(m_name) + "."
                + std::to_string(integerOf(valueOf(equals.front()->right, 0)));
            Part* part = partOf(name);
            m_isMissing = part == nullptr;
            if (m_isMissing) {
                page().wanted.insert(name);
                return;
            }
            m_table = &part->rows;
            equals.erase(equals.begin()); // which they all have
        }
        std::vector<std::size_t> rows;
        if (!equals.empty()) {
            const Comparison* equal = equals.back();
            rows = m_table->with(equal->left.column, integerOf(valueOf(equal->right, 0)));
        } else {
            for (std::size_t row = 0; row < m_table->rows(); ++row)
                rows.push_back(row);
        }
        std::erase_if(rows, [this](std::size_t row) {
            return !std::ranges::all_of(
                m_where, [this, row](const Comparison& one) { return holds(one, row); });
        });
        std::ranges::stable_sort(rows, [this](std::size_t a, std::size_t b) {
            for (const auto& [column, isDown] : m_order) {
                const int order = compare(m_table->at(a, column), m_table->at(b, column));
                if (order != 0)
                    return isDown ? order > 0 : order < 0;
            }
            return false;
        });
        if (m_isOne && rows.size() > 1)
            rows.resize(1);
        m_rows = std::move(rows);
        m_single = {};
        if (m_isExists)
            m_single = std::int64_t{m_rows.empty() ? 0 : 1};
        for (const std::size_t row : m_rows) {
            const std::int64_t own = integerOf(valueOf(m_select.front().front(), row));
            if (m_isMax && own >= integerOf(m_single))
                m_single = own;
        }
    }
    // Names on tracks whose text contains "%…%".
    void search() {
        const auto* pattern = m_bound.empty() ? nullptr : std::get_if<std::string>(&m_bound[0]);
        std::string wanted;
        for (std::size_t i = 1; pattern != nullptr && i + 1 < pattern->size(); ++i) {
            i += (*pattern)[i] == '\\' ? 1 : 0;
            wanted += (*pattern)[i];
        }
        wanted = lowered(wanted);
        m_table = &page().tables["name"];
        m_select = {{Term{m_table->column("id")}}};
        Table& onTracks = page().tables["track_name"];
        for (std::size_t row = 0; row < m_table->rows(); ++row) {
            const auto* text = std::get_if<std::string>(&m_table->at(row, m_table->column("text")));
            if (text != nullptr && lowered(*text).find(wanted) != std::string::npos
                && !onTracks
                        .with(onTracks.column("name"),
                            integerOf(m_table->at(row, m_select[0][0].column)))
                        .empty())
                m_rows.push_back(row);
        }
    }

    std::vector<std::string_view> m_words; // of a statement that outlives this
    std::size_t m_word = 0;
    std::size_t m_parameters = 0;
    Table* m_table = nullptr;
    std::vector<Terms> m_select;
    std::vector<Comparison> m_where;
    std::vector<std::pair<int, bool>> m_order; // columns; true: descending
    std::string_view m_name; // of the table
    bool m_isMissing = false;
    bool m_isSearch = false;
    bool m_isExists = false;
    bool m_isMax = false;
    bool m_isSingle = false;
    bool m_isOne = false;
    std::vector<Cell> m_bound;
    bool m_isRun = false;
    std::vector<std::size_t> m_rows;
    std::size_t m_at = 0; // from 1
    Cell m_single;
    Cell m_sum;
};

} // namespace
} // namespace trainscope::web

struct sqlite3_stmt {
    std::string sql;
    trainscope::web::Statement statement;
    explicit sqlite3_stmt(std::string_view text)
        : sql(text)
        , statement(sql) { }
};

namespace trainscope::store {

namespace {

const web::Cell& cellOf(sqlite3_stmt* statement, int column) {
    return statement->statement.value(column);
}

} // namespace

void StatementDeleter::operator()(sqlite3_stmt* statement) const {
    delete statement;
}
void Database::HandleDeleter::operator()(sqlite3* /*handle*/) const { }

bool Row::isNull(int column) const {
    return std::holds_alternative<std::monostate>(cellOf(m_statement, column));
}
std::int64_t Row::integer(int column) const {
    return web::Statement::integerOf(cellOf(m_statement, column));
}
int Row::smallInteger(int column) const {
    return static_cast<int>(std::clamp<std::int64_t>(
        integer(column), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}
int Row::ordinal(int column) const {
    return static_cast<int>(std::clamp<std::int64_t>(integer(column), -1, kMostGpus - 1));
}
double Row::real(int column) const {
    const auto* real = std::get_if<double>(&cellOf(m_statement, column));
    return real != nullptr ? *real
        : isNull(column)   ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(integer(column));
}
std::string_view Row::text(int column) const {
    const auto* text = std::get_if<std::string>(&cellOf(m_statement, column));
    return text == nullptr ? std::string_view() : std::string_view(*text);
}
std::string Row::string(int column) const {
    return harmless(text(column));
}
ByteView Row::blob(int column) const {
    const auto* place = std::get_if<web::Place>(&cellOf(m_statement, column));
    return place == nullptr ? ByteView() : web::bytesAt(*place);
}
std::optional<int> Row::optionalInteger(int column) const {
    return isNull(column) ? std::nullopt : std::optional<int>(smallInteger(column));
}

Database::Database(sqlite3* handle, std::string path, bool isReader)
    : m_handle(handle, HandleDeleter{isReader})
    , m_path(std::move(path)) { }
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&& other) noexcept = default;
Database::~Database() = default;
Result<Database> Database::open(const StoreFile& file, int, std::string_view) {
    return Database(nullptr, file.path().string(), true);
}
Error Database::error(int) const {
    return damaged("it");
}
Error Database::damaged(std::string_view what) const {
    return {ErrorCode::Unreadable, "This page is damaged: " + std::string(what), {}};
}
Status Database::requireInPlace() const {
    return {};
}
Result<StatementHandle> Database::take(std::string_view sql) {
    return StatementHandle(new sqlite3_stmt(sql));
}
void Database::giveBack(std::string_view, StatementHandle) { }
Result<bool> Database::step(sqlite3_stmt* statement) const {
    const bool isRow = statement->statement.step();
    if (statement->statement.isMissing())
        return damaged("a part is missing");
    return isRow;
}
int Database::bind(sqlite3_stmt* statement, int index, std::int64_t value) {
    statement->statement.bind(index, value);
    return 0;
}
int Database::bind(sqlite3_stmt* statement, int index, int value) {
    return bind(statement, index, std::int64_t{value});
}
int Database::bind(sqlite3_stmt* statement, int index, double value) {
    statement->statement.bind(index, value);
    return 0;
}
int Database::bind(sqlite3_stmt* statement, int index, std::string_view value) {
    statement->statement.bind(index, std::string(value));
    return 0;
}
int Database::bindNull(sqlite3_stmt* statement, int index) {
    statement->statement.bind(index, {});
    return 0;
}
ReadSnapshot::ReadSnapshot(Database& database)
    : m_database(database)
    , m_isOpen(false) { }
ReadSnapshot::~ReadSnapshot() = default;

StoreFile::StoreFile(const std::filesystem::path& named)
    : m_path(named) { }
Result<Database> openFile(const StoreFile& file, OpenMode) {
    return Database::open(file, 0);
}

Status readData(Database& database, DataPlace place, Bytes& out) {
    out.clear();
    if (place.size <= 0)
        return {};
    const ByteView bytes = web::bytesAt({static_cast<std::uint32_t>(place.at >> 32),
        static_cast<std::uint32_t>(place.at), static_cast<std::uint32_t>(place.size)});
    out.assign(bytes.begin(), bytes.end());
    return bytes.empty() ? Status(database.damaged("a part of the samples")) : Status();
}

// Blocks are compressed as a whole.
bool zstdDecompress(ByteView input, std::span<std::uint8_t> output) {
    if (input.size() == output.size())
        std::ranges::copy(input, output.begin());
    return input.size() == output.size();
}

} // namespace trainscope::store
