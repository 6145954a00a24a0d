#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/topology/TopologyFile.h"

#include <expat.h>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>

namespace trainscope::importers::topology {
namespace {

// expat 2.9 has a wider count under another name, and warns of the old one.
template <typename Parser>
std::uint64_t lineOf(Parser* parser) {
    if constexpr (requires { XML_GetCurrentLineNumber64(parser); })
        return XML_GetCurrentLineNumber64(parser);
    else
        return XML_GetCurrentLineNumber(parser);
}

// A small XML document as a tree of elements with attributes; text between them is ignored.

struct XmlElement {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::string name;
    std::map<std::string, std::string> attributes;
    std::size_t parent = kNone; // place in the list; kNone: the root

    // "" if it is not there
    [[nodiscard]] std::string text(const std::string& attribute) const {
        return valueAt(attributes, attribute, std::string());
    }
    [[nodiscard]] std::optional<int> number(const std::string& attribute) const {
        return wholeNumber<int>(text(attribute));
    }
};

constexpr std::size_t kMaxElements = 1'000'000;

struct Building {
    std::vector<XmlElement> elements;
    std::size_t current = XmlElement::kNone;
    XML_Parser parser = nullptr;
};

void XMLCALL onStart(void* data, const XML_Char* name, const XML_Char** attributes) {
    auto& building = *static_cast<Building*>(data);
    if (building.elements.size() == kMaxElements) {
        XML_StopParser(building.parser, XML_FALSE);
        return;
    }
    XmlElement element{name, {}, building.current};
    for (std::size_t i = 0; attributes[i] != nullptr; i += 2)
        element.attributes.emplace(attributes[i], attributes[i + 1]);
    building.current = building.elements.size();
    building.elements.push_back(std::move(element));
}

void XMLCALL onEnd(void* data, const XML_Char* /*name*/) {
    auto& building = *static_cast<Building*>(data);
    if (building.current != XmlElement::kNone)
        building.current = building.elements[building.current].parent;
}

// All elements in the order of the document, parents first. Unreadable says where it is broken.
Result<std::vector<XmlElement>> parseXml(std::string_view text, const std::string& where) {
    constexpr std::size_t kLargestDocument = std::size_t{64} << 20;
    if (text.size() > kLargestDocument)
        return Error{ErrorCode::Unreadable, "This file is too large for a topology.", where};
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    if (!parser)
        return Error{ErrorCode::Unreadable, "There is not enough memory to read this file.", where};
    Building building;
    building.parser = parser.get();
    XML_SetUserData(parser.get(), &building);
    XML_SetElementHandler(parser.get(), &onStart, &onEnd);
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK)
        return Error{ErrorCode::Unreadable,
            fmt::format("The XML is broken in line {}: {}.", lineOf(parser.get()),
                XML_ErrorString(XML_GetErrorCode(parser.get()))),
            where};
    return std::move(building.elements);
}

using layout::DeviceKind;
using layout::PathKind;
using layout::Topology;
using layout::TopologyDevice;
using layout::TopologyPath;

constexpr std::size_t kNone = XmlElement::kNone;
constexpr double kGiga = 1e9;

bool hasClass(const XmlElement& element, std::string_view prefix) {
    return element.text("class").starts_with(prefix);
}

// Class codes of the PCI specification: display controllers (AMD's too) and processing
// accelerators.
bool isGpuClass(const XmlElement& element) {
    return hasClass(element, "0x03") || hasClass(element, "0x12");
}

// "16.0 GT/s PCIe" and 16 lanes, after the line code: 8b/10b up to 5 GT/s, 128b/130b above.
std::optional<double> pcieBandwidth(const XmlElement& pci) {
    const std::string said = pci.text("link_speed");
    double speed = 0.0;
    std::from_chars(said.data(), said.data() + said.size(), speed);
    const auto width = pci.number("link_width");
    if (speed <= 0.0 || !width || *width < 1)
        return std::nullopt;
    constexpr double kOldest = 5.0;
    const double code = speed <= kOldest ? 8.0 / 10.0 : 128.0 / 130.0;
    return speed * kGiga * code / 8.0 * *width;
}

// One link per direction, makers' data sheets: NVLink 1 to 5 by compute capability, xGMI of MI200
// and MI300 by architecture.
std::optional<double> linkBandwidth(PathKind kind, const XmlElement& gpu) {
    if (kind == PathKind::NvLink) {
        const int sm = gpu.number("sm").value_or(0);
        constexpr int kPascal = 60;
        constexpr int kVolta = 70;
        constexpr int kBlackwell = 100;
        if (sm < kPascal)
            return std::nullopt;
        return (sm < kVolta ? 20.0 : sm < kBlackwell ? 25.0 : 50.0) * kGiga;
    }
    const std::string architecture = lowered(gpu.text("gcn"));
    if (architecture == "910" || architecture.find("90a") != std::string::npos)
        return 50.0 * kGiga;
    if (architecture.find("94") != std::string::npos)
        return 64.0 * kGiga;
    return std::nullopt;
}

struct Place {
    TopologyDevice device;
    std::size_t pci = kNone; // its own element, or the one it hangs on
    std::size_t gpu = kNone; // the <gpu> element
    std::optional<double> slot; // bandwidth of its PCIe slot
};

class Reader {
public:
    Reader(const std::vector<XmlElement>& elements)
        : m_elements(elements) { }

