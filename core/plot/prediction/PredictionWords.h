#pragma once
// Predictions in words: layouts, searches of them, and what a training takes. Pure; any thread.

#include "core/predict/prediction/Training.h"
#include "core/predict/search/Ties.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::plot {

// "TP 8 · PP 4 · DP 1, micro-batch 2, full recomputation".
std::string choiceWords(const predict::LayoutChoice& choice);
// The same of a job's layout, and behind its machine: "32 × H200 SXM, TP 8 · PP 4 · DP 1, …".
std::string layoutWords(const predict::Job& job);
std::string jobWords(const predict::Job& job);
// "1" for the first of a group of ties, "= 1" for the others; empty: it is of none.
std::string groupWords(const predict::ListedLayout& one);
std::string_view objectiveWords(predict::SearchObjective objective); // "step time"

// "1,204 of 5,310 layouts are possible; ruled out: 2,100 by memory, …".
std::string searchWords(const predict::SearchResult& found);
// The nearest layout where none fits, in a sentence for each limit; else empty.
std::string nearestWords(const predict::SearchResult& found);

// "41.2 days (37.1 days to 46 days)"; of energy "812 MWh (700 to 950)".
std::string timeWords(const predict::Training& training);
std::string energyWords(const predict::Training& training);
// "94 % (87 to 97) of the time are steps, which makes 71 days (66 to 79): an interruption every 2.4
// h takes 10 min, a checkpoint every 25 min takes 30 s"
std::string goodputWords(const predict::Training& training);
std::string tokenWords(double tokens); // "1T tokens"

// "GEMM", "Tensor parallel".
std::string_view titleOf(predict::StepPart part);
// "7.2 s (6.5 to 7.9)", three digits, which is what intervals are worth.
std::string predictedText(double value, const predict::Interval& interval, std::string_view unit);

} // namespace trainscope::plot
