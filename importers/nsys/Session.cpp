#include "importers/nsys/Session.h"

#include "core/model/Try.h"

#include <array>
#include <utility>

namespace trainscope::importers::nsys {

namespace {

constexpr std::size_t kMostKnownNames = 1'000'000;
constexpr std::array<std::string_view, 1> kStringValue{"value"};

} // namespace

Session::Session(ForeignDatabase& database, const ReportFacts& facts, Sink& sink,
    ImportReport& report, std::string file, int firstRank)
    : m_database(database)
    , m_facts(facts)
    , m_sink(sink)
    , m_report(report)
    , m_file(std::move(file))
    , m_texts(database, "StringIds", "id", kStringValue)
    , m_writer(sink, report, m_file, firstRank, facts.processes, {facts.startNs.value_or(0)}) { }

Status Session::read(std::string_view table, std::span<const std::string_view> columns,
    const std::function<Status(const ForeignRow&)>& visit) {
    ASSIGN_OR_RETURN(const auto end, m_database.scan(table, columns, visit));
    m_report.rows += end.rows;
    if (m_database.table(table) != nullptr)
        m_report.counts["rows of " + std::string(table)] = end.rows;
    if (!end.problem.empty()) {
        m_isDamaged = true;
        m_report.lost(m_file, 0,
            std::string(table) + " could be read up to row " + std::to_string(end.rows) + ": "
                + end.problem);
    }
    return {};
}

std::optional<std::string_view> Session::text(std::int64_t stringId) {
    const auto row = m_texts.find(stringId);
    return row ? std::optional(row->text(0)) : std::nullopt;
}

Result<NameId> Session::name(std::optional<std::int64_t> stringId) {
    if (stringId) {
        if (const auto known = m_names.find(*stringId); known != m_names.end())
            return known->second;
    }
    const auto found = stringId ? text(*stringId) : std::nullopt;
    if (!found)
        ++m_report.counts["names that the report does not have"];
    ASSIGN_OR_RETURN(const auto id, m_sink.intern(found.value_or("?")));
    if (m_names.size() >= kMostKnownNames)
        m_names.clear();
    if (stringId)
        m_names.emplace(*stringId, id);
    return id;
}

std::optional<TimeRange> Session::rangeOf(const ForeignRow& row, int start, int end) {
    const auto begin = row.integer(start);
    auto stop = row.integer(end);
    if (!begin || !isTime(*begin))
        return m_writer.rangeOf(std::nullopt, std::nullopt);
    if (!stop || !isTime(*stop)) {
        if (m_report.counts["rows without end"]++ == 0)
            m_report.warn(
                m_file, 0, "a row has no end that is a time; such are kept with duration 0");
        stop = begin;
    }
    return m_writer.rangeOf(begin, stop);
}

} // namespace trainscope::importers::nsys
