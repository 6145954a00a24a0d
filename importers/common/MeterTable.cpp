#include "importers/common/MeterTable.h"

#include "core/model/Try.h"
#include "core/text/Names.h"
#include "core/text/Numbers.h"
#include "importers/common/Cells.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/common/Number.h"

#include <cmath>

namespace trainscope::importers {
namespace {

constexpr std::size_t kFullBlock = 4096; // readings of one series
constexpr std::size_t kMostHeld = 65536; // in all series together
constexpr std::size_t kMostSubjects = 16384;
constexpr std::size_t kMostWatched = 256; // subjects whose times are looked at
constexpr std::size_t kFewestChanges = 8; // enough to tell the period of a sensor

struct EnergyOf {
    std::string_view energy;
    std::string_view power;
};
constexpr auto kEnergies = std::to_array<EnergyOf>({{"gpu_energy", "gpu_power"},
    {"node_energy", "node_power"}, {"cpu_energy", "cpu_power"}, {"dram_energy", "dram_power"}});

std::string_view powerOf(std::string_view metric) {
    for (const EnergyOf& pair : kEnergies) {
        if (pair.energy == metric)
            return pair.power;
    }
    return {};
}

bool isPower(std::string_view metric) {
    return metric == metric::kGpuPower || metric == metric::kNodePower
        || metric == metric::kSwitchPower;
}

} // namespace

void MeterNodes::startFile(std::optional<int> node) {
    ++m_files;
    m_fileNode = node;
}

std::size_t MeterNodes::node(const std::string& name) {
    // A file's own node has no name; a line feed keeps it apart from named ones.
    const std::string known = !name.empty() ? name
        : m_fileNode                        ? "\nnode " + std::to_string(*m_fileNode)
                                            : "\nfile " + std::to_string(m_files);
    const auto [at, isNew] = m_places.try_emplace(known, m_nodes.size());
    if (isNew) {
        m_nodes.push_back({known, name.empty() ? m_fileNode : std::nullopt});
        if (m_isSettled)
            number();
    }
    return at->second;
}

int MeterNodes::addGpu(std::size_t place, std::string_view id) {
    Node& node = m_nodes[place];
    const auto index = gpuIndexOf(id);
    const int local = index ? *index : node.unnumbered++;
    node.gpus = std::max(node.gpus, local + 1);
    return local;
}

void MeterNodes::settle() {
    if (!m_isSettled)
        number();
    m_isSettled = true;
}

void MeterNodes::number() {
    std::set<int> taken;
    std::vector<Node*> open;
    for (Node& node : m_nodes) {
        if (node.number)
            taken.insert(*node.number);
        else
            open.push_back(&node);
    }
    std::stable_sort(open.begin(), open.end(),
        [](const Node* a, const Node* b) { return text::naturalOrder(a->name, b->name) < 0; });
    int next = 0;
    for (Node* node : open) {
        while (taken.contains(next))
            ++next;
        node->number = next;
        taken.insert(next);
    }
    countGpusPerNode();
}

// A number known when the second node turns up stays.
void MeterNodes::countGpusPerNode() {
    const bool hasHigherNode = std::any_of(
        m_nodes.begin(), m_nodes.end(), [](const Node& node) { return node.number > 0; });
    if (!hasHigherNode || m_gpusPerNode > 0)
        return;
    for (const Node& node : m_nodes)
        m_gpusPerNode = std::max(m_gpusPerNode, node.gpus);
}

int MeterNodes::numberOf(std::size_t node) const {
    return node < m_nodes.size() ? m_nodes[node].number.value_or(0) : 0;
}

int MeterNodes::rankOf(int number, int local) {
    const auto [at, isNew]
        = m_ranks.try_emplace({number, local}, m_firstRank + number * m_gpusPerNode + local);
    if (isNew && !m_takenRanks.insert(at->second).second) {
        at->second = *m_takenRanks.rbegin() + 1;
        m_takenRanks.insert(at->second);
    }
    return at->second;
}

Metric meterMetric(std::string_view name, std::string_view unit) {
    if (const KnownMetric* known = findMetric(name))
        return *known;
    Metric metric{std::string(name), std::string(unit), MetricKind::Gauge, std::string(name)};
    std::replace(metric.label.begin(), metric.label.end(), '_', ' ');
    return metric;
}

MeterTable::MeterTable(
    Sink& sink, RunId run, ImportReport& report, std::string shown, int firstRank)
    : m_sink(sink)
    , m_run(run)
    , m_report(report)
    , m_shown(std::move(shown))
    , m_nodes(firstRank) { }

Result<std::size_t> MeterTable::subject(const Who& who) {
    const bool isByUuid = !who.isById && tellsApart(who.uuid);
    m_key.assign(std::to_string(static_cast<int>(who.kind))).append(1, '\n');
    if (who.kind == SubjectKind::Gpu && isByUuid) // the same under other labels
        m_key.append(who.uuid).append("\nuuid\n").append(who.device);
    else
        m_key.append(who.host).append(1, '\n').append(who.id).append(1, '\n').append(who.device);
    if (who.host.empty() && !isByUuid && who.kind != SubjectKind::Switch
        && who.kind != SubjectKind::Run)
        m_key.append(1, '\n').append(std::to_string(m_nodes.fileKey())); // the file's own node
    if (const auto known = m_rowOf.find(m_key); known != m_rowOf.end()) {
        if (Row& row = m_rows[known->second]; row.who.model.empty() && !who.model.empty())
            row.who.model = who.model;
        return known->second;
    }
    if (m_rows.size() >= kMostSubjects)
        return Error{ErrorCode::Usage,
            "More than 16384 different GPUs, nodes and links; \"" + who.id + who.device
                + "\" is left out.",
            {}};
    Row row;
    row.who = who;
    if (!tellsApart(who.uuid))
        row.who.uuid.clear();
    if (who.kind != SubjectKind::Switch && who.kind != SubjectKind::Run)
        row.node = m_nodes.node(who.host);
    if (who.kind == SubjectKind::Gpu)
        row.local = m_nodes.addGpu(row.node, who.id);
    m_rowOf.emplace(m_key, m_rows.size());
    m_rows.push_back(std::move(row));
    return m_rows.size() - 1;
}

std::size_t MeterTable::channel(std::size_t subject, const SeriesDescription& what) {
    m_key.assign(what.metric.name);
    if (what.metric.name == metric::kGpuPower)
        m_key.append(1, '\n').append(std::to_string(static_cast<int>(what.sensor)));
    const auto known = m_rows[subject].channels.find(m_key);
    if (known != m_rows[subject].channels.end()) {
        Channel& channel = m_channels[known->second];
        if (!channel.isPresent && !channel.isRenamed) { // a unit often stands at values alone
            channel.what = what;
            channel.highest = certainlyPossible(what);
        }
        return known->second;
    }
    const std::size_t place = m_channels.size();
    m_rows[subject].channels.emplace(m_key, place);
    Channel channel{subject, what, certainlyPossible(what)};
    m_channels.push_back(std::move(channel));
    watch(m_rows[subject], place);
    dropDerived(m_rows[subject], what.metric.name);
    if (const std::string_view power = powerOf(what.metric.name); !power.empty())
        addDerived(place, power);
    return place;
}

void MeterTable::addDerived(std::size_t counter, std::string_view power) {
    Row& row = m_rows[m_channels[counter].row];
    const auto own = row.channels.lower_bound(power);
    if (row.derived || (own != row.channels.end() && own->first.starts_with(power)))
        return;
    SeriesDescription what;
    what.metric = meterMetric(power, "W");
    what.sensor = SensorKind::Averaged;
    Channel derived{m_channels[counter].row, what, certainlyPossible(what)};
    derived.isDerived = true;
    row.derived = m_channels.size();
    m_channels[counter].power = m_channels.size();
    m_channels.push_back(std::move(derived));
}

void MeterTable::dropDerived(Row& row, std::string_view metric) {
    if (!row.derived || m_channels[*row.derived].what.metric.name != metric
        || m_channels[*row.derived].series.isValid())
        return;
    Channel& derived = m_channels[*row.derived];
    derived.isDropped = true;
    m_held -= derived.times.size();
    derived.times.clear();
    derived.values.clear();
}

// The instant is the power where a source gives an instant and an average.
std::string MeterTable::nameOf(const Row& row, const SeriesDescription& what) const {
    const std::string& name = what.metric.name;
    if (name != metric::kGpuPower)
        return name;
    const auto other = [&](SensorKind sensor) -> const Channel* {
        const auto at = row.channels.find(name + "\n" + std::to_string(static_cast<int>(sensor)));
        const bool isThere = at != row.channels.end() && m_channels[at->second].isPresent;
        return isThere ? &m_channels[at->second] : nullptr;
    };
    if (what.sensor != SensorKind::Instant)
        return other(SensorKind::Instant) != nullptr ? metric::kGpuPowerAverage : name;
    for (const SensorKind sensor : {SensorKind::Unknown, SensorKind::Averaged}) {
        const Channel* channel = other(sensor);
        if (channel != nullptr && channel->series.isValid()
            && channel->what.metric.name == metric::kGpuPower)
            return "gpu_power_instant";
    }
    return name;
}

void MeterTable::watch(Row& row, std::size_t channel) {
    const bool isOfPower = isPower(m_channels[channel].what.metric.name);
    if (!row.told
        || (isOfPower && !isPower(m_channels[*row.told].what.metric.name)
            && m_channels[*row.told].times.empty()))
        row.told = channel;
}

Status MeterTable::add(std::size_t place, TimeNs time, double value) {
    Channel& channel = m_channels[place];
    value = possible(channel, value);
    // The second die of an MI250 has no limit of its own: rocm-smi says 0 W.
    if (channel.what.metric.name == metric::kPowerLimit && value == 0.0)
        value = kMissing;
    const bool isCounter = channel.what.metric.kind == MetricKind::Counter;
    if (isCounter && channel.lastValue && value < *channel.lastValue)
        ++m_report.counterFalls;
    if (channel.power && !m_channels[*channel.power].isDropped)
        RETURN_IF_ERROR(derive(channel, time, value));
    Channel& own = m_channels[place];
    if (!std::isnan(value)) {
        own.lastValue = value;
        own.lastValueTime = time;
    }
    return hold(own, time, value);
}

Status MeterTable::derive(Channel& counter, TimeNs time, double value) {
    if (std::isnan(value) || !counter.lastValue || time <= counter.lastValueTime)
        return {};
    const double rise = value - *counter.lastValue;
    const double watts = rise < 0.0
        ? kMissing
        : rise * counter.what.scale / (time - counter.lastValueTime).seconds();
    Channel& power = m_channels[*counter.power];
    if (!power.lastTime && !std::isnan(watts))
        RETURN_IF_ERROR(hold(power, counter.lastValueTime, watts));
    return hold(power, time, watts);
}

Status MeterTable::hold(Channel& channel, TimeNs time, double value) {
    channel.times.push_back(time);
    channel.values.push_back(value);
    channel.lastTime = time;
    const bool isZeroPower = value == 0.0 && channel.what.metric.name == metric::kGpuPower;
    channel.isNoPower = !channel.isPresent && (channel.isNoPower || isZeroPower);
    channel.isPresent = channel.isPresent || !(std::isnan(value) || isZeroPower);
    ++m_held;
    if (channel.times.size() < kFullBlock && m_held < kMostHeld)
        return {};
    return flushAll();
}

double MeterTable::possible(const Channel& channel, double value) {
    if (!(value > channel.highest) || isPossible(channel.what, value))
        return value;
    ++m_impossible.try_emplace(channel.what.metric.name, 0, value).first->second.first;
    return std::numeric_limits<double>::quiet_NaN();
}

void MeterTable::warnOfImpossible() {
    for (const auto& [metric, numbers] : m_impossible)
        m_report.warn(m_shown, 0,
            text::counted(numbers.first, "reading") + " of " + metric + " cannot be, such as "
                + text::number(numbers.second, 20, 0)
                + ": sources write such numbers where they do not know the value. "
                + (numbers.first == 1 ? "It is missing." : "They are missing."));
}

std::optional<TimeNs> MeterTable::lastTime(std::size_t channel) const {
    return m_channels[channel].lastTime;
}

Status MeterTable::settle() {
    m_nodes.settle();
    for (Row& row : m_rows)
        RETURN_IF_ERROR(place(row));
    return {};
}

Status MeterTable::place(Row& row) {
    if (row.isPlaced)
        return {};
    row.isPlaced = true;
    const int node = m_nodes.numberOf(row.node);
    row.subject.kind = row.who.kind;
    switch (row.who.kind) {
    case SubjectKind::Gpu: {
        if (!row.who.device.empty()) {
            // An instance is a part of its node: the GPU's own series stand beside it.
            row.subject = {SubjectKind::Link, -1, node,
                "GPU " + std::to_string(row.local) + " " + row.who.device};
            return {};
        }
        const int rank = m_nodes.rankOf(node, row.local);
        row.subject.rank = rank;
        m_report.ranksFound.push_back(rank);
        if (!row.who.host.empty())
            m_hosts[rank] = row.who.host;
        if (!row.who.address.empty())
            m_addresses[rank] = row.who.address;
        return m_sink.gpu(m_run, {rank, node, row.local, row.who.model, row.who.uuid});
    }
    case SubjectKind::Node:
        row.subject.node = node;
        break;
    case SubjectKind::Link:
        row.subject.node = node;
        row.subject.device = row.who.device;
        break;
    case SubjectKind::Switch:
        row.subject.device = row.who.device;
        break;
    case SubjectKind::Run:
        break;
    }
    return {};
}

Status MeterTable::setFields(std::size_t subject, const std::vector<SeriesDescription>& fields) {
    RETURN_IF_ERROR(settle());
    RETURN_IF_ERROR(flushRows(m_rows[subject]));
    m_rows[subject].fields.clear();
    for (const SeriesDescription& field : fields)
        m_rows[subject].fields.push_back(channel(subject, field));
    return {};
}

Status MeterTable::addRow(std::size_t subject, TimeNs time, std::span<const double> values) {
    Row& row = m_rows[subject];
    row.times.push_back(time);
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        Channel& field = m_channels[row.fields[i]];
        const double value = possible(field, values[i]);
        field.values.push_back(value);
        field.isPresent = field.isPresent || !std::isnan(value);
    }
    if (++m_held >= kMostHeld)
        return flushAll();
    if (row.times.size() < kFullBlock)
        return {};
    RETURN_IF_ERROR(settle());
    return flushRows(row);
}