    Result<TopologyFile> read(const std::string& where) {
        findGpus();
        findNics();
        if (m_places.empty())
            return Error{ErrorCode::Unrecognised,
                "This NCCL topology has neither GPUs nor network cards in it.", where};
        std::stable_sort(m_places.begin(), m_places.end(), [](const Place& a, const Place& b) {
            return a.device.kind != b.device.kind ? a.device.kind == DeviceKind::Gpu
                                                  : a.device.index < b.device.index;
        });
        std::vector<TopologyDevice> devices = vectorOf(m_places, &Place::device);
        TopologyFile file{"NCCL topology", Topology(std::move(devices)), {}, true};
        for (std::size_t a = 0; a < m_places.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b)
                file.topology.setPath(a, b, hostPath(m_places[a], m_places[b]));
        }
        takeLinks(file);
        return file;
    }

private:
    [[nodiscard]] const XmlElement* parentOf(const XmlElement& element) const {
        return element.parent == kNone ? nullptr : &m_elements[element.parent];
    }

    // The nearest element of that name at or above.
    [[nodiscard]] std::size_t above(std::size_t at, std::string_view name) const {
        while (at != kNone && m_elements[at].name != name)
            at = m_elements[at].parent;
        return at;
    }

    [[nodiscard]] std::optional<int> numaOf(std::size_t at) const {
        const std::size_t cpu = above(at, "cpu");
        const auto numa = cpu == kNone ? std::nullopt : m_elements[cpu].number("numaid");
        return numa && *numa >= 0 ? numa : std::nullopt;
    }

    void addGpu(std::size_t pci, std::size_t gpu) {
        const XmlElement& own = m_elements[pci];
        const int count = static_cast<int>(m_places.size());
        const int index = gpu == kNone ? count : m_elements[gpu].number("dev").value_or(count);
        m_places.push_back({{DeviceKind::Gpu, index, fmt::format("GPU{}", index),
                                lowered(own.text("busid")), numaOf(pci), pcieBandwidth(own)},
            pci, gpu, pcieBandwidth(own)});
    }

    void findGpus() {
        for (std::size_t i = 0; i < m_elements.size(); ++i) {
            const std::size_t pci = above(i, "pci");
            if (m_elements[i].name == "gpu" && pci != kNone)
                addGpu(pci, i);
        }
        if (!m_places.empty())
            return;
        // Vendors' files list the cards alone; the driver fills in the rest.
        for (std::size_t i = 0; i < m_elements.size(); ++i) {
            if (m_elements[i].name == "pci" && isGpuClass(m_elements[i]))
                addGpu(i, kNone);
        }
    }

    void addNic(std::size_t at, const std::string& name, std::optional<double> bandwidth) {
        const std::size_t pci = above(at, "pci");
        const std::string busId
            = pci == kNone ? std::string() : lowered(m_elements[pci].text("busid"));
        const auto index = m_elements[at].number("dev");
        const std::string shown = name.empty() ? busId : name;
        // Interfaces without a card are listed under every CPU, and lie at none.
        const auto known = std::find_if(m_places.begin(), m_places.end(), [&](const Place& place) {
            return pci == kNone && place.device.kind == DeviceKind::Nic
                && place.device.busId.empty() && place.device.name == shown;
        });
        if (known != m_places.end()) {
            known->device.numa.reset();
            known->pci = kNone;
            return;
        }
        m_places.push_back(
            {{DeviceKind::Nic, index.value_or(m_nics), shown, busId, numaOf(at), bandwidth},
                pci == kNone ? above(at, "cpu") : pci, kNone,
                pci == kNone ? std::nullopt : pcieBandwidth(m_elements[pci])});
        ++m_nics;
    }

    void findNics() {
        std::set<std::size_t> named;
        for (std::size_t i = 0; i < m_elements.size(); ++i) {
            if (m_elements[i].name != "net")
                continue;
            constexpr double kMegabit = 1e6 / 8.0;
            const auto speed = m_elements[i].number("speed");
            addNic(i, m_elements[i].text("name"),
                speed && *speed > 0 ? std::optional(*speed * kMegabit) : std::nullopt);
            named.insert(above(i, "pci"));
        }
        for (std::size_t i = 0; i < m_elements.size(); ++i) {
            if (m_elements[i].name == "pci" && hasClass(m_elements[i], "0x02")
                && !named.contains(i))
                addNic(i, {}, std::nullopt);
        }
    }

