#include "importers/meters/TableReader.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/DcgmFields.h"
#include "importers/common/Number.h"
#include "importers/meters/ColumnNames.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::importers::meters {

namespace {

constexpr std::size_t kMostFields = 2000; // of a long table
constexpr std::size_t kMostColumns = 4096;
constexpr std::size_t kLongestName = 200;

} // namespace

Who meterSubject(std::string_view text, SubjectKind usual) {
    text = trimmed(text);
    const auto number = [text](std::string_view word) {
        return text.size() > word.size() && equalsIgnoringCase(text.substr(0, word.size()), word)
            ? std::string(trimmed(text.substr(word.size())))
            : std::string();
    };
    Who who;
    who.kind = usual;
    if (const std::string node = number("node "); !node.empty()) {
        who.kind = SubjectKind::Node;
        who.host = node;
    } else if (const std::string chip = number("switch "); !chip.empty()) {
        who.kind = SubjectKind::Switch;
        who.device = "sw" + chip;
    } else if (text.starts_with("GPU-I ") || text.starts_with("GPU-CI ")) {
        who.kind = SubjectKind::Link; // of which GPU is not said
        who.device = text;
    } else if (text == "this node") {
        who.kind = SubjectKind::Node;
    } else if (text == "run") {
        who.kind = SubjectKind::Run;
    } else if (text.starts_with("CPU ") || text.starts_with("part ")) {
        who.kind = SubjectKind::Link;
        who.device = text.starts_with("part ") ? text.substr(5) : text;
    } else if (const auto parts = words(text, "/"); text.starts_with('/') && parts.size() > 1) {
        // "/gpu-nvidia/0/power/0": a sensor's path, by LibreHardwareMonitor
        who.id = std::string(parts[0]) + "/" + std::string(parts[1]);
    } else if (usual == SubjectKind::Gpu) {
        who.id = text.substr(0, kLongestName);
    }
    return who;
}

bool TableReader::split(std::string_view line, MeterLog& log) {
    if (m_kind.separator != ' ') {
        const auto& cells = m_splitter.split(line, m_kind.separator);
        m_cells.assign(cells.begin(), cells.end());
    } else if (!m_kind.isDcgm) {
        const auto& cells = m_splitter.split(line, ' ', m_columns.size());
        m_cells.assign(cells.begin(), cells.end());
    } else {
        m_cells = words(line, " \t");
        // "GPU 0", "GPU-I 3": the subject is two words.
        if (m_cells.size() > 1 && !m_cells[0].starts_with('#')
            && m_cells[0].find_first_of("0123456789") == std::string_view::npos) {
            const char* const begin = m_cells[0].data();
            m_cells[1]
                = {begin, static_cast<std::size_t>(m_cells[1].data() + m_cells[1].size() - begin)};
            m_cells.erase(m_cells.begin());
        }
    }
    if (m_cells.size() > kMostColumns) {
        log.skip("The line has more than 4096 cells.");
        return false;
    }
    return true;
}

Status TableReader::take(std::string_view line, MeterLog& log) {
    const std::string_view plain = trimmed(line);
    if (plain.empty())
        return {};
    if (!m_header.empty() && plain == m_header) { // it comes again every so many rows
        m_awaitsUnits = true;
        return {};
    }
    if (!split(plain, log) || m_cells.empty())
        return {};
    if (std::exchange(m_awaitsUnits, false) && isUnitLine()) {
        takeUnits();
        return {};
    }
    if (takeHeader(log)) {
        m_header = plain;
        m_awaitsUnits = true;
        return {};
    }
    if (m_columns.empty())
        return {}; // what comes before the table
    return takeRow(plain, log);
}

bool TableReader::takeHeader(MeterLog& log) {
    if (isDigit(m_cells.front().empty() ? '0' : m_cells.front().front()))
        return false; // no column is called so
    auto columns = m_kind.columns(m_cells);
    if (columns.empty())
        return false;
    for (const MeterColumn& column : columns) {
        if (column.isOwn)
            log.sawOwn(column.header);
    }
    if (!m_columns.empty())
        log.warn("Other columns begin here.");
    m_columns = std::move(columns);
    return true;
}

