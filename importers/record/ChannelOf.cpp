#include "importers/record/ChannelOf.h"

#include <cassert>

namespace trainscope::record {

Channel channelOf(std::string_view metric, const Subject& subject, const ChannelTraits& traits) {
    const KnownMetric* known = findMetric(metric);
    assert(known != nullptr);
    Channel channel;
    channel.description = {*known, subject, traits.scale, traits.counterBits, traits.sensor};
    return channel;
}

} // namespace trainscope::record
