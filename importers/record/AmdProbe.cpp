#include "importers/record/AmdApi.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <thread>

namespace trainscope::record::amd {
namespace {

// The table of metrics that AMD's driver gives of a GPU in one piece (amdsmi_gpu_metrics_t):
// traffic over each xGMI link and what holds the clock back. Per link, the library's own function
// for links (amdsmi_get_link_metrics) is not used: the size of its entries and the numbers of its
// kinds of link differ between versions.

constexpr std::size_t kMostXgmiLinks = 8;

// NaN and absent: the GPU does not measure it, or the library is older.
struct Metrics {
    std::array<double, kMostXgmiLinks> received{}; // KiB over a link since the driver was loaded
    std::array<double, kMostXgmiLinks> sent{};
    double currentPower = kNoValue; // W
    double averagePower = kNoValue;
    // Bits of any GPU's throttlers, of GPUs until MI200 (SMU_THROTTLER_… of amdgpu).
    std::optional<std::uint64_t> throttlers;
    // Counts of MI300 and later: the firmware's cycles, and those in which each throttler held the
    // clock back.
    struct Residencies {
        double cycles = kNoValue;
        double processorHot = kNoValue;
        double packagePower = kNoValue;
        double socketHot = kNoValue;
        double regulatorHot = kNoValue;
        double memoryHot = kNoValue;
    } residencies;
};

// Places in the table, in bytes.
constexpr std::size_t kAveragePowerAt = 22; // version 1.0
constexpr std::size_t kThrottlersAt = 112; // 1.3
constexpr std::size_t kCurrentPowerAt = 120; // 1.4
constexpr std::size_t kReceivedAt = 184;
constexpr std::size_t kSentAt = 248;
constexpr std::size_t kCyclesAt = 424; // 1.6; five residencies follow

constexpr unsigned kPowerLimited = 0x4;
constexpr unsigned kHeldByHardware = 0x8;
constexpr unsigned kCooledByFirmware = 0x20;
constexpr unsigned kHotHardware = 0x40;

// Bits [first, behind) of the driver's mask.
struct Throttlers {
    unsigned first;
    unsigned behind;
    unsigned reason;
};
constexpr auto kThrottlers = std::to_array<Throttlers>({
    {0, 16, kPowerLimited}, // PPT, SPL
    {16, 32, kHeldByHardware}, // TDC, EDC, APCC: currents
    {32, 44, kCooledByFirmware}, // temperatures
    {44, 48, kHotHardware}, // VRHOT, PROCHOT
    {48, 64, kHeldByHardware}, // PPM, FIT
});

double reasonsOf(std::uint64_t throttlers) {
    unsigned reasons = 0;
    for (const Throttlers& kind : kThrottlers) {
        const std::uint64_t width = kind.behind - kind.first;
        const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << kind.first;
        if ((throttlers & mask) != 0)
            reasons |= kind.reason;
    }
    return reasons;
}

// Absent: the library does not give it.
std::optional<Metrics> readMetrics(const Functions& library, Handle device) {
    TableRoom room;
    room.fill(std::numeric_limits<std::uint64_t>::max()); // an older table lacks some
    if (library.metrics == nullptr || library.metrics(device, room.data()) != kSuccess)
        return std::nullopt;
    constexpr std::size_t word = sizeof(std::uint64_t);
    const auto counter = [&room](std::size_t byte) { return known(at<std::uint64_t>(room, byte)); };
    Metrics metrics;
    for (std::size_t link = 0; link < kMostXgmiLinks; ++link) {
        metrics.received[link] = counter(kReceivedAt + link * word);
        metrics.sent[link] = counter(kSentAt + link * word);
    }
    metrics.averagePower = known(at<std::uint16_t>(room, kAveragePowerAt));
    metrics.currentPower = known(at<std::uint16_t>(room, kCurrentPowerAt));
    if (const auto bits = at<std::uint64_t>(room, kThrottlersAt);
        bits != std::numeric_limits<std::uint64_t>::max())
        metrics.throttlers = bits;
    metrics.residencies = {counter(kCyclesAt), counter(kCyclesAt + word),
        counter(kCyclesAt + 2 * word), counter(kCyclesAt + 3 * word), counter(kCyclesAt + 4 * word),
        counter(kCyclesAt + 5 * word)};
    return metrics;
}

// NVML's mask of reasons, by which throttling of all GPUs is told: limits of power (0x4) and of
// currents (0x8), firmware that cools (0x20), hardware that is too hot (0x40).
class ThrottleReasons {
public:
    // Missing where the table does not say, and where its counts have nothing before them.
    double of(const Metrics& metrics) {
        if (!std::isnan(metrics.residencies.cycles))
            return fromResidencies(metrics.residencies);
        return metrics.throttlers ? reasonsOf(*metrics.throttlers) : kNoValue;
    }
    static bool isToldBy(const Metrics& metrics) {
        return metrics.throttlers || !std::isnan(metrics.residencies.cycles);
    }

private:
    // Reasons whose count rose since the last reading.
    double fromResidencies(const Metrics::Residencies& now) {
        if (m_before && m_before->cycles == now.cycles)
            return m_last; // the firmware has not counted on
        if (m_before) {
            const auto rose = [&](double Metrics::Residencies::*count) {
                return now.*count > (*m_before).*count; // false where one is missing
            };
            unsigned reasons = 0;
            if (rose(&Metrics::Residencies::packagePower))
                reasons |= kPowerLimited;
            if (rose(&Metrics::Residencies::socketHot) || rose(&Metrics::Residencies::regulatorHot)
                || rose(&Metrics::Residencies::memoryHot))
                reasons |= kCooledByFirmware;
            if (rose(&Metrics::Residencies::processorHot))
                reasons |= kHotHardware;
            m_last = reasons;
        }
        m_before = now;
        return m_last;
    }

