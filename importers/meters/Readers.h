#pragma once
// Readers of all telemetry that is no table, each in the file that stands above it; Formats.cpp
// chooses among them.

#include "importers/meters/MeterReader.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

// Exposition.cpp, PrometheusJson.cpp
extern const MakeMeterReader makeExpositionReader, makePrometheusReader;
// True for a line that is a sample: "name{label="value"} 1.5".
bool isExpositionLine(std::string_view line);

// JsonRecords.cpp
extern const MakeMeterReader makeAmdJsonReader, makeRocmJsonReader, makeGpustatReader,
    makeWandbJsonReader, makeRedfishReader, makeMonitorJsonReader;
// True where JSON that begins so has stamps and readings that people's own monitors write.
bool isMonitorJson(std::string_view head);

// NodeLogs.cpp, IpmiReader.cpp
extern const MakeMeterReader makeMllogReader, makePtdReader, makePerfReader, makeCodeCarbonReader,
    makeIpmiReader;
// The runs of a table of CodeCarbon that has several, in order.
std::vector<std::string> codeCarbonRuns(const SourceTree& tree, const std::string& path);
// The node that the file is of.
Who wholeNode();
// A reading of the machine that the file is of: its node, or the switch that its name says.
Status addMachinePower(MeterLog& log, TimeNs time, double watts);

// SmiTexts.cpp, SmiTable.cpp
extern const MakeMeterReader makeSmiTableReader, makeSmiQueryReader, makeSmiXmlReader,
    makeRocmTextReader, makeGpustatTextReader, makeTegrastatsReader; // Nvidia's Jetson boards
bool isSmiTable(const std::vector<std::string>& lines);
bool isTegrastatsLine(std::string_view line);
bool isGpustatLine(std::string_view line); // "[0] NVIDIA A100 | 50'C,  99 % | …"

} // namespace trainscope::importers::meters
