#include "core/store/sql/VirtualTable.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <cstdlib>

namespace trainscope::store {
namespace {

struct Module {
    Database* database;
    TableDefinition definition;
};
struct Table {
    sqlite3_vtab base;
    Module* module;
};
struct Cursor {
    sqlite3_vtab_cursor base;
    std::unique_ptr<RowSource> source;
};

Table* tableOf(sqlite3_vtab* base) {
    return reinterpret_cast<Table*>(base);
}
Cursor* cursorOf(sqlite3_vtab_cursor* base) {
    return reinterpret_cast<Cursor*>(base);
}

// Runs `work` and tells SQLite of its failure.
template <typename Work>
int reported(sqlite3_vtab* table, Work&& work) {
    std::string message;
    int code = SQLITE_ERROR;
    try {
        const Status status = work();
        if (status.hasValue())
            return SQLITE_OK;
        message = status.error().describe();
        if (status.error().code == ErrorCode::Unreadable)
            code = SQLITE_CORRUPT_VTAB;
    } catch (const std::exception& exception) {
        message = exception.what();
    }
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", message.c_str());
    return code;
}

std::optional<Comparison> comparisonOf(int op) {
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return Comparison::Equal;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return Comparison::Greater;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return Comparison::GreaterOrEqual;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return Comparison::Less;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return Comparison::LessOrEqual;
    default:
        return std::nullopt;
    }
}

bool isText(const VirtualColumn& column) {
    return column.type == VirtualColumn::Type::Text;
}

// `run = ?` is no text before the query runs, and then other rules may hold.
bool isComparedWithText(sqlite3_index_info* info, int i) {
    sqlite3_value* value = nullptr;
    return sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK
        && sqlite3_value_type(value) == SQLITE_TEXT;
}

// Text of a plan, which SQLite keeps between planning and running: numbers behind each other.
//   columns used; number of order terms, each: column, descending;
//   then for each argument: column, op, 1 for a list
class PlanReader {
public:
    explicit PlanReader(const char* plan)
        : m_at(const_cast<char*>(plan)) { }
    std::int64_t next() { return std::strtoll(m_at, &m_at, 10); }

private:
    char* m_at;
};

// Hands down one constraint, where the table can do something with it.
bool take(
    const TableDefinition& definition, sqlite3_index_info* info, int i, std::string& arguments) {
    const auto& constraint = info->aConstraint[i];
    const auto op = comparisonOf(constraint.op);
    if (constraint.usable == 0 || !op || constraint.iColumn < 0)
        return false;
    const VirtualColumn& column = definition.columns[static_cast<std::size_t>(constraint.iColumn)];
    const bool isEqual = *op == Comparison::Equal;
    if (column.narrowing == Narrowing::None || (column.narrowing != Narrowing::Range && !isEqual))
        return false;
    // Another collation finds rows that plain equality does not.
    if (isText(column) && sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
        return false;
    const bool isList = column.narrowing == Narrowing::Equal && sqlite3_vtab_in(info, i, 1) != 0;
    const bool isExact = column.narrowing == Narrowing::Equal
        && (!isText(column) || (!isList && isComparedWithText(info, i)));
    info->aConstraintUsage[i].omit = isExact ? 1 : 0;
    arguments += fmt::format("{} {} {:d} ", constraint.iColumn, constraint.op, isList);
    return true;
}

void takeOrder(const TableDefinition& definition, sqlite3_index_info* info, std::string& plan) {
    std::vector<OrderTerm> order;
    for (int i = 0; i < info->nOrderBy; ++i)
        order.push_back({info->aOrderBy[i].iColumn, info->aOrderBy[i].desc != 0});
    const bool isKept = !order.empty() && definition.keepsOrder && definition.keepsOrder(order);
    info->orderByConsumed = isKept ? 1 : 0;
    if (!isKept)
        order.clear();
    plan += fmt::format("{} ", order.size());
    for (const OrderTerm& term : order)
        plan += fmt::format("{} {:d} ", term.column, term.isDescending);
}

// An argument is not known before the tables that it is taken from are read.
bool lacksArgument(const TableDefinition& definition, const sqlite3_index_info* info) {
    const std::span constraints(info->aConstraint, static_cast<std::size_t>(info->nConstraint));
    return std::ranges::any_of(constraints, [&](const auto& one) {
        return one.usable == 0 && one.iColumn >= 0 && one.op == SQLITE_INDEX_CONSTRAINT_EQ
            && definition.columns[static_cast<std::size_t>(one.iColumn)].isArgument;
    });
}

int bestIndex(sqlite3_vtab* base, sqlite3_index_info* info) {
    if (lacksArgument(tableOf(base)->module->definition, info))
        return SQLITE_CONSTRAINT;
    return reported(base, [&]() -> Status {
        const TableDefinition& definition = tableOf(base)->module->definition;
        std::string plan;
        plan = fmt::format("{} ", static_cast<std::int64_t>(info->colUsed));
        takeOrder(definition, info, plan);
        std::string arguments;
        int used = 0;
        double cost = 1e12;
        for (int i = 0; i < info->nConstraint; ++i) {
            if (!take(definition, info, i, arguments))
                continue;
            info->aConstraintUsage[i].argvIndex = ++used;
            cost /= info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ ? 50 : 4;
        }
        info->idxStr = sqlite3_mprintf("%s%s", plan.c_str(), arguments.c_str());
        info->needToFreeIdxStr = 1;
        info->estimatedCost = cost;
        info->estimatedRows = static_cast<std::int64_t>(cost / 10) + 1;
        return {};
    });
}

SqlValue copyOf(sqlite3_value* value, bool isTextColumn) {
    SqlValue copy;
    switch (isTextColumn ? sqlite3_value_type(value) : sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
        copy.type = SqlValue::Type::Integer;
        copy.integer = sqlite3_value_int64(value);
        break;
    case SQLITE_FLOAT:
        copy.type = SqlValue::Type::Real;
        copy.real = sqlite3_value_double(value);
        break;
    case SQLITE_NULL:
        break;
    default: {
        const bool isString = sqlite3_value_type(value) == SQLITE_TEXT;
        copy.type = isString ? SqlValue::Type::Text : SqlValue::Type::Blob;
        const void* bytes = sqlite3_value_blob(value);
        copy.text.assign(static_cast<const char*>(bytes),
            static_cast<std::size_t>(bytes == nullptr ? 0 : sqlite3_value_bytes(value)));
        break;
    }
    }
    return copy;
}

std::vector<SqlValue> valuesOf(sqlite3_value* argument, bool isList, bool isText) {
    if (!isList)
        return {copyOf(argument, isText)};
    std::vector<SqlValue> values;
    sqlite3_value* value = nullptr;
    for (int code = sqlite3_vtab_in_first(argument, &value); code == SQLITE_OK && value != nullptr;
         code = sqlite3_vtab_in_next(argument, &value))
        values.push_back(copyOf(value, isText));
    return values;
}

Scan scanOf(
    const TableDefinition& definition, const char* text, int count, sqlite3_value** values) {
    PlanReader plan(text);
    Scan scan;
    scan.columns = static_cast<std::uint64_t>(plan.next());
    scan.order.resize(static_cast<std::size_t>(plan.next()));
    for (OrderTerm& term : scan.order) {
        term.column = static_cast<int>(plan.next());
        term.isDescending = plan.next() != 0;
    }
    for (int i = 0; i < count; ++i) {
        const auto column = static_cast<int>(plan.next());
        const auto op = comparisonOf(static_cast<int>(plan.next()));
        const bool isList = plan.next() != 0;
        if (op)
            scan.constraints.push_back({column, *op,
                valuesOf(values[i], isList,
                    isText(definition.columns[static_cast<std::size_t>(column)]))});
    }
    return scan;
}

std::string schemaOf(const TableDefinition& definition) {
    std::string columns;
    for (const VirtualColumn& column : definition.columns)
        columns += fmt::format("{}{} {}{}", columns.empty() ? "" : ", ", column.name,
            toString(column.type), column.isArgument ? " HIDDEN" : "");
    return "CREATE TABLE x(" + columns + ")";
}

int connect(
    sqlite3* handle, void* auxiliary, int, const char* const*, sqlite3_vtab** out, char** message) {
    auto* module = static_cast<Module*>(auxiliary);
    const int code = sqlite3_declare_vtab(handle, schemaOf(module->definition).c_str());
    if (code == SQLITE_OK)
        *out = &(new Table{{}, module})->base;
    else
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(handle));
    return code;
}

int disconnect(sqlite3_vtab* base) {
    delete tableOf(base);
    return SQLITE_OK;
}

int open(sqlite3_vtab* base, sqlite3_vtab_cursor** out) {
    return reported(base, [&]() -> Status {
        Module* module = tableOf(base)->module;
        auto source = module->definition.open(*module->database);
        *out = &(new Cursor{{}, std::move(source)})->base;
        return {};
    });
}

int close(sqlite3_vtab_cursor* base) {
    delete cursorOf(base);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char* plan, int count, sqlite3_value** values) {
    return reported(base->pVtab, [&] {
        const TableDefinition& definition = tableOf(base->pVtab)->module->definition;
        return cursorOf(base)->source->start(scanOf(definition, plan, count, values));
    });
}

int next(sqlite3_vtab_cursor* base) {
    Cursor* cursor = cursorOf(base);
    if (cursor->source->step())
        return SQLITE_OK;
    return reported(base->pVtab, [cursor] { return cursor->source->nextBlock(); });
}

int atEnd(sqlite3_vtab_cursor* base) {
    return cursorOf(base)->source->isAtEnd() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* into, int index) {
    try {
        cursorOf(base)->source->column(index, into);
    } catch (const std::exception& exception) {
        sqlite3_result_error(into, exception.what(), -1);
    }
    return SQLITE_OK;
}

int rowId(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
    *out = cursorOf(base)->source->rowId();
    return SQLITE_OK;
}

sqlite3_module makeModule() {
    sqlite3_module module{};
    module.xConnect = connect; // without xCreate the table exists under its own name only
    module.xBestIndex = bestIndex;
    module.xDisconnect = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = atEnd;
    module.xColumn = column;
    module.xRowid = rowId;
    return module;
}

} // namespace

