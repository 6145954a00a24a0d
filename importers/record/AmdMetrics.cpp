#include "importers/record/AmdMetrics.h"

#include <cmath>

namespace trainscope::record::amd {

namespace {

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
constexpr std::array kThrottlers{
    Throttlers{0, 16, kPowerLimited}, // PPT, SPL
    Throttlers{16, 32, kHeldByHardware}, // TDC, EDC, APCC: currents
    Throttlers{32, 44, kCooledByFirmware}, // temperatures
    Throttlers{44, 48, kHotHardware}, // VRHOT, PROCHOT
    Throttlers{48, 64, kHeldByHardware}, // PPM, FIT
};

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

} // namespace

std::optional<Metrics> readMetrics(const Functions& library, Handle device) {
    TableRoom room;
    room.fill(std::numeric_limits<std::uint64_t>::max()); // what an older table lacks is missing
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

bool ThrottleReasons::isToldBy(const Metrics& metrics) {
    return metrics.throttlers || !std::isnan(metrics.residencies.cycles);
}

double ThrottleReasons::of(const Metrics& metrics) {
    if (!std::isnan(metrics.residencies.cycles))
        return fromResidencies(metrics.residencies);
    return metrics.throttlers ? reasonsOf(*metrics.throttlers) : kNoValue;
}

// Reasons whose count rose since the last reading.
double ThrottleReasons::fromResidencies(const Metrics::Residencies& now) {
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

} // namespace trainscope::record::amd
