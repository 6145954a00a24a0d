// trainscope-cli: see app/drawing/FullProgram.h.

#include "app/drawing/FullProgram.h"

int main(int argc, char** argv) {
    return trainscope::cli::runProgram(trainscope::cli::fullProgram(), argc, argv);
}
