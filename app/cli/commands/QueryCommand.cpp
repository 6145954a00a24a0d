#include "app/cli/commands/Command.h"
#include "core/text/Table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

using store::SqlValue;

// Rows whose widths decide the columns of a text table; a longer answer is printed in tables of so
// many.
constexpr std::size_t kTableRows = 1000;
constexpr std::size_t kCellWidth = 100;

struct QueryOptions : DatabaseOptions {
    std::string sql;
};

std::string hex(const std::string& bytes) {
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

Json valueJson(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Integer:
        return value.integer;
    case SqlValue::Type::Real:
        return std::isfinite(value.real) ? Json(value.real) : Json();
    case SqlValue::Type::Text:
        return value.text;
    case SqlValue::Type::Blob:
        return hex(value.text);
    case SqlValue::Type::Null:
        break;
    }
    return {};
}

std::string valueText(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Integer:
        return std::to_string(value.integer);
    case SqlValue::Type::Real:
        return fmt::format("{}", value.real);
    case SqlValue::Type::Text:
        return text::elided(value.text, kCellWidth);
    case SqlValue::Type::Blob:
        return fmt::format("({} bytes)", value.text.size());
    case SqlValue::Type::Null:
        break;
    }
    return {};
}

// Streams one object; nothing is printed before the first row or the end, so that an error leaves
// stdout empty.
Status printAsJson(const store::Store& store, const std::string& sql, const Console& console) {
    std::string pending = R"({"columns":)";
    bool first = true;
    const auto header = [&](const std::vector<std::string>& columns) {
        pending += jsonText(columns) + ",\"rows\":[";
    };
    const auto row = [&](const std::vector<SqlValue>& values) {
        console.out() << pending << (first ? "" : ",") << jsonText(listOf(values, valueJson));
        pending.clear();
        first = false;
        return !console.isCancelled();
    };
    RETURN_IF_ERROR(store.query(sql, header, row));
    console.out() << pending << "]}\n";
    return {};
}

Status printAsText(const store::Store& store, const std::string& sql, const Console& console) {
    text::Table table;
    std::size_t rows = 0;
    const auto header = [&](const std::vector<std::string>& names) {
        for (const auto& name : names)
            table.columns.push_back({name, text::Align::Left});
    };
    const auto row = [&](const std::vector<SqlValue>& values) {
        std::vector<text::Cell> cells;
        for (const auto& value : values)
            cells.push_back(valueText(value));
        table.add(std::move(cells));
        if (++rows % kTableRows == 0) {
            text::print(console.out(), table);
            table.rows.clear();
        }
        return !console.isCancelled();
    };
    RETURN_IF_ERROR(store.query(sql, header, row));
    if (!table.columns.empty() && (rows == 0 || !table.isEmpty()))
        text::print(console.out(), table);
    return {};
}

Outcome runQuery(const QueryOptions& options, const Console& console, const store::Store& store) {
    const auto status = options.json ? printAsJson(store, options.sql, console)
                                     : printAsText(store, options.sql, console);
    if (console.isCancelled())
        return Error{ErrorCode::Cancelled, "Stopped on request; the output is incomplete.", {}};
    if (!status.hasValue())
        return status.error();
    return ExitStatus::Done;
}

} // namespace

void addQueryCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("query", "Ask the database in SQL, read-only");
    auto options = std::make_shared<QueryOptions>();
    addDatabase(*command, *options);
    command->add_option("SQL", options->sql, "One SELECT statement")->required();
    addJson(*command, options->json, "Print one JSON object with columns and rows");
    command->footer(R"(Tables: run, gpu, series, track, iteration, source and more, and
  samples(run, metric, rank, node, device, time_ns, value)   every sample, SI units
  spans(run, rank, device, track, name, kind, start_ns, duration_ns, ...)

Examples:
  trainscope-cli query runs.trainscope "SELECT name, status FROM run"
  trainscope-cli query runs.trainscope "SELECT metric, avg(value) FROM samples GROUP BY metric" --json)");
    runsOnDatabase(*command, context, options, runQuery);
}

} // namespace trainscope::cli