    std::optional<Metrics::Residencies> m_before;
    double m_last = kNoValue;
};

} // namespace
} // namespace trainscope::record::amd

namespace trainscope::record {
namespace {

constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();

// The traffic of an AMD GPU over PCIe as its driver counts it: packets in each direction during a
// second, for which reading the file blocks, so that a thread of its own reads. The size of a
// packet is not counted: the largest that the GPU sends is taken, which makes the rate an upper
// bound (Documentation/gpu/amdgpu/driver-misc, pcie_bw). MI300 and later have no such file.
class PcieMeter {
public:
    // `device`: the GPU's folder of the kernel.
    explicit PcieMeter(const std::filesystem::path& device)
        : m_file(device / "pcie_bw")
        , m_thread([this](const std::stop_token& stop) { run(stop); }) { }

    static bool isThere(const std::filesystem::path& device) {
        std::error_code ignored; // a folder that cannot be asked for is not there
        return std::filesystem::exists(device / "pcie_bw", ignored);
    }

    // B/s of the last second that was counted; NaN before, and where it cannot be read.
    [[nodiscard]] double received() const { return m_received; }
    [[nodiscard]] double sent() const { return m_sent; }

private:
    // Once a second, which the driver takes itself; ends after the reading under way.
    void run(const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
            readOnce();
            m_wake.wait_until(lock, stop, next, [] { return false; });
        }
    }

    // "received sent bytes": packets, packets, largest packet.
    void readOnce() {
        std::ifstream file(m_file);
        double received = 0.0;
        double sent = 0.0;
        double packet = 0.0;
        const bool isRead = static_cast<bool>(file >> received >> sent >> packet);
        m_received = isRead ? received * packet : kUnread;
        m_sent = isRead ? sent * packet : kUnread;
    }

