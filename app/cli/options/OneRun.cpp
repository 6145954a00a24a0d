#include "app/cli/options/OneRun.h"

#include <CLI/CLI.hpp>

namespace trainscope::cli {

void addOneRun(CLI::App& command, OneRun& options) {
    command.add_option("DB", options.database, "The run database")->required();
    command.add_option("--run", options.run, "The run; may be left out where there is only one")
        ->type_name("N");
}

void addJson(CLI::App& command, bool& json) {
    command.add_flag("--json", json, "Print one JSON object");
}

} // namespace trainscope::cli