Status MeterTable::flushRows(Row& row) {
    if (row.times.empty())
        return {};
    settlePower(row);
    settleEnergy(row);
    const Channel* power = fieldOf(row, metric::kGpuPower);
    const auto seen = [&](const Channel* channel) {
        return channel == nullptr ? PowerDoubts::Readings{}
                                  : PowerDoubts::Readings{channel->values, channel->what.scale};
    };
    m_doubts.see(row.subject.rank, row.times, seen(power), seen(fieldOf(row, metric::kPowerLimit)),
        seen(fieldOf(row, metric::kGpuEnergy)), row.sums);
    const Channel& told = power != nullptr ? *power : m_channels[row.fields.front()];
    row.statistics.append(SampleStatistics::of(row.times, told.values), row.times);
    for (const std::size_t field : row.fields)
        RETURN_IF_ERROR(write(m_channels[field], row.times));
    m_held -= std::min(m_held, row.times.size());
    row.times.clear();
    return {};
}

MeterTable::Channel* MeterTable::fieldOf(const Row& row, std::string_view metric) {
    for (const std::size_t field : row.fields) {
        if (m_channels[field].what.metric.name == metric)
            return &m_channels[field];
    }
    return nullptr;
}

// A power that stands beside gpu_power is it where the first one never has a value.
void MeterTable::settlePower(const Row& row) {
    Channel* power = fieldOf(row, metric::kGpuPower);
    Channel* other = fieldOf(row, metric::kGpuPowerAverage);
    if (power == nullptr || power->isPresent || other == nullptr || !other->isPresent
        || other->series.isValid())
        return;
    other->what.metric = power->what.metric;
    power->what.metric = meterMetric("gpu_power_instant", "W");
    power->isRenamed = other->isRenamed = true;
    m_doubts.otherPower(row.subject.rank);
}

