// AMD's management library. Its structures have grown between versions; those that are read here
// are taken by the places of their first members, which stayed, and get more room than any version
// writes. Numbers are those of amd_smi/amdsmi.h of ROCm 5.5 to 7.0.
#include "core/model/Try.h"
#include "importers/record/ChannelOf.h"
#include "importers/record/DynamicLibrary.h"
#include "importers/record/GpuLibrary.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace trainscope::record {

namespace {

using AmdHandle = void*;
using AmdStatus = std::uint32_t;
using Room = std::array<std::uint64_t, 512>; // for a structure of any version

constexpr AmdStatus kAmdSuccess = 0;
constexpr std::uint64_t kAmdGpus = 2; // of amdsmi_init
constexpr std::uint32_t kGfxClock = 0;
constexpr std::uint32_t kMemClock = 4;
constexpr std::uint32_t kEdge = 0; // sensors of temperature
constexpr std::uint32_t kHotspot = 1;
constexpr std::uint32_t kVram = 2;
constexpr std::uint32_t kCurrent = 0; // of a sensor
constexpr std::uint32_t kVideoMemory = 0;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kMegahertz = 1e6;
constexpr double kOfHundred = 0.01;
constexpr double kMicrojoule = 1e-6;
constexpr double kFullFan = 255.0;
constexpr int kWide = 64;

struct AmdFunctions {
    explicit AmdFunctions(const DynamicLibrary& library) {
        load(library, init, "amdsmi_init");
        load(library, shutDown, "amdsmi_shut_down");
        load(library, sockets, "amdsmi_get_socket_handles");
        load(library, processors, "amdsmi_get_processor_handles");
        load(library, uuid, "amdsmi_get_gpu_device_uuid");
        load(library, asic, "amdsmi_get_gpu_asic_info");
        load(library, driver, "amdsmi_get_gpu_driver_info");
        load(library, power, "amdsmi_get_power_info");
        load(library, powerCap, "amdsmi_get_power_cap_info");
        load(library, energy, "amdsmi_get_energy_count");
        load(library, temperature, "amdsmi_get_temp_metric");
        load(library, clock, "amdsmi_get_clock_info");
        load(library, activity, "amdsmi_get_gpu_activity");
        load(library, memoryUsed, "amdsmi_get_gpu_memory_usage");
        load(library, memoryTotal, "amdsmi_get_gpu_memory_total");
        load(library, fan, "amdsmi_get_gpu_fan_speed");
        load(library, ecc, "amdsmi_get_gpu_total_ecc_count");
    }

