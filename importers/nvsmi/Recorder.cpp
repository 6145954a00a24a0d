#include "importers/nvsmi/Recorder.h"

#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kFewestChanges = 8; // that tell the period of a sensor
constexpr std::size_t kBlock = 4096; // rows of one GPU
constexpr std::size_t kMostHeld = 65536; // rows of all GPUs together

} // namespace

Result<std::size_t> Recorder::addGpu(const Gpu& gpu) {
    RETURN_IF_ERROR(m_sink.gpu(m_run, gpu));
    GpuRows rows;
    rows.gpu = gpu;
    rows.subject.rank = gpu.rank;
    m_gpus.push_back(std::move(rows));
    m_report.ranksFound.push_back(gpu.rank);
    return m_gpus.size() - 1;
}

std::size_t Recorder::addNode(int node) {
    GpuRows rows;
    rows.gpu.rank = -1;
    rows.gpu.node = node;
    rows.subject = {SubjectKind::Node, -1, node, {}};
    m_gpus.push_back(std::move(rows));
    return m_gpus.size() - 1;
}

Status Recorder::setFields(std::size_t slot, const std::vector<SeriesDescription>& fields) {
    GpuRows& rows = m_gpus[slot];
    RETURN_IF_ERROR(flush(rows));
    rows.fields.clear();
    rows.periodField = 0;
    for (const SeriesDescription& description : fields) {
        Field field;
        field.description = description;
        field.description.subject = rows.subject;
        rows.fields.push_back(std::move(field));
    }
    if (rows.hasOtherPower)
        takeOtherPower(rows);
    if (rows.hasRowEnergy)
        takeRowEnergy(rows);
    for (Field& field : rows.fields) {
        const std::string& name = field.description.metric.name;
        if (name == metric::kGpuPower)
            rows.periodField = static_cast<std::size_t>(&field - rows.fields.data());
        if (const auto known = rows.series.find(name); known != rows.series.end()) {
            field.series = known->second;
            field.present = true;
        }
    }
    return {};
}

Recorder::Field* Recorder::GpuRows::fieldOf(std::string_view metric) {
    const auto field = std::find_if(fields.begin(), fields.end(),
        [metric](const Field& each) { return each.description.metric.name == metric; });
    return field == fields.end() ? nullptr : &*field;
}

// Takes a power that stands beside gpu_power as gpu_power.
void Recorder::takeOtherPower(GpuRows& rows) {
    Field* power = rows.fieldOf(metric::kGpuPower);
    Field* other = rows.fieldOf(metric::kGpuPowerAverage);
    if (power == nullptr || other == nullptr)
        return;
    other->description.metric = power->description.metric;
    power->description.metric.name = "gpu_power_instant";
    power->description.metric.label = "gpu power instant";
    rows.periodField = static_cast<std::size_t>(other - rows.fields.data());
}

void Recorder::settlePower(GpuRows& rows) {
    const Field* power = rows.fieldOf(metric::kGpuPower);
    const Field* other = rows.fieldOf(metric::kGpuPowerAverage);
    const bool isOther = power != nullptr && !power->present && other != nullptr && other->present
        && !other->series.isValid();
    if (!isOther)
        return;
    takeOtherPower(rows);
    rows.hasOtherPower = true;
    m_ranksOfOtherPower.push_back(rows.gpu.rank);
}

void Recorder::takeRowEnergy(GpuRows& rows) {
    Field* energy = rows.fieldOf(metric::kGpuEnergy);
    if (energy == nullptr)
        return;
    energy->description.metric = {"energy_of_row", energy->description.metric.unit,
        MetricKind::Gauge, "Energy since the row before"};
    energy->description.counterBits = 0;
}

// A counter does not fall, but where it starts anew; the energy of each row falls as often as the
// power, and is the power times the time since the row before.
bool Recorder::isOfRows(const GpuRows& rows, const Field& energy, const Field* power) {
    constexpr double kLess = 0.5; // of what the power amounts to
    constexpr double kMore = 2.0;
    std::int64_t steps = 0;
    std::int64_t falls = 0;
    std::int64_t asRows = 0;
    std::int64_t asCounter = 0;
    for (std::size_t i = 1; i < energy.values.size(); ++i) {
        const double now = energy.values[i] * energy.description.scale;
        const double before = energy.values[i - 1] * energy.description.scale;
        if (std::isnan(now) || std::isnan(before))
            continue;
        ++steps;
        falls += now < before ? 1 : 0;
        if (power == nullptr)
            continue;
        const double joules = power->values[i] * power->description.scale
            * (rows.times[i] - rows.times[i - 1]).seconds();
        asRows += now > kLess * joules && now < kMore * joules ? 1 : 0;
        asCounter += now - before > kLess * joules && now - before < kMore * joules ? 1 : 0;
    }
    const bool fallsOften = falls > 1 && 4 * falls >= steps;
    const bool isProduct = steps > 1 && 5 * asRows >= 4 * steps && 2 * asCounter < steps;
    return fallsOften || isProduct;
}

void Recorder::settleEnergy(GpuRows& rows) {
    const Field* energy = rows.fieldOf(metric::kGpuEnergy);
    if (energy == nullptr || !energy->present || energy->series.isValid())
        return;
    if (!isOfRows(rows, *energy, rows.fieldOf(metric::kGpuPower)))
        return;
    takeRowEnergy(rows);
    rows.hasRowEnergy = true;
    m_ranksOfRowEnergy.push_back(rows.gpu.rank);
}

