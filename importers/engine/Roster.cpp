#include "importers/engine/Roster.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/text/NaturalOrder.h"

#include <tuple>

namespace trainscope::importers::engine {

namespace {

constexpr const char* kNamelessNode = "node";

std::string placeOf(std::string_view node, int index) {
    return std::string(node) + "/" + std::to_string(index);
}

bool isNumericAddress(std::string_view name) {
    return name.find(':') != std::string_view::npos
        || std::ranges::all_of(name, [](char c) { return isDigit(c) || c == '.'; });
}

std::string_view shortName(std::string_view name) {
    return isNumericAddress(name) ? name : name.substr(0, name.find('.'));
}

} // namespace

Roster::Roster(std::vector<std::string> nodes, std::vector<Gpu> gpus,
    std::map<std::string, std::string> aliases)
    : m_nodes(std::move(nodes))
    , m_gpus(std::move(gpus))
    , m_aliases(std::move(aliases)) {
    remember();
}

void Roster::alias(std::string_view name, std::string_view node) {
    if (!name.empty() && !node.empty() && name != node)
        m_aliases.try_emplace(std::string(name), node);
}

std::string Roster::nodeName(std::string_view name) const {
    const std::string given(name.empty() ? std::string_view(kNamelessNode) : name);
    return valueAt(m_aliases, given, given);
}

void Roster::add(const ExporterSubject& whom) {
    if (whom.kind == SubjectKind::Run || whom.kind == SubjectKind::Switch)
        return;
    std::string node = nodeName(whom.node);
    m_metNodes.try_emplace(node, true);
    if (whom.kind == SubjectKind::Gpu)
        meet({whom.uuid, std::move(node), whom.gpu, whom.model});
}

void Roster::meet(const Met& gpu) {
    const std::string key = gpu.uuid.empty() ? placeOf(gpu.node, gpu.index) : gpu.uuid;
    const auto [at, isNew] = m_metByKey.try_emplace(key, m_met.size());
    if (isNew) {
        m_met.push_back(gpu);
        return;
    }
    Met& known = m_met[at->second];
    if (known.index < 0)
        known.index = gpu.index;
    if (known.model.empty())
        known.model = gpu.model;
}

// "gpu-1" of one exporter is "gpu-1.cluster.local" of another.
void Roster::joinShortNames() {
    std::set<std::string> known;
    for (const auto& [name, isMet] : m_metNodes)
        known.insert(name);
    for (const std::string& name : known) {
        const std::string brief(shortName(name));
        if (brief != name && known.contains(brief))
            alias(name, brief);
    }
}

void Roster::settle() {
    joinShortNames();
    std::set<std::string> names;
    for (const auto& [name, isMet] : m_metNodes)
        names.insert(nodeName(name));
    for (Met& gpu : m_met)
        gpu.node = nodeName(gpu.node);
    m_nodes.assign(names.begin(), names.end());
    std::ranges::sort(m_nodes,
        [](const std::string& a, const std::string& b) { return text::naturalOrder(a, b) < 0; });
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        m_nodeNumbers[m_nodes[i]] = static_cast<int>(i);
    number();
    remember();
}

void Roster::number() {
    // A GPU that one exporter names by its place alone is the one with a UUID at that place.
    std::set<std::string> named;
    for (const Met& gpu : m_met) {
        if (!gpu.uuid.empty())
            named.insert(placeOf(gpu.node, gpu.index));
    }
    std::erase_if(m_met, [&named](const Met& gpu) {
        return gpu.uuid.empty() && named.contains(placeOf(gpu.node, gpu.index));
    });
    const auto order = [this](const Met& gpu) {
        return std::tuple(m_nodeNumbers.at(gpu.node), gpu.index < 0 ? 1 : 0, gpu.index, gpu.uuid);
    };
    std::ranges::sort(m_met, [&order](const Met& a, const Met& b) { return order(a) < order(b); });
    int node = -1;
    int next = 0; // a GPU that was replaced shares its index with the one before
    for (const Met& met : m_met) {
        const int of = m_nodeNumbers.at(met.node);
        next = of == node ? next : 0;
        node = of;
        const int local = std::max(next, met.index);
        next = local + 1;
        m_gpus.push_back({static_cast<int>(m_gpus.size()), node, local, met.model, met.uuid});
        m_ranksByPlace.try_emplace(placeOf(met.node, met.index), m_gpus.back().rank);
    }
    m_met.clear();
    m_metByKey.clear();
}

void Roster::remember() {
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        m_nodeNumbers[m_nodes[i]] = static_cast<int>(i);
    for (const Gpu& gpu : m_gpus) {
        if (!gpu.uuid.empty())
            m_ranksByUuid[gpu.uuid] = gpu.rank;
        const auto node = static_cast<std::size_t>(gpu.node);
        if (node < m_nodes.size())
            m_ranksByPlace.try_emplace(placeOf(m_nodes[node], gpu.local), gpu.rank);
    }
}

int Roster::nodeNumber(std::string_view name) const {
    return valueAt(m_nodeNumbers, nodeName(name), -1);
}

std::optional<Subject> Roster::find(const ExporterSubject& whom) const {
    Subject subject;
    subject.kind = whom.kind;
    if (whom.kind == SubjectKind::Gpu) {
        const auto byUuid = m_ranksByUuid.find(whom.uuid);
        if (!whom.uuid.empty() && byUuid != m_ranksByUuid.end()) {
            subject.rank = byUuid->second;
            return subject;
        }
        const auto byPlace = m_ranksByPlace.find(placeOf(nodeName(whom.node), whom.gpu));
        if (!whom.uuid.empty() || byPlace == m_ranksByPlace.end())
            return std::nullopt;
        subject.rank = byPlace->second;
        return subject;
    }
    if (whom.kind == SubjectKind::Node || whom.kind == SubjectKind::Link) {
        subject.node = nodeNumber(whom.node);
        subject.device = whom.kind == SubjectKind::Link ? whom.device : std::string();
        const bool isKnown
            = subject.node >= 0 && (whom.kind == SubjectKind::Node || !subject.device.empty());
        return isKnown ? std::optional(subject) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace trainscope::importers::engine