bool TableReader::isUnitLine() const {
    constexpr std::array<std::string_view, 8> kFirst{
        "id", "#", "idx", "#idx", "# idx", "# id", "#yyyymmdd", "#hh:mm:ss"};
    const std::string first = lowered(m_cells.front());
    return first.starts_with("id ") || std::ranges::find(kFirst, first) != kFirst.end();
}

// Units under names that no table knows.
void TableReader::takeUnits() {
    std::size_t from = 0;
    if (m_cells.size() == m_columns.size() + 1)
        from = 1; // "# Idx"
    for (std::size_t i = 0; i < m_columns.size() && i + from < m_cells.size(); ++i) {
        MeterColumn& column = m_columns[i];
        if (column.role == Role::Metric && column.isOwn && findUnit(m_cells[i + from]))
            column.what = meterSeries(column.what.metric.name, m_cells[i + from]);
    }
}

Status TableReader::takeRow(std::string_view line, MeterLog& log) {
    const std::size_t width = m_columns.size();
    const bool hasName = m_columns.back().role == Role::Part; // of a command, with blanks
    const bool isTrailing = m_cells.size() == width + 1 && m_cells.back().empty();
    if (m_kind.onlyTotals && (m_cells.size() != width || hasParts()))
        return {};
    if (m_cells.size() != width && !isTrailing && !(hasName && m_cells.size() > width)) {
        log.skip("The line has " + std::to_string(m_cells.size()) + " cells instead of "
            + std::to_string(width) + ": " + meterExcerpt(line));
        return {};
    }
    readWho();
    const auto time = timeOf(log);
    if (!time) {
        log.skip("The line has no time stamp: " + meterExcerpt(line));
        return {};
    }
    return takeCells(log, *time);
}

bool TableReader::hasParts() const {
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].role == Role::Part && m_cells[i] != "-")
            return true;
    }
    return false;
}

void TableReader::readWho() {
    m_whose.clear();
    m_part.clear();
    std::string host;
    std::string model;
    std::string uuid;
    std::string partition;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const std::string_view cell = trimmed(m_cells[i]).substr(0, kLongestName);
        switch (m_columns[i].role) {
        case Role::Gpu:
            m_whose = cell;
            break;
        case Role::Host:
            host = cell;
            break;
        case Role::Part:
            m_part += "\n" + std::string(cell);
            break;
        case Role::Tile:
            m_whose += isMissingText(cell) ? std::string() : "." + std::string(cell);
            break;
        case Role::Partition:
            partition = isMissingText(cell) || cell == "0" ? std::string() : std::string(cell);
            break;
        case Role::Name:
            model = cell;
            break;
        case Role::Uuid:
            uuid = cell;
            break;
        default:
            break;
        }
    }
    m_who = meterSubject(m_whose, m_kind.subject);
    if (m_who.host.empty())
        m_who.host = host;
    m_who.model = model;
    m_who.uuid = uuid;
    if (!partition.empty())
        m_who.device = "partition " + partition;
    m_whose += "\n" + host + (partition.empty() ? std::string() : "\n" + partition);
}

std::optional<Stamp> TableReader::stampOfRow() const {
    for (std::size_t i = 0; i < m_columns.size() && i < m_cells.size(); ++i) {
        const Role role = m_columns[i].role;
        if (role != Role::Stamp && role != Role::Date && role != Role::TimeOfDay)
            continue;
        std::string text(m_cells[i]);
        if (role == Role::Date) { // 20260422 00:03:09
            if (i + 1 >= m_columns.size() || i + 1 >= m_cells.size())
                return std::nullopt;
            if (text.size() == 8)
                text = text.substr(0, 4) + "/" + text.substr(4, 2) + "/" + text.substr(6);
            text += " " + std::string(trimmed(m_cells[i + 1]));
        }
        const auto stamp = role == Role::TimeOfDay ? std::nullopt : parseStamp(text);
        return stamp ? stamp : parseTimeOfDay(text);
    }
    return std::nullopt;
}

std::optional<TimeNs> TableReader::timeOf(MeterLog& log) {
    const bool hasStamps
        = std::any_of(m_columns.begin(), m_columns.end(), [](const MeterColumn& column) {
              return column.role == Role::Stamp || column.role == Role::Date
                  || column.role == Role::TimeOfDay;
          });
    if (hasStamps) {
        const auto stamp = stampOfRow();
        return stamp ? std::optional(log.at(*stamp)) : std::nullopt;
    }
    return m_times.timeOf(m_whose + m_part, log);
}

