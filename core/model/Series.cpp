#include "core/model/Series.h"

#include "core/model/EnumNames.h"

namespace trainscope {

namespace {

constexpr auto kSensorNames = enumNames<SensorKind>({{SensorKind::Unknown, "unknown"},
    {SensorKind::Instant, "instant"}, {SensorKind::Averaged, "averaged"}});

} // namespace

std::string_view toString(SensorKind kind) {
    return kSensorNames.nameOf(kind);
}

SensorKind sensorKindFrom(std::string_view text) {
    return kSensorNames.find(text).value_or(SensorKind::Unknown);
}

} // namespace trainscope
