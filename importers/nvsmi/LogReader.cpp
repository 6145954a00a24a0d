#include "importers/nvsmi/LogReader.h"

#include "importers/nvsmi/Identity.h"
#include "importers/nvsmi/PowerSensor.h"
#include "importers/nvsmi/TableColumns.h"
#include "importers/nvsmi/Text.h"

#include <algorithm>
#include <array>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::int64_t kLinesPerAsking = 256;

// What nvidia-smi prints among the rows.
constexpr std::array<std::string_view, 7> kMessages{"is not a valid field", "unable to determine",
    "no devices were found", "gpu is lost", "failed to initialize nvml", "nvidia-smi has failed",
    "reboot the system"};

bool isMessage(std::string_view line) {
    return std::any_of(kMessages.begin(), kMessages.end(),
        [line](std::string_view part) { return containsIgnoringCase(line, part); });
}

// Whether two headers name the same columns in the same order.
bool sameHeader(const std::vector<Column>& a, const std::vector<Column>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](const Column& x, const Column& y) { return x.header == y.header; });
}

} // namespace

LogReader::LogReader(Layout layout, LogContext context)
    : m_layout(std::move(layout))
    , m_context(std::move(context))
    , m_parser(m_layout)
    , m_roster(m_context.recorder, m_context.placement)
    , m_rotation(m_layout.rhythm) {
    if (m_layout.shape == Layout::Shape::Table)
        m_layout.columns = tableColumns();
    m_groups = columnGroups(m_layout.columns);
}

Status LogReader::read(LineReader& lines, const std::function<bool()>& proceed) {
    while (true) {
        const auto next = lines.next();
        if (!next.hasValue()) {
            m_cutShort = true;
            m_context.report.warn(m_context.file, lines.lineNumber(),
                "The file breaks off here: " + next.error().message + " What came before is kept.");
            return {};
        }
        if (!next.value())
            return {};
        m_lineNumber = lines.lineNumber();
        if (m_lineNumber % kLinesPerAsking == 0 && !proceed())
            return cancelled();
        if (lines.lineWasCut()) {
            skip("The line is longer than 1 MiB.");
            continue;
        }
        if (const Status status = line(*next.value()); !status.hasValue())
            return status;
    }
}

Status LogReader::line(std::string_view text) {
    if (m_layout.shape == Layout::Shape::Table)
        return tableLine(text);
    const std::string_view plain = trimmed(text);
    if (plain.empty() || plain == "\"")
        return {};
    return row(text);
}

Status LogReader::row(std::string_view text) {
    const auto parsed = m_parser.parse(text);
    if (parsed.hasValue())
        return record(*parsed.value());
    auto columns = headerColumns(text, m_layout.separator);
    if (!columns.empty()) {
        if (!sameHeader(columns, m_layout.columns))
            changeLayout(std::move(columns));
        return {};
    }
    if (isMessage(text))
        skip("nvidia-smi said: " + std::string(trimmed(text).substr(0, 200)));
    else
        skip(parsed.error().message);
    return {};
}

void LogReader::changeLayout(std::vector<Column> columns) {
    // The head has told units and forms of these columns already where the log starts over with the
    // same ones.
    for (Column& column : columns) {
        for (const Column& known : m_layout.columns) {
            if (known.header == column.header)
                column = known;
        }
    }
    Layout layout;
    layout.separator = m_layout.separator;
    layout.hasHeader = true;
    layout.columns = std::move(columns);
    layout.clock = m_layout.clock;
    layout.rhythm = m_layout.rhythm;
    settleColumns(layout.columns, layout.notes);
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const auto role = layout.columns[i].role;
        const int at = static_cast<int>(i);
        layout.stamp = role == Column::Role::Stamp && layout.stamp < 0 ? at : layout.stamp;
        layout.gpu = role == Column::Role::Gpu && layout.gpu < 0 ? at : layout.gpu;
        layout.name = role == Column::Role::Name ? at : layout.name;
        layout.uuid = role == Column::Role::Uuid ? at : layout.uuid;
        layout.host = role == Column::Role::Host ? at : layout.host;
    }
    layout.gpu = layout.gpu < 0 ? layout.uuid : layout.gpu;
    if (layout.stamp < 0)
        return skip("Other columns begin here, but without time stamps.");
    m_context.report.warn(m_context.file, m_lineNumber, "Other columns begin here.");
    m_layout = std::move(layout);
    m_groups = columnGroups(m_layout.columns);
    ++m_layoutNumber;
}

