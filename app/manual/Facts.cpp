#include "app/manual/Facts.h"

#include "app/manual/Keys.h"
#include "core/analysis/comparison/Quantity.h"
#include "core/figures/Kinds.h"
#include "core/model/AsciiText.h"
#include "core/model/Metric.h"
#include "core/report/RunColumns.h"
#include "importers/registry/Registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::app::manual {

namespace {

std::string metricTable(std::string_view /*of*/) {
    std::string text = "| metric | what | unit | kind |\n|---|---|---|---|\n";
    for (const KnownMetric& metric : metricRegistry())
        text += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, metric.label,
            metric.isPercent         ? "fraction, shown as %"
                : metric.unit == "1" ? "number"
                                     : metric.unit,
            toString(metric.kind));
    return text;
}

// A heading and a table for each group.
std::string keyTables(std::string_view /*of*/) {
    std::string text;
    std::string_view group;
    for (const KeyEntry& entry : keyEntries()) {
        if (entry.group != group)
            text += fmt::format("\n## {}\n\n| key | action |\n|---|---|\n", entry.group);
        group = entry.group;
        text += fmt::format("| {} | {} |\n", shownKeys(entry), entry.action);
    }
    return text;
}

std::string formatTable(std::string_view /*of*/) {
    std::string text = "| `--format` | what is read |\n|---|---|\n";
    for (const auto* importer : importers::registry())
        text += fmt::format("| `{}` | {} |\n", importer->format.id, importer->format.description);
    return text;
}

std::string optionTable(std::string_view kindKey) {
    const figures::Kind* kind = figures::findKind(kindKey);
    if (kind == nullptr)
        return {};
    if (kind->options.empty())
        return "It has no options of its own.\n";
    std::string text = "| option | |\n|---|---|\n";
    for (const figures::Option& option : kind->options)
        text += fmt::format("| `--{}{}{}` | {} |\n", option.name, option.value.empty() ? "" : " ",
            option.value, option.help);
    return text;
}

std::string quantityList(std::string_view /*of*/) {
    std::string text;
    for (const auto& quantity : analysis::comparedQuantities())
        text += fmt::format("{}{} `{}`\n: {}.\n\n", quantity.title,
            quantity.unit == "1" ? std::string() : fmt::format(" ({})", quantity.unit),
            quantity.key, quantity.definition);
    return text;
}

std::string columnTable(std::string_view /*of*/) {
    std::string text = "| word | column | unit |\n|---|---|---|\n";
    for (const report::RunColumn& column : report::runColumns())
        text += fmt::format("| `{}` | {} | {} |\n", fmt::join(column.words, "` `"),
            column.definition, column.unit == "1" ? std::string() : column.unit);
    return text;
}

struct FactList {
    std::string_view name;
    std::string (*text)(std::string_view of);
};
constexpr FactList kLists[]{{"metrics", metricTable}, {"keys", keyTables}, {"formats", formatTable},
    {"options", optionTable}, {"quantities", quantityList}, {"columns", columnTable}};

// Text that a line stands for; empty: the line itself.
std::string factsOf(std::string_view line) {
    if (!line.starts_with('{') || !line.ends_with('}'))
        return {};
    line = line.substr(1, line.size() - 2);
    const std::size_t blank = std::min(line.find(' '), line.size());
    for (const FactList& list : kLists) {
        if (list.name == line.substr(0, blank))
            return list.text(trimmed(line.substr(blank)));
    }
    return {};
}

} // namespace

std::string withFacts(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::string facts = factsOf(line);
        result.append(facts.empty() ? line : std::string_view(facts)).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

} // namespace trainscope::app::manual
