#include "core/figures/Figure.h"

#include <algorithm>
#include <set>

namespace trainscope::figures {

using namespace plot;

std::vector<std::string> sourcesOf(
    const store::Store& store, const std::vector<std::pair<RunId, std::string>>& runs) {
    const auto sources = store.sources();
    if (!sources.hasValue())
        return {};
    std::set<std::string> hashes;
    for (const auto& source : sources.value()) {
        const bool isUsed = std::any_of(source.runs.begin(), source.runs.end(), [&](RunId id) {
            return std::any_of(
                runs.begin(), runs.end(), [id](const auto& run) { return run.first == id; });
        });
        if (isUsed && !source.hash.empty())
            hashes.insert(source.hash);
    }
    return {hashes.begin(), hashes.end()};
}

} // namespace trainscope::figures
