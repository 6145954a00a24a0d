#include "importers/record/NvmlApi.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

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
constexpr int kBits32 = 32; // for the counters of PCIe, as they are seen to wrap

// A function of the library, with the one or two metrics that it answers.
using Values = std::array<double, 2>;
struct Call {
    Pace pace;
    struct Part {
        std::string_view metric; // empty: none
        ChannelTraits traits;
    };
    std::array<Part, 2> parts;
    Return (*read)(const Functions& library, Device device, Values& values);
};

// Asks one function of the library, with these arguments, for a number, or for a structure with
// parts that are numbers.
template <typename Answer, auto function, auto... args>
Return askFor(const Functions& library, Device device, Answer& answer) {
    return library.*function == nullptr ? nvml::kNotSupported
                                        : (library.*function)(device, args..., &answer);
}
template <typename Number, auto function, auto... args>
Return ask(const Functions& library, Device device, Values& values) {
    Number value = 0;
    const Return result = askFor<Number, function, args...>(library, device, value);
    values[0] = static_cast<double>(value);
    return result;
}
template <auto part>
Return askMemory(const Functions& library, Device device, Values& values) {
    nvml::Memory value{};
    const Return result = askFor<nvml::Memory, &Functions::memory>(library, device, value);
    values[0] = static_cast<double>(value.*part);
    return result;
}
Return askUtilization(const Functions& library, Device device, Values& values) {
    nvml::Utilization value{};
    const Return result
        = askFor<nvml::Utilization, &Functions::utilization>(library, device, value);
    values = {static_cast<double>(value.gpu), static_cast<double>(value.memory)};
    return result;
}

using Large = unsigned long long;
constexpr auto kCalls = std::to_array<Call>({
    {Pace::Lagging, {{{metric::kGpuTemperature, {}}}},
        ask<unsigned, &Functions::temperature, nvml::kChipSensor>},
    {Pace::Round, {{{metric::kSmClock, {kMega}}}},
        ask<unsigned, &Functions::clock, nvml::kSmClock>},
    {Pace::Lagging, {{{metric::kMemClock, {kMega}}}},
        ask<unsigned, &Functions::clock, nvml::kMemoryClock>},
    {Pace::Lagging,
        {{{metric::kGpuUtilization, {kPercent}}, {metric::kMemUtilization, {kPercent}}}},
        askUtilization},
    {Pace::Round, {{{metric::kThrottleReasons, {}}}}, ask<Large, &Functions::clockReasons>},
    {Pace::Lagging, {{{metric::kMemUsed, {}}}}, askMemory<&nvml::Memory::used>},
    {Pace::Total, {{{metric::kGpuEnergy, {kMilli, kBits64}}}}, ask<Large, &Functions::energy>},
    {Pace::Setting, {{{metric::kMemTotal, {}}}}, askMemory<&nvml::Memory::total>},
    {Pace::Setting, {{{metric::kPowerLimit, {kMilli}}}}, ask<unsigned, &Functions::powerLimit>},
    {Pace::Setting, {{{metric::kFanSpeed, {kPercent}}}}, ask<unsigned, &Functions::fan>},
    {Pace::Setting, {{{metric::kEccCorrected, {1.0, kBits64}}}},
        ask<Large, &Functions::eccErrors, nvml::kCorrected, nvml::kVolatile>},
    {Pace::Setting, {{{metric::kEccUncorrected, {1.0, kBits64}}}},
        ask<Large, &Functions::eccErrors, nvml::kUncorrected, nvml::kVolatile>},
});

// Power as drivers before the 530 series give it: an average of a second on most GPUs.
constexpr Call kOldPower{Pace::Round, {{{metric::kGpuPower, {kMilli, 0, SensorKind::Unknown}}}},
    ask<unsigned, &Functions::power>};

// Those of one pace are read in one call.
struct Field {
    Pace pace;
    std::string_view metric;
    ChannelTraits traits;
    unsigned field;
    unsigned scope;
};
constexpr auto kFields = std::to_array<Field>({
    {Pace::Round, metric::kGpuPower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeGpu},
    {Pace::Round, metric::kMemPower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeMemory},
    {Pace::Round, metric::kModulePower, {kMilli, 0, SensorKind::Instant}, nvml::kFieldPowerInstant,
        nvml::kScopeModule},
    {Pace::Lagging, metric::kMemTemperature, {}, nvml::kFieldMemoryTemperature, nvml::kScopeGpu},
    {Pace::Running, metric::kPcieTx, {1.0, kBits32}, nvml::kFieldPcieTx, nvml::kScopeGpu},
    {Pace::Running, metric::kPcieRx, {1.0, kBits32}, nvml::kFieldPcieRx, nvml::kScopeGpu},
    {Pace::Seldom, metric::kGpuPowerAverage, {kMilli, 0, SensorKind::Averaged},
        nvml::kFieldPowerAverage, nvml::kScopeGpu},
});
struct LinkField {
    std::string_view metric; // over all links
    std::string_view linkMetric;
    unsigned field;
};
constexpr auto kLinkFields = std::to_array<LinkField>({
    {metric::kNvlinkTx, metric::kNvlinkLinkTx, nvml::kFieldNvlinkDataTx},
    {metric::kNvlinkRx, metric::kNvlinkLinkRx, nvml::kFieldNvlinkDataRx},
});

