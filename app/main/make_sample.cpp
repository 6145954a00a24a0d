// Writes the built-in sample while Trainscope is built: trainscope-make-sample FILE.

#include "app/sample/Sample.h"

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trainscope-make-sample FILE\n", stderr);
        return 2;
    }
    const auto status = trainscope::app::writeSample(argv[1]);
    if (status.hasValue())
        return 0;
    std::fprintf(stderr, "%s\n", status.error().describe().c_str());
    return 3;
}
