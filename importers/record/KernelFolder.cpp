#include "importers/record/KernelFolder.h"

#include <algorithm>
#include <system_error>

namespace trainscope::record {

std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> all;
    std::error_code ignored; // an iterator that fails is at its end
    for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored))
        all.push_back(entry->path());
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace trainscope::record