Status addVirtualTable(sqlite3* connection, Database& database, TableDefinition definition) {
    static const sqlite3_module module = makeModule();
    auto owned = std::make_unique<Module>(Module{&database, std::move(definition)});
    const std::string name = owned->definition.name;
    // SQLite takes the ownership in any case.
    const int code = sqlite3_create_module_v2(connection, name.c_str(), &module, owned.release(),
        [](void* auxiliary) { delete static_cast<Module*>(auxiliary); });
    return code == SQLITE_OK ? Status() : Status(database.error(code));
}

bool isOrderOfParts(const std::vector<OrderTerm>& order, const PartColumns& parts) {
    bool isOnePart = false;
    for (const OrderTerm& term : order) {
        if (term.column == parts.time)
            return isOnePart && !term.isDescending && &term == &order.back();
        if (std::ranges::find(parts.columns, term.column) == parts.columns.end())
            return false;
        isOnePart = isOnePart || term.column == parts.id;
    }
    return true;
}

bool comesBefore(const PartCells& a, const PartCells& b, const std::vector<OrderTerm>& order) {
    for (const OrderTerm& term : order) {
        const SqlCell& left = a[static_cast<std::size_t>(term.column)];
        const SqlCell& right = b[static_cast<std::size_t>(term.column)];
        if (left != right)
            return term.isDescending ? right < left : left < right;
    }
    return false;
}

