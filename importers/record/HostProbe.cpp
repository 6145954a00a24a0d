#include "importers/record/HostProbe.h"

#include "importers/common/Number.h"
#include "importers/record/PciTree.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <system_error>

namespace trainscope::record {

namespace {

constexpr double kGigabit = 1.25e8; // B
constexpr double kMegabitOfCard = 1.25e5;

using Place = std::optional<PciPlace>;

std::optional<double> firstNumber(const std::filesystem::path& path) {
    std::ifstream file(path);
    double value = 0.0;
    return file >> value && value > 0.0 ? std::optional(value) : std::nullopt;
}

// "400 Gb/sec (4X NDR)", of its fastest port.
std::optional<double> speedOfInfiniBand(const std::filesystem::path& card) {
    std::optional<double> speed;
    for (const auto& port : entriesOf(card / "ports")) {
        if (const auto rate = firstNumber(port / "rate"))
            speed = std::max(speed.value_or(0.0), *rate * kGigabit);
    }
    return speed;
}

// Megabits a second; -1 where there is no cable.
std::optional<double> speedOfInterface(const std::filesystem::path& card) {
    const auto rate = firstNumber(card / "speed");
    return rate ? std::optional(*rate * kMegabitOfCard) : std::nullopt;
}

class CardSearch {
public:
    explicit CardSearch(const std::filesystem::path& root)
        : m_tree(root) {
        for (const auto& card : entriesOf(root / "sys/class/infiniband"))
            add(card, speedOfInfiniBand(card));
        for (const auto& card : entriesOf(root / "sys/class/net"))
            add(card, speedOfInterface(card));
    }

    [[nodiscard]] const PciTree& tree() const { return m_tree; }
    [[nodiscard]] const std::vector<layout::TopologyDevice>& cards() const { return m_cards; }
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

private:
    // A software interface has no device, or one that is no card.
    void add(const std::filesystem::path& card, std::optional<double> speed) {
        const auto place = m_tree.placeOf(card / "device");
        if (!place || !m_addresses.insert(place->address()).second)
            return;
        layout::TopologyDevice device;
        device.kind = layout::DeviceKind::Nic;
        device.index = static_cast<int>(m_cards.size());
        device.name = card.filename().string();
        device.busId = place->address();
        device.numa = place->numa;
        device.bandwidth = speed;
        m_cards.push_back(device);
        m_places.push_back(place);
    }

    PciTree m_tree;
    std::set<std::string> m_addresses;
    std::vector<layout::TopologyDevice> m_cards;
    std::vector<Place> m_places;
};

namespace fs = std::filesystem;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr double kMicro = 1e-6;
constexpr double kMilliDegree = 1e-3;
constexpr double kInfiniBandWord = 4.0; // B
constexpr int kCounterBits = 64;

// A small file of the kernel that stays open and is read from its begin each time.
class KernelFile {
public:
    explicit KernelFile(const fs::path& path)
        : m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) { }
    KernelFile(KernelFile&& other) noexcept
        : m_file(std::exchange(other.m_file, -1)) { }
    KernelFile& operator=(KernelFile&& other) noexcept {
        std::swap(m_file, other.m_file);
        return *this;
    }
    ~KernelFile() {
        if (m_file >= 0)
            ::close(m_file);
    }

    [[nodiscard]] std::string_view text() {
        const ssize_t size = m_file < 0 ? -1 : ::pread(m_file, m_text.data(), m_text.size(), 0);
        std::string_view read(m_text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
        while (!read.empty() && (read.back() == '\n' || read.back() == ' '))
            read.remove_suffix(1);
        return read;
    }
    [[nodiscard]] double number() { return importers::parseNumber(text()).value_or(kAbsent); }

private:
    int m_file;
    std::array<char, 512> m_text{};
};

std::string wordIn(const fs::path& path) {
    return std::string(KernelFile(path).text());
}

// Energy that was counted up to now, turned into the power since the reading before.
class PowerMeter {
public:
    PowerMeter(KernelFile energy, double range)
        : m_energy(std::move(energy))
        , m_range(range) { }

