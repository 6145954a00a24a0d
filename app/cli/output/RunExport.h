#pragma once
// A run out of the database: what is to be written, and as CSV files in a folder, SI units, decimal
// points, missing values as empty cells:
// - metrics.csv: metric,unit,kind,file,series,samples,missing,scale,counter_bits,sensor
// - METRIC.csv: time_ns,unix_s,rank,node,local,device,value; a row for each sample, by series
// - kernels.csv: rank,device,name,category,count,time_us
// - spans.csv: rank,device,track,kind,name,start_ns,duration_ns,correlation,depth
// - iterations.csv: index,rank,start_ns,duration_ns,warmup
// The last three only where the run has such data and no metrics were asked for.

#include "app/cli/text/TextFile.h"
#include "core/store/Store.h"

namespace trainscope::cli {

struct ExportRequest {
    Run run;
    std::vector<std::string> metrics; // empty: all, and what was traced
    std::filesystem::path out; // a folder of CSV files; a file of another format
    bool overwrite = false; // files of the same names; others are never touched
};

using KeepGoing = std::function<bool(std::string_view phase)>;

// The series of the metrics that are asked for. NotFound names the metrics there are.
using SeriesByMetric = std::map<std::string, std::vector<Series>>;
Result<SeriesByMetric> chosenSeries(const store::Store& store, const ExportRequest& request);

// The file of a format that is one; Usage where a folder has its name.
Result<TextFile> newFile(const ExportRequest& request);

// The files written. Usage where the folder is not empty and
// `overwrite` was not given, or where somebody puts a file of that name there meanwhile. All files
// appear when the last one is whole; where one fails, what was there before stays as it is.
Result<std::vector<std::filesystem::path>> exportRun(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing);

// "-12.003" of -12003 thousandths: `count` of 10^-decimals, exactly. A double of unix seconds holds
// no nanoseconds.
void appendDecimals(std::string& line, std::int64_t count, int decimals);

struct ChromeTraceResult {
    std::int64_t events = 0;
    std::vector<std::string> remarks; // ranks whose clock stays as it is, and why
};

// As a trace for Perfetto (ChromeTrace.cpp). Writes request.out, which is the file here; gzip where
// its name ends in ".gz".
Result<ChromeTraceResult> exportChromeTrace(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing);

} // namespace trainscope::cli
