#include "importers/record/AmdProbe.h"

#include "importers/record/AmdMetrics.h"
#include "importers/record/ChannelOf.h"
#include "importers/record/PcieMeter.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace trainscope::record {

namespace {

using amd::Handle;
using amd::kNoValue;

constexpr double kMegahertz = 1e6;
constexpr double kOfHundred = 0.01;
constexpr double kMicrojoule = 1e-6;
constexpr double kFullFan = 255.0;
constexpr double kKibibyte = 1024.0;
constexpr double kMegabit = 125'000.0; // B
constexpr std::size_t kPcieBandwidthAt = 104; // bytes into amdsmi_pcie_info_t
constexpr int kWide = 64;
constexpr ChannelTraits kSeldom{1.0, 0, SensorKind::Unknown, true};
constexpr ChannelTraits kErrors{1.0, kWide, SensorKind::Unknown, true};

// A 32-bit word of what a function writes; some versions give a missing one in 16 bits.
template <typename Function, typename... Args>
double wordOf(Function function, std::size_t place, Handle device, const Args&... args) {
    amd::Room room{};
    if (function == nullptr || function(device, args..., room.data()) != amd::kSuccess)
        return kNoValue;
    const auto value = amd::at<std::uint32_t>(room, place * sizeof(std::uint32_t));
    return value == std::numeric_limits<std::uint16_t>::max() ? kNoValue : amd::known(value);
}

template <typename Integer, typename Function, typename... Args>
double numberOf(Function function, Handle device, const Args&... args) {
    Integer value = 0;
    if (function == nullptr || function(device, args..., &value) != amd::kSuccess)
        return kNoValue;
    return amd::known(value);
}

// Watts of the socket: now where the GPU measures that (MI300), else averaged.
double readSocketPower(const amd::Functions& library, Handle device) {
    const double first = wordOf(library.power, 0, device);
    return std::isnan(first) ? wordOf(library.power, 1, device) : first;
}

// Degrees in some versions, their thousandths in others.
double readTemperature(const amd::Functions& library, Handle device, std::uint32_t sensor) {
    constexpr double hotterThanAny = 1000.0;
    const double value = numberOf<std::int64_t>(library.temperature, device, sensor, amd::kCurrent);
    return value >= hotterThanAny ? value / hotterThanAny : value;
}

double readEcc(const amd::Functions& library, Handle device, std::size_t place) {
    amd::Room room{};
    if (library.ecc == nullptr || library.ecc(device, room.data()) != amd::kSuccess)
        return kNoValue;
    return amd::known(room[place]);
}

// Megabits a second as the library's header says, of both directions.
double readPcie(const amd::Functions& library, Handle device) {
    return wordOf(library.pcie, kPcieBandwidthAt / sizeof(std::uint32_t), device);
}

struct AmdReading {
    std::string_view metric;
    ChannelTraits traits;
    double (*read)(const amd::Functions& library, Handle device);
};
constexpr std::array kAmdReadings{
    AmdReading{metric::kGpuTemperature, {},
        [](const amd::Functions& library, Handle device) {
            return readTemperature(library, device, amd::kEdge);
        }},
    AmdReading{metric::kHotspotTemperature, {},
        [](const amd::Functions& library, Handle device) {
            return readTemperature(library, device, amd::kHotspot);
        }},
    AmdReading{metric::kMemTemperature, {},
        [](const amd::Functions& library, Handle device) {
            return readTemperature(library, device, amd::kVram);
        }},
    AmdReading{metric::kSmClock, {kMegahertz},
        [](const amd::Functions& library, Handle device) {
            return wordOf(library.clock, 0, device, amd::kGfxClock);
        }},
    AmdReading{metric::kMemClock, {kMegahertz},
        [](const amd::Functions& library, Handle device) {
            return wordOf(library.clock, 0, device, amd::kMemClock);
        }},
    AmdReading{metric::kGpuUtilization, {kOfHundred},
        [](const amd::Functions& library, Handle device) {
            return wordOf(library.activity, 0, device);
        }},
    AmdReading{metric::kMemUtilization, {kOfHundred},
        [](const amd::Functions& library, Handle device) {
            return wordOf(library.activity, 1, device);
        }},
    AmdReading{metric::kMemUsed, {},
        [](const amd::Functions& library, Handle device) {
            return numberOf<std::uint64_t>(library.memoryUsed, device, amd::kVideoMemory);
        }},
    AmdReading{"pcie_rate", {kMegabit}, readPcie},
    AmdReading{metric::kMemTotal, kSeldom,
        [](const amd::Functions& library, Handle device) {
            return numberOf<std::uint64_t>(library.memoryTotal, device, amd::kVideoMemory);
        }},
    AmdReading{metric::kPowerLimit, kSeldom, amd::powerCap},
    AmdReading{metric::kFanSpeed, {1.0 / kFullFan, 0, SensorKind::Unknown, true},
        [](const amd::Functions& library, Handle device) {
            constexpr std::uint32_t firstFan = 0;
            return numberOf<std::int64_t>(library.fan, device, firstFan);
        }},
    AmdReading{metric::kEccCorrected, kErrors,
        [](const amd::Functions& library, Handle device) { return readEcc(library, device, 0); }},
    AmdReading{metric::kEccUncorrected, kErrors,
        [](const amd::Functions& library, Handle device) { return readEcc(library, device, 1); }},
};
// What the power is of follows from the table of metrics.
constexpr std::array kSocketPowers{
    AmdReading{metric::kGpuPower, {1.0, 0, SensorKind::Instant}, readSocketPower},
    AmdReading{metric::kGpuPower, {1.0, 0, SensorKind::Averaged}, readSocketPower},
    AmdReading{metric::kGpuPower, {1.0, 0, SensorKind::Unknown}, readSocketPower},
};

const AmdReading& socketPower(const std::optional<amd::Metrics>& metrics) {
    if (metrics && !std::isnan(metrics->currentPower))
        return kSocketPowers[0];
    return kSocketPowers[metrics && !std::isnan(metrics->averagePower) ? 1 : 2];
}

// One direction of all xGMI links.
struct Direction {
    std::string_view metric;
    std::string_view linkMetric;
    std::array<double, amd::kMostXgmiLinks> amd::Metrics::*counts;
};
constexpr std::array kDirections{
    Direction{metric::kXgmiRx, "xgmi_link_rx", &amd::Metrics::received},
    Direction{metric::kXgmiTx, "xgmi_link_tx", &amd::Metrics::sent},
};

class AmdProbe final : public Probe {
public:
    AmdProbe(const amd::Functions& library, Handle device, int index,
        const std::filesystem::path& folder)
        : m_library(library)
        , m_device(device) {
        m_subject.rank = index;
        m_subject.node = 0;
        const auto metrics = amd::readMetrics(library, device);
        addReading(socketPower(metrics));
        for (const AmdReading& reading : kAmdReadings)
            addReading(reading);
        if (const double resolution = energyResolution(); resolution > 0.0)
            m_energyChannel = addChannel(metric::kGpuEnergy, {resolution * kMicrojoule, kWide});
        if (metrics)
            findMetrics(*metrics);
        if (!folder.empty() && PcieMeter::isThere(folder)) {
            m_pcie.emplace(folder);
            constexpr ChannelTraits ofASecond{1.0, 0, SensorKind::Averaged, true};
            m_pcieChannel = addChannel(metric::kPcieRxRate, ofASecond);
            addChannel(metric::kPcieTxRate, ofASecond);
        }
    }

