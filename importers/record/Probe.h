#pragma once
// Probe: something of a node that is asked for its readings over and over: a GPU, its network
// cards, its processors. One thread at a time.

#include "core/model/Series.h"
#include "core/model/Time.h"

#include <span>
#include <string>
#include <vector>

namespace trainscope::record {

// One reading of a probe. What a device lacks is no channel; what it fails to say is missing.
struct Channel {
    SeriesDescription description; // subject: ranks and nodes count from 0 within the node
    bool isSlow = false; // asked for once a second: it changes seldom, or takes the driver long
};

// Something that happened, in words.
struct Incident {
    TimeNs time;
    std::string text;
};

class Probe {
public:
    Probe() = default;
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;
    virtual ~Probe() = default;

    // Stays the same.
    [[nodiscard]] virtual const std::vector<Channel>& channels() const = 0;
    // As many values as channels, source numbers, NaN for missing. Slow ones only with `slow`; else
    // theirs are left as they are.
    virtual void read(bool slow, std::span<double> values) = 0;
    // What happened since the last call; asked for with slow readings.
    virtual std::vector<Incident> incidents() { return {}; }
};

} // namespace trainscope::record