// An energy column may hold the energy of each row.
void MeterTable::settleEnergy(const Row& row) {
    Channel* energy = fieldOf(row, metric::kGpuEnergy);
    if (energy == nullptr || !energy->isPresent || energy->series.isValid())
        return;
    const Channel* power = fieldOf(row, metric::kGpuPower);
    const PowerDoubts::Readings watts = power == nullptr
        ? PowerDoubts::Readings{}
        : PowerDoubts::Readings{power->values, power->what.scale};
    if (!PowerDoubts::isOfRows(row.times, {energy->values, energy->what.scale}, watts))
        return;
    energy->what.metric = {"energy_of_row", "J", MetricKind::Gauge, "Energy since the row before"};
    energy->what.counterBits = 0;
    energy->isRenamed = true;
    m_doubts.rowEnergy(row.subject.rank);
}

Status MeterTable::flushAll() {
    RETURN_IF_ERROR(settle());
    for (Row& row : m_rows)
        RETURN_IF_ERROR(flushRows(row));
    for (Channel& channel : m_channels)
        RETURN_IF_ERROR(flush(channel));
    m_held = 0;
    return {};
}

Status MeterTable::flush(Channel& channel) {
    if (channel.times.empty())
        return {};
    Row& row = m_rows[channel.row];
    if (row.told && &m_channels[*row.told] == &channel && channel.row < kMostWatched)
        row.statistics.append(SampleStatistics::of(channel.times, channel.values), channel.times);
    RETURN_IF_ERROR(write(channel, channel.times));
    channel.times.clear();
    return {};
}

