#pragma once
// Labels of a series as engines give them, and selectors made of them. Pure; any thread.

#include "core/model/Result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::importers::engine {

struct Labels {
    std::string name; // the engine's metric; may be empty
    std::vector<std::pair<std::string, std::string>> rest; // in ascending order

    void set(std::string label, std::string value);
    void sort();
    [[nodiscard]] std::string_view find(std::string_view label) const; // empty: not there
    [[nodiscard]] std::string text() const; // one text for each set of labels
    bool operator==(const Labels&) const = default;
};

// The user's selection: a metric or none, and conditions on labels.
struct Selector {
    std::string metric; // empty: all
    std::string conditions; // the text between the braces: `job="dcgm",Hostname=~"n[1-4]"`
    bool operator==(const Selector&) const = default;
    [[nodiscard]] std::string text() const; // {job="dcgm"}
    // With further conditions; `names` of metrics, none: as it is.
    [[nodiscard]] std::string with(
        const std::vector<std::string>& names, const std::string& more = {}) const;
};
// `{job="dcgm"}`, `DCGM_FI_DEV_POWER_USAGE{…}`, `job="dcgm"`, or nothing. Usage for anything else.
Result<Selector> selectorFrom(std::string_view text);

bool isLabelName(std::string_view text); // as it may stand in a question without quotes
std::string quotedText(std::string_view value); // "…" with what needs it escaped
// label=~"a|b", or label="a"; values are taken as they are.
std::string oneOf(std::string_view label, const std::vector<std::string>& values);

} // namespace trainscope::importers::engine
