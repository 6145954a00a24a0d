#include "importers/engine/Catalogue.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/Names.h"
#include "core/text/Times.h"
#include "importers/engine/Moments.h"

#include <deque>
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

constexpr std::size_t kQuestionsAtOnce = 4;
constexpr std::size_t kNamesListed = 8;
constexpr const char* kHostMetric = "node_uname_info"; // node-exporter's: names hosts

int nodeOf(const Catalogue& catalogue, const Subject& subject) {
    return subject.kind == SubjectKind::Gpu
        ? catalogue.roster.gpus()[static_cast<std::size_t>(subject.rank)].node
        : subject.node;
}

// A label that all series of the node have, or nothing.
std::string conditionOf(const NodeLabels& labels) {
    std::vector<std::string_view> order = vectorOf(labelsOf(LabelRole::Node));
    for (const auto& [label, values] : labels.values) {
        if (std::ranges::find(order, label) == order.end())
            order.insert(order.begin(), label);
    }
    for (const std::string_view label : order) {
        const auto values = labels.values.find(label);
        if (values != labels.values.end() && !labels.missing.contains(label))
            return oneOf(label, {values->second.begin(), values->second.end()});
    }
    return {};
}

std::string keyOf(
    const std::string& engineName, const std::string& metric, const Subject& subject) {
    return engineName + "\n" + metric + "\n" + std::to_string(static_cast<int>(subject.kind)) + " "
        + std::to_string(subject.rank) + " " + std::to_string(subject.node) + " " + subject.device;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parametersOf(const Wanted& wanted, const std::vector<std::string>& names) {
    return {{"match[]", wanted.selector.with(names)},
        {"start", apiSeconds(wanted.range.begin.ns / text::kMillisecond)},
        {"end", apiSeconds((wanted.range.end.ns - 1) / text::kMillisecond)}};
}

class CatalogueReader {
public:
    CatalogueReader(Fetcher& fetcher, const Wanted& wanted, const Progress& progress)
        : m_fetcher(fetcher)
        , m_wanted(wanted)
        , m_progress(progress)
        , m_isCancelled([this] { return !goesOn(); }) { }

    Result<Catalogue> read() {
        RETURN_IF_ERROR(readNames());
        RETURN_IF_ERROR(readHosts());
        RETURN_IF_ERROR(readSeries());
        return make();
    }

private:
    bool goesOn() const {
        return !m_progress || m_progress({"Asking what there is", m_done, m_names.size()});
    }

    Status readNames() {
        std::vector<std::string> given;
        if (!m_wanted.selector.metric.empty())
            given = {m_wanted.selector.metric};
        ASSIGN_OR_RETURN(const std::string body,
            askFor(m_fetcher, {"api/v1/label/__name__/values", parametersOf(m_wanted, given)},
                m_isCancelled));
        ASSIGN_OR_RETURN(const auto names, readTexts(body));
        m_found.wireBytes += body.size();
        for (const std::string& name : names) {
            if (isWantedMetric(name, m_wanted.mapping))
                m_names.push_back(name);
            else
                m_found.unknownNames.push_back(name);
        }
        if (m_names.empty())
            return nothingKnown(names.size());
        return {};
    }

    [[nodiscard]] Error nothingKnown(std::size_t count) const {
        if (count == 0)
            return {ErrorCode::Unrecognised,
                "The engine has nothing for " + m_wanted.selector.text() + " between "
                    + rfc3339(m_wanted.range.begin) + " and " + rfc3339(m_wanted.range.end)
                    + "; check the labels and the time.",
                {}};
        std::string listed;
        for (std::size_t i = 0; i < std::min(count, kNamesListed); ++i)
            listed += (i == 0 ? "" : ", ") + m_found.unknownNames[i];
        return {ErrorCode::Unrecognised,
            "None of its " + text::counted(static_cast<std::int64_t>(count), "metric")
                + " is one of a known exporter (" + listed + (count > kNamesListed ? ", …" : "")
                + "); say with a mapping what they are.",
            {}};
    }

    // Reads the addresses of hosts, if node-exporter runs beside.
    Status readHosts() {
        Wanted hosts = m_wanted;
        hosts.selector = {};
        const auto body = askFor(
            m_fetcher, {"api/v1/series", parametersOf(hosts, {kHostMetric})}, m_isCancelled);
        if (!body.hasValue())
            return body.error().code == ErrorCode::Cancelled ? Status(body.error()) : Status();
        return readLabelSets(body.value(), [this](Labels& labels) -> Status {
            Labels address;
            address.rest = {{"instance", std::string(labels.find("instance"))}};
            const std::vector<MetricLabel> views{
                {address.rest.front().first, address.rest.front().second}};
            m_found.roster.alias(
                exporterSubject(SubjectKind::Node, views).node, labels.find("nodename"));
            return {};
        });
    }

    Status readSeries() {
        std::deque<std::unique_ptr<Question>> questions;
        std::size_t asked = 0;
        while (m_done < m_names.size()) {
            while (asked < m_names.size() && questions.size() < kQuestionsAtOnce)
                questions.push_back(std::make_unique<Question>(m_fetcher,
                    HttpRequest{"api/v1/series", parametersOf(m_wanted, {m_names[asked++]})}));
            ASSIGN_OR_RETURN(auto reply, questions.front()->wait(m_isCancelled));
            questions.pop_front();
            if (reply.trouble != Trouble::None)
                return reply.error;
            m_found.wireBytes += reply.wireBytes;
            RETURN_IF_ERROR(
                readLabelSets(reply.body, [this](Labels& labels) { return take(labels); }));
            ++m_done;
        }
        return {};
    }

    struct Met {
        ExporterSeries series;
        std::string engineName;
        std::vector<std::pair<std::string, std::string>> nodeLabels; // the best one first
        std::string uuidLabel; // the one with the UUID
    };

    Status take(const Labels& labels) {
        auto meaning = meaningOf(labels, m_wanted.mapping);
        if (!meaning) {
            m_found.parts += labels.find("GPU_I_ID").empty() ? 0 : 1;
            return {};
        }
        if (const auto job = labels.find("job"); !job.empty())
            m_found.jobs.insert(std::string(job));
        if (!meaning->whom.job.empty())
            m_found.clusterJobs.insert(meaning->whom.job);
        m_found.roster.add(meaning->whom);
        Met met{std::move(*meaning), labels.name, {}, {}};
        for (const auto& [label, value] : labels.rest) {
            if (!met.series.whom.uuid.empty() && value == met.series.whom.uuid
                && isLabelName(label))
                met.uuidLabel = label;
        }
        for (const std::string_view label : nodeLabels()) {
            if (const auto value = labels.find(label); !value.empty())
                met.nodeLabels.emplace_back(label, value);
        }
        m_met.push_back(std::move(met));
        return {};
    }

    [[nodiscard]] std::vector<std::string_view> nodeLabels() const {
        const auto known = labelsOf(LabelRole::Node);
        std::vector<std::string_view> labels(known.begin(), known.end());
        if (!m_wanted.mapping.nodeLabel.empty())
            labels.insert(labels.begin(), m_wanted.mapping.nodeLabel);
        return labels;
    }

    Result<Catalogue> make() {
        if (m_met.empty())
            return Error{ErrorCode::Unrecognised,
                "The metrics are known, but no series says which GPU or node it is of; say with a "
                "mapping which labels do.",
                {}};
        m_found.roster.settle();
        std::unordered_map<std::string, std::size_t> channels;
        std::map<std::string, FoundMetric> metrics;
        for (const Met& met : m_met) {
            const auto subject = m_found.roster.find(met.series.whom);
            if (!subject)
                continue;
            SeriesDescription description = met.series.description;
            description.subject = *subject;
            noteLabels(met, *subject);
            FoundMetric& metric = metrics[met.engineName + " " + description.metric.name];
            takeMetric(metric, met, description, *subject);
            const bool isNew
                = channels
                      .try_emplace(keyOf(met.engineName, description.metric.name, *subject),
                          m_found.channels.size())
                      .second;
            if (isNew)
                m_found.channels.push_back({std::move(description), met.engineName});
        }
        for (auto& [name, metric] : metrics)
            m_found.metrics.push_back(std::move(metric));
        m_met.clear();
        leaveDoubled();
        sort();
        m_found.index();
        return std::move(m_found);
    }

    void takeMetric(FoundMetric& metric, const Met& met, const SeriesDescription& description,
        const Subject& subject) const {
        const bool isFirst = metric.series++ == 0;
        if (isFirst) {
            metric.engineName = met.engineName;
            metric.metric = description.metric;
            metric.scale = description.scale;
            metric.subject = subject.kind;
            metric.uuidLabel = met.uuidLabel;
            metric.nodeLabel = met.nodeLabels.empty() ? "" : met.nodeLabels.front().first;
        }
        if (metric.uuidLabel != met.uuidLabel)
            metric.uuidLabel.clear();
        // A name that is not the roster's, as an address, chooses nothing.
        const bool isNamed = !met.nodeLabels.empty()
            && met.nodeLabels.front().first == metric.nodeLabel
            && met.nodeLabels.front().second == met.series.whom.node;
        if (!isNamed)
            metric.nodeLabel.clear();
    }

    void noteLabels(const Met& met, const Subject& subject) {
        const int node = nodeOf(m_found, subject);
        NodeLabels& labels = m_found.labelsOfNodes[node];
        for (const std::string_view label : nodeLabels()) {
            const auto has = std::ranges::find_if(
                met.nodeLabels, [label](const auto& one) { return one.first == label; });
            if (has == met.nodeLabels.end())
                labels.missing.insert(std::string(label));
            else
                labels.values[has->first].insert(has->second);
        }
    }

    // Sensors that tell the moment are better than averages, and the rest is by name.
    void leaveDoubled() {
        std::map<std::string, std::string> best; // our metric → the engine's
        const auto quality = [this](const std::string& engineName) {
            const auto at = std::ranges::find(m_found.channels, engineName, &Channel::engineName);
            const SensorKind sensor = at->description.sensor;
            return sensor == SensorKind::Instant ? 0 : sensor == SensorKind::Unknown ? 1 : 2;
        };
        for (const FoundMetric& metric : m_found.metrics) {
            const std::string key
                = metric.metric.name + " " + std::to_string(static_cast<int>(metric.subject));
            const auto [at, isNew] = best.try_emplace(key, metric.engineName);
            if (!isNew && quality(metric.engineName) < quality(at->second))
                at->second = metric.engineName;
        }
        // GPUs of different vendors are different GPUs: only true twins are removed.
        std::set<std::pair<std::string, std::string>> taken;
        const auto subjectKey = [](const Channel& one) {
            return keyOf({}, one.description.metric.name, one.description.subject);
        };
        for (const Channel& one : m_found.channels) {
            const std::string key = one.description.metric.name + " "
                + std::to_string(static_cast<int>(one.description.subject.kind));
            if (best.at(key) == one.engineName)
                taken.emplace(subjectKey(one), one.engineName);
        }
        std::set<std::string> doubled;
        std::set<std::string> seen = setOf(taken, [](const auto& one) { return one.first; });
        std::erase_if(m_found.channels, [&](const Channel& one) {
            const std::string key = subjectKey(one);
            if (taken.contains({key, one.engineName}) || seen.insert(key).second)
                return false;
            doubled.insert(one.engineName);
            return true;
        });
        m_found.doubled.assign(doubled.begin(), doubled.end());
    }

    void sort() {
        const auto order = [this](const Channel& one) {
            const Subject& subject = one.description.subject;
            const int node = nodeOf(m_found, subject);
            return std::tuple(
                node, subject.rank, one.description.metric.name, subject.device, one.engineName);
        };
        std::ranges::sort(m_found.channels,
            [&order](const Channel& a, const Channel& b) { return order(a) < order(b); });
    }

    Fetcher& m_fetcher;
    const Wanted& m_wanted;
    const Progress& m_progress;
    IsCancelled m_isCancelled;
    Catalogue m_found;
    std::vector<std::string> m_names;
    std::vector<Met> m_met;
    std::size_t m_done = 0;
};

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

std::vector<NumberRange> blanksOf(std::string_view engineName, const SeriesDescription& what) {
    std::vector<NumberRange> blanks = impossibleNumbers(what);
    if (engineName.starts_with("DCGM_"))
        blanks.insert(blanks.end(), dcgmBlanks().begin(), dcgmBlanks().end());
    return blanks;
}

void Catalogue::index() {
    m_byKey.clear();
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const SeriesDescription& description = channels[i].description;
        m_byKey[keyOf(channels[i].engineName, description.metric.name, description.subject)] = i;
    }
}