    double watts() {
        const auto now = std::chrono::steady_clock::now();
        const double joules = m_energy.number() * kMicro;
        double watts = kAbsent;
        if (m_joules && !std::isnan(joules)) {
            const double spent = joules - *m_joules + (joules < *m_joules ? m_range : 0.0);
            watts = spent / std::chrono::duration<double>(now - m_at).count();
        }
        m_joules = std::isnan(joules) ? std::nullopt : std::optional(joules);
        m_at = now;
        return watts;
    }

private:
    KernelFile m_energy;
    double m_range; // J, at which the counter begins again
    std::optional<double> m_joules;
    std::chrono::steady_clock::time_point m_at;
};

// Share of the time since the reading before that the processors worked: the first line of
// /proc/stat counts user, nice, system, idle, iowait, irq, softirq, steal.
class LoadMeter {
public:
    explicit LoadMeter(KernelFile file)
        : m_file(std::move(file)) { }

    double share() {
        double all = 0.0;
        double idle = 0.0;
        std::string_view rest = m_file.text();
        rest = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.find(' '), rest.size()));
        constexpr int kindCount = 8;
        for (int kind = 0; kind < kindCount; ++kind) {
            rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
            const std::size_t end = std::min(rest.find(' '), rest.size());
            const double ticks = importers::parseNumber(rest.substr(0, end)).value_or(0.0);
            rest.remove_prefix(end);
            all += ticks;
            idle += kind == 3 || kind == 4 ? ticks : 0.0;
        }
        const double passed = all - std::exchange(m_all, all);
        const double slept = idle - std::exchange(m_idle, idle);
        const bool isFirst = std::exchange(m_isFirst, false);
        return isFirst || passed <= 0.0 ? kAbsent : std::clamp(1.0 - slept / passed, 0.0, 1.0);
    }

private:
    KernelFile m_file;
    double m_all = 0.0;
    double m_idle = 0.0;
    bool m_isFirst = true;
};

class KernelProbe final : public ListedProbe {
public:
    explicit KernelProbe(const fs::path& root) {
        findInfiniBand(root / "sys/class/infiniband");
        findNetwork(root / "sys/class/net");
        findPower(root / "sys/class/powercap");
        findTemperature(root / "sys/class/hwmon");
        const fs::path load = root / "proc/stat";
        if (!wordIn(load).empty()) {
            addOne(Pace::Running, addChannel(metric::kCpuUtilization, nodeSubject({}), {}),
                [meter = std::make_shared<LoadMeter>(KernelFile(load))] { return meter->share(); });
        }
    }

    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }

