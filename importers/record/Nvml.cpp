#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/record/GpuLibrary.h"
#include "importers/record/NvmlApi.h"

#include <fmt/format.h>

namespace trainscope::record {

namespace {

using nvml::Device;
using nvml::Functions;
using nvml::Return;

// Bus addresses of what the links of a GPU lead to.
using Links = std::vector<std::string>;

// Points at which ways over PCIe meet, by NVML's levels.
struct Meeting {
    int level;
    layout::PathKind kind;
};
constexpr auto kMeetings
    = std::to_array<Meeting>({{10, layout::PathKind::Pix}, {20, layout::PathKind::Pxb},
        {30, layout::PathKind::Phb}, {40, layout::PathKind::Node}, {50, layout::PathKind::Sys}});

std::string busIdOf(const Functions& library, Device device) {
    nvml::PciInfo info{};
    const bool isKnown
        = library.pciInfo != nullptr && library.pciInfo(device, &info) == nvml::kSuccess;
    return isKnown ? lowered(info.busId) : std::string();
}

Links linksOf(const Functions& library, Device device) {
    Links remotes;
    for (const unsigned link : activeLinks(library, device)) {
        nvml::PciInfo remote{};
        if (library.linkRemote != nullptr
            && library.linkRemote(device, link, &remote) == nvml::kSuccess)
            remotes.push_back(lowered(remote.busId));
    }
    return remotes;
}

layout::PathKind meetingOf(const Functions& library, Device a, Device b) {
    int level = 0;
    if (library.commonAncestor == nullptr || library.commonAncestor(a, b, &level) != nvml::kSuccess)
        return layout::PathKind::Unknown;
    for (const Meeting& meeting : kMeetings) {
        if (level <= meeting.level)
            return meeting.kind;
    }
    return layout::PathKind::Unknown;
}

// Topology of the GPUs of a node: links between two of them or of both to a switch, else the place
// where their ways over PCIe meet. `devices` by index; nullptr for those that cannot be had.
layout::Topology topologyOf(const Functions& library, const std::vector<Device>& devices) {
    std::vector<Device> found;
    std::vector<layout::TopologyDevice> gpus;
    std::vector<Links> links;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] == nullptr)
            continue;
        layout::TopologyDevice gpu;
        gpu.index = static_cast<int>(i);
        gpu.name = fmt::format("GPU{}", i);
        gpu.busId = busIdOf(library, devices[i]);
        gpus.push_back(gpu);
        links.push_back(linksOf(library, devices[i]));
        found.push_back(devices[i]);
    }
    // A remote device that is none of the GPUs is a switch.
    const auto toSwitches = [&gpus](const Links& own) {
        return std::count_if(own.begin(), own.end(), [&gpus](const std::string& remote) {
            return std::none_of(gpus.begin(), gpus.end(),
                [&remote](const auto& gpu) { return gpu.busId == remote; });
        });
    };
    layout::Topology topology(gpus);
    for (std::size_t a = 0; a < gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            layout::TopologyPath path;
            const auto direct = std::count(links[a].begin(), links[a].end(), gpus[b].busId);
            const auto switched = std::min(toSwitches(links[a]), toSwitches(links[b]));
            path.links = static_cast<int>(direct > 0 ? direct : switched);
            path.isSwitched = direct == 0 && switched > 0;
            path.kind = path.links > 0 ? layout::PathKind::NvLink
                                       : meetingOf(library, found[a], found[b]);
            topology.setPath(a, b, path);
        }
    }
    return topology;
}

class Nvml final : public GpuLibrary {
public:
    explicit Nvml(Functions functions)
        : m_functions(std::move(functions)) { }
    ~Nvml() override { m_functions.shutdown(); }

    [[nodiscard]] std::map<std::string, std::string> facts() const override {
        return {{"driver", textOf(m_functions.driverVersion)}};
    }
    [[nodiscard]] const std::vector<GpuFacts>& gpus() const override { return m_gpus; }
    [[nodiscard]] std::optional<layout::Topology> topology() const override {
        return topologyOf(m_functions, m_devices);
    }
    std::unique_ptr<Probe> probe(const GpuFacts& gpu) override {
        return nvmlProbe(m_functions, m_devices[static_cast<std::size_t>(gpu.index)], gpu.index);
    }

    [[nodiscard]] std::optional<std::vector<GpuProcess>> processes() const override {
        if (m_functions.processes == nullptr)
            return std::nullopt;
        std::vector<GpuProcess> all;
        for (const GpuFacts& gpu : m_gpus) {
            for (const nvml::ProcessInfo& info :
                processesOf(m_devices[static_cast<std::size_t>(gpu.index)]))
                all.push_back({gpu.index, static_cast<int>(info.process)});
        }
        return all;
    }

