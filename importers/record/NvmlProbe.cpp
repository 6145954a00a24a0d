#include "importers/record/NvmlProbe.h"

#include "importers/record/ChannelOf.h"
#include "importers/record/NvmlApi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace trainscope::record {

namespace {

using nvml::Device;
using nvml::FieldValue;
using nvml::Functions;
using nvml::Return;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMilli = 1e-3;
constexpr double kMega = 1e6;
constexpr double kPercent = 0.01;
constexpr double kKibi = 1024.0;
constexpr int kBits64 = 64;
constexpr int kBits32 = 32; // of the counters of PCIe, as they are seen to wrap

struct Answer {
    Return result = nvml::kNotSupported;
    double value = kMissing;
};

// Asks one function of the library.
template <typename Function, typename... Args>
Answer ask(Function function, const Args&... args) {
    if (function == nullptr)
        return {};
    Answer answer;
    unsigned value = 0;
    answer.result = function(args..., &value);
    answer.value = value;
    return answer;
}

struct Reading {
    std::string_view metric;
    ChannelTraits traits;
    Answer (*read)(const Functions& library, Device device);
};

Answer readLarge(Return (*function)(Device, unsigned long long*), Device device) {
    if (function == nullptr)
        return {};
    unsigned long long value = 0;
    const Return result = function(device, &value);
    return {result, static_cast<double>(value)};
}

Answer readErrors(const Functions& library, Device device, unsigned kind) {
    if (library.eccErrors == nullptr)
        return {};
    unsigned long long value = 0;
    const Return result = library.eccErrors(device, kind, nvml::kVolatile, &value);
    return {result, static_cast<double>(value)};
}

Answer readUtilization(const Functions& library, Device device, unsigned nvml::Utilization::*part) {
    if (library.utilization == nullptr)
        return {};
    nvml::Utilization value{};
    const Return result = library.utilization(device, &value);
    return {result, static_cast<double>(value.*part)};
}

Answer readMemory(const Functions& library, Device device, unsigned long long nvml::Memory::*part) {
    if (library.memory == nullptr)
        return {};
    nvml::Memory value{};
    const Return result = library.memory(device, &value);
    return {result, static_cast<double>(value.*part)};
}

constexpr std::array kReadings{
    Reading{metric::kGpuTemperature, {},
        [](const Functions& library, Device device) {
            return ask(library.temperature, device, nvml::kChipSensor);
        }},
    Reading{metric::kSmClock, {kMega},
        [](const Functions& library, Device device) {
            return ask(library.clock, device, nvml::kSmClock);
        }},
    Reading{metric::kMemClock, {kMega},
        [](const Functions& library, Device device) {
            return ask(library.clock, device, nvml::kMemoryClock);
        }},
    Reading{metric::kGpuUtilization, {kPercent},
        [](const Functions& library, Device device) {
            return readUtilization(library, device, &nvml::Utilization::gpu);
        }},
    Reading{metric::kMemUtilization, {kPercent},
        [](const Functions& library, Device device) {
            return readUtilization(library, device, &nvml::Utilization::memory);
        }},
    Reading{metric::kThrottleReasons, {},
        [](const Functions& library, Device device) {
            return readLarge(library.clockReasons, device);
        }},
    Reading{metric::kMemUsed, {},
        [](const Functions& library, Device device) {
            return readMemory(library, device, &nvml::Memory::used);
        }},
    Reading{metric::kGpuEnergy, {kMilli, kBits64},
        [](const Functions& library, Device device) { return readLarge(library.energy, device); }},
    Reading{metric::kMemTotal, {1.0, 0, SensorKind::Unknown, true},
        [](const Functions& library, Device device) {
            return readMemory(library, device, &nvml::Memory::total);
        }},
    Reading{metric::kPowerLimit, {kMilli, 0, SensorKind::Unknown, true},
        [](const Functions& library, Device device) { return ask(library.powerLimit, device); }},
    Reading{metric::kFanSpeed, {kPercent, 0, SensorKind::Unknown, true},
        [](const Functions& library, Device device) { return ask(library.fan, device); }},
    Reading{metric::kEccCorrected, {1.0, kBits64, SensorKind::Unknown, true},
        [](const Functions& library, Device device) {
            return readErrors(library, device, nvml::kCorrected);
        }},
    Reading{metric::kEccUncorrected, {1.0, kBits64, SensorKind::Unknown, true},
        [](const Functions& library, Device device) {
            return readErrors(library, device, nvml::kUncorrected);
        }},
};

// Power as drivers before the 530 series give it: an average of a second on most GPUs.
constexpr Reading kOldPower{metric::kGpuPower, {kMilli, 0, SensorKind::Unknown},
    [](const Functions& library, Device device) { return ask(library.power, device); }};

// Those of one device are read in one call.
struct Field {
    std::string_view metric;
    ChannelTraits traits;
    unsigned field;
    unsigned scope;
};
constexpr std::array kFields{
    Field{metric::kGpuPower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeGpu},
    Field{metric::kMemPower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeMemory},
    Field{metric::kModulePower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeModule},
    Field{metric::kMemTemperature, {}, nvml::kFieldMemoryTemperature, nvml::kScopeGpu},
    Field{metric::kPcieTx, {1.0, kBits32}, nvml::kFieldPcieTx, nvml::kScopeGpu},
    Field{metric::kPcieRx, {1.0, kBits32}, nvml::kFieldPcieRx, nvml::kScopeGpu},
    // Takes the driver milliseconds.
    Field{metric::kGpuPowerAverage, {kMilli, 0, SensorKind::Averaged, true},
        nvml::kFieldPowerAverage, nvml::kScopeGpu},
};
struct LinkField {
    std::string_view metric; // of all links
    std::string_view linkMetric;
    unsigned field;
};
constexpr std::array kLinkFields{
    LinkField{metric::kNvlinkTx, metric::kNvlinkLinkTx, nvml::kFieldNvlinkDataTx},
    LinkField{metric::kNvlinkRx, metric::kNvlinkLinkRx, nvml::kFieldNvlinkDataRx},
};

double valueOf(const FieldValue& field) {
    if (field.result != nvml::kSuccess)
        return kMissing;
    switch (field.type) {
    case 0:
        return field.value.real;
    case 1:
        return field.value.small;
    case 4:
        return static_cast<double>(field.value.integer);
    case 5:
        return field.value.smallInteger;
    default:
        return static_cast<double>(field.value.large);
    }
}

class NvmlProbe final : public Probe {
public:
    NvmlProbe(const Functions& library, Device device, int index)
        : m_library(library)
        , m_device(device)
        , m_index(index) {
        m_subject.kind = SubjectKind::Gpu;
        m_subject.rank = index;
        m_subject.node = 0;
        findFields();
        findReadings();
        findLinks();
        watchErrors();
    }
    ~NvmlProbe() override {
        if (m_events != nullptr)
            m_library.freeEvents(m_events);
    }

