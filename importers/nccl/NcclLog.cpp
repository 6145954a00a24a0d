#include "importers/nccl/NcclLog.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::importers::nccl {

namespace {

constexpr std::size_t kMostWarnings = 50;
constexpr std::size_t kMostCommunicators = 100'000;
constexpr std::size_t kMostValues = 8; // for one fact
constexpr int kMostNcclRanks = 1 << 20;

double realOf(std::string_view text) {
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

constexpr std::size_t kRowColumns = 13; // in nccl-tests

// "8  2  float  sum" stands at the begin.
bool beginsRow(std::string_view text) {
    constexpr std::array<std::string_view, 16> kTypes{"float", "half", "bfloat16", "double", "int8",
        "uint8", "int32", "uint32", "int64", "uint64", "int", "char", "f8e4m3", "f8e5m2",
        "fp8_e4m3", "fp8_e5m2"};
    constexpr std::array<std::string_view, 8> kOperations{
        "sum", "prod", "max", "min", "avg", "none", "all", "mulsum"};
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    if (first == text.size() || !isDigit(text[first]))
        return false;
    const auto parts = words(text.substr(0, std::size_t{256}), " \t");
    return parts.size() >= 4 && wholeNumber<std::int64_t>(parts[0])
        && wholeNumber<std::int64_t>(parts[1])
        && std::ranges::find(kTypes, parts[2]) != kTypes.end()
        && std::ranges::find(kOperations, parts[3]) != kOperations.end();
}

std::string rankList(const std::vector<int>& ranks) {
    constexpr std::size_t kMost = 64;
    const std::vector<int> shown(
        ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(std::min(ranks.size(), kMost)));
    return fmt::format("{}{}", fmt::join(shown, " "), ranks.size() > kMost ? " …" : "");
}

} // namespace

bool NcclLog::take(std::string_view line, std::int64_t number) {
    const bool wasPiece = takePiece(line);
    if (wasPiece && trimmed(line).empty())
        return true;
    const auto parsed = ncclLine(line);
    if (!parsed)
        return takeOther(line) || wasPiece;
    ++m_lines;
    if (parsed->isWarning) {
        ++m_warningCount;
        if (m_warnings.size() < kMostWarnings)
            m_warnings.emplace_back(number, std::string(parsed->text));
        return true;
    }
    const bool isUnderstood = takeInfo(*parsed);
    m_notUnderstood += isUnderstood ? 0 : 1;
    return isUnderstood;
}

bool NcclLog::takeOther(std::string_view line) {
    if (const auto at = line.find("NCCL version "); at != std::string_view::npos) {
        m_said["NCCL version"].insert(std::string(firstWord(line.substr(at + 13))));
        return true;
    }
    constexpr std::string_view kStarting = "Collective test starting: ";
    if (const auto at = line.find(kStarting); at != std::string_view::npos) {
        m_testName = firstWord(line.substr(at + kStarting.size()));
        return true;
    }
    constexpr std::string_view kMean = "Avg bus bandwidth";
    if (const auto at = line.find(kMean); at != std::string_view::npos) {
        m_meanBandwidth = realOf(wordAfter(line.substr(at), ": "));
        return true;
    }
    if (line.find("redop") != std::string_view::npos
        && line.find("busbw") != std::string_view::npos) {
        m_columns = kRowColumns - (line.find("root") == std::string_view::npos ? 1 : 0);
        return true;
    }
    return takeDevice(line);
}

// "8   2   float   none   -1   54.2   0.00   0.00   0   53.0   0.00   0.00   N/A". The test prints
// a row column by column, and what the library says in between cuts it: "8  2  float  none
// -1host:77:78 [0] NCCL INFO …", and lines later "54.2  0.00  0.00  0". Takes such a piece off the
// front of `line`, which then begins with what the log says.
bool NcclLog::takePiece(std::string_view& line) {
    std::string_view rest = line;
    // Behind a launcher's "0: ".
    if (const auto colon = rest.find(": "); colon != std::string_view::npos && colon < 8)
        rest.remove_prefix(colon + 2);
    const bool begins = beginsRow(rest);
    if (!begins && m_piece.empty())
        return false;
    if (begins) {
        m_brokenRows += m_piece.empty() ? 0 : 1;
        m_piece.clear();
        for (int i = 0; i < 4; ++i) {
            const std::string_view word = firstWord(rest);
            m_piece.emplace_back(word);
            rest = rest.substr(static_cast<std::size_t>(word.data() - rest.data()) + word.size());
        }
    }
    const std::size_t before = m_piece.size();
    while (m_piece.size() < (m_columns == 0 ? kRowColumns : m_columns) && takeColumn(rest)) { }
    if (!begins && m_piece.size() == before)
        return false;
    const bool isWhole = m_piece.size() == (m_columns == 0 ? kRowColumns : m_columns)
        || (m_columns == 0 && m_piece.size() == kRowColumns - 1 && trimmed(rest).empty());
    if (isWhole)
        endRow();
    line = rest;
    return true;
}

// A number, or the sign for none, off the front; what follows it may stand close.
bool NcclLog::takeColumn(std::string_view& rest) {
    constexpr std::size_t kRoot = 4;
    constexpr std::string_view kNoRoot = "-1";
    constexpr std::string_view kNone = "N/A";
    const std::size_t blank = std::min(rest.find_first_not_of(" \t"), rest.size());
    const std::string_view text = rest.substr(blank);
    std::size_t size = 0;
    double value = 0.0;
    if (text.starts_with(kNone))
        size = kNone.size();
    else if (m_piece.size() == kRoot && m_columns != kRowColumns - 1 && text.starts_with(kNoRoot))
        size = kNoRoot.size();
    else if (const auto [end, problem]
             = std::from_chars(text.data(), text.data() + text.size(), value);
             problem == std::errc())
        size = static_cast<std::size_t>(end - text.data());
    // A date, a version or an address is no column.
    if (size == 0 || (size < text.size() && std::string_view("-:/._").find(text[size]) < 5))
        return false;
    m_piece.emplace_back(text.substr(0, size));
    rest = text.substr(size);
    return true;
}

void NcclLog::endRow() {
    const std::size_t time = m_piece.size() == kRowColumns ? 5 : 4; // older: no root
    const auto bytes = wholeNumber<std::int64_t>(m_piece[0]);
    const auto count = wholeNumber<std::int64_t>(m_piece[1]);
    const double us = realOf(m_piece[time]);
    if (bytes && count && *bytes >= 0 && us > 0.0)
        m_rows.push_back({*bytes, *count, m_piece[2], m_piece[3], us, realOf(m_piece[time + 1]),
            realOf(m_piece[time + 2])});
    m_piece.clear();
}

bool NcclLog::takeInfo(const NcclLine& line) {
    return takeCommunicator(line) || takeChannel(line.text) || takeTrees(line.text)
        || takeSetting(line.text) || takeOther(line.text);
}

// comm 0x5559cbb825c0 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 101c0 commId 0x… - Init COMPLETE
bool NcclLog::takeCommunicator(const NcclLine& line) {
    if (line.text.find(" nranks ") == std::string_view::npos
        || line.text.find("Init ") == std::string_view::npos)
        return line.text.find("Destroy COMPLETE") != std::string_view::npos;
    const auto rank = numberAfter(line.text, " rank ");
    const auto size = numberAfter(line.text, " nranks ");
    if (!rank || !size || *rank < 0 || *rank >= *size || *size > kMostNcclRanks)
        return false;
    std::string id(wordAfter(line.text, " commId "));
    if (id.empty())
        id = text::counted(*size, "rank");
    auto found = std::ranges::find(m_communicators, id, &Communicator::id);
    if (found == m_communicators.end()) {
        if (m_communicators.size() >= kMostCommunicators)
            return false;
        found = m_communicators.insert(m_communicators.end(), {id, *size, {}});
    }
    found->members[*rank] = {{std::string(line.host), line.process},
        numberAfter(line.text, " cudaDev ").value_or(line.device),
        numberAfter(line.text, " nvmlDev ").value_or(-1),
        std::string(wordAfter(line.text, " busId "))};
    return true;
}

// Channel 00/08 :    0   7   6 …
// Channel 03/0 : 7[7] -> 14[6] [receive] via NET/AWS Libfabric/3/GDRDMA
bool NcclLog::takeChannel(std::string_view text) {
    if (!text.starts_with("Channel "))
        return false;
    const auto colon = text.find(" : ");
    if (colon == std::string_view::npos)
        return false;
    const std::string_view rest = text.substr(colon + 3);
    if (const auto via = rest.find(" via "); via != std::string_view::npos) {
        // Both ends tell of a connection over the network; one is counted.
        if (rest.find("[receive]") == std::string_view::npos)
            ++m_ways[wayOf(rest.substr(via + 5))];
        m_hasMessages = m_hasMessages || text.substr(0, colon).ends_with("/1");
        return true;
    }
    const std::string_view head = text.substr(8, colon - 8);
    const auto slash = head.find('/');
    const auto channel = wholeNumber<int>(head.substr(0, slash));
    if (!channel || *channel < 0 || slash == std::string_view::npos)
        return false;
    std::vector<int> ring;
    for (const std::string_view word : words(rest, " \t")) {
        const auto rank = wholeNumber<int>(word);
        if (!rank || *rank < 0 || *rank > kMostNcclRanks)
            return false;
        ring.push_back(*rank);
    }
    m_channels = std::max(m_channels, wholeNumber<int>(head.substr(slash + 1)).value_or(0));
    m_rings.try_emplace(*channel, std::move(ring));
    return true;
}

// Trees [0] 7/-1/-1->6->5 [1] …: children -> rank -> parent
bool NcclLog::takeTrees(std::string_view text) {
    if (!text.starts_with("Trees "))
        return false;
    for (std::size_t at = text.find('['); at != std::string_view::npos;
         at = text.find('[', at + 1)) {
        const auto close = text.find(']', at);
        const auto first = text.find("->", at);
        const auto second = first == std::string_view::npos ? first : text.find("->", first + 2);
        if (close == std::string_view::npos || second == std::string_view::npos)
            return false;
        const auto channel = wholeNumber<int>(text.substr(at + 1, close - at - 1));
        const auto rank = wholeNumber<int>(text.substr(first + 2, second - first - 2));
        const auto parent = wholeNumber<int>(firstWord(text.substr(second + 2)));
        if (!channel || !rank || !parent)
            return false;
        m_trees[*channel][*rank] = *parent;
    }
    return true;
}

bool NcclLog::takeSetting(std::string_view text) {
    struct Known {
        std::string_view mark;
        const char* fact; // nullptr: understood, and nothing to keep
        bool isWhole; // the whole text, else what follows the mark
    };
    static constexpr std::array<Known, 25> kKnown{{{"Using network ", "network", false},
        {"Selected Provider is ", "network provider", false},
        {"NET/IB : Using ", "InfiniBand", false}, {"NET/Socket : Using ", "sockets", false},
        {"Bootstrap : Using ", nullptr, false}, {"coll channels, ", "channels", true},
        {"cudaDriverVersion ", "CUDA driver", false},
        {"NVLS multicast support is not available", "NVLS", true},
        {"NVLS multicast support is available", "NVLS", true},
        {" set by environment to ", "set", true}, {" Setting NCCL_", "set", true},
        {"NET/OFI Using ", "network plugin", false}, {"NET/Plugin: ", "network plugin", false},
        {"Plugin name set by env to ", "network plugin", false}, {"-> Algo ", "chosen", true},
        {"threadThresholds ", nullptr, false}, {"Connected all ", nullptr, false},
        {"Setting affinity for GPU ", nullptr, false}, {"Chunksize set to ", "P2P chunk", false},
        {"Configuring ", nullptr, false}, {"Running on ", nullptr, false},
        {"P2P Chunksize ", nullptr, false}, {"MNNVL ", "MNNVL", true},
        {"Enabled NVLS ", "NVLS", true}, {"Check P2P Type ", "P2P", true}}};
    const auto known = std::ranges::find_if(
        kKnown, [text](const Known& one) { return text.find(one.mark) != std::string_view::npos; });
    if (known == kKnown.end())
        return false;
    if (known->fact == nullptr)
        return true;
    std::string_view value = text;
    if (!known->isWhole)
        value.remove_prefix(text.find(known->mark) + known->mark.size());
    auto& values = m_said[known->fact];
    if (values.size() < kMostValues)
        values.insert(withoutDevice(value));
    return true;
}

// #  Rank  0 Group  0 Pid  77184 on host-1 device  0 [0x10] NVIDIA A100-SXM4-40GB
bool NcclLog::takeDevice(std::string_view line) {
    const auto at = line.find('#');
    if (at == std::string_view::npos || line.find(" Pid ") == std::string_view::npos)
        return false;
    const auto parts = words(line.substr(at), " \t");
    if (parts.size() < 2 || parts[0] != "#" || parts[1] != "Rank")
        return false;
    const auto find = [&parts](std::string_view word) {
        return static_cast<std::size_t>(std::ranges::find(parts, word) - parts.begin());
    };
    const std::size_t on = find("on");
    const auto rank = parts.size() > 2 ? wholeNumber<int>(parts[2]) : std::nullopt;
    if (!rank || *rank < 0 || on + 1 >= parts.size())
        return false;
    const auto bracket = line.find("] ", at);
    m_models[*rank] = {std::string(parts[on + 1]),
        bracket == std::string_view::npos ? std::string() : std::string(line.substr(bracket + 2))};
    return true;
}

const Communicator* NcclLog::world() const {
    const auto largest = std::ranges::max_element(m_communicators,
        [](const Communicator& a, const Communicator& b) { return a.size < b.size; });
    return largest == m_communicators.end() ? nullptr : &*largest;
}

std::vector<Gpu> NcclLog::gpus() const {
    std::vector<Gpu> gpus;
    const Communicator* all = world();
    if (all == nullptr)
        return gpus;
    std::map<std::string, int> nodes; // in order of their first rank
    for (const auto& [rank, member] : all->members) {
        const int node
            = nodes.try_emplace(member.process.first, static_cast<int>(nodes.size())).first->second;
        Gpu gpu;
        gpu.rank = rank;
        gpu.node = node;
        gpu.local = member.nodeDevice >= 0 ? member.nodeDevice : std::max(member.device, 0);
        if (const auto model = m_models.find(rank); model != m_models.end())
            gpu.model = model->second.second;
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

std::vector<Gpu> NcclLog::testedGpus() const {
    std::vector<Gpu> listed = gpus();
    if (!listed.empty())
        return listed;
    std::map<std::string, int> nodes;
    std::map<int, int> onNode;
    for (const auto& [rank, device] : m_models) {
        Gpu gpu;
        gpu.rank = rank;
        gpu.node = nodes.try_emplace(device.first, static_cast<int>(nodes.size())).first->second;
        gpu.local = onNode[gpu.node]++;
        gpu.model = device.second;
        listed.push_back(std::move(gpu));
    }
    return listed;
}

std::vector<layout::ProcessGroup> NcclLog::groups() const {
    std::vector<layout::ProcessGroup> groups;
    const Communicator* all = world();
    if (all == nullptr)
        return groups;
    std::map<Process, int> ranks;
    for (const auto& [rank, member] : all->members)
        ranks[member.process] = rank;
    for (const Communicator& one : m_communicators) {
        layout::ProcessGroup group{one.id, "NCCL communicator", {}};
        for (const auto& [rank, member] : one.members) {
            if (const auto known = ranks.find(member.process); known != ranks.end())
                group.ranks.push_back(known->second);
        }
        std::ranges::sort(group.ranks);
        group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
        // One whose other ranks are not in the log says nothing of the layout.
        if (static_cast<int>(group.ranks.size()) == one.size && one.size > 1)
            groups.push_back(std::move(group));
    }
    return groups;
}

std::map<std::string, std::string> NcclLog::facts() const {
    std::map<std::string, std::string> facts;
    for (const auto& [fact, values] : m_said)
        facts[fact] = fmt::format("{}", fmt::join(values, "; "));
    for (const auto& [channel, ring] : m_rings) {
        constexpr int kMostRings = 4;
        if (channel < kMostRings)
            facts[fmt::format("ring {}", channel)] = rankList(ring);
    }
    if (!m_rings.empty())
        facts["rings"] = std::to_string(std::max<std::size_t>(
            m_rings.size(), static_cast<std::size_t>(std::max(m_channels, 0))));
    if (!m_trees.empty()) {
        std::set<int> roots;
        for (const auto& [channel, parents] : m_trees) {
            for (const auto& [rank, parent] : parents) {
                if (parent < 0)
                    roots.insert(rank);
            }
        }
        facts["trees"] = fmt::format(
            "{}, with roots at ranks {}", m_trees.size(), rankList({roots.begin(), roots.end()}));
    }
    if (const Communicator* all = world())
        facts["world"] = text::counted(all->size, "rank");
    const auto best = std::ranges::max_element(
        m_rows, [](const auto& a, const auto& b) { return a.busBandwidth < b.busBandwidth; });
    if (best != m_rows.end())
        facts["nccl-tests"] = fmt::format("{}{} sizes to {} B, at best {:.2f} GB/s of the bus",
            testedCollective().empty() ? "" : testedCollective() + ", ", m_rows.size(),
            m_rows.back().bytes, best->busBandwidth);
    if (best != m_rows.end() && m_meanBandwidth > 0.0)
        facts["nccl-tests mean"] = fmt::format("{:.2f} GB/s of the bus", m_meanBandwidth);
    return facts;
}

std::string NcclLog::testedCollective() const {
    if (!m_testName.empty()) {
        const std::string_view name = m_testName;
        return std::string(name.ends_with("_perf") ? name.substr(0, name.size() - 5) : name);
    }
    const Communicator* all = world();
    const int size = all == nullptr ? static_cast<int>(m_models.size()) : all->size;
    if (m_rows.empty() || size < 2)
        return {};
    const BandwidthRow& last = m_rows.back();
    const double ratio
        = last.algorithmBandwidth > 0.0 ? last.busBandwidth / last.algorithmBandwidth : 0.0;
    const double ranks = size;
    const auto isNear = [ratio](double wanted) {
        constexpr double kTolerance = 0.01;
        return std::abs(ratio - wanted) < kTolerance;
    };
    const bool reduces = last.operation != "none" && !last.operation.empty();
    if (reduces && isNear(2.0 * (ranks - 1.0) / ranks))
        return "all_reduce";
    if (isNear((ranks - 1.0) / ranks))
        return reduces ? "reduce_scatter" : m_hasMessages ? "alltoall" : "all_gather";
    // Broadcast and reduce are alike but for the reduction, and are no exchange between all.
    return m_hasMessages && !reduces && isNear(1.0) ? "sendrecv" : "";
}

} // namespace trainscope::importers::nccl
