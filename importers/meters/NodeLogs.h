#pragma once
// Logs of node power that are no tables: MLPerf's `:::MLLOG` power readings, SPEC PTDaemon's
// spl.txt, `ipmitool sensor`, `sdr` and `dcmi power reading`, `perf stat -I` of RAPL events, and
// CodeCarbon's emissions.csv, which has one line a run.
//
// Clocks: MLPerf's time_ms is unix time; PTDaemon and CodeCarbon write local time without zone;
// ipmitool writes none where it says none (dcmi does); perf counts seconds since its start.

#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

// The node that the file is of.
Who wholeNode();
// A reading of the machine that the file is of: its node, or the switch that its name says.
Status addMachinePower(MeterLog& log, TimeNs time, double watts);

std::unique_ptr<MeterReader> makeMllogReader();
std::unique_ptr<MeterReader> makePtdReader();
std::unique_ptr<MeterReader> makeIpmiReader();
std::unique_ptr<MeterReader> makePerfReader();
std::unique_ptr<MeterReader> makeCodeCarbonReader();
// The runs of a table of CodeCarbon that has several, in order.
std::vector<std::string> codeCarbonRuns(const SourceTree& tree, const std::string& path);

} // namespace trainscope::importers::meters
