#pragma once
// MeterReader: reads the text of one telemetry file into a MeterLog.

#include "importers/common/Cells.h"
#include "importers/common/MeterLog.h"

#include <memory>
#include <string>
#include <string_view>

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

// A registered metric, or one of that name, in the unit that the text means ("MHz"); an empty unit
// leaves plain numbers.
SeriesDescription meterSeries(
    std::string_view metric, std::string_view unit, SensorKind sensor = SensorKind::Unknown);
// The value as a number of that series, whatever unit stands behind it. NaN, with a warning, where
// that unit measures something else.
double numberIn(const SeriesDescription& what, const CellValue& value, MeterLog& log);
// A metric of the source's own: "Sys Fan 1" → "sys_fan_1".
SeriesDescription ownMeterSeries(std::string_view name, std::string_view unit);

} // namespace trainscope::importers::meters
