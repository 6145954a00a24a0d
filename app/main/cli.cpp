// trainscope-cli: see app/cli/CommandLine.h.

#include "app/cli/CommandLine.h"
#include "app/cli/console/Interrupt.h"

#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

int main(int argc, char** argv) {
    trainscope::cli::Console console(
        std::cout, std::cerr, {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1});
    trainscope::cli::endOnSignals(console.cancelFlag());
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return trainscope::cli::runCommandLine(arguments, console);
}