    AmdStatus (*init)(std::uint64_t flags);
    AmdStatus (*shutDown)();
    AmdStatus (*sockets)(std::uint32_t* count, AmdHandle*);
    AmdStatus (*processors)(AmdHandle socket, std::uint32_t* count, AmdHandle*);
    AmdStatus (*uuid)(AmdHandle, unsigned* length, char*);
    AmdStatus (*asic)(AmdHandle, void*);
    AmdStatus (*driver)(AmdHandle, void*);
    AmdStatus (*power)(AmdHandle, void*);
    AmdStatus (*powerCap)(AmdHandle, std::uint32_t sensor, void*);
    AmdStatus (*energy)(AmdHandle, std::uint64_t* count, float* resolution, std::uint64_t* time);
    AmdStatus (*temperature)(AmdHandle, std::uint32_t sensor, std::uint32_t metric, std::int64_t*);
    AmdStatus (*clock)(AmdHandle, std::uint32_t kind, void*);
    AmdStatus (*activity)(AmdHandle, void*);
    AmdStatus (*memoryUsed)(AmdHandle, std::uint32_t kind, std::uint64_t*);
    AmdStatus (*memoryTotal)(AmdHandle, std::uint32_t kind, std::uint64_t*);
    AmdStatus (*fan)(AmdHandle, std::uint32_t sensor, std::int64_t*);
    AmdStatus (*ecc)(AmdHandle, void*);

private:
    template <typename Function>
    static void load(const DynamicLibrary& library, Function& function, const char* name) {
        function = library.function<Function>(name);
    }
};

std::uint32_t smallAt(const Room& room, std::size_t place) {
    std::uint32_t value = 0;
    std::memcpy(
        &value, reinterpret_cast<const char*>(room.data()) + place * sizeof value, sizeof value);
    return value;
}

// What a device does not measure it gives as the largest number of 16 or 32 bits.
double known(std::uint32_t value) {
    constexpr std::uint32_t absent16 = std::numeric_limits<std::uint16_t>::max();
    constexpr std::uint32_t absent32 = std::numeric_limits<std::uint32_t>::max();
    return value == absent16 || value == absent32 ? kNoValue : value;
}

template <typename Function, typename... Args>
double wordOf(Function function, std::size_t place, AmdHandle device, const Args&... args) {
    Room room{};
    if (function == nullptr || function(device, args..., room.data()) != kAmdSuccess)
        return kNoValue;
    return known(smallAt(room, place));
}

template <typename Integer, typename Function, typename... Args>
double numberOf(Function function, AmdHandle device, const Args&... args) {
    Integer value = 0;
    if (function == nullptr || function(device, args..., &value) != kAmdSuccess)
        return kNoValue;
    return value == std::numeric_limits<Integer>::max() ? kNoValue : static_cast<double>(value);
}

// Watts of the socket: now where the GPU measures that (MI300), else averaged.
double readSocketPower(const AmdFunctions& library, AmdHandle device) {
    const double first = wordOf(library.power, 0, device);
    return std::isnan(first) ? wordOf(library.power, 1, device) : first;
}

// Degrees in some versions, their thousandths in others.
double readTemperature(const AmdFunctions& library, AmdHandle device, std::uint32_t sensor) {
    constexpr double hotterThanAny = 1000.0;
    const double value = numberOf<std::int64_t>(library.temperature, device, sensor, kCurrent);
    return value >= hotterThanAny ? value / hotterThanAny : value;
}

// Watts, or microwatts.
double readPowerCap(const AmdFunctions& library, AmdHandle device) {
    constexpr double moreThanAny = 1e5;
    Room room{};
    if (library.powerCap == nullptr || library.powerCap(device, 0, room.data()) != kAmdSuccess)
        return kNoValue;
    const auto value = static_cast<double>(room[0]);
    return value >= moreThanAny ? value * 1e-6 : value;
}

double readEcc(const AmdFunctions& library, AmdHandle device, std::size_t place) {
    Room room{};
    if (library.ecc == nullptr || library.ecc(device, room.data()) != kAmdSuccess)
        return kNoValue;
    return room[place] == std::numeric_limits<std::uint64_t>::max()
        ? kNoValue
        : static_cast<double>(room[place]);
}

struct AmdReading {
    std::string_view metric;
    ChannelTraits traits;
    double (*read)(const AmdFunctions& library, AmdHandle device);
};
constexpr std::array kAmdReadings{
    AmdReading{metric::kGpuPower, {}, readSocketPower},
    AmdReading{metric::kGpuTemperature, {},
        [](const AmdFunctions& library, AmdHandle device) {
            return readTemperature(library, device, kEdge);
        }},
    AmdReading{metric::kHotspotTemperature, {},
        [](const AmdFunctions& library, AmdHandle device) {
            return readTemperature(library, device, kHotspot);
        }},
    AmdReading{metric::kMemTemperature, {},
        [](const AmdFunctions& library, AmdHandle device) {
            return readTemperature(library, device, kVram);
        }},
    AmdReading{metric::kSmClock, {kMegahertz},
        [](const AmdFunctions& library, AmdHandle device) {
            return wordOf(library.clock, 0, device, kGfxClock);
        }},
    AmdReading{metric::kMemClock, {kMegahertz},
        [](const AmdFunctions& library, AmdHandle device) {
            return wordOf(library.clock, 0, device, kMemClock);
        }},
    AmdReading{metric::kGpuUtilization, {kOfHundred},
        [](const AmdFunctions& library, AmdHandle device) {
            return wordOf(library.activity, 0, device);
        }},
    AmdReading{metric::kMemUtilization, {kOfHundred},
        [](const AmdFunctions& library, AmdHandle device) {
            return wordOf(library.activity, 1, device);
        }},
    AmdReading{metric::kMemUsed, {},
        [](const AmdFunctions& library, AmdHandle device) {
            return numberOf<std::uint64_t>(library.memoryUsed, device, kVideoMemory);
        }},
    AmdReading{metric::kMemTotal, {1.0, 0, SensorKind::Unknown, true},
        [](const AmdFunctions& library, AmdHandle device) {
            return numberOf<std::uint64_t>(library.memoryTotal, device, kVideoMemory);
        }},
    AmdReading{metric::kPowerLimit, {1.0, 0, SensorKind::Unknown, true}, readPowerCap},
    AmdReading{metric::kFanSpeed, {1.0 / kFullFan, 0, SensorKind::Unknown, true},
        [](const AmdFunctions& library, AmdHandle device) {
            constexpr std::uint32_t firstFan = 0;
            return numberOf<std::int64_t>(library.fan, device, firstFan);
        }},
    AmdReading{metric::kEccCorrected, {1.0, kWide, SensorKind::Unknown, true},
        [](const AmdFunctions& library, AmdHandle device) { return readEcc(library, device, 0); }},
    AmdReading{metric::kEccUncorrected, {1.0, kWide, SensorKind::Unknown, true},
        [](const AmdFunctions& library, AmdHandle device) { return readEcc(library, device, 1); }},
};

class AmdProbe final : public Probe {
public:
    AmdProbe(const AmdFunctions& library, AmdHandle device, int index)
        : m_library(library)
        , m_device(device) {
        Subject subject;
        subject.rank = index;
        subject.node = 0;
        for (const AmdReading& reading : kAmdReadings) {
            if (std::isnan(reading.read(library, device)))
                continue; // the device lacks it
            m_channels.push_back(channelOf(reading.metric, subject, reading.traits));
            m_readings.push_back(&reading);
        }
        if (const double resolution = energyResolution(); resolution > 0.0)
            m_channels.push_back(
                channelOf(metric::kGpuEnergy, subject, {resolution * kMicrojoule, kWide}));
    }