    [[nodiscard]] const std::vector<Channel>& channels() const override { return m_channels; }

    void read(bool slow, std::span<double> values) override {
        readFields(slow, values);
        for (const auto& [channel, reading] : m_readings) {
            if (!slow && reading->traits.isSlow)
                continue;
            const Answer answer = reading->read(m_library, m_device);
            noteLoss(answer.result);
            values[channel] = answer.result == nvml::kSuccess ? answer.value : kMissing;
        }
        if (m_xidChannel && slow) {
            takeErrors();
            values[*m_xidChannel] = m_lastXid;
        }
    }

    std::vector<Incident> incidents() override { return std::exchange(m_incidents, {}); }

private:
    std::size_t addChannel(std::string_view metric, const ChannelTraits& traits) {
        m_channels.push_back(channelOf(metric, m_subject, traits));
        return m_channels.size() - 1;
    }

    // What the device knows nothing of has no channel.
    void findFields() {
        for (const Field& field : kFields) {
            if (asked(field.field, field.scope).result != nvml::kNotSupported)
                addField(addChannel(field.metric, field.traits), field.field, field.scope,
                    field.traits.isSlow);
        }
    }

    void findReadings() {
        const bool hasPower
            = std::any_of(m_channels.begin(), m_channels.end(), [](const Channel& channel) {
                  return channel.description.metric.name == metric::kGpuPower;
              });
        if (!hasPower)
            addReading(kOldPower);
        for (const Reading& reading : kReadings)
            addReading(reading);
    }

    void addReading(const Reading& reading) {
        if (reading.read(m_library, m_device).result != nvml::kNotSupported)
            m_readings.emplace_back(addChannel(reading.metric, reading.traits), &reading);
    }