double valueOf(const FieldValue& field) {
    return field.result == nvml::kSuccess ? nvml::valueOf(field.type, field.value) : kMissing;
}

class NvmlProbe final : public ListedProbe {
public:
    NvmlProbe(const Functions& library, Device device, int index)
        : m_library(library)
        , m_device(device)
        , m_index(index) {
        m_subject.kind = SubjectKind::Gpu;
        m_subject.rank = index;
        m_subject.node = 0;
        findFields();
        findCalls();
        findLinks();
        watchErrors();
        findKeptPower();
    }
    ~NvmlProbe() override {
        if (m_events != nullptr)
            m_library.freeEvents(m_events);
    }

    std::vector<Incident> incidents() override {
        const std::scoped_lock lock(m_mutex);
        return std::exchange(m_incidents, {});
    }

    [[nodiscard]] bool keepsPower() const override { return !m_kept.empty(); }
    std::vector<KeptSample> keptPower(TimeNs after) override {
        constexpr std::int64_t microsecond = 1000;
        int type = 0;
        auto count = static_cast<unsigned>(m_kept.size());
        const auto since = static_cast<unsigned long long>(after.ns / microsecond);
        std::vector<KeptSample> samples;
        if (m_library.samples(
                m_device, nvml::kTotalPowerSamples, since, &type, &count, m_kept.data())
            != nvml::kSuccess)
            return samples;
        for (std::size_t i = 0; i < std::min<std::size_t>(count, m_kept.size()); ++i) {
            const TimeNs time{static_cast<std::int64_t>(m_kept[i].timestamp) * microsecond};
            if (time > after)
                samples.push_back({time, nvml::valueOf(type, m_kept[i].value)});
        }
        std::ranges::sort(samples, {}, &KeptSample::time);
        return samples;
    }

private:
    // A field of a call, for a channel and, of a link, for the sum over the links.
    struct AskedField {
        std::size_t channel = 0;
        std::optional<std::size_t> sum = {};
        FieldValue value{};
    };

    // A field that the device does not know has no channel.
    void findFields() {
        for (const Pace pace : {Pace::Round, Pace::Lagging, Pace::Running, Pace::Seldom}) {
            std::vector<AskedField> fields;
            for (const Field& field : kFields) {
                if (field.pace == pace
                    && asked(field.field, field.scope).result != nvml::kNotSupported)
                    fields.push_back(fieldOf(addChannel(field.metric, m_subject, field.traits),
                        field.field, field.scope));
            }
            addFields(pace, std::move(fields));
        }
    }

    static AskedField fieldOf(std::size_t channel, unsigned field, unsigned scope) {
        AskedField asked;
        asked.channel = channel;
        asked.value.field = field;
        asked.value.scope = scope;
        return asked;
    }

    // Its channels become their places among those of the reading.
    void addFields(Pace pace, std::vector<AskedField> fields) {
        if (fields.empty())
            return;
        Reading reading{pace, {}};
        auto& channels = reading.channels;
        const auto placeOf = [&channels](std::size_t channel) {
            const auto found = std::find(channels.begin(), channels.end(), channel);
            const auto place = static_cast<std::size_t>(found - channels.begin());
            if (found == channels.end())
                channels.push_back(channel);
            return place;
        };
        for (AskedField& field : fields) {
            field.channel = placeOf(field.channel);
            if (field.sum)
                field.sum = placeOf(*field.sum);
        }
        addReading(std::move(reading), [this, asked = std::move(fields)](std::span<double> values) {
            readFields(asked, values);
        });
    }

    void findCalls() {
        const bool hasPower = std::ranges::any_of(channels(), [](const Channel& channel) {
            return channel.description.metric.name == metric::kGpuPower;
        });
        if (!hasPower)
            addCall(kOldPower);
        for (const Call& call : kCalls)
            addCall(call);
    }

