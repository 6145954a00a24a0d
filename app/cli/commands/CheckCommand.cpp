#include "app/cli/commands/Command.h"
#include "app/cli/commands/Maintenance.h"
#include "app/cli/options/RunSelection.h"
#include "app/cli/text/Json.h"
#include "app/cli/text/Quantity.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct CheckOptions {
    std::string database;
    bool json = false;
};

void printText(const store::CheckReport& report, const Console& console) {
    for (const std::string& text : report.damage)
        console.out() << text << '\n';
    const auto listed = static_cast<std::int64_t>(report.damage.size());
    if (report.damageCount > listed)
        console.out() << "... and " << report.damageCount - listed << " more.\n";
    console.out() << report.pieces << " chunks and pages ("
                  << bytesText(static_cast<double>(report.bytes)) << ") were read: "
                  << (report.damageCount == 0 ? "the database is whole.\n"
                                              : "the database is damaged.\n");
}

Json checkJson(const CheckOptions& options, const store::CheckReport& report) {
    return {{"database", options.database}, {"whole", report.damageCount == 0},
        {"pieces", report.pieces}, {"bytes", report.bytes}, {"damage_count", report.damageCount},
        {"damage", report.damage}};
}

ExitStatus check(const CheckOptions& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    ProgressLine line(console);
    const auto report = store.value().check(shownOn(line, console));
    line.clear();
    if (!report.hasValue())
        return console.fail(report.error());
    if (options.json)
        printJson(console.out(), checkJson(options, report.value()));
    else
        printText(report.value(), console);
    return report.value().damageCount == 0 ? ExitStatus::Done : ExitStatus::Unreadable;
}

} // namespace

void addCheckCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("check", "Read a whole database and list what is damaged");
    auto options = std::make_shared<CheckOptions>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(R"(Changes nothing. Ends with status 3 where something is damaged.

Examples:
  trainscope-cli check runs.trainscope
  trainscope-cli check runs.trainscope --json)");
    command->callback([options, &context] {
        context.action = [options, &context] { return check(*options, context.console); };
    });
}

} // namespace trainscope::cli
