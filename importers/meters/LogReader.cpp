#include "importers/meters/LogReader.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/text/Numbers.h"
#include "importers/common/Cells.h"
#include "importers/common/PowerDoubts.h"
#include "importers/meters/ColumnOrder.h"

#include <cmath>

namespace trainscope::importers::meters::smi {

namespace {

// Messages that nvidia-smi prints among the rows.
constexpr std::array<std::string_view, 7> kMessages{"is not a valid field", "unable to determine",
    "no devices were found", "gpu is lost", "failed to initialize nvml", "nvidia-smi has failed",
    "reboot the system"};

bool isMessage(std::string_view line) {
    return std::any_of(kMessages.begin(), kMessages.end(),
        [line](std::string_view part) { return containsIgnoringCase(line, part); });
}

} // namespace

LogReader::LogReader(ColumnOrder order, MeterLog& log)
    : m_log(log)
    , m_rotation(order.rhythm) {
    useOrder(std::move(order));
}

void LogReader::useOrder(ColumnOrder order) {
    m_order = std::make_shared<const ColumnOrder>(std::move(order));
    m_groups = columnGroups(m_order->columns);
    ++m_orderNumber;
}

Status LogReader::read(LineBlocks& blocks, const Proceed& proceed) {
    Status status;
    OrderedJobs<RowBlock> jobs(WorkerPool::shared(), 0, [&](RowBlock&& block) {
        const std::uint64_t bytes = block.source->bytesConsumed;
        m_log.report().bytes += block.source->bytesRead;
        if (status.hasValue())
            status = take(std::move(block));
        if (status.hasValue() && !proceed(bytes))
            status = cancelled();
    });
    while (status.hasValue()) {
        auto next = blocks.next();
        if (!next.hasValue() || !next.value()) {
            jobs.finish();
            m_log.setLine(m_linesBefore);
            if (!next.hasValue() && status.hasValue())
                m_log.breakOff(next.error());
            if (!status.hasValue())
                return status;
            tellDoubts();
            return giveSums();
        }
        const auto block = std::make_shared<const LineBlock>(std::move(*next.value()));
        jobs.submit([block, order = m_order] { return readRows(block, order); });
    }
    jobs.abandon();
    return status;
}

void LogReader::tellDoubts() {
    m_log.setLine(0);
    if (const std::int64_t bursts = m_rotation.unevenBursts(); bursts > 0)
        m_log.warn("In " + text::counted(bursts, "group")
            + " of rows there is not one for each GPU. No column names the GPU: some of these "
              "rows may have gone to a wrong one. Record with index among the fields.");
}

// Rows behind a header with other columns, in this block and those already under way, are read
// again by the new order.
Status LogReader::take(RowBlock block) {
    const std::int64_t lines = block.lines;
    if (block.order != m_order)
        block = readRows(block.source, m_order);
    while (true) {
        RETURN_IF_ERROR(takeRows(block));
        if (block.order == m_order)
            break;
        block = readRows(block.source, m_order, m_log.line() - m_linesBefore + 1);
    }
    m_linesBefore += lines;
    return {};
}

// Up to a change of the order.
Status LogReader::takeRows(const RowBlock& block) {
    m_subjects.assign(block.identities.size(), std::nullopt);
    for (std::size_t i = 0; i < block.rows.size() && block.order == m_order; ++i) {
        const BlockRow& row = block.rows[i];
        m_log.setLine(m_linesBefore + row.line);
        if (row.identity < 0)
            RETURN_IF_ERROR(takeOther(block.notes[static_cast<std::size_t>(row.note)]));
        else
            RETURN_IF_ERROR(record(block, i));
    }
    return {};
}

Status LogReader::record(const RowBlock& block, std::size_t row) {
    RETURN_IF_ERROR(
        m_order->kind != nullptr ? recordOf(*m_order->kind, block, row) : recordNamed(block, row));
    if (const int note = block.rows[row].note; note >= 0)
        m_log.warn(block.notes[static_cast<std::size_t>(note)].text);
    return {};
}

Status LogReader::takeOther(const RowNote& note) {
    if (m_order->kind != nullptr) {
        takeOtherOf(*m_order->kind, note);
        return {};
    }
    if (const auto date = m_order->hasDateLines ? parseDateLine(note.line) : std::nullopt) {
        m_date = date;
        return {};
    }
    const std::string_view plain = trimmed(note.line);
    auto columns = headerColumns(plain, m_order->separator, m_order->columns.size());
    if (columns.empty() && plain.starts_with('#'))
        return {}; // a comment
    if (!columns.empty() && !sameHeader(columns, m_order->columns))
        return changeOrder(std::move(columns));
    if (columns.empty())
        m_log.skip(
            isMessage(plain) ? "nvidia-smi said: " + std::string(plain.substr(0, 200)) : note.text);
    return {};
}

Status LogReader::changeOrder(std::vector<Column> columns) {
    // The head has told units and forms of these columns already where the log starts over with the
    // same ones.
    for (Column& column : columns) {
        for (const Column& known : m_order->columns) {
            if (known.header == column.header)
                column = known;
        }
    }
    ColumnOrder order;
    order.separator = m_order->separator;
    order.hasHeader = true;
    order.columns = std::move(columns);
    order.clock = m_order->clock;
    order.dates = m_order->dates;
    order.isTimeOfDay = m_order->isTimeOfDay;
    order.hasDateLines = m_order->hasDateLines;
    order.rhythm = m_order->rhythm;
    settleColumns(order.columns, order.notes, order.warnings);
    findParts(order);
    const auto gpu = std::ranges::find(order.columns, ColumnRole::Gpu, &Column::role);
    order.gpu
        = gpu == order.columns.end() ? order.uuid : static_cast<int>(gpu - order.columns.begin());
    if (order.stamp < 0 && !order.hasDateLines) {
        m_log.skip("Other columns begin here, but without time stamps.");
        return {};
    }
    RETURN_IF_ERROR(m_log.finish());
    m_log.warn("Other columns begin here.", Severity::Remark);
    for (const std::string& warning : order.warnings)
        m_log.warn(warning);
    useOrder(std::move(order));
    return {};
}

// A header, the units below it, or what stands before the table. Headers come again every so many
// rows.
void LogReader::takeOtherOf(const TableKind& kind, const RowNote& note) {
    const std::string_view plain = trimmed(note.line);
    const auto& cells = m_tableCells.of(kind, plain, m_order->columns.size());
    if (plain != m_order->head && std::exchange(m_awaitsUnits, false) && isUnitLine(cells))
        return takeUnits(cells);
    ColumnOrder order;
    if (plain != m_order->head)
        order.columns = kind.headOf(cells);
    m_awaitsUnits = plain == m_order->head || !order.columns.empty();
    if (!m_awaitsUnits && !note.text.empty())
        m_log.skip(note.text);
    if (order.columns.empty())
        return;
    if (!m_order->columns.empty())
        m_log.warn("Other columns begin here.");
    for (const Column& column : order.columns) {
        if (column.role == ColumnRole::Metric && !column.certain)
            m_log.sawOwn(column.header);
    }
    order.kind = &kind;
    order.head = plain;
    findParts(order);
    order.isTimeOfDay = order.stamp < 0 && order.timeOfDay >= 0;
    if (order.isTimeOfDay)
        order.stamp = std::exchange(order.timeOfDay, -1);
    useOrder(std::move(order));
}

// For names that no table knows.
void LogReader::takeUnits(const std::vector<std::string_view>& cells) {
    ColumnOrder order = *m_order;
    const std::size_t from = cells.size() == order.columns.size() + 1 ? 1 : 0; // "# Idx"
    bool hasNew = false;
    for (std::size_t i = 0; i < order.columns.size() && i + from < cells.size(); ++i) {
        Column& column = order.columns[i];
        if (column.role != ColumnRole::Metric || column.certain || column.unitKnown
            || !findUnit(cells[i + from]))
            continue;
        static_cast<SeriesDescription&>(column) = meterSeries(column.metric.name, cells[i + from]);
        column.unitKnown = hasNew = true;
    }
    if (hasNew)
        useOrder(std::move(order));
}

Status LogReader::recordOf(const TableKind& kind, const RowBlock& block, std::size_t row) {
    constexpr std::size_t kMostFields = 2000; // in a long table
    const BlockRow& found = block.rows[row];
    const RowIdentity& named = block.identities[static_cast<std::size_t>(found.identity)];
    Who who = meterSubject(named.gpu, kind.subject);
    who.host = who.host.empty() ? named.host : who.host;
    who.device = named.device.empty() ? who.device : named.device;
    who.model = named.model;
    who.uuid = named.uuid;
    const std::string key = named.gpu + "\n" + named.host + "\n" + named.device;
    const TimeNs time = m_order->stamp >= 0 ? m_log.at(found.stamp)
                                            : m_times.timeOf(key + "\n" + named.part, m_log);
    m_log.row();
    const auto numbers = block.numbersOf(row);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool isField = m_order->columns[i].role == ColumnRole::Value;
        const Column& column = isField ? named.field : m_order->columns[i];
        if (column.role != ColumnRole::Metric)
            continue;
        if (isField && !m_fields.contains(named.part)) {
            if (m_fields.size() >= kMostFields)
                continue;
            m_fields.insert(named.part);
            if (!column.certain)
                m_log.sawOwn(named.part);
        }
        Who whose = column.whose.empty() ? who : meterSubject(column.whose, kind.subject);
        whose.host = whose.host.empty() ? who.host : whose.host;
        RETURN_IF_ERROR(kind.sumsParts ? addToSum(key, whose, column, time, numbers[i])
                                       : m_log.add(whose, column, time, numbers[i]));
    }
    return {};
}

