#pragma once
// The answers of the Prometheus HTTP API (v1): samples, label sets, lists, and errors. Readers take
// a whole body; a body that ends early or is something else is Unreadable, and what was visited
// before stays visited.
//
// Assumed of every engine: times are unix seconds with up to three decimals (UTC, the clock of
// whoever scraped), values decimal texts; NaN, +Inf and -Inf are no measurements and become
// missing.

#include "core/model/Result.h"
#include "core/model/Time.h"
#include "importers/engine/Labels.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::engine {

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
