#include "core/analysis/traces/CommunicatorPlaces.h"

#include "core/model/AsciiText.h"

namespace trainscope::analysis {

namespace {

using layout::CommunicatorKind;

// Groups of the same ranks are taken for the first of these.
constexpr std::array kByLikelihood{CommunicatorKind::Tensor, CommunicatorKind::Data,
    CommunicatorKind::Pipeline, CommunicatorKind::Context, CommunicatorKind::Expert,
    CommunicatorKind::DataContext, CommunicatorKind::TensorContext, CommunicatorKind::ExpertData};

// Words of the descriptions that DeepSpeed, FSDP and device meshes give their groups.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kWords{{
    {"expert", "ep"},
    {"tensor", "tp"},
    {"pipeline", "pp"},
    {"embedding", "pp"},
    {"context", "cp"},
    {"data", "dp"},
    {"mesh_tp", "tp"},
    {"mesh_pp", "pp"},
    {"mesh_cp", "cp"},
    {"mesh_ep", "ep"},
    {"mesh_dp", "dp"},
    {"mesh_fsdp", "dp"},
    {"fsdp", "dp"},
    {"ddp", "dp"},
}};

constexpr std::array<std::string_view, 5> kShort{"tp", "pp", "cp", "ep", "dp"};

std::string byWords(std::string_view description) {
    for (const auto& known : layout::communicatorKinds()) {
        if (!description.empty() && known.description == description)
            return std::string(known.key);
    }
    const std::string text = lowered(description);
    for (const auto& [word, dimension] : kWords) {
        if (text.find(word) != std::string::npos)
            return std::string(dimension);
    }
    const auto whole = std::ranges::find_if(kShort, [&](std::string_view word) {
        return text == word || text == std::string(word) + "_group";
    });
    return whole == kShort.end() ? std::string() : std::string(*whole);
}

} // namespace

std::string_view linkKey(LinkClass value) {
    constexpr auto keys = enumNames("", "scale_up", "scale_out", "unknown");
    return keys[static_cast<std::size_t>(value)];
}

CommunicatorPlaces::CommunicatorPlaces(const Run& run, const std::vector<Gpu>& gpus)
    : m_worldSize(run.worldSize) {
    std::map<int, int> perNode;
    std::set<int> fitting;
    for (const Gpu& gpu : gpus) {
        m_nodes.emplace(gpu.rank, gpu.node);
        perNode[gpu.node] = std::max(perNode[gpu.node], gpu.local + 1);
        if (gpu.node > 0 && gpu.rank >= gpu.local)
            fitting.insert((gpu.rank - gpu.local) / gpu.node);
        m_worldSize = std::max(m_worldSize, gpu.rank + 1);
    }
    if (run.launch.gpusPerNode)
        m_gpusPerNode = *run.launch.gpusPerNode;
    else if (fitting.size() == 1)
        m_gpusPerNode = *fitting.begin();
    if (auto grid = layout::gridFromLaunch(run.launch, m_worldSize); grid.hasValue())
        m_grid = std::move(grid).value();
    if (!m_grid)
        return;
    for (const CommunicatorKind kind : kByLikelihood) {
        for (auto& group : m_grid->groups(kind)) {
            if (group.size() > 1)
                m_groups.try_emplace(std::move(group), infoOf(kind).key);
        }
    }
}

std::string CommunicatorPlaces::byLayout(const std::vector<int>& ranks) const {
    if (const auto found = m_groups.find(ranks); found != m_groups.end())
        return found->second;
    if (!m_grid || ranks.size() < 2 || ranks.front() < 0 || ranks.back() >= m_grid->worldSize())
        return {};
    // Some ranks of a group, as the two ends of a message.
    std::array<bool, 4> differs{};
    const auto first = m_grid->position(ranks.front());
    for (const int rank : ranks) {
        const auto one = m_grid->position(rank);
        differs[0] = differs[0] || one.tensor != first.tensor;
        differs[1] = differs[1] || one.context != first.context;
        differs[2] = differs[2] || one.data != first.data;
        differs[3] = differs[3] || one.pipeline != first.pipeline;
    }
    constexpr std::array<std::string_view, 4> names{"tp", "cp", "dp", "pp"};
    if (std::ranges::count(differs, true) != 1)
        return {};
    const auto which = std::ranges::find(differs, true) - differs.begin();
    return std::string(names[static_cast<std::size_t>(which)]);
}

std::string CommunicatorPlaces::dimensionOf(
    const layout::ProcessGroup& group, std::vector<int> ranks) const {
    std::ranges::sort(ranks);
    const std::string said = byWords(group.description);
    const std::string placed = byLayout(ranks);
    // Groups of several kinds may hold the same ranks: what the trace says decides, but "dp_cp" is
    // "dp" without context parallelism.
    if (!said.empty())
        return !placed.empty() && said.find(placed) != std::string::npos ? placed : said;
    if (!placed.empty())
        return placed;
    if (m_worldSize > 0 && static_cast<int>(ranks.size()) == m_worldSize)
        return "world";
    const bool isDescribed = !group.description.empty() && group.description != "undefined";
    return isDescribed ? group.description : group.name;
}

std::optional<int> CommunicatorPlaces::nodeOf(int rank) const {
    if (const auto found = m_nodes.find(rank); found != m_nodes.end())
        return found->second;
    return m_gpusPerNode > 0 ? std::optional(rank / m_gpusPerNode) : std::nullopt;
}

LinkClass CommunicatorPlaces::linkOf(const std::vector<int>& ranks) const {
    std::set<int> nodes;
    for (const int rank : ranks) {
        const auto node = nodeOf(rank);
        if (!node)
            return LinkClass::Unknown;
        nodes.insert(*node);
    }
    return nodes.size() > 1 ? LinkClass::ScaleOut : LinkClass::ScaleUp;
}

const CommunicatorPlace& CommunicatorPlaces::placeOf(const Collective& one) {
    std::vector<int> ranks = one.group->ranks;
    if (ranks.empty() || one.kind == CollectiveKind::SendRecv) {
        ranks.clear();
        for (const CollectiveRank& rank : one.ranks)
            ranks.push_back(rank.rank);
    }
    const auto [at, isNew] = m_placeOf.try_emplace({one.communicator, ranks});
    if (isNew)
        at->second = {dimensionOf(*one.group, ranks), linkOf(ranks)};
    return at->second;
}

} // namespace trainscope::analysis
