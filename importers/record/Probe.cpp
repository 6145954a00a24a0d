#include "importers/record/Probe.h"

#include <cassert>

namespace trainscope::record {

TimeNs ListedProbe::read(std::size_t reading, std::span<double> values) {
    const TimeNs time = wallClock();
    std::vector<double>& answered = m_answered[reading];
    m_asks[reading](answered);
    const auto& channels = m_readings[reading].channels;
    for (std::size_t i = 0; i < channels.size(); ++i)
        values[channels[i]] = answered[i];
    return time;
}

std::size_t ListedProbe::addChannel(
    std::string_view metric, const Subject& subject, const ChannelTraits& traits) {
    const KnownMetric* known = findMetric(metric);
    assert(known != nullptr);
    m_channels.push_back({{*known, subject, traits.scale, traits.counterBits, traits.sensor}});
    return m_channels.size() - 1;
}

void ListedProbe::addReading(Reading reading, Ask ask) {
    m_answered.emplace_back(reading.channels.size(), std::numeric_limits<double>::quiet_NaN());
    m_readings.push_back(std::move(reading));
    m_asks.push_back(std::move(ask));
}

} // namespace trainscope::record
