// Prints the path of an input, made when the cache does not have it:
//   trainscope_bench_input telemetry RANKS ROWS | trace KERNELS | report KERNELS |
//   power SAMPLES GPUS | spans SPANS
#include "bench/inputs/KinetoTrace.h"
#include "bench/inputs/NsysReport.h"
#include "bench/inputs/PowerDatabase.h"
#include "bench/inputs/SpanDatabase.h"
#include "bench/inputs/TelemetryTree.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    using namespace trainscope;
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto number
        = [&words](std::size_t i) { return std::strtoll(words[i].c_str(), nullptr, 10); };
    std::filesystem::path path;
    if (words.size() == 3 && words[0] == "telemetry")
        path = bench::telemetryTree({static_cast<int>(number(1)), static_cast<int>(number(2))});
    else if (words.size() == 2 && words[0] == "trace")
        path = bench::kinetoTrace(number(1));
    else if (words.size() == 2 && words[0] == "report")
        path = bench::nsysReport(number(1));
    else if (words.size() == 3 && words[0] == "power")
        path = bench::powerDatabase(number(1), static_cast<int>(number(2)));
    else if (words.size() == 2 && words[0] == "spans")
        path = bench::spanDatabase(number(1));
    if (path.empty()) {
        std::fputs("usage: trainscope_bench_input telemetry RANKS ROWS | trace KERNELS | report "
                   "KERNELS | power SAMPLES GPUS | spans SPANS\n",
            stderr);
        return 2;
    }
    std::puts(path.c_str());
    return 0;
}