void Recorder::noteEnergy(GpuRows& rows) {
    const Field* energy = rows.fieldOf(metric::kGpuEnergy);
    const Field* power = rows.fieldOf(metric::kGpuPower);
    if (energy == nullptr || power == nullptr)
        return;
    rows.sums.rank = rows.gpu.rank;
    for (std::size_t i = 0; i < rows.times.size(); ++i) {
        const double joules = energy->values[i] * energy->description.scale;
        const double watts = power->values[i] * power->description.scale;
        if (std::isnan(joules) || std::isnan(watts))
            continue;
        if (!std::isnan(rows.lastEnergy)) {
            rows.sums.counted += std::max(0.0, joules - rows.lastEnergy);
            rows.sums.integral
                += 0.5 * (watts + rows.lastPower) * (rows.times[i] - rows.lastTime).seconds();
        }
        rows.lastEnergy = joules;
        rows.lastPower = watts;
        rows.lastTime = rows.times[i];
    }
}

std::optional<Recorder::EnergySums> Recorder::contradiction() const {
    constexpr double kApart = 1.5; // sensors differ by some percent
    std::optional<EnergySums> worst;
    double most = kApart;
    for (const GpuRows& rows : m_gpus) {
        const double less = std::min(rows.sums.counted, rows.sums.integral);
        const double more = std::max(rows.sums.counted, rows.sums.integral);
        const double apart = less > 0.0 ? more / less : more > 0.0 ? 1e9 : 1.0;
        if (rows.sums.rank < 0 || apart <= most)
            continue;
        most = apart;
        worst = rows.sums;
    }
    return worst;
}

Status Recorder::add(std::size_t slot, TimeNs time, std::span<const double> values) {
    GpuRows& rows = m_gpus[slot];
    rows.times.push_back(time);
    for (std::size_t i = 0; i < rows.fields.size(); ++i) {
        Field& field = rows.fields[i];
        const double value
            = i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
        field.values.push_back(value);
        field.present = field.present || !std::isnan(value);
    }
    ++m_held;
    if (rows.times.size() >= kBlock)
        return flush(rows);
    if (m_held < kMostHeld)
        return {};
    for (GpuRows& each : m_gpus)
        RETURN_IF_ERROR(flush(each));
    return {};
}

void Recorder::noteSpikes(GpuRows& rows) {
    constexpr double kMostTimesLimit = 2.5;
    constexpr double kMostOfGpu = 5000.0; // W; no board is built for so much
    const Field* power = rows.fieldOf(metric::kGpuPower);
    const Field* limit = rows.fieldOf(metric::kPowerLimit);
    if (power == nullptr)
        return;
    for (const double value : power->values) {
        m_powers += std::isnan(value) ? 0 : 1;
        m_beyondGpus += value * power->description.scale > kMostOfGpu ? 1 : 0;
    }
    if (limit == nullptr)
        return;
    for (std::size_t i = 0; i < power->values.size(); ++i) {
        const double watts = power->values[i] * power->description.scale;
        const double most = limit->values[i] * limit->description.scale;
        if (!(most > 0.0) || !(watts > kMostTimesLimit * most))
            continue;
        ++m_spikes.samples;
        if (watts > m_spikes.watts)
            m_spikes = {m_spikes.samples, rows.gpu.rank, watts, most};
    }
}

Status Recorder::flush(GpuRows& rows) {
    if (rows.times.empty())
        return {};
    settlePower(rows);
    settleEnergy(rows);
    noteSpikes(rows);
    noteEnergy(rows);
    if (!rows.fields.empty())
        rows.statistics.append(
            SampleStatistics::of(rows.times, rows.fields[rows.periodField].values), rows.times);
    for (Field& field : rows.fields) {
        RETURN_IF_ERROR(flushField(rows, field));
        field.values.clear();
    }
    m_held -= rows.times.size();
    rows.times.clear();
    return {};
}

Status Recorder::flushField(GpuRows& rows, Field& field) {
    m_report.missing += std::count_if(
        field.values.begin(), field.values.end(), [](double value) { return std::isnan(value); });
    // A field that the GPU never reports (fan speed of a passive card) makes no empty series.
    if (!field.present)
        return {};
    if (!field.series.isValid()) {
        ASSIGN_OR_RETURN(const auto series, m_sink.series(m_run, field.description));
        field.series = series;
        rows.series[field.description.metric.name] = field.series;
    }
    const auto count = static_cast<std::int64_t>(field.values.size());
    m_report.samples += count;
    m_report.counts[field.description.metric.name] += count;
    return m_sink.samples(field.series, rows.times, field.values);
}

Status Recorder::finish() {
    std::string groups; // one of them tells all
    for (GpuRows& rows : m_gpus) {
        RETURN_IF_ERROR(flush(rows));
        m_report.gaps += rows.statistics.gaps();
        groups = groups.empty() ? rows.statistics.groupsText() : groups;
    }
    if (!groups.empty())
        m_report.warn({}, 0, groups);
    std::sort(m_report.ranksFound.begin(), m_report.ranksFound.end());
    std::sort(m_ranksOfOtherPower.begin(), m_ranksOfOtherPower.end());
    if (m_gpus.empty())
        return {};
    const SampleStatistics& first = m_gpus.front().statistics;
    if (const auto period = first.samplePeriod())
        m_report.facts["sampling_period"] = secondsText(*period, 3);
    if (const auto period = first.changePeriod(kFewestChanges))
        m_report.facts["sensor_update_period"] = secondsText(*period, 3);
    return {};
}

} // namespace trainscope::importers::nvsmi
