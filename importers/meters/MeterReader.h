#pragma once
// MeterReader: reads the text of one telemetry file into a MeterLog.

#include "importers/common/Cells.h"
#include "importers/common/MeterLog.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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

} // namespace trainscope::importers::meters
