#include "importers/nvsmi/Recorder.h"

#include "core/model/Try.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kMostSteps = 4096;
constexpr std::size_t kFewestChanges = 8;
constexpr std::int64_t kGapPeriods = 10;
constexpr std::int64_t kLongestPeriod = std::int64_t{1} << 59; // 18 years; ten of them still fit

std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return std::min(*middle, kLongestPeriod);
}

} // namespace

void SamplingPeriod::add(TimeNs time, double value) {
    if (!m_started) {
        m_started = true;
        m_last = time;
        m_value = value;
        return;
    }
    const std::int64_t step = (time - m_last).ns;
    m_last = time;
    // Where the clock was set back nothing can be said about periods.
    if (step < 0) {
        m_changed = false;
        return;
    }
    if (m_steps.size() < kMostSteps) {
        m_steps.push_back(step);
        if (m_steps.size() == kMostSteps)
            m_limit = kGapPeriods * median(m_steps);
    } else if (m_limit > 0 && step > m_limit) {
        ++m_laterGaps;
    }
    if (std::isnan(value) || value == m_value)
        return;
    m_value = value;
    // Where the first value began is not known: counting starts at the first change.
    if (m_changed && m_changes.size() < kMostSteps)
        m_changes.push_back((time - m_lastChange).ns);
    m_changed = true;
    m_lastChange = time;
}

std::optional<DurationNs> SamplingPeriod::samplingPeriod() const {
    if (m_steps.empty())
        return std::nullopt;
    return DurationNs{median(m_steps)};
}

std::optional<DurationNs> SamplingPeriod::updatePeriod() const {
    if (m_changes.size() < kFewestChanges)
        return std::nullopt;
    return DurationNs{median(m_changes)};
}

std::int64_t SamplingPeriod::gaps() const {
    if (m_steps.empty())
        return 0;
    const std::int64_t limit = kGapPeriods * median(m_steps);
    return m_laterGaps + std::count_if(m_steps.begin(), m_steps.end(), [limit](std::int64_t step) {
        return limit > 0 && step > limit;
    });
}

namespace {

constexpr std::size_t kBlock = 4096; // rows of one GPU
constexpr std::size_t kMostHeld = 65536; // rows of all GPUs together

} // namespace

Result<std::size_t> Recorder::addGpu(const Gpu& gpu) {
    RETURN_IF_ERROR(m_sink.gpu(m_run, gpu));
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
    rows.periodField = 0;
    for (const SeriesDescription& description : fields) {
        if (description.metric.name == "gpu_power")
            rows.periodField = rows.fields.size();
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
        rows.period.add(time, rows.fields[rows.periodField].values.back());
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
    for (GpuRows& rows : m_gpus) {
        if (const Status status = flush(rows); !status.hasValue())
            return status;
        m_report.gaps += rows.period.gaps();
    }
    std::sort(m_report.ranksFound.begin(), m_report.ranksFound.end());
    if (m_gpus.empty())
        return {};
    const SamplingPeriod& first = m_gpus.front().period;
    if (const auto period = first.samplingPeriod())
        m_report.facts["sampling_period"] = secondsText(*period, 3);
    if (const auto period = first.updatePeriod())
        m_report.facts["sensor_update_period"] = secondsText(*period, 3);
    return {};
}

} // namespace trainscope::importers::nvsmi