    [[nodiscard]] const std::vector<Channel>& channels() const override { return m_channels; }

    void read(bool slow, std::span<double> values) override {
        for (std::size_t i = 0; i < m_readings.size(); ++i) {
            if (slow || !m_readings[i]->traits.isSlow)
                values[i] = m_readings[i]->read(m_library, m_device);
        }
        if (values.size() > m_readings.size())
            values.back() = energyCount();
    }

private:
    [[nodiscard]] double energyCount() const {
        std::uint64_t count = 0;
        float resolution = 0.0F;
        std::uint64_t time = 0;
        const bool isRead = m_library.energy(m_device, &count, &resolution, &time) == kAmdSuccess;
        return isRead ? static_cast<double>(count) : kNoValue;
    }

    // µJ of a step of the counter; 0 where there is none.
    [[nodiscard]] double energyResolution() const {
        std::uint64_t count = 0;
        float resolution = 0.0F;
        std::uint64_t time = 0;
        const bool isRead = m_library.energy != nullptr
            && m_library.energy(m_device, &count, &resolution, &time) == kAmdSuccess;
        return isRead ? double{resolution} : 0.0;
    }

    const AmdFunctions& m_library;
    AmdHandle m_device;
    std::vector<Channel> m_channels;
    std::vector<const AmdReading*> m_readings; // of the first channels; then the energy
};

class AmdSmi final : public GpuLibrary {
public:
    AmdSmi(DynamicLibrary library, const AmdFunctions& functions)
        : m_library(std::move(library))
        , m_functions(functions) { }
    ~AmdSmi() override {
        if (m_functions.shutDown != nullptr)
            m_functions.shutDown();
    }