Status LogReader::record(const ParsedRow& row) {
    const TimeNs time = absolute(row.stamp);
    const int dealt = m_layout.gpu < 0 ? m_rotation.next(time) : 0;
    for (const ColumnGroup& group : m_groups) {
        std::string id(row.gpu);
        if (group.gpu >= 0)
            id = std::to_string(group.gpu);
        else if (m_layout.gpu < 0)
            id = std::to_string(dealt);
        const auto slot = m_roster.slotOf({row.host, id, row.model, row.uuid});
        if (!slot.hasValue() && slot.error().code == ErrorCode::Usage) {
            skip(slot.error().message);
            return {};
        }
        if (!slot.hasValue())
            return slot.error();
        if (const Status status = prepare(slot.value(), group, row.model); !status.hasValue())
            return status;
        m_values.clear();
        for (const std::size_t column : group.columns)
            m_values.push_back(row.numbers[column]);
        if (const Status status = m_context.recorder.add(slot.value(), time, m_values);
            !status.hasValue())
            return status;
    }
    ++m_context.report.rows;
    if (!row.badCell.empty())
        m_context.report.warn(m_context.file, m_lineNumber, row.badCell);
    return {};
}

Status LogReader::prepare(std::size_t slot, const ColumnGroup& group, std::string_view model) {
    int& prepared = m_prepared[slot];
    if (prepared == m_layoutNumber)
        return {};
    prepared = m_layoutNumber;
    std::vector<SeriesDescription> fields;
    for (const std::size_t i : group.columns) {
        const Column& column = m_layout.columns[i];
        SeriesDescription field;
        field.metric = column.metric;
        field.scale = column.scale;
        field.counterBits = column.counterBits;
        field.sensor = column.sensor;
        const bool isPower = column.metric.unit == "W" && column.metric.name != "power_limit";
        if (isPower && field.sensor == SensorKind::Unknown)
            field.sensor = powerSensorOf(model);
        if (column.metric.name == "gpu_power")
            m_context.report.facts["power_kind"] = describePowerSensor(field.sensor);
        fields.push_back(std::move(field));
    }
    return m_context.recorder.setFields(slot, fields);
}

Status LogReader::tableLine(std::string_view text) {
    const SmiTable::Line kind = m_table.feed(text);
    if (kind == SmiTable::Line::Nothing) {
        if (isMessage(text))
            skip("nvidia-smi said: " + std::string(trimmed(text).substr(0, 200)));
        return {};
    }
    if (kind == SmiTable::Line::Broken) {
        skip("The second line of a GPU in the table could not be read.");
        return {};
    }
    if (!m_table.time()) {
        skip("A table without date: a snapshot that has no place on a time axis.");
        return {};
    }
    return recordTableGpu(m_table.gpu(), *m_table.time());
}

Status LogReader::recordTableGpu(const TableGpu& gpu, const Stamp& stamp) {
    ParsedRow row;
    row.stamp = stamp;
    const std::string id = std::to_string(gpu.index);
    row.gpu = id;
    row.model = gpu.name;
    row.numbers = tableNumbers(gpu);
    m_layout.gpu = 0;
    return record(row);
}

void LogReader::skip(std::string text) {
    ++m_context.report.skipped;
    m_context.report.warn(m_context.file, m_lineNumber, std::move(text));
}

TimeNs LogReader::absolute(const Stamp& stamp) const {
    return stamp.kind == StampKind::Local ? stamp.time - m_context.utcOffset : stamp.time;
}

} // namespace trainscope::importers::nvsmi