    // The sum of the links with each sample, and each link once a second.
    void findLinks() {
        const std::vector<unsigned> links = nvml::activeLinks(m_library, m_device);
        for (const LinkField& field : kLinkFields) {
            if (links.empty() || asked(field.field, links.front()).result != nvml::kSuccess)
                continue;
            LinkSum sum;
            sum.channel = addChannel(field.metric, {kKibi, kBits64});
            for (const unsigned link : links) {
                Subject subject;
                subject.kind = SubjectKind::Link;
                subject.rank = m_index;
                subject.node = 0;
                subject.device = fmt::format("GPU {} link {}", m_index, link);
                m_channels.push_back(
                    channelOf(field.linkMetric, subject, {kKibi, kBits64, {}, true}));
                sum.links.push_back(m_fields.size());
                addField(m_channels.size() - 1, field.field, link, false);
                m_fields.back().isShownSlowly = true;
            }
            m_sums.push_back(std::move(sum));
        }
    }

    [[nodiscard]] FieldValue asked(unsigned field, unsigned scope) const {
        FieldValue value{};
        value.field = field;
        value.scope = scope;
        value.result = nvml::kNotSupported;
        if (m_library.fields == nullptr || m_library.fields(m_device, 1, &value) != nvml::kSuccess)
            value.result = nvml::kNotSupported;
        return value;
    }

    void addField(std::size_t channel, unsigned field, unsigned scope, bool isSlow) {
        m_fields.push_back({channel, field, scope, isSlow});
    }

    void readFields(bool slow, std::span<double> values) {
        m_asked.clear();
        for (const AskedField& field : m_fields) {
            if (slow || !field.isSlow) {
                m_asked.push_back({});
                m_asked.back().field = field.field;
                m_asked.back().scope = field.scope;
            }
        }
        if (m_asked.empty())
            return;
        const bool isAnswered
            = m_library.fields(m_device, static_cast<int>(m_asked.size()), m_asked.data())
            == nvml::kSuccess;
        std::size_t at = 0;
        for (AskedField& field : m_fields) {
            if (!slow && field.isSlow)
                continue;
            field.value = isAnswered ? valueOf(m_asked[at]) : kMissing;
            ++at;
            if (slow || !field.isShownSlowly)
                values[field.channel] = field.value;
        }
        for (const LinkSum& sum : m_sums) {
            double total = 0.0;
            for (const std::size_t link : sum.links)
                total += m_fields[link].value;
            values[sum.channel] = total;
        }
    }

    void noteLoss(Return result) {
        if (result != nvml::kGpuIsLost || std::exchange(m_isLost, true))
            return;
        m_incidents.push_back(
            {wallClock(), fmt::format("GPU {} is lost: it fell off the bus.", m_index)});
    }

    void watchErrors() {
        const bool canWatch = m_library.createEvents != nullptr && m_library.waitEvent != nullptr
            && m_library.registerEvents != nullptr && m_library.freeEvents != nullptr;
        if (!canWatch || m_library.createEvents(&m_events) != nvml::kSuccess) {
            m_events = nullptr;
            return;
        }
        if (m_library.registerEvents(m_device, nvml::kXidEvent, m_events) == nvml::kSuccess)
            m_xidChannel = addChannel(metric::kXid, {1.0, 0, {}, true});
    }

    void takeErrors() {
        nvml::EventData event{};
        while (m_library.waitEvent(m_events, &event, 0) == nvml::kSuccess) {
            if ((event.type & nvml::kXidEvent) == 0)
                continue;
            m_lastXid = static_cast<double>(event.data);
            m_incidents.push_back(
                {wallClock(), fmt::format("Xid {} on GPU {}.", event.data, m_index)});
        }
    }

    struct AskedField {
        std::size_t channel;
        unsigned field;
        unsigned scope;
        bool isSlow;
        bool isShownSlowly = false; // read always, for a sum
        double value = kMissing;
    };
    struct LinkSum {
        std::size_t channel = 0;
        std::vector<std::size_t> links; // places in m_fields
    };

    const Functions& m_library;
    Device m_device;
    int m_index;
    Subject m_subject;
    std::vector<Channel> m_channels;
    std::vector<AskedField> m_fields;
    std::vector<std::pair<std::size_t, const Reading*>> m_readings;
    std::vector<LinkSum> m_sums;
    std::vector<FieldValue> m_asked;
    nvml::EventSet m_events = nullptr;
    std::optional<std::size_t> m_xidChannel;
    double m_lastXid = 0.0;
    bool m_isLost = false;
    std::vector<Incident> m_incidents;
};

} // namespace

std::unique_ptr<Probe> nvmlProbe(const nvml::Functions& library, nvml::Device device, int index) {
    return std::make_unique<NvmlProbe>(library, device, index);
}

} // namespace trainscope::record
