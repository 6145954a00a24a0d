#pragma once
// A small CharLLM-PPT result tree made from a seed, with everything that goes wrong in real ones:
// failed reads, wraps, a missing rank and files of different lengths. The numbers written are kept
// for an independent computation.

#include <QString>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainscope::test {

struct Sample {
    std::int64_t ns = 0;
    long double value = 0; // SI
    bool missing = false;
};

struct CharllmTree {
    static constexpr int kRanks = 10;
    static constexpr int kMissingRank = 5;
    static constexpr int kGpusPerNode = 8;

    // By metric (as Trainscope names it) and rank.
    std::map<std::string, std::map<int, std::vector<Sample>>> gpus;
    // By metric, node and device.
    std::map<std::string, std::map<int, std::map<std::string, std::vector<Sample>>>> links;

    // Writes <folder>/<run>/... and remembers the samples.
    static CharllmTree write(const QString& folder, unsigned seed);
};

} // namespace trainscope::test
