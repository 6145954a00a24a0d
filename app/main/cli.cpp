// trainscope-cli: see app/cli/CommandLine.h.

#include "app/cli/CommandLine.h"

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

std::atomic<bool>* cancelFlag = nullptr;

// The first Ctrl+C asks the work to stop and undo what is half done; the second ends the program at
// once.
extern "C" void onInterrupt(int signal) {
    if (cancelFlag != nullptr)
        cancelFlag->store(true);
    std::signal(signal, SIG_DFL);
}

} // namespace

int main(int argc, char** argv) {
    trainscope::cli::Console console(std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
    cancelFlag = &console.cancelFlag();
    std::signal(SIGINT, onInterrupt);
    std::signal(SIGTERM, onInterrupt);
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return trainscope::cli::runCommandLine(arguments, console);
}