Status LogReader::addToSum(const std::string& key, const Who& who, const SeriesDescription& what,
    TimeNs time, double value) {
    if (!m_sums.empty() && m_sums.begin()->second.time != time)
        RETURN_IF_ERROR(giveSums());
    Sum& sum = m_sums.try_emplace({key, what.metric.name}, Sum{who, what, time}).first->second;
    sum.value += std::isnan(value) ? 0.0 : value;
    return {};
}

Status LogReader::giveSums() {
    for (const auto& [key, sum] : std::exchange(m_sums, {}))
        RETURN_IF_ERROR(m_log.add(sum.who, sum.what, sum.time, sum.value));
    return {};
}

// A row whose GPU has a cell of its own is looked up once in a block.
Status LogReader::recordNamed(const RowBlock& block, std::size_t row) {
    const BlockRow& found = block.rows[row];
    const auto at = static_cast<std::size_t>(found.identity);
    const RowIdentity& who = block.identities[at];
    if (m_order->hasDateLines && !m_date) {
        m_log.skip("No line with a date stands before this one.");
        return {};
    }
    const TimeNs time = m_log.at(m_order->hasDateLines ? *m_date : found.stamp);
    const bool isNamed = m_order->gpu >= 0 && m_groups.size() == 1 && m_groups.front().gpu < 0
        && !m_groups.front().ofNode;
    const ColumnGroup& group = m_groups.front();
    if (!isNamed) {
        RETURN_IF_ERROR(recordGroups(who, time, block.numbersOf(row)));
    } else {
        if (!m_subjects[at]) {
            ASSIGN_OR_RETURN(m_subjects[at],
                subjectOf({SubjectKind::Gpu, who.host, who.gpu, {}, who.model, who.uuid, true,
                              who.address},
                    group));
        }
        if (!m_subjects[at])
            return {};
        m_log.row();
        RETURN_IF_ERROR(add(*m_subjects[at], group, time, block.numbersOf(row)));
    }
    return {};
}

