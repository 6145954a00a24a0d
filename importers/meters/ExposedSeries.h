#pragma once
// A series of an exporter as a channel of the table, for its text and for answers as JSON.

#include "importers/common/ExporterMetrics.h"
#include "importers/meters/MeterReader.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainscope::importers::meters {

struct ExposedSeries {
    std::optional<std::size_t> channel; // absent: left out
    bool isDcgm = false;
    std::int64_t scrape = -1; // in which it came last, where scrapes have no stamps
};

// The channel of a name with labels; the log says where it is left out. Histograms and summaries
// are no readings. `type` as the exposition says.
ExposedSeries exposedSeries(std::string_view name, std::span<const MetricLabel> labels,
    std::string_view type, MeterLog& log);

// NaN for what is no value; absent for what is no number.
std::optional<double> exposedNumber(std::string_view text, bool isDcgm);

} // namespace trainscope::importers::meters
