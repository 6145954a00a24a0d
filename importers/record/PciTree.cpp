#include "importers/record/PciTree.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <system_error>

namespace trainscope::record {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDomainDigits = 4; // at least

// "0000:83:00.0"
bool isAddress(std::string_view name) {
    const std::size_t bus = name.find(':');
    return bus != std::string_view::npos && bus >= kDomainDigits
        && std::all_of(name.begin(), name.end(),
            [](char c) {
                return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '.';
            })
        && name.find('.') != std::string_view::npos;
}

// The domain with four digits, or as many as it needs.
std::string asKernelWrites(std::string_view address) {
    const std::string low = lowered(trimmed(address));
    const std::size_t end = std::min(low.find(':'), low.size());
    const std::size_t from = std::min(low.find_first_not_of('0'), end);
    const std::size_t kept = std::max(end - from, std::min(kDomainDigits, end));
    return low.substr(end - kept);
}

std::optional<int> numaOf(const fs::path& device) {
    std::ifstream file(device / "numa_node");
    int node = -1;
    return file >> node && node >= 0 ? std::optional(node) : std::nullopt;
}

} // namespace

std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> all;
    std::error_code ignored; // an iterator that fails is at its end
    for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored))
        all.push_back(entry->path());
    std::sort(all.begin(), all.end());
    return all;
}

std::string pciAddress(std::uint64_t place) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place >> 16U, place >> 8U & 0xffU,
        place >> 3U & 0x1fU, place & 0x7U);
}

std::optional<PciPlace> PciTree::find(std::string_view address) const {
    if (address.empty())
        return std::nullopt;
    return placeOf(m_root / "sys/bus/pci/devices" / asKernelWrites(address));
}

std::optional<PciPlace> PciTree::placeOf(const fs::path& link) const {
    std::error_code failure; // a link that does not lead anywhere is no device
    const fs::path target = fs::canonical(link, failure);
    if (failure)
        return std::nullopt;
    PciPlace place;
    fs::path folder;
    for (const fs::path& part : target) {
        folder /= part;
        const std::string name = part.string();
        if (place.way.empty() ? name.starts_with("pci") && name.find(':') != std::string::npos
                              : isAddress(name)) {
            place.way.push_back(name);
            place.folder = folder;
        }
    }
    if (place.way.size() < 2)
        return std::nullopt;
    place.numa = numaOf(place.folder);
    return place;
}

layout::PathKind pathBetween(const PciPlace& a, const PciPlace& b) {
    const auto fork = std::mismatch(a.way.begin(), a.way.end(), b.way.begin(), b.way.end());
    const auto common = fork.first - a.way.begin();
    if (common == 0)
        return a.numa == b.numa ? layout::PathKind::Node : layout::PathKind::Sys;
    if (common == 1)
        return layout::PathKind::Phb;
    // A switch is a bridge above and one below for each port.
    constexpr auto deviceAndPort = 2;
    const bool isNear
        = a.way.end() - fork.first <= deviceAndPort && b.way.end() - fork.second <= deviceAndPort;
    return isNear ? layout::PathKind::Pix : layout::PathKind::Pxb;
}

} // namespace trainscope::record
