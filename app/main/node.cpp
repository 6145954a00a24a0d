// trainscope-node: see app/cli/CommandLine.h.

#include "app/cli/CommandLine.h"

int main(int argc, char** argv) {
    return trainscope::cli::runProgram({}, argc, argv);
}