    [[nodiscard]] const std::vector<Channel>& channels() const override { return m_channels; }

    void read(bool slow, std::span<double> values) override {
        for (const auto& [channel, reading] : m_readings) {
            if (slow || !reading->traits.isSlow)
                values[channel] = reading->read(m_library, m_device);
        }
        if (m_energyChannel)
            values[*m_energyChannel] = energyCount();
        if (m_reasonsChannel || !m_links.empty())
            readMetrics(slow, values);
        if (m_pcie && slow) {
            values[m_pcieChannel] = m_pcie->received();
            values[m_pcieChannel + 1] = m_pcie->sent();
        }
    }

private:
    std::size_t addChannel(std::string_view metric, const ChannelTraits& traits) {
        m_channels.push_back(channelOf(metric, m_subject, traits));
        return m_channels.size() - 1;
    }

    // What the device lacks has no channel.
    void addReading(const AmdReading& reading) {
        if (!std::isnan(reading.read(m_library, m_device)))
            m_readings.emplace_back(addChannel(reading.metric, reading.traits), &reading);
    }

    // The sum of the links with each sample, and each link once a second.
    void findMetrics(const amd::Metrics& metrics) {
        if (amd::ThrottleReasons::isToldBy(metrics))
            m_reasonsChannel = addChannel(metric::kThrottleReasons, {});
        for (const Direction& direction : kDirections) {
            const auto& counts = metrics.*direction.counts;
            Links links{&direction, 0, {}};
            for (std::size_t link = 0; link < counts.size(); ++link) {
                if (std::isnan(counts[link]))
                    continue;
                Subject subject = m_subject;
                subject.kind = SubjectKind::Link;
                subject.device = fmt::format("GPU {} link {}", m_subject.rank, link);
                m_channels.push_back(channelOf(
                    direction.linkMetric, subject, {kKibibyte, kWide, SensorKind::Unknown, true}));
                links.channels.emplace_back(link, m_channels.size() - 1);
            }
            if (links.channels.empty())
                continue;
            links.sum = addChannel(direction.metric, {kKibibyte, kWide});
            m_links.push_back(std::move(links));
        }
    }

