#pragma once
// Channels of known metrics.

#include "importers/record/Probe.h"

#include <string_view>

namespace trainscope::record {

struct ChannelTraits {
    double scale = 1.0; // SI value = reading × scale
    int counterBits = 0;
    SensorKind sensor = SensorKind::Unknown;
};

// The metric is one of the registry.
Channel channelOf(std::string_view metric, const Subject& subject, const ChannelTraits& traits);

} // namespace trainscope::record
