#include "core/report/AboveLimitTables.h"

#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::report {

namespace {

using text::inUnit;
using text::Table;
using enum text::Align;

struct AboveRow {
    std::size_t run = 0;
    analysis::KernelAboveLimit kernel;
};

bool standsBefore(const AboveRow& a, const AboveRow& b, RankedBy by) {
    if (by == RankedBy::Time && a.kernel.time != b.kernel.time)
        return a.kernel.time > b.kernel.time;
    return a.kernel.joules > b.kernel.joules;
}

} // namespace

std::string limitSourceText(const std::string& source) {
    if (source == "recorded")
        return "the recorded limit";
    if (source == "launch")
        return "the limit it was launched with";
    return source == "inferred" ? "the limit of the model that is inferred"
                                : "the limit of its model";
}

std::string aboveLimitText(const analysis::LimitShare& share) {
    if (share.seconds <= 0.0)
        return fmt::format("never above {} ({}), highest {}", text::rounded(share.limitW, "W"),
            limitSourceText(share.source), text::rounded(share.highestW, "W"));
    return fmt::format("{} above {} ({}), {} of the time, highest {}",
        text::rounded(share.seconds, "s"), text::rounded(share.limitW, "W"),
        limitSourceText(share.source), text::roundedPercent(share.share),
        text::rounded(share.highestW, "W"));
}

Table aboveLimitTable(
    const std::vector<std::pair<std::string, std::optional<analysis::LimitShare>>>& runs) {
    Table table{"Above the power limit",
        {{"run", Left}, inUnit("limit", "W"), {"of", Left}, inUnit("time above, GPUs summed", "s"),
            inUnit("share", "%"), inUnit("highest", "W"), inUnit("energy then", "J")}};
    bool isAnyUnknown = false;
    for (const auto& [name, share] : runs) {
        isAnyUnknown |= !share;
        if (share)
            table.add({name, share->limitW, limitSourceText(share->source), share->seconds,
                share->share, share->highestW, share->joules});
    }
    if (!table.isEmpty() && isAnyUnknown)
        table.notes.emplace_back("The power of GPUs or its limit is not known of the other runs.");
    return table;
}

SourcedTable kernelsAboveLimitTable(
    const std::vector<std::vector<analysis::DeviceAboveLimit>>& runs, RankedBy by) {
    std::vector<AboveRow> rows;
    double joules = 0.0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (auto& kernel : analysis::together(runs[run]))
            rows.push_back({run, std::move(kernel)});
        for (const auto& device : runs[run])
            joules += device.tracedJoules;
    }
    std::ranges::stable_sort(
        rows, [by](const AboveRow& a, const AboveRow& b) { return standsBefore(a, b, by); });
    SourcedTable made;
    made.table = {"Above the power limit",
        {{"kernel", Left}, {"count"}, {"time"}, inUnit("energy", "J"), inUnit("share", "%")}};
    for (const auto& [run, kernel] : rows) {
        const std::optional<double> share
            = joules > 0.0 ? std::optional(kernel.joules / joules) : std::nullopt;
        made.table.add({kernel.name, kernel.count, kernel.time, kernel.joules, share});
        made.sources.push_back({run, kernel.name});
    }
    if (!rows.empty())
        made.table.notes.emplace_back(
            "While the power was above its limit; what runs at once shares it equally.");
    return made;
}

} // namespace trainscope::report
