#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/report/QueryText.h"

namespace trainscope::cli {

namespace {

using store::SqlValue;

// Rows whose widths decide the columns of a text table; a longer answer is printed in tables of so
// many.
constexpr std::size_t kTableRows = 1000;
constexpr std::size_t kCellWidth = 100;

struct QueryOptions : DatabaseOptions {
    std::string sql;
    std::string categories;
    bool csv = false;
};

Json valueJson(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Integer:
        return value.integer;
    case SqlValue::Type::Real:
        return std::isfinite(value.real) ? Json(value.real) : Json();
    case SqlValue::Type::Text:
        return value.text;
    case SqlValue::Type::Blob:
        return report::plainText(value);
    case SqlValue::Type::Null:
        break;
    }
    return {};
}

std::string valueText(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Text:
        return text::elided(value.text, kCellWidth);
    case SqlValue::Type::Blob:
        return fmt::format("({} bytes)", value.text.size());
    default:
        return report::plainText(value);
    }
}

// Asks the database with what the command was given.
class Asking {
public:
    static Result<Asking> of(
        const QueryOptions& options, const Console& console, const store::Store& store) {
        ASSIGN_OR_RETURN(auto categories, chosenCategories(options.categories));
        return Asking(options.sql, console, store,
            {analysis::spanColumns(store, std::move(categories), untilCancelled(console)),
                [&console] { return !console.isCancelled(); }});
    }

    // Usage where nothing is asked: a text of comments alone has no answer.
    Status run(const store::SqlHeader& header, const store::SqlRow& row) const {
        bool isAsked = false;
        const auto heard = [&](const std::vector<std::string>& columns) {
            isAsked = true;
            header(columns);
        };
        RETURN_IF_ERROR(store::query(m_store, m_sql, heard, row, m_with));
        return isAsked ? Status()
                       : usageError("Nothing is asked: give a SELECT statement, such as "
                                    "\"SELECT name, status FROM run\".");
    }
    [[nodiscard]] const Console& console() const { return m_console; }

private:
    Asking(const std::string& sql, const Console& console, const store::Store& store,
        store::QueryOptions with)
        : m_sql(sql)
        , m_console(console)
        , m_store(store)
        , m_with(std::move(with)) { }

    const std::string& m_sql;
    const Console& m_console;
    const store::Store& m_store;
    store::QueryOptions m_with;
};

// Streams one object; nothing is printed before the first row or the end, so that an error leaves
// stdout empty.
Status printAsJson(const Asking& asking) {
    const Console& console = asking.console();
    std::string pending;
    bool first = true;
    int answers = 0;
    const auto header = [&](const std::vector<std::string>& columns) {
        if (++answers == 1)
            pending = R"({"columns":)" + jsonText(columns) + ",\"rows\":[";
    };
    const auto row = [&](const std::vector<SqlValue>& values) {
        if (answers > 1)
            return false;
        console.out() << pending << (first ? "" : ",") << jsonText(listOf(values, valueJson));
        pending.clear();
        first = false;
        return !console.isCancelled();
    };
    const Status asked = asking.run(header, row);
    if (answers > 1) {
        console.out() << pending << "]}\n";
        return usageError("--json prints the answer of one statement: of several the first alone.");
    }
    if (!asked.hasValue())
        return asked;
    console.out() << pending << "]}\n";
    return {};
}

// A table for each of several statements.
Status printAsText(const Asking& asking) {
    const Console& console = asking.console();
    text::Table table;
    std::size_t rows = 0;
    const auto most = static_cast<std::size_t>(text::compactRows(console.out())); // 0: all
    bool hasMore = false;
    const auto print = [&] {
        if (!table.columns.empty() && (rows == 0 || !table.isEmpty()))
            text::print(console.out(), table);
        table.rows.clear();
    };
    const auto header = [&](const std::vector<std::string>& names) {
        print();
        if (!table.columns.empty())
            console.out() << '\n';
        table.columns.clear();
        rows = 0;
        for (const auto& name : names)
            table.columns.push_back({name, text::Align::Left});
    };
    const auto row = [&](const std::vector<SqlValue>& values) {
        hasMore = most > 0 && rows == most;
        if (hasMore)
            return false;
        std::vector<text::Cell> cells;
        for (const auto& value : values)
            cells.push_back(valueText(value));
        table.add(std::move(cells));
        if (++rows % kTableRows == 0)
            print();
        return !console.isCancelled();
    };
    RETURN_IF_ERROR(asking.run(header, row));
    print();
    if (hasMore)
        console.out() << "... and more rows: count(*) says how many, a larger `rows` shows more\n";
    return {};
}

Status printAsCsv(const Asking& asking) {
    std::ostream& out = asking.console().out();
    return asking.run(
        [&out](const std::vector<std::string>& names) { out << report::csvLine(names); },
        [&](const std::vector<SqlValue>& values) {
            out << report::csvLine(values);
            return !asking.console().isCancelled();
        });
}

Outcome runQuery(const QueryOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto asking, Asking::of(options, console, store));
    const auto status = options.json ? printAsJson(asking)
        : options.csv                ? printAsCsv(asking)
                                     : printAsText(asking);
    if (console.isCancelled())
        return Error{ErrorCode::Cancelled, "Stopped on request; the output is incomplete.", {}};
    if (!status.hasValue())
        return status.error();
    return ExitStatus::Done;
}

} // namespace

void addQueryCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options]
        = addCommand<QueryOptions>(app, "query", "Ask the database in SQL, read-only");
    command->add_option("SQL", options->sql, "One SELECT statement")->required();
    addJson(*command, options->json, "Print one JSON object with columns and rows");
    addCategories(*command, options->categories);
    command->add_flag("--csv", options->csv, "Print CSV: the names of the columns, then the rows")
        ->excludes(command->get_option("--json"));
    runsOnDatabase(*command, context, options, runQuery);
}

} // namespace trainscope::cli
