#pragma once
// GPU families by their usual names, as people write them into the names of folders:
// "optimization-sweep-h200" → h200.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// True when `word` stands in `text` as a whole word: "job-gpt3_3" but not "gpt3_31".
bool standsAsWord(std::string_view text, std::string_view word);

// Lower case, each at most once; letter case of the name is ignored.
std::vector<std::string_view> gpuFamiliesIn(std::string_view folderName);

// Family in the innermost folder of the path that names exactly one ("H200"); empty: none does.
std::string gpuFamilyOfPath(std::string_view path);

} // namespace trainscope::importers
