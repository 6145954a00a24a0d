#pragma once
// Commands that look at one run of a database: how it is named, and how they get at it.

#include "app/cli/console/Console.h"
#include "app/cli/options/RunSelection.h"

#include <string>

namespace CLI {
class App;
}

namespace trainscope::cli {

struct OneRun {
    std::string database;
    std::string run; // empty: the only one
    bool json = false;
};

// DB and --run; --json stands last in the help, so that it is added by itself.
void addOneRun(CLI::App& command, OneRun& options);
void addJson(CLI::App& command, bool& json);

// Options: a OneRun with what else the command takes. Calls work(options, console, store, run),
// which returns an ExitStatus.
template <typename Options, typename Work>
ExitStatus withRun(const Options& options, const Console& console, Work&& work) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto run = selectRunOrOnly(store.value(), options.run);
    if (!run.hasValue())
        return console.fail(run.error());
    return work(options, console, store.value(), run.value());
}

} // namespace trainscope::cli