Status MeterTable::write(Channel& channel, const std::vector<TimeNs>& times) {
    const Row& row = m_rows[channel.row];
    m_report.missing += std::count_if(channel.values.begin(), channel.values.end(),
        [](double value) { return std::isnan(value); });
    // A channel that a source lists but never measures makes no empty series.
    if (channel.isPresent || (channel.isNoPower && !hasPower())) {
        if (!channel.series.isValid()) {
            SeriesDescription what = channel.what;
            what.subject = row.subject;
            const bool isGpuPower = what.metric.name == metric::kGpuPower;
            if (const std::string name = nameOf(row, what); name != what.metric.name)
                what.metric = meterMetric(name, what.metric.unit);
            if (isGpuPower && what.sensor == SensorKind::Unknown)
                what.sensor = powerSensorOf(row.who.model);
            if (what.metric.name == metric::kGpuPower)
                m_report.facts["power_kind"] = channel.isDerived
                    ? "mean between two readings of the energy counter"
                    : describePowerSensor(what.sensor);
            channel.what.metric = what.metric;
            ASSIGN_OR_RETURN(channel.series, m_sink.series(m_run, what));
            m_metrics.insert(what.metric.name);
        }
        const auto count = static_cast<std::int64_t>(channel.values.size());
        m_report.samples += count;
        m_report.counts[channel.what.metric.name] += count;
        RETURN_IF_ERROR(m_sink.samples(channel.series, times, channel.values));
    }
    channel.values.clear();
    return {};
}

