#pragma once
// Samples of exporters: the text exposition format of Prometheus and OpenMetrics (one scrape, or
// several one after the other, with or without time stamps), and answers of query APIs as JSON
// (vector and matrix of Prometheus, the lines of VictoriaMetrics' export). What metrics and labels
// mean stands in importers/common/ExporterMetrics.h.
//
// Clock: unix time, in seconds or milliseconds; a scrape without stamps has none, unless a comment
// between scrapes is one. The same GPU's metric that comes a second time for one moment, under
// other labels of jobs and pods, is a duplicate: the first is taken, the others are counted.

#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

std::unique_ptr<MeterReader> makeExpositionReader();
std::unique_ptr<MeterReader> makePrometheusReader();
// True for a line that is a sample: "name{label="value"} 1.5".
bool isExpositionLine(std::string_view line);

} // namespace trainscope::importers::meters