Status TableReader::takeCells(MeterLog& log, TimeNs time) {
    log.row();
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].role == Role::Metric)
            RETURN_IF_ERROR(takeValue(m_columns[i], m_cells[i], time, log));
        const MeterColumn* field = m_columns[i].role == Role::Value ? fieldOfRow(i, log) : nullptr;
        if (field != nullptr && field->role == Role::Metric)
            RETURN_IF_ERROR(takeValue(*field, m_cells[i], time, log));
    }
    return {};
}

// The metric of a long table's row, by all that names it and the unit above its value.
const MeterColumn* TableReader::fieldOfRow(std::size_t value, MeterLog& log) {
    m_field.clear();
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].role == Role::Field)
            m_field.append(m_field.empty() ? "" : " ").append(trimmed(m_cells[i]));
    }
    const std::string_view head = m_columns[value].header;
    const std::string_view inside = findUnit(head) ? head : headerParts(head).unit;
    if (findUnit(inside))
        m_field.append(" ").append(inside);
    const auto known = m_fields.find(m_field);
    if (known != m_fields.end())
        return &known->second;
    if (m_fields.size() >= kMostFields || m_field.size() > kLongestName)
        return nullptr;
    const auto& field = m_fields.emplace(m_field, m_kind.field(m_field)).first->second;
    if (field.isOwn)
        log.sawOwn(m_field);
    return &field;
}

Status TableReader::takeValue(
    const MeterColumn& column, std::string_view cell, TimeNs time, MeterLog& log) {
    const double value = number(column, trimmed(cell), log);
    if (m_kind.sumsParts) {
        const auto key = std::pair(m_whose, column.what.metric.name);
        const auto known = m_sums.find(key);
        if (known != m_sums.end() && known->second.time != time)
            RETURN_IF_ERROR(giveSums(log));
        Sum& sum = m_sums[key];
        if (sum.what.metric.name.empty())
            sum = {m_whose.substr(0, m_whose.find('\n')), column.what, time, 0.0};
        sum.value += std::isnan(value) ? 0.0 : value;
        return {};
    }
    if (column.whose.empty())
        return log.add(m_who, column.what, time, value);
    Who who = meterSubject(column.whose, m_kind.subject);
    if (who.host.empty())
        who.host = m_who.host;
    return log.add(who, column.what, time, value);
}

double TableReader::number(const MeterColumn& column, std::string_view cell, MeterLog& log) {
    if (isMissingText(cell) || (m_kind.subject == SubjectKind::Gpu && isMissingCell(cell)))
        return kMissing;
    if (cell.starts_with('(') && cell.ends_with(')'))
        cell = cell.substr(1, cell.size() - 2);
    std::string used; // "0.3/192.0 GB" of all
    if (const std::size_t slash = cell.find('/');
        slash != std::string_view::npos && column.what.metric.unit == "B") {
        const std::size_t unit = std::min(cell.find(' ', slash), cell.size());
        used.append(cell.substr(0, slash)).append(cell.substr(unit));
        cell = used;
    }
    const auto value = parseCell(cell, column.form);
    if (!value) {
        const auto flag = formOf(cell); // "P0" and hex masks in a column of numbers
        const auto other = flag ? parseCell(cell, *flag) : std::nullopt;
        if (other)
            return other->number;
        log.warn("\"" + meterExcerpt(cell) + "\" in column \"" + column.header
            + "\" is no number; taken as missing.");
        return kMissing;
    }
    if (m_kind.isDcgm && isDcgmBlank(value->number))
        return kMissing;
    return numberIn(column.what, *value, log);
}

Status TableReader::giveSums(MeterLog& log) {
    for (const auto& [key, sum] : m_sums)
        RETURN_IF_ERROR(
            log.add(meterSubject(sum.whose, m_kind.subject), sum.what, sum.time, sum.value));
    m_sums.clear();
    return {};
}

Status TableReader::finish(MeterLog& log) {
    return giveSums(log);
}

} // namespace trainscope::importers::meters