void putText(sqlite3_context* into, std::string_view text) {
    char* copy = static_cast<char*>(sqlite3_malloc64(text.size() + 1));
    if (copy == nullptr)
        return sqlite3_result_error_nomem(into);
    text.copy(copy, text.size());
    sqlite3_result_text64(into, copy, text.size(), sqlite3_free, SQLITE_UTF8);
}

void putLastingText(sqlite3_context* into, std::string_view text) {
    // A null destructor is SQLITE_STATIC. An empty view may have no address, which would be NULL.
    sqlite3_result_text64(into, text.empty() ? "" : text.data(), text.size(), nullptr, SQLITE_UTF8);
}

void putReal(sqlite3_context* into, double value) {
    if (std::isnan(value))
        sqlite3_result_null(into);
    else
        sqlite3_result_double(into, value);
}

void putInteger(sqlite3_context* into, std::int64_t value) {
    sqlite3_result_int64(into, value);
}

void putCell(sqlite3_context* into, const SqlCell& cell) {
    if (const auto* text = std::get_if<std::string_view>(&cell))
        putLastingText(into, *text);
    else if (const auto* whole = std::get_if<std::int64_t>(&cell))
        putInteger(into, *whole);
    else if (const auto* real = std::get_if<double>(&cell))
        putReal(into, *real);
}

void putError(sqlite3_context* into, const Error& error) {
    sqlite3_result_error(into, error.describe().c_str(), -1);
}

} // namespace trainscope::store