Status LogReader::recordGroups(
    const RowIdentity& who, TimeNs time, std::span<const double> numbers) {
    const int dealt = m_order->gpu < 0 ? m_rotation.next(time) : 0;
    for (const ColumnGroup& group : m_groups) {
        if (group.ofNode) {
            RETURN_IF_ERROR(recordOfNode(who, group, time, numbers));
            continue;
        }
        Who gpu{SubjectKind::Gpu, who.host, who.gpu, {}, who.model, who.uuid, true, who.address};
        if (group.gpu >= 0)
            gpu.id = std::to_string(group.gpu);
        else if (m_order->gpu < 0)
            gpu.id = std::to_string(dealt);
        ASSIGN_OR_RETURN(const auto subject, subjectOf(gpu, group));
        if (!subject)
            return {};
        RETURN_IF_ERROR(add(*subject, group, time, numbers));
    }
    m_log.row();
    return {};
}

// Its value stands in the row of each GPU.
Status LogReader::recordOfNode(const RowIdentity& who, const ColumnGroup& group, TimeNs time,
    std::span<const double> numbers) {
    ASSIGN_OR_RETURN(
        const auto subject, subjectOf({SubjectKind::Node, who.host, {}, {}, {}, {}}, group));
    if (!subject)
        return {};
    const auto [known, isNew] = m_nodeTimes.try_emplace(*subject, time);
    if (!isNew && std::exchange(known->second, time) == time)
        return {};
    return add(*subject, group, time, numbers);
}

Result<std::optional<std::size_t>> LogReader::subjectOf(const Who& who, const ColumnGroup& group) {
    const auto subject = m_log.table().subject(who);
    if (!subject.hasValue()) {
        m_log.skip(subject.error().message);
        return std::optional<std::size_t>{};
    }
    RETURN_IF_ERROR(prepare(subject.value(), group, who.model));
    return std::optional(subject.value());
}

Status LogReader::add(
    std::size_t subject, const ColumnGroup& group, TimeNs time, std::span<const double> numbers) {
    m_values.resize(group.columns.size());
    for (std::size_t i = 0; i < m_values.size(); ++i)
        m_values[i] = numbers[group.columns[i]];
    return m_log.addRow(subject, time, m_values);
}

Status LogReader::prepare(std::size_t subject, const ColumnGroup& group, std::string_view model) {
    int& prepared = m_prepared[subject];
    if (prepared == m_orderNumber)
        return {};
    prepared = m_orderNumber;
    std::vector<SeriesDescription> fields;
    for (const std::size_t i : group.columns) {
        const Column& column = m_order->columns[i];
        SeriesDescription field = column;
        const bool isPower = column.metric.unit == "W" && column.metric.name != metric::kPowerLimit;
        if (isPower && field.sensor == SensorKind::Unknown)
            field.sensor = powerSensorOf(model);
        if (column.metric.name == metric::kGpuPower)
            m_log.report().facts["power_kind"] = describePowerSensor(field.sensor);
        fields.push_back(std::move(field));
    }
    return m_log.table().setFields(subject, fields);
}

} // namespace trainscope::importers::meters::smi