    std::filesystem::path m_file;
    std::atomic<double> m_received = kUnread;
    std::atomic<double> m_sent = kUnread;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

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
constexpr ChannelTraits kErrors{1.0, kWide};

// Asks one of the library's functions with these arguments, which writes into `to`.
template <auto function, auto... args, typename To>
bool ask(const amd::Functions& library, Handle device, To* to) {
    return library.*function != nullptr
        && (library.*function)(device, args..., to) == amd::kSuccess;
}

// A 32-bit word of what a function writes; some versions give a missing one in 16 bits.
template <auto function, std::size_t place = 0, auto... args>
double wordOf(const amd::Functions& library, Handle device) {
    amd::Room room{};
    if (!ask<function, args...>(library, device, static_cast<void*>(room.data())))
        return kNoValue;
    const auto value = amd::at<std::uint32_t>(room, place * sizeof(std::uint32_t));
    return value == std::numeric_limits<std::uint16_t>::max() ? kNoValue : amd::known(value);
}

template <typename Integer, auto function, auto... args>
double numberOf(const amd::Functions& library, Handle device) {
    Integer value = 0;
    return ask<function, args...>(library, device, &value) ? amd::known(value) : kNoValue;
}

// Watts of the socket: now where the GPU measures that (MI300), else averaged.
double readSocketPower(const amd::Functions& library, Handle device) {
    const double first = wordOf<&amd::Functions::power>(library, device);
    return std::isnan(first) ? wordOf<&amd::Functions::power, 1>(library, device) : first;
}

// Degrees in some versions, their thousandths in others.
template <std::uint32_t sensor>
double readTemperature(const amd::Functions& library, Handle device) {
    constexpr double hotterThanAny = 1000.0;
    const double value
        = numberOf<std::int64_t, &amd::Functions::temperature, sensor, amd::kCurrent>(
            library, device);
    return value >= hotterThanAny ? value / hotterThanAny : value;
}

template <std::size_t place>
double readEcc(const amd::Functions& library, Handle device) {
    amd::Room room{};
    return ask<&amd::Functions::ecc>(library, device, static_cast<void*>(room.data()))
        ? amd::known(room[place])
        : kNoValue;
}

struct AmdReading {
    std::string_view metric;
    ChannelTraits traits;
    Pace pace;
    double (*read)(const amd::Functions& library, Handle device);
};
using Amd = amd::Functions;
constexpr std::uint32_t kFirstFan = 0;
constexpr auto kAmdReadings = std::to_array<AmdReading>({
    {metric::kGpuTemperature, {}, Pace::Lagging, readTemperature<amd::kEdge>},
    {metric::kHotspotTemperature, {}, Pace::Lagging, readTemperature<amd::kHotspot>},
    {metric::kMemTemperature, {}, Pace::Lagging, readTemperature<amd::kVram>},
    {metric::kSmClock, {kMegahertz}, Pace::Round, wordOf<&Amd::clock, 0, amd::kGfxClock>},
    {metric::kMemClock, {kMegahertz}, Pace::Lagging, wordOf<&Amd::clock, 0, amd::kMemClock>},
    {metric::kGpuUtilization, {kOfHundred}, Pace::Lagging, wordOf<&Amd::activity>},
    {metric::kMemUtilization, {kOfHundred}, Pace::Lagging, wordOf<&Amd::activity, 1>},
    {metric::kMemUsed, {}, Pace::Lagging,
        numberOf<std::uint64_t, &Amd::memoryUsed, amd::kVideoMemory>},
    // Megabits a second as the library's header says, of both directions.
    {"pcie_rate", {kMegabit}, Pace::Round,
        wordOf<&Amd::pcie, kPcieBandwidthAt / sizeof(std::uint32_t)>},
    {metric::kMemTotal, {}, Pace::Setting,
        numberOf<std::uint64_t, &Amd::memoryTotal, amd::kVideoMemory>},
    {metric::kPowerLimit, {}, Pace::Setting, amd::powerCap},
    {metric::kFanSpeed, {1.0 / kFullFan}, Pace::Setting,
        numberOf<std::int64_t, &Amd::fan, kFirstFan>},
    {metric::kEccCorrected, kErrors, Pace::Setting, readEcc<0>},
    {metric::kEccUncorrected, kErrors, Pace::Setting, readEcc<1>},
});
// Kind of the power, which the table of metrics tells.
constexpr auto kSocketPowers = std::to_array<AmdReading>({
    {metric::kGpuPower, {1.0, 0, SensorKind::Instant}, Pace::Round, readSocketPower},
    {metric::kGpuPower, {1.0, 0, SensorKind::Averaged}, Pace::Round, readSocketPower},
    {metric::kGpuPower, {1.0, 0, SensorKind::Unknown}, Pace::Round, readSocketPower},
});

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
constexpr auto kDirections = std::to_array<Direction>({
    {metric::kXgmiRx, "xgmi_link_rx", &amd::Metrics::received},
    {metric::kXgmiTx, "xgmi_link_tx", &amd::Metrics::sent},
});

struct XgmiLink {
    const Direction* direction;
    std::size_t index;