bool MeterTable::hasPower() const {
    return std::any_of(m_channels.begin(), m_channels.end(), [](const Channel& channel) {
        return channel.isPresent && channel.what.metric.name == metric::kGpuPower;
    });
}

void MeterTable::warnOfNoPower() {
    std::vector<int> ranks;
    if (!hasPower())
        return;
    for (const Channel& channel : m_channels) {
        if (channel.isNoPower && !channel.isPresent && !channel.isDropped)
            ranks.push_back(m_rows[channel.row].subject.rank);
    }
    if (ranks.empty())
        return;
    std::sort(ranks.begin(), ranks.end());
    m_report.warn(m_shown, 0,
        "The power of rank" + std::string(ranks.size() > 1 ? "s " : " ") + text::rankList(ranks)
            + " is 0 W throughout, which no GPU draws: it is taken as missing. The second die of a "
              "package has no power of its own.");
}

Status MeterTable::finish() {
    RETURN_IF_ERROR(flushAll());
    warnOfNoPower();
    warnOfImpossible();
    for (const Row& row : m_rows)
        m_doubts.compare(row.sums);
    m_doubts.tell(m_report, m_shown);
    tellGpus(m_report, m_hosts, m_addresses);
    std::int64_t repeated = 0;
    std::int64_t decreasing = 0;
    const SampleStatistics* first = nullptr;
    std::string groups; // one of them tells all
    for (const Row& row : m_rows) {
        groups = groups.empty() ? row.statistics.groupsText() : groups;
        m_report.gaps += row.statistics.gaps();
        repeated += row.statistics.repeatedTimes();
        decreasing += row.statistics.decreasingTimes();
        if (first == nullptr && row.statistics.rows() > 0)
            first = &row.statistics;
    }
    if (!groups.empty())
        m_report.warn(m_shown, 0, groups);
    if (repeated > 0)
        m_report.counts["repeated time stamps"] = repeated;
    if (decreasing > 0)
        m_report.counts["decreasing time stamps"] = decreasing;
    std::sort(m_report.ranksFound.begin(), m_report.ranksFound.end());
    if (first == nullptr)
        return {};
    if (const auto period = first->samplePeriod())
        m_report.facts["sampling_period"] = secondsText(*period, 3);
    if (const auto period = first->changePeriod(kFewestChanges))
        m_report.facts["sensor_update_period"] = secondsText(*period, 3);
    return {};
}

std::size_t MeterTable::countOf(SubjectKind kind) const {
    return static_cast<std::size_t>(std::count_if(m_rows.begin(), m_rows.end(),
        [kind](const Row& row) { return row.who.kind == kind && row.who.device.empty(); }));
}

std::string MeterTable::gpuModel() const {
    for (const Row& row : m_rows) {
        if (!row.who.model.empty())
            return row.who.model;
    }
    return {};
}

} // namespace trainscope::importers