    // From the device's slot up to the root.
    [[nodiscard]] std::vector<std::size_t> wayUp(const Place& place) const {
        std::vector<std::size_t> way;
        for (std::size_t at = place.pci; at != kNone; at = m_elements[at].parent)
            way.push_back(at);
        return way;
    }

    [[nodiscard]] TopologyPath hostPath(const Place& a, const Place& b) const {
        TopologyPath path;
        if (a.slot && b.slot)
            path.bandwidth = std::min(*a.slot, *b.slot);
        const auto wayA = wayUp(a);
        const auto wayB = wayUp(b);
        const auto meet = std::find_first_of(wayA.begin(), wayA.end(), wayB.begin(), wayB.end());
        if (meet == wayA.end())
            return path;
        const auto other = std::find(wayB.begin(), wayB.end(), *meet);
        const XmlElement& common = m_elements[*meet];
        if (common.name == "pci") {
            const bool isNear = meet - wayA.begin() <= 1 && other - wayB.begin() <= 1;
            path.kind = isNear ? PathKind::Pix : PathKind::Pxb;
        } else {
            path.kind = common.name == "cpu" ? PathKind::Phb : PathKind::Sys;
        }
        return path;
    }

    void takeLinks(TopologyFile& file) {
        std::map<std::string, std::size_t> byBusId;
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            if (m_places[i].device.kind == DeviceKind::Gpu)
                byBusId.emplace(m_places[i].device.busId, i);
        }
        std::map<std::size_t, int> toSwitch; // links of a GPU
        for (const XmlElement& link : m_elements) {
            const bool isXgmi = link.name == "xgmi";
            if (!isXgmi && link.name != "nvlink")
                continue;
            const auto gpu = std::ranges::find(m_places, link.parent, &Place::gpu);
            if (gpu == m_places.end() || link.parent == kNone)
                continue;
            const auto from = static_cast<std::size_t>(gpu - m_places.begin());
            const int count = std::max(link.number("count").value_or(1), 0);
            const auto target = byBusId.find(lowered(link.text("target")));
            if (target != byBusId.end())
                takeLink(
                    file, from, target->second, isXgmi ? PathKind::Xgmi : PathKind::NvLink, count);
            else if (link.text("tclass").starts_with("0x0680"))
                toSwitch[from] += count;
            else
                file.warnings.push_back(fmt::format("{} has a link to {}, which is not there",
                    m_places[from].device.name, link.text("target")));
        }
        joinSwitched(file, toSwitch);
        if (file.topology.isLopsided())
            file.warnings.push_back("some links are told by one of their ends only");
    }

    void takeLink(TopologyFile& file, std::size_t from, std::size_t to, PathKind kind, int count) {
        TopologyPath path = file.topology.path(from, to);
        const int before = path.kind == kind ? path.links : 0;
        path = {kind, before + count, false, std::nullopt};
        if (const auto each = linkBandwidth(kind, m_elements[m_places[from].gpu]))
            path.bandwidth = *each * path.links;
        file.topology.setOneWay(from, to, path);
    }

    void joinSwitched(TopologyFile& file, const std::map<std::size_t, int>& toSwitch) const {
        for (const auto& [a, linksA] : toSwitch) {
            for (const auto& [b, linksB] : toSwitch) {
                if (a == b)
                    continue;
                TopologyPath path{PathKind::NvLink, std::min(linksA, linksB), true, std::nullopt};
                if (const auto each = linkBandwidth(PathKind::NvLink, m_elements[m_places[a].gpu]))
                    path.bandwidth = *each * path.links;
                file.topology.setPath(a, b, path);
            }
        }
    }

    const std::vector<XmlElement>& m_elements;
    std::vector<Place> m_places;
    int m_nics = 0;
};

// RCCL states an architecture beside NCCL's compute capability.
catalogue::Vendor vendorIn(const std::vector<XmlElement>& elements) {
    using catalogue::Vendor;
    const auto says = [&elements](const std::string& attribute) {
        return std::any_of(elements.begin(), elements.end(), [&](const XmlElement& element) {
            return element.name == "gpu" && !element.text(attribute).empty();
        });
    };
    return says("gcn") ? Vendor::Amd : says("sm") ? Vendor::Nvidia : Vendor::Unknown;
}

} // namespace

Result<TopologyFile> readNcclXml(std::string_view text, const std::string& where) {
    ASSIGN_OR_RETURN(const auto elements, parseXml(text, where));
    if (elements.empty() || elements.front().name != "system")
        return Error{ErrorCode::Unrecognised,
            "This XML is no NCCL topology: its outermost element is not \"system\".", where};
    ASSIGN_OR_RETURN(auto file, Reader(elements).read(where));
    file.vendor = vendorIn(elements);
    return file;
}

} // namespace trainscope::importers::topology
