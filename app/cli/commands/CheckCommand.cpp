#include "app/cli/commands/Command.h"

namespace trainscope::cli {

namespace {

void printCheck(std::ostream& out, const DatabaseOptions&, const store::CheckReport& report) {
    for (const std::string& text : report.damage)
        out << text << '\n';
    const auto listed = static_cast<std::int64_t>(report.damage.size());
    if (report.damageCount > listed)
        out << "... and " << report.damageCount - listed << " more.\n";
    out << report.pieces << " chunks and pages ("
        << text::aligned(static_cast<double>(report.bytes), "B") << ") were read: "
        << (report.damageCount == 0 ? "the database is whole.\n" : "the database is damaged.\n");
}

Json checkJson(const DatabaseOptions& options, const store::CheckReport& report) {
    return {{"database", options.database}, {"whole", report.damageCount == 0},
        {"pieces", report.pieces}, {"bytes", report.bytes}, {"damage_count", report.damageCount},
        {"damage", report.damage}};
}

Outcome check(const DatabaseOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto report, store.check(shownOn(console)));
    show(console, options.json, checkJson, printCheck, options, report);
    return report.damageCount == 0 ? ExitStatus::Done : ExitStatus::Unreadable;
}

} // namespace

void addCheckCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<DatabaseOptions>(
        app, "check", "Read a whole database and list what is damaged");
    addJson(*command, options->json);
    runsOnDatabase(*command, context, options, check);
}

} // namespace trainscope::cli
