#include "importers/nvsmi/Recorder.h"

#include "core/model/Metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kBlock = 4096; // rows of one GPU
constexpr std::size_t kMostHeld = 65536; // rows of all GPUs together

std::string seconds(DurationNs duration) {
    const auto microseconds = duration.ns / 1000;
    std::string fraction = std::to_string(microseconds % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    while (fraction.size() > 3 && fraction.back() == '0')
        fraction.pop_back();
    return std::to_string(microseconds / 1'000'000) + "." + fraction + " s";
}

} // namespace

Result<std::size_t> Recorder::addGpu(const Gpu& gpu) {
    if (const Status status = m_sink.gpu(m_run, gpu); !status.hasValue())
        return status.error();
    GpuRows rows;
    rows.gpu = gpu;
    m_gpus.push_back(std::move(rows));
    m_report.ranksFound.push_back(gpu.rank);
    return m_gpus.size() - 1;
}

Status Recorder::setFields(std::size_t slot, const std::vector<SeriesDescription>& fields) {
    GpuRows& rows = m_gpus[slot];
    if (const Status status = flush(rows); !status.hasValue())
        return status;
    rows.fields.clear();
    rows.cadenceField = 0;
    for (const SeriesDescription& description : fields) {
        if (description.metric.name == metric::kGpuPower)
            rows.cadenceField = rows.fields.size();
        Field field;
        field.description = description;
        field.description.subject = {SubjectKind::Gpu, rows.gpu.rank, -1, {}};
        if (const auto known = rows.series.find(description.metric.name);
            known != rows.series.end()) {
            field.series = known->second;
            field.present = true;
        }
        rows.fields.push_back(std::move(field));
    }
    return {};
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
    if (!rows.fields.empty())
        rows.cadence.add(time, rows.fields[rows.cadenceField].values.back());
    ++m_held;
    if (rows.times.size() >= kBlock)
        return flush(rows);
    if (m_held < kMostHeld)
        return {};
    for (GpuRows& each : m_gpus) {
        if (const Status status = flush(each); !status.hasValue())
            return status;
    }
    return {};
}

Status Recorder::flush(GpuRows& rows) {
    if (rows.times.empty())
        return {};
    for (Field& field : rows.fields) {
        if (const Status status = flushField(rows, field); !status.hasValue())
            return status;
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
        const auto series = m_sink.series(m_run, field.description);
        if (!series.hasValue())
            return series.error();
        field.series = series.value();
        rows.series[field.description.metric.name] = field.series;
    }
    const auto count = static_cast<std::int64_t>(field.values.size());
    m_report.samples += count;
    m_report.counts[field.description.metric.name] += count;
    return m_sink.samples(field.series, rows.times, field.values);
}

Status Recorder::finish() {
    for (GpuRows& rows : m_gpus) {
        if (const Status status = flush(rows); !status.hasValue())
            return status;
        m_report.gaps += rows.cadence.gaps();
    }
    std::sort(m_report.ranksFound.begin(), m_report.ranksFound.end());
    if (m_gpus.empty())
        return {};
    const Cadence& first = m_gpus.front().cadence;
    if (const auto period = first.samplingPeriod())
        m_report.facts["sampling_period"] = seconds(*period);
    if (const auto period = first.updatePeriod())
        m_report.facts["sensor_update_period"] = seconds(*period);
    return {};
}

} // namespace trainscope::importers::nvsmi