std::optional<std::size_t> Catalogue::channelOf(
    const Labels& labels, const Mapping& mapping) const {
    const auto meaning = meaningOf(labels, mapping);
    const auto subject = meaning ? roster.find(meaning->whom) : std::nullopt;
    if (!subject)
        return std::nullopt;
    const auto at = m_byKey.find(keyOf(labels.name, meaning->description.metric.name, *subject));
    return at == m_byKey.end() ? std::nullopt : std::optional(at->second);
}

Result<Catalogue> readCatalogue(Fetcher& fetcher, const Wanted& wanted, const Progress& progress) {
    return CatalogueReader(fetcher, wanted, progress).read();
}

std::vector<Part> partsOf(const Catalogue& catalogue) {
    std::map<int, Part> byNode;
    for (std::size_t i = 0; i < catalogue.channels.size(); ++i) {
        const Channel& channel = catalogue.channels[i];
        Part& part = byNode[nodeOf(catalogue, channel.description.subject)];
        part.channels.push_back(i);
        if (std::ranges::find(part.engineNames, channel.engineName) == part.engineNames.end())
            part.engineNames.push_back(channel.engineName);
    }
    std::vector<Part> parts;
    for (auto& [node, part] : byNode) {
        part.name = catalogue.roster.nodes()[static_cast<std::size_t>(node)];
        std::ranges::sort(part.engineNames);
        if (const auto labels = catalogue.labelsOfNodes.find(node);
            labels != catalogue.labelsOfNodes.end())
            part.condition = conditionOf(labels->second);
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace trainscope::importers::engine
