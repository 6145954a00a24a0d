#include "importers/record/NetworkCards.h"

#include "importers/record/PciTree.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <utility>
#include <vector>

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

} // namespace trainscope::record