    void addCall(const Call& call) {
        Values values{};
        if (call.read(m_library, m_device, values) == nvml::kNotSupported)
            return;
        Reading reading{call.pace, {}};
        for (const Call::Part& part : call.parts) {
            if (!part.metric.empty())
                reading.channels.push_back(addChannel(part.metric, m_subject, part.traits));
        }
        addReading(std::move(reading), [this, &call](std::span<double> to) {
            Values answered{};
            const Return result = call.read(m_library, m_device, answered);
            noteLoss(result);
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] = result == nvml::kSuccess ? answered[i] : kMissing;
        });
    }

    // Each link, and their sum: by the driver, where it sums.
    void findLinks() {
        const std::vector<unsigned> links = nvml::activeLinks(m_library, m_device);
        std::vector<AskedField> sums;
        std::vector<AskedField> all;
        for (const LinkField& field : kLinkFields) {
            if (links.empty() || asked(field.field, links.front()).result != nvml::kSuccess)
                continue;
            const std::size_t sum = addChannel(field.metric, m_subject, {kKibi, kBits64});
            const bool isSummed = isSum(field.field, links);
            if (isSummed)
                sums.push_back(fieldOf(sum, field.field, nvml::kAllLinks));
            for (const unsigned link : links) {
                Subject subject = m_subject;
                subject.kind = SubjectKind::Link;
                subject.device = fmt::format("GPU {} link {}", m_index, link);
                all.push_back(fieldOf(
                    addChannel(field.linkMetric, subject, {kKibi, kBits64}), field.field, link));
                if (!isSummed)
                    all.back().sum = sum;
            }
        }
        // Beside a sum that the driver gives at once, counters of each link tell how it is spread.
        const Pace paceOfLinks = sums.empty() ? Pace::Running : Pace::Total;
        addFields(Pace::Running, std::move(sums));
        addFields(paceOfLinks, std::move(all));
    }

    // True where the driver's sum is as large as the links' traffic just before.
    [[nodiscard]] bool isSum(unsigned field, const std::vector<unsigned>& links) const {
        double carried = 0.0;
        for (const unsigned link : links)
            carried += valueOf(asked(field, link));
        return valueOf(asked(field, nvml::kAllLinks)) >= carried;
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

    void readFields(const std::vector<AskedField>& fields, std::span<double> values) const {
        std::array<FieldValue, kMostFields> asked{};
        for (const AskedField& field : fields) {
            if (field.sum)
                values[*field.sum] = 0.0;
        }
        const std::size_t count = std::min(fields.size(), asked.size());
        for (std::size_t i = 0; i < count; ++i)
            asked[i] = fields[i].value;
        const bool isAnswered
            = m_library.fields(m_device, static_cast<int>(count), asked.data()) == nvml::kSuccess;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = isAnswered ? valueOf(asked[i]) : kMissing;
            values[fields[i].channel] = value;
            if (fields[i].sum)
                values[*fields[i].sum] += value;
        }
    }

    void noteLoss(Return result) {
        if (result != nvml::kGpuIsLost || m_isLost.exchange(true))
            return;
        const std::scoped_lock lock(m_mutex);
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
            addReading({Pace::Seldom, {addChannel(metric::kXid, m_subject, {})}},
                [this](std::span<double> values) { values.front() = takeErrors(); });
    }

    // The last error.
    double takeErrors() {
        nvml::EventData event{};
        while (m_library.waitEvent(m_events, &event, 0) == nvml::kSuccess) {
            if ((event.type & nvml::kXidEvent) == 0)
                continue;
            m_lastXid = static_cast<double>(event.data);
            const std::scoped_lock lock(m_mutex);
            m_incidents.push_back(
                {wallClock(), fmt::format("Xid {} on GPU {}.", event.data, m_index)});
        }
        return m_lastXid;
    }

    // As many as the driver has room for.
    void findKeptPower() {
        int type = 0;
        unsigned count = 0;
        if (m_library.samples != nullptr
            && m_library.samples(m_device, nvml::kTotalPowerSamples, 0, &type, &count, nullptr)
                == nvml::kSuccess)
            m_kept.resize(std::min(count, kMostKept));
    }

    static constexpr std::size_t kMostFields = std::size_t{2} * nvml::kMostLinks;
    static constexpr unsigned kMostKept = 4096;

    const Functions& m_library;
    Device m_device;
    int m_index;
    Subject m_subject;
    std::vector<nvml::Sample> m_kept; // room for them
    nvml::EventSet m_events = nullptr;
    double m_lastXid = 0.0;
    std::atomic<bool> m_isLost = false;
    std::mutex m_mutex; // guards m_incidents
    std::vector<Incident> m_incidents;
};

} // namespace

std::unique_ptr<Probe> nvmlProbe(const nvml::Functions& library, nvml::Device device, int index) {
    return std::make_unique<NvmlProbe>(library, device, index);
}

} // namespace trainscope::record
