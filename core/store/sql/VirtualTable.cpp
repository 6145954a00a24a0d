#include "core/store/sql/VirtualTable.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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
    std::int64_t row = 0;
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
    try {
        const Status status = work();
        if (status.hasValue())
            return SQLITE_OK;
        message = status.error().describe();
    } catch (const std::exception& exception) {
        message = exception.what();
    }
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", message.c_str());
    return SQLITE_ERROR;
}

std::optional<Comparison> comparisonOf(unsigned char op) {
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

bool contains(const std::vector<int>& columns, int column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

bool usable(const TableDefinition& definition, sqlite3_index_info* info, int i) {
    const auto& constraint = info->aConstraint[i];
    const auto op = comparisonOf(constraint.op);
    if (constraint.usable == 0 || !op)
        return false;
    // Another collation finds rows that plain equality does not.
    if (sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
        return false;
    return contains(definition.rangeColumns, constraint.iColumn)
        || (*op == Comparison::Equal && contains(definition.equalColumns, constraint.iColumn));
}

// idxStr is a list of "column op;" in the order of the arguments.
int bestIndex(sqlite3_vtab* base, sqlite3_index_info* info) {
    return reported(base, [&]() -> Status {
        const TableDefinition& definition = tableOf(base)->module->definition;
        std::string plan;
        int used = 0;
        double cost = 1e12;
        for (int i = 0; i < info->nConstraint; ++i) {
            if (!usable(definition, info, i))
                continue;
            const auto& constraint = info->aConstraint[i];
            info->aConstraintUsage[i].argvIndex = ++used;
            plan += std::to_string(constraint.iColumn) + " " + std::to_string(constraint.op) + ";";
            cost /= constraint.op == SQLITE_INDEX_CONSTRAINT_EQ ? 50 : 4;
        }
        info->idxStr = sqlite3_mprintf("%s", plan.c_str());
        info->needToFreeIdxStr = 1;
        info->estimatedCost = cost;
        info->estimatedRows = static_cast<std::int64_t>(cost / 10) + 1;
        return {};
    });
}

std::vector<Constraint> constraintsOf(const char* plan, int count, sqlite3_value** values) {
    std::vector<Constraint> constraints;
    char* at = const_cast<char*>(plan);
    for (int i = 0; i < count; ++i) {
        const long column = std::strtol(at, &at, 10);
        const long op = std::strtol(at, &at, 10);
        ++at; // the semicolon
        if (const auto comparison = comparisonOf(static_cast<unsigned char>(op)))
            constraints.push_back({static_cast<int>(column), *comparison, values[i]});
    }
    return constraints;
}

int connect(
    sqlite3* handle, void* auxiliary, int, const char* const*, sqlite3_vtab** out, char** message) {
    auto* module = static_cast<Module*>(auxiliary);
    const int code = sqlite3_declare_vtab(handle, module->definition.schema.c_str());
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
        *out = &(new Cursor{{}, std::move(source), 0})->base;
        return {};
    });
}

int close(sqlite3_vtab_cursor* base) {
    delete cursorOf(base);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char* plan, int count, sqlite3_value** values) {
    return reported(base->pVtab, [&] {
        cursorOf(base)->row = 0;
        return cursorOf(base)->source->start(constraintsOf(plan, count, values));
    });
}

int next(sqlite3_vtab_cursor* base) {
    return reported(base->pVtab, [&] {
        ++cursorOf(base)->row;
        return cursorOf(base)->source->next();
    });
}

int atEnd(sqlite3_vtab_cursor* base) {
    return cursorOf(base)->source->atEnd() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* into, int index) {
    return reported(base->pVtab, [&] { return cursorOf(base)->source->column(index, into); });
}

int rowId(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
    *out = cursorOf(base)->row;
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

bool Constraint::isInteger() const {
    return sqlite3_value_type(value) == SQLITE_INTEGER;
}
bool Constraint::isText() const {
    return sqlite3_value_type(value) == SQLITE_TEXT;
}
std::int64_t Constraint::integer() const {
    return sqlite3_value_int64(value);
}
std::string Constraint::text() const {
    const void* bytes = sqlite3_value_text(value);
    return {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

bool admits(const std::vector<Constraint>& constraints, int column, std::int64_t value) {
    return std::none_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
        return constraint.column == column && constraint.op == Comparison::Equal
            && constraint.isInteger() && constraint.integer() != value;
    });
}

bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value) {
    return std::none_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
        return constraint.column == column && constraint.op == Comparison::Equal
            && constraint.isText() && constraint.text() != value;
    });
}

IntegerRange rangeOf(const std::vector<Constraint>& constraints, int column) {
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    IntegerRange range{std::numeric_limits<std::int64_t>::min(), highest};
    for (const Constraint& constraint : constraints) {
        if (constraint.column != column || !constraint.isInteger())
            continue;
        const std::int64_t value = constraint.integer();
        const std::int64_t after = value == highest ? highest : value + 1;
        if (constraint.op == Comparison::Equal || constraint.op == Comparison::GreaterOrEqual)
            range.begin = std::max(range.begin, value);
        if (constraint.op == Comparison::Greater)
            range.begin = std::max(range.begin, after);
        if (constraint.op == Comparison::Equal || constraint.op == Comparison::LessOrEqual)
            range.end = std::min(range.end, after);
        if (constraint.op == Comparison::Less)
            range.end = std::min(range.end, value);
    }
    return range;
}

Status addVirtualTable(Database& database, TableDefinition definition) {
    static const sqlite3_module module = makeModule();
    auto owned = std::make_unique<Module>(Module{&database, std::move(definition)});
    const std::string name = owned->definition.name;
    // SQLite takes the ownership in any case.
    const int code = sqlite3_create_module_v2(database.handle(), name.c_str(), &module,
        owned.release(), [](void* auxiliary) { delete static_cast<Module*>(auxiliary); });
    return code == SQLITE_OK ? Status() : Status(database.error(code));
}

Status putText(sqlite3_context* into, std::string_view text) {
    char* copy = static_cast<char*>(sqlite3_malloc64(text.size() + 1));
    if (copy == nullptr) {
        sqlite3_result_error_nomem(into);
        return {};
    }
    text.copy(copy, text.size());
    sqlite3_result_text64(into, copy, text.size(), sqlite3_free, SQLITE_UTF8);
    return {};
}

Status putReal(sqlite3_context* into, double value) {
    if (std::isnan(value))
        sqlite3_result_null(into);
    else
        sqlite3_result_double(into, value);
    return {};
}

Status putInteger(sqlite3_context* into, std::int64_t value) {
    sqlite3_result_int64(into, value);
    return {};
}

} // namespace trainscope::store
