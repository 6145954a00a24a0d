#pragma once
// Probe: something of a node that is asked for its readings over and over: a GPU, its network
// cards, its processors. Several threads may ask at once, each for other readings.

#include "core/model/Series.h"

#include <span>

namespace trainscope::record {

// One series of a probe. There is no channel for what a device lacks; values it fails to say are
// missing.
struct Channel {
    SeriesDescription description; // subject: ranks and nodes count from 0 within the node
};

// Rate at which a reading is worth its cost.
enum class Pace {
    Round, // a state that nobody knows between samples: power, clock
    Lagging, // a state that drivers renew every 100 ms or so: temperature, utilisation
    Running, // goes on between: counters, and means since the last reading
    Seldom, // a mean of a second, or what may happen at any time
    Setting, // hardly changes: limits, sizes, counts of errors
    Total, // exact whenever it is asked for, and dear: energy
};

// Values that a device answers in one call.
struct Reading {
    Pace pace = Pace::Round;
    std::vector<std::size_t> channels;
};

// Something that happened, in words.
struct Incident {
    TimeNs time;
    std::string text;
};

// A sample that the device took by itself.
struct KeptSample {
    TimeNs time; // by its own stamp
    double value = 0.0; // source number
};

class Probe {
public:
    Probe() = default;
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;
    virtual ~Probe() = default;

    // Stay the same.
    [[nodiscard]] virtual const std::vector<Channel>& channels() const = 0;
    [[nodiscard]] virtual const std::vector<Reading>& readings() const = 0;
    // Writes the values of the channels of readings()[reading]: source numbers, NaN for missing.
    // `values` has one for each channel; the others stay. The answer: when the device was asked.
    virtual TimeNs read(std::size_t reading, std::span<double> values) = 0;
    // Incidents since the last call; one thread at a time.
    virtual std::vector<Incident> incidents() { return {}; }

    // The samples of gpu_power that the device itself kept behind that moment, in order, or an
    // error; nothing from devices that keep none, which never do.
    [[nodiscard]] virtual bool keepsPower() const { return false; }
    virtual std::vector<KeptSample> keptPower(TimeNs /*after*/) { return {}; }
};

struct ChannelTraits {
    double scale = 1.0; // SI value = reading × scale
    int counterBits = 0;
    SensorKind sensor = SensorKind::Unknown;
};

// A probe of readings each of which has a function that asks for it.
class ListedProbe : public Probe {
public:
    [[nodiscard]] const std::vector<Channel>& channels() const final { return m_channels; }
    [[nodiscard]] const std::vector<Reading>& readings() const final { return m_readings; }
    TimeNs read(std::size_t reading, std::span<double> values) final;

protected:
    // Writes the values of a reading's channels, in their order.
    using Ask = std::function<void(std::span<double> values)>;

    // The metric is one of the registry.
    std::size_t addChannel(
        std::string_view metric, const Subject& subject, const ChannelTraits& traits);
    void addReading(Reading reading, Ask ask);

private:
    std::vector<Channel> m_channels;
    std::vector<Reading> m_readings;
    std::vector<Ask> m_asks; // by reading
    std::vector<std::vector<double>> m_answered; // likewise
};

} // namespace trainscope::record
