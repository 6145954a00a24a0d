#include "importers/nsys/Session.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers::nsys {

namespace {

constexpr std::size_t kMostKnownNames = 1'000'000;

// "cudaLaunchKernel_v7000" is "cudaLaunchKernel" of the interface of CUDA 7.0.
std::string_view withoutCallVersion(std::string_view name) {
    if (!name.starts_with("cuda"))
        return name;
    const std::size_t mark = name.rfind("_v");
    const bool isVersion = mark != std::string_view::npos && mark + 2 < name.size()
        && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(mark) + 2, name.end(), isDigit);
    return isVersion ? name.substr(0, mark) : name;
}

} // namespace

Session::Session(ForeignDatabase& database, const ReportFacts& facts, Sink& sink,
    ImportReport& report, std::string file, int firstRank)
    : m_database(database)
    , m_facts(facts)
    , m_sink(sink)
    , m_report(report)
    , m_file(std::move(file))
    , m_texts(database, "StringIds", "id", "value")
    , m_writer(sink, report, m_file, firstRank, facts.processes, {facts.startNs.value_or(0)}) { }

Status Session::read(std::string_view table, std::string_view columns,
    const std::function<Status(const ForeignRow&)>& visit) {
    ASSIGN_OR_RETURN(
        const bool isDamaged, m_database.scanInto(m_report, m_file, table, columns, visit));
    m_isDamaged = m_isDamaged || isDamaged;
    return {};
}

std::optional<std::string_view> Session::text(std::int64_t stringId) {
    const auto row = m_texts.find(stringId);
    return row ? std::optional(row->text(0)) : std::nullopt;
}

Result<NameId> Session::nameIn(Names& names, std::optional<std::int64_t> stringId,
    std::string_view (*shortened)(std::string_view)) {
    if (stringId) {
        if (const auto known = names.find(*stringId); known != names.end())
            return known->second;
    }
    const auto found = stringId ? text(*stringId) : std::nullopt;
    if (!found)
        ++m_report.counts["names that the report does not have"];
    ASSIGN_OR_RETURN(const auto id, m_sink.intern(shortened(found.value_or("?"))));
    if (names.size() >= kMostKnownNames)
        names.clear();
    if (stringId)
        names.emplace(*stringId, id);
    return id;
}

Result<NameId> Session::name(std::optional<std::int64_t> stringId) {
    return nameIn(m_names, stringId, [](std::string_view text) { return text; });
}

Result<NameId> Session::nameOfCall(std::optional<std::int64_t> stringId) {
    return nameIn(m_callNames, stringId, withoutCallVersion);
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