    [[nodiscard]] std::map<std::string, std::string> facts() const override { return {}; }
    [[nodiscard]] const std::vector<GpuFacts>& gpus() const override { return m_gpus; }
    std::unique_ptr<Probe> probe(const GpuFacts& gpu) override {
        return std::make_unique<AmdProbe>(
            m_functions, m_devices[static_cast<std::size_t>(gpu.index)], gpu.index);
    }

    Status find() {
        for (AmdHandle socket : handlesOf(m_functions.sockets)) {
            for (AmdHandle device : handlesOf(m_functions.processors, socket)) {
                m_gpus.push_back(describe(static_cast<int>(m_devices.size()), device));
                m_devices.push_back(device);
            }
        }
        return m_gpus.empty()
            ? Status(Error{ErrorCode::NotFound, "AMD's management library finds no GPU.", {}})
            : Status();
    }

private:
    template <typename Function, typename... Args>
    static std::vector<AmdHandle> handlesOf(Function function, const Args&... args) {
        std::uint32_t count = 0;
        if (function(args..., &count, nullptr) != kAmdSuccess)
            return {};
        std::vector<AmdHandle> handles(count);
        if (function(args..., &count, handles.data()) != kAmdSuccess)
            return {};
        handles.resize(count);
        return handles;
    }

    // The text that a structure begins with.
    static std::string textOf(AmdStatus (*function)(AmdHandle, void*), AmdHandle device) {
        Room room{};
        if (function == nullptr || function(device, room.data()) != kAmdSuccess)
            return {};
        const char* text = reinterpret_cast<const char*>(room.data());
        return {text, strnlen(text, 64)};
    }

    [[nodiscard]] GpuFacts describe(int index, AmdHandle device) const {
        GpuFacts gpu{index, textOf(m_functions.asic, device), {}, {}};
        std::array<char, 128> uuid{};
        auto length = static_cast<unsigned>(uuid.size());
        if (m_functions.uuid != nullptr
            && m_functions.uuid(device, &length, uuid.data()) == kAmdSuccess)
            gpu.uuid = uuid.data();
        gpu.facts["driver"] = textOf(m_functions.driver, device);
        const double cap = readPowerCap(m_functions, device);
        if (!std::isnan(cap))
            gpu.facts["power limit"] = fmt::format("{:g} W", cap);
        return gpu;
    }

    DynamicLibrary m_library;
    AmdFunctions m_functions;
    std::vector<AmdHandle> m_devices; // by index
    std::vector<GpuFacts> m_gpus;
};

} // namespace

Result<std::unique_ptr<GpuLibrary>> openAmdSmi(const std::string& path) {
    const std::vector<std::string> names = path.empty()
        ? std::vector<std::string>{"libamd_smi.so", "/opt/rocm/lib/libamd_smi.so",
            "libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24"}
        : std::vector<std::string>{path};
    auto library = DynamicLibrary::open(names);
    if (!library.hasValue())
        return Error{ErrorCode::NotFound,
            fmt::format("AMD's management library, which comes with ROCm, cannot be loaded: {}.",
                library.error().message),
            {}};
    const AmdFunctions functions(library.value());
    if (functions.init == nullptr || functions.sockets == nullptr
        || functions.processors == nullptr)
        return Error{ErrorCode::NotFound,
            "AMD's management library lacks amdsmi_init or its neighbours.", {}};
    if (const AmdStatus status = functions.init(kAmdGpus); status != kAmdSuccess)
        return Error{ErrorCode::NotFound,
            fmt::format("AMD's management library does not start: status {}.", status), {}};
    auto smi = std::make_unique<AmdSmi>(std::move(library.value()), functions);
    RETURN_IF_ERROR(smi->find());
    return std::unique_ptr<GpuLibrary>(std::move(smi));
}

} // namespace trainscope::record