    void readMetrics(bool slow, std::span<double> values) {
        const amd::Metrics metrics
            = amd::readMetrics(m_library, m_device).value_or(nothingMeasured());
        if (m_reasonsChannel)
            values[*m_reasonsChannel] = m_reasons.of(metrics);
        for (const Links& links : m_links) {
            const auto& counts = metrics.*links.direction->counts;
            double total = 0.0;
            for (const auto& [link, channel] : links.channels) {
                total += counts[link];
                if (slow)
                    values[channel] = counts[link];
            }
            values[links.sum] = total;
        }
    }

    static amd::Metrics nothingMeasured() {
        amd::Metrics metrics;
        metrics.received.fill(kNoValue);
        metrics.sent.fill(kNoValue);
        return metrics;
    }

    [[nodiscard]] double energyCount() const {
        std::uint64_t count = 0;
        float resolution = 0.0F;
        std::uint64_t time = 0;
        const bool isRead = m_library.energy(m_device, &count, &resolution, &time) == amd::kSuccess;
        return isRead ? amd::known(count) : kNoValue;
    }

    // µJ of a step of the counter; 0 where there is none.
    [[nodiscard]] double energyResolution() const {
        std::uint64_t count = 0;
        float resolution = 0.0F;
        std::uint64_t time = 0;
        const bool isRead = m_library.energy != nullptr
            && m_library.energy(m_device, &count, &resolution, &time) == amd::kSuccess;
        return isRead && !std::isnan(amd::known(count)) ? double{resolution} : 0.0;
    }

    struct Links {
        const Direction* direction;
        std::size_t sum; // its channel
        std::vector<std::pair<std::size_t, std::size_t>> channels; // by link
    };

    const amd::Functions& m_library;
    Handle m_device;
    Subject m_subject;
    std::vector<Channel> m_channels;
    std::vector<std::pair<std::size_t, const AmdReading*>> m_readings;
    std::optional<std::size_t> m_energyChannel;
    std::optional<std::size_t> m_reasonsChannel;
    amd::ThrottleReasons m_reasons;
    std::vector<Links> m_links;
    std::optional<PcieMeter> m_pcie;
    std::size_t m_pcieChannel = 0; // received; sent follows
};

} // namespace

std::unique_ptr<Probe> amdProbe(const amd::Functions& library, amd::Handle device, int index,
    const std::filesystem::path& folder) {
    return std::make_unique<AmdProbe>(library, device, index, folder);
}

// Watts, or microwatts.
double amd::powerCap(const amd::Functions& library, Handle device) {
    constexpr double moreThanAny = 1e5;
    Room room{};
    if (library.powerCap == nullptr || library.powerCap(device, 0, room.data()) != kSuccess)
        return kNoValue;
    const double value = known(room[0]);
    return value >= moreThanAny ? value * 1e-6 : value;
}

} // namespace trainscope::record