    Status find() {
        unsigned count = 0;
        const Return result = m_functions.count(&count);
        if (result != nvml::kSuccess)
            return Error{ErrorCode::NotFound,
                fmt::format("NVIDIA's management library counts no GPUs: {}.", told(result)), {}};
        for (unsigned index = 0; index < count; ++index) {
            Device device = nullptr;
            if (m_functions.handle(index, &device) != nvml::kSuccess)
                device = nullptr; // keeps the count of those behind it
            m_devices.push_back(device);
            if (device != nullptr)
                m_gpus.push_back(describe(static_cast<int>(index), device));
        }
        return m_gpus.empty()
            ? Status(Error{ErrorCode::NotFound, "NVIDIA's management library finds no GPU.", {}})
            : Status();
    }

    [[nodiscard]] std::string told(Return result) const {
        return m_functions.errorString != nullptr ? m_functions.errorString(result)
                                                  : fmt::format("error {}", result);
    }

private:
    // More may have come since they were counted.
    [[nodiscard]] std::vector<nvml::ProcessInfo> processesOf(Device device) const {
        constexpr unsigned most = 4096;
        for (unsigned room = 64; room <= most; room *= 4) {
            std::vector<nvml::ProcessInfo> infos(room);
            unsigned count = room;
            const Return result = m_functions.processes(device, &count, infos.data());
            if (result == nvml::kInsufficientSize)
                continue;
            infos.resize(result == nvml::kSuccess ? std::min(count, room) : 0U);
            return infos;
        }
        return {};
    }

    template <typename Function, typename... Args>
    static std::string textOf(Function function, const Args&... args) {
        std::array<char, 128> text{};
        const bool isKnown = function != nullptr
            && function(args..., text.data(), static_cast<unsigned>(text.size())) == nvml::kSuccess;
        return isKnown ? text.data() : "";
    }

    [[nodiscard]] GpuFacts describe(int index, Device device) const {
        GpuFacts gpu{index, textOf(m_functions.name, device), textOf(m_functions.uuid, device), {}};
        nvml::PciInfo pci{};
        if (m_functions.pciInfo != nullptr && m_functions.pciInfo(device, &pci) == nvml::kSuccess)
            gpu.facts["pci"] = pci.busId;
        constexpr double watt = 1000.0; // mW
        const auto note = [&gpu](const char* name, const std::pair<Return, unsigned>& answer,
                              double unit, const char* symbol) {
            if (answer.first == nvml::kSuccess)
                gpu.facts[name] = fmt::format("{:g} {}", answer.second / unit, symbol);
        };
        const auto ask = [](auto function, const auto&... args) {
            unsigned value = 0;
            const Return result
                = function == nullptr ? nvml::kNotSupported : function(args..., &value);
            return std::pair(result, value);
        };
        note("power limit", ask(m_functions.powerLimit, device), watt, "W");
        note("highest SM clock", ask(m_functions.maxClock, device, nvml::kSmClock), 1.0, "MHz");
        note("slowdown temperature",
            ask(m_functions.temperatureThreshold, device, nvml::kSlowdownThreshold), 1.0, "°C");
        return gpu;
    }

    Functions m_functions;
    std::vector<Device> m_devices; // by index; nullptr: cannot be had
    std::vector<GpuFacts> m_gpus;
};

} // namespace

Result<std::unique_ptr<GpuLibrary>> openNvml(const std::string& path) {
    const std::vector<std::string> names = path.empty()
        ? std::vector<std::string>{"libnvidia-ml.so.1", "libnvidia-ml.so"}
        : std::vector<std::string>{path};
    auto library = DynamicLibrary::open(names);
    if (!library.hasValue())
        return Error{ErrorCode::NotFound,
            fmt::format("NVIDIA's management library, which comes with the driver, cannot be "
                        "loaded: {}.",
                library.error().message),
            {}};
    Functions functions{std::move(library.value())};
    if (functions.init == nullptr || functions.shutdown == nullptr || functions.count == nullptr
        || functions.handle == nullptr)
        return Error{ErrorCode::NotFound,
            "NVIDIA's management library is too old: it lacks nvmlInit_v2 or its neighbours.", {}};
    if (const Return result = functions.init(); result != nvml::kSuccess)
        return Error{ErrorCode::NotFound,
            fmt::format("NVIDIA's management library does not start: {}.",
                functions.errorString != nullptr ? functions.errorString(result)
                                                 : fmt::format("error {}", result)),
            {}};
    auto nvml = std::make_unique<Nvml>(std::move(functions));
    RETURN_IF_ERROR(nvml->find());
    return std::unique_ptr<GpuLibrary>(std::move(nvml));
}

} // namespace trainscope::record
