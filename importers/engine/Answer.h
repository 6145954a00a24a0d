#pragma once
// The answers of the Prometheus HTTP API (v1): samples, label sets, lists, and errors; and
// selectors made of the labels of a series. Readers take a whole body; a body that ends early or is
// something else is Unreadable, and what was visited before stays visited.
//
// Assumed of every engine: times are unix seconds with up to three decimals (UTC, the clock of
// whoever scraped), values decimal texts; NaN, +Inf and -Inf are no measurements and become
// missing.

#include "core/model/Result.h"
#include "core/model/Time.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace trainscope::importers::engine {

struct Labels {
    std::string name; // the engine's metric; may be empty
    std::vector<std::pair<std::string, std::string>> rest; // in ascending order

    void set(std::string label, std::string value);
    void sort() { std::ranges::sort(rest); }
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

struct AnsweredSeries {
    Labels labels;
    std::vector<TimeNs> times; // as they came
    std::vector<double> values; // NaN: not a number
};
struct AnswerFacts {
    std::int64_t notNumbers = 0; // NaN and infinities
    std::int64_t unordered = 0; // samples whose time lies before the one in front of them
    std::vector<std::string> warnings; // as the engine words them
};
// A vector, a matrix or nothing.
using SeriesVisit = std::function<Status(AnsweredSeries&)>;
Result<AnswerFacts> readSamples(std::string_view body, const SeriesVisit& visit);
// /api/v1/series
Status readLabelSets(std::string_view body, const std::function<Status(Labels&)>& visit);
// /api/v1/label/…/values
Result<std::vector<std::string>> readTexts(std::string_view body);

// Complaint of an engine that could not answer.
struct Complaint {
    std::string type; // "bad_data", "execution", "timeout"; empty: it said nothing in its format
    std::string text;
};
Complaint readComplaint(std::string_view body);

} // namespace trainscope::importers::engine
