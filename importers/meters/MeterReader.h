#pragma once
// MeterReader: reads the text of one telemetry file into a MeterLog. Readers of all telemetry that
// is no table stand below, each with the file that it is in; Formats.cpp chooses among them.

#include "importers/common/Cells.h"
#include "importers/common/MeterLog.h"

namespace trainscope::importers::meters {

class MeterReader {
public:
    MeterReader() = default;
    MeterReader(const MeterReader&) = delete;
    MeterReader& operator=(const MeterReader&) = delete;
    virtual ~MeterReader() = default;

    // The next line without its end; of a JSON text its next object, with JsonScanner::kPadding
    // zero bytes behind it.
    virtual Status take(std::string_view text, MeterLog& log) = 0;
    // Behind the last one.
    virtual Status finish(MeterLog&) { return {}; }
};
using MakeMeterReader = std::unique_ptr<MeterReader> (*)();
template <typename Reader>
std::unique_ptr<MeterReader> makeReader() {
    return std::make_unique<Reader>();
}

// Times of readings under a stamp that stands before them, or none: then they follow one another.
class ReadingTimes {
public:
    void setStamp(const std::optional<Stamp>& stamp) {
        m_stamp = stamp;
        m_seen.clear();
    }
    // Begins the next reading, if there was any before.
    void next() {
        m_reading += std::exchange(m_hasAny, false) ? 1 : 0;
        m_seen.clear();
    }
    [[nodiscard]] TimeNs time(MeterLog& log) {
        m_hasAny = true;
        return m_stamp ? log.at(*m_stamp) : log.at(m_reading);
    }
    // A subject that comes again begins the next reading.
    [[nodiscard]] TimeNs timeOf(const std::string& whose, MeterLog& log) {
        if (m_seen.contains(whose))
            next();
        m_seen.insert(whose);
        return time(log);
    }

private:
    std::optional<Stamp> m_stamp;
    std::set<std::string, std::less<>> m_seen; // in this reading
    std::int64_t m_reading = 0;
    bool m_hasAny = false;
};

// A registered metric, or one of that name, in the unit that the text means ("MHz"); an empty unit
// leaves plain numbers.
SeriesDescription meterSeries(
    std::string_view metric, std::string_view unit, SensorKind sensor = SensorKind::Unknown);
// The value as a number of that series, whatever unit stands behind it. Absent where that unit
// measures something else.
std::optional<double> numberIn(const SeriesDescription& what, const CellValue& value);
// The number in a text as one of that series; `unit`: where it stands apart. NaN: missing.
double numberOf(std::string_view text, const SeriesDescription& what, MeterLog& log,
    std::string_view unit = {});
// "3", "GPU 3", "GPU-I 1", "Switch 0", "node 2" as a subject. Anything else stays with a GPU.
Who meterSubject(std::string_view text, SubjectKind usual);
// A metric of the source's own: "Sys Fan 1" → "sys_fan_1".
SeriesDescription ownMeterSeries(std::string_view name, std::string_view unit);

// Exposition.cpp
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