private:
    static Subject nodeSubject(std::string device) {
        Subject subject;
        subject.kind = SubjectKind::Node;
        subject.node = 0;
        subject.device = std::move(device);
        return subject;
    }
    static Subject linkSubject(std::string device) {
        Subject subject = nodeSubject(std::move(device));
        subject.kind = SubjectKind::Link;
        return subject;
    }

    template <typename AskOne>
    void addOne(Pace pace, std::size_t channel, AskOne ask) {
        addReading({pace, {channel}}, [ask](std::span<double> values) { values.front() = ask(); });
    }

    void addCounter(
        std::string_view metric, const Subject& subject, const fs::path& path, double scale) {
        if (!wordIn(path).empty())
            addOne(Pace::Running, addChannel(metric, subject, {scale, kCounterBits}),
                [file = std::make_shared<KernelFile>(path)] { return file->number(); });
    }

    void findInfiniBand(const fs::path& folder) {
        for (const fs::path& card : entriesOf(folder)) {
            const auto ports = entriesOf(card / "ports");
            for (const fs::path& port : ports) {
                const std::string name = card.filename().string()
                    + (ports.size() > 1 ? "/" + port.filename().string() : "");
                const Subject subject = linkSubject(name);
                addCounter(
                    metric::kIbRx, subject, port / "counters/port_rcv_data", kInfiniBandWord);
                addCounter(
                    metric::kIbTx, subject, port / "counters/port_xmit_data", kInfiniBandWord);
            }
        }
    }

    // Cards alone: what is made of software has no device.
    void findNetwork(const fs::path& folder) {
        for (const fs::path& card : entriesOf(folder)) {
            std::error_code ignored;
            if (!fs::exists(card / "device", ignored))
                continue;
            const Subject subject = linkSubject(card.filename().string());
            addCounter(metric::kNetRx, subject, card / "statistics/rx_bytes", 1.0);
            addCounter(metric::kNetTx, subject, card / "statistics/tx_bytes", 1.0);
        }
    }

    void findPower(const fs::path& folder) {
        for (const fs::path& zone : entriesOf(folder)) {
            const std::string name = wordIn(zone / "name");
            if (!name.starts_with("package-"))
                continue;
            KernelFile energy(zone / "energy_uj");
            if (energy.text().empty()) {
                m_notes.push_back(fmt::format("The energy of processor {} is there, but may not be "
                                              "read: {} is for root alone.",
                    name, (zone / "energy_uj").string()));
                continue;
            }
            const double range = KernelFile(zone / "max_energy_range_uj").number() * kMicro;
            addOne(Pace::Running,
                addChannel(metric::kCpuPower, nodeSubject(name), {1.0, 0, SensorKind::Averaged}),
                [meter = std::make_shared<PowerMeter>(std::move(energy), range)] {
                    return meter->watts();
                });
        }
    }

    void findTemperature(const fs::path& folder) {
        constexpr std::array drivers{"coretemp", "k10temp", "zenpower"};
        int package = 0;
        for (const fs::path& sensor : entriesOf(folder)) {
            const std::string driver = wordIn(sensor / "name");
            if (std::find(drivers.begin(), drivers.end(), driver) == drivers.end()
                || wordIn(sensor / "temp1_input").empty())
                continue;
            const Subject subject = nodeSubject(fmt::format("package-{}", package++));
            addOne(Pace::Seldom, addChannel(metric::kCpuTemperature, subject, {kMilliDegree}),
                [file = std::make_shared<KernelFile>(sensor / "temp1_input")] {
                    return file->number();
                });
        }
    }

    std::vector<std::string> m_notes;
};

} // namespace

layout::Topology withNetworkCards(const layout::Topology& gpus, const std::string& root) {
    const CardSearch search(root);
    const std::size_t gpuCount = gpus.gpuCount();
    std::vector<layout::TopologyDevice> devices(
        gpus.devices().begin(), gpus.devices().begin() + static_cast<std::ptrdiff_t>(gpuCount));
    std::vector<Place> places;
    for (layout::TopologyDevice& gpu : devices) {
        places.push_back(search.tree().find(gpu.busId));
        if (places.back() && !gpu.numa)
            gpu.numa = places.back()->numa;
    }
    devices.insert(devices.end(), search.cards().begin(), search.cards().end());
    places.insert(places.end(), search.places().begin(), search.places().end());
    layout::Topology topology(std::move(devices));
    for (std::size_t a = 0; a < places.size(); ++a) {
        for (std::size_t b = a + 1; b < places.size(); ++b) {
            if (b < gpuCount)
                topology.setPath(a, b, gpus.path(a, b));
            if (topology.path(a, b).kind != layout::PathKind::Unknown || !places[a] || !places[b])
                continue;
            topology.setPath(a, b, {pathBetween(*places[a], *places[b]), 0, false, std::nullopt});
        }
    }
    return topology;
}

HostProbe openHostProbe(const std::string& root) {
    auto probe = std::make_unique<KernelProbe>(root);
    HostProbe host{nullptr, probe->notes()};
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(root) / "sys" / "class", ignored))
        host.notes.emplace_back("The kernel's /sys is not there, as in some containers: network "
                                "cards, power and temperature of the processors, and the way from "
                                "cards to GPUs are not recorded.");
    host.probe = std::move(probe);
    return host;
}

} // namespace trainscope::record