    [[nodiscard]] double count(const amd::Metrics& metrics) const {
        return (metrics.*direction->counts)[index];
    }
};

class AmdProbe final : public ListedProbe {
public:
    AmdProbe(const amd::Functions& library, Handle device, int index,
        const std::filesystem::path& folder)
        : m_library(library)
        , m_device(device) {
        m_subject.rank = index;
        m_subject.node = 0;
        const auto metrics = amd::readMetrics(library, device);
        addFunction(socketPower(metrics));
        for (const AmdReading& reading : kAmdReadings)
            addFunction(reading);
        if (const double resolution = energyResolution(); resolution > 0.0)
            addReading(
                {Pace::Total, {addOwn(metric::kGpuEnergy, {resolution * kMicrojoule, kWide})}},
                [this](std::span<double> values) { values.front() = energyCount(); });
        if (metrics)
            findMetrics(*metrics);
        if (!folder.empty() && PcieMeter::isThere(folder)) {
            m_pcie.emplace(folder);
            constexpr ChannelTraits ofASecond{1.0, 0, SensorKind::Averaged};
            const std::size_t received = addOwn(metric::kPcieRxRate, ofASecond);
            addReading({Pace::Seldom, {received, addOwn(metric::kPcieTxRate, ofASecond)}},
                [this](std::span<double> values) {
                    values[0] = m_pcie->received();
                    values[1] = m_pcie->sent();
                });
        }
    }

private:
    std::size_t addOwn(std::string_view metric, const ChannelTraits& traits) {
        return addChannel(metric, m_subject, traits);
    }

    // A reading that the device lacks has no channel.
    void addFunction(const AmdReading& reading) {
        if (std::isnan(reading.read(m_library, m_device)))
            return;
        addReading({reading.pace, {addOwn(reading.metric, reading.traits)}},
            [this, &reading](
                std::span<double> values) { values.front() = reading.read(m_library, m_device); });
    }

    // Reads throttlers and the sum of the links with each sample, and each link seldom.
    void findMetrics(const amd::Metrics& metrics) {
        Reading often{Pace::Round, {}};
        Reading links{Pace::Seldom, {}};
        const bool hasReasons = amd::ThrottleReasons::isToldBy(metrics);
        if (hasReasons)
            often.channels.push_back(addOwn(metric::kThrottleReasons, {}));
        std::vector<XgmiLink> all;
        std::vector<const Direction*> sums;
        for (const Direction& direction : kDirections) {
            const std::size_t before = all.size();
            for (std::size_t link = 0; link < amd::kMostXgmiLinks; ++link) {
                if (std::isnan((metrics.*direction.counts)[link]))
                    continue;
                Subject subject = m_subject;
                subject.kind = SubjectKind::Link;
                subject.device = fmt::format("GPU {} link {}", m_subject.rank, link);
                links.channels.push_back(
                    addChannel(direction.linkMetric, subject, {kKibibyte, kWide}));
                all.push_back({&direction, link});
            }
            if (all.size() == before)
                continue;
            often.channels.push_back(addOwn(direction.metric, {kKibibyte, kWide}));
            sums.push_back(&direction);
        }
        if (!often.channels.empty())
            addReading(std::move(often), [this, hasReasons, sums, all](std::span<double> values) {
                readOften(hasReasons, sums, all, values);
            });
        if (!all.empty())
            addReading(std::move(links), [this, all](std::span<double> values) {
                const amd::Metrics now = metricsNow();
                for (std::size_t i = 0; i < all.size(); ++i)
                    values[i] = all[i].count(now);
            });
    }

    void readOften(bool hasReasons, const std::vector<const Direction*>& sums,
        const std::vector<XgmiLink>& links, std::span<double> values) {
        const amd::Metrics now = metricsNow();
        std::size_t at = 0;
        if (hasReasons)
            values[at++] = m_reasons.of(now);
        for (const Direction* direction : sums) {
            double total = 0.0;
            for (const XgmiLink& link : links)
                total += link.direction == direction ? link.count(now) : 0.0;
            values[at++] = total;
        }
    }

    [[nodiscard]] amd::Metrics metricsNow() const {
        return amd::readMetrics(m_library, m_device).value_or(nothingMeasured());
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

    const amd::Functions& m_library;
    Handle m_device;
    Subject m_subject;
    amd::ThrottleReasons m_reasons;
    std::optional<PcieMeter> m_pcie;
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
