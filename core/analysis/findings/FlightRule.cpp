// Findings from PyTorch's flight recorder: ranks that never came.
#include "core/analysis/findings/Rules.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <set>

namespace trainscope::analysis {

void findUnreachedCollectives(const RunFacts& facts, Findings& found) {
    const auto listed = [](const std::vector<int>& ranks) {
        return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks",
            text::numberList(std::set<int>(ranks.begin(), ranks.end())));
    };
    for (const UnreachedCollective& one : facts.unreached) {
        std::string why;
        if (!one.missing.empty())
            why = fmt::format("{} never called it", listed(one.missing));
        if (!one.different.empty())
            why += fmt::format("{}{} called something else under its number",
                why.empty() ? "" : ", ", listed(one.different));
        if (!one.unknown.empty())
            why += fmt::format(", and there is no dump of {}", listed(one.unknown));
        const std::string group = one.description.empty() ? one.group : one.description;
        const auto& blamed = one.missing.empty() ? one.different : one.missing;
        found.push_back({"unreached_collective",
            fmt::format("In {} number {} of group {} {} {}: {}. Look at what {} did there.",
                one.collective.empty() ? "the collective" : one.collective, one.sequence, group,
                listed(one.waiting), one.waiting.size() == 1 ? "waits" : "wait", why,
                blamed.size() == 1 ? "that rank" : "those ranks"),
            {{"waiting", one.waiting.size()}, {"missing", one.missing.size()},
                {"different", one.different.size()}, {"sequence", one.sequence}},
            {blamed.front(), one.range, {}}, "one rank",
            text::counted(static_cast<std::int64_t>(one.waiting.size() + one.missing.size()
                              + one.different.size() + one.unknown.size()),
                "rank")
                + " of the process group",
            Severity::Serious, 0.0});
    }
}

} // namespace trainscope::analysis
