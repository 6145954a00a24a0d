#include "app/importing/ImportFields.h"

#include "app/importing/ImportRunner.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"
#include "importers/common/Cells.h"
#include "importers/common/Stamp.h"
#include "importers/registry/Registry.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <fmt/format.h>

#include <chrono>

namespace trainscope::app {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000; // nanoseconds
constexpr std::int64_t kHour = 3600; // seconds
constexpr std::int64_t kQuarter = 900;
constexpr std::int64_t kFarthest = 18 * kHour;

// "08:00", "8:00", "0800" and "8", without the sign.
std::optional<std::int64_t> clockOffset(std::string_view text) {
    constexpr std::size_t kWithMinutes = 4; // digits
    const std::size_t colon = text.find(':');
    const bool isJoined = colon == std::string_view::npos && text.size() == kWithMinutes;
    const std::size_t end = isJoined ? 2 : std::min(colon, text.size());
    if (end < 1 || end > 2)
        return std::nullopt;
    const auto hours = wholeNumber<std::int64_t>(text.substr(0, end));
    const std::size_t begin = isJoined ? end : end + 1;
    const auto minutes = end == text.size() ? std::optional<std::int64_t>(0)
                                            : wholeNumber<std::int64_t>(text.substr(begin));
    const bool isOffset = hours && minutes && *hours >= 0 && *hours * kHour <= kFarthest
        && *minutes >= 0 && *minutes < 60;
    return isOffset ? std::optional(*hours * kHour + *minutes * 60) : std::nullopt;
}

// True: one of them stood there.
bool takeFirst(std::string_view& text, std::initializer_list<std::string_view> words) {
    const auto* found = std::ranges::find_if(words, [&](std::string_view word) {
        return equalsIgnoringCase(text.substr(0, word.size()), word);
    });
    if (found == words.end())
        return false;
    text = trimmed(text.substr(found->size()));
    return true;
}

// A text that is no time of the clock is a number of seconds: no zone is so few that both could be
// meant.
std::optional<std::int64_t> offsetIn(std::string_view text) {
    if (equalsIgnoringCase(text, "z"))
        return 0;
    if (takeFirst(text, {"UTC", "GMT"}) && text.empty())
        return 0;
    const bool isWest = takeFirst(text, {"-", "\u2212"});
    if (!isWest)
        takeFirst(text, {"+"});
    auto seconds = clockOffset(text);
    if (!seconds || *seconds % kQuarter != 0)
        seconds = wholeNumber<std::int64_t>(text);
    if (!seconds || *seconds < 0 || *seconds > kFarthest || *seconds % kQuarter != 0)
        return std::nullopt;
    return isWest ? -*seconds : *seconds;
}

// A wall time that a change of the clock skips or repeats is taken as before the change.
std::int64_t offsetOf(const cctz::time_zone& zone, const std::optional<TimeNs>& wall) {
    auto moment = std::chrono::system_clock::now();
    if (wall) {
        moment = zone.lookup(cctz::civil_second() + wall->ns / kSecond).pre;
    }
    return zone.lookup(moment).offset;
}

using importers::ClockKind;
using importers::DateOrder;
using Source = PlannedSource;

// The power of its run may tell the moment, or the zone, of what it has.
bool isToldByPower(const Source& source) {
    const auto* importer = importers::findImporter(source.unit.importer);
    return importer != nullptr && importer->work != nullptr;
}

// Takes what `parse` makes of a text that is not empty; an empty one takes it back.
template <typename T, typename Parse>
bool takeParsed(std::optional<T>& into, const std::string& text, const Parse& parse) {
    into = text.empty() ? std::optional<T>() : parse(text);
    return text.empty() || into.has_value();
}

bool takeRank(Source& source, const std::string& text) {
    const auto rank = wholeNumber<int>(text);
    if (rank && *rank >= 0)
        source.unit.rank = rank;
    return rank && *rank >= 0;
}

bool takeColumns(Source& source, const std::string& text) {
    auto columns = importers::saidColumnsIn(text);
    source.unit.saidColumns
        = columns.hasValue() ? std::move(columns).value() : importers::SaidColumns{};
    return text.empty() || !source.unit.saidColumns.empty();
}

// Each index once; whether all are there is known when the run is.
bool takeAirflow(Source&, const std::string& text) {
    auto order = airflowIn(text);
    std::ranges::sort(order);
    return text.empty() || (!order.empty() && std::ranges::adjacent_find(order) == order.end());
}

std::string statedDates(const Source& source) {
    const DateOrder order = source.unit.saidDates;
    return order == DateOrder::DayFirst  ? "day-first"
        : order == DateOrder::MonthFirst ? "month-first"
                                         : "";
}

} // namespace

std::optional<TimeNs> saidMoment(std::string_view text) {
    text = trimmed(text);
    const auto stamp = importers::isDate(text) ? importers::parseStamp(text, "00:00:00")
                                               : importers::parseStamp(text);
    if (!stamp || stamp->kind == importers::StampKind::Relative)
        return std::nullopt;
    return stamp->time;
}

std::optional<std::int64_t> saidZone(std::string_view text, const std::optional<TimeNs>& wall) {
    text = trimmed(text);
    if (text.empty())
        return std::nullopt;
    if (const auto offset = offsetIn(text))
        return offset;
    // A path would be read, whatever is there.
    const bool isName = text.front() != '/' && text.find_first_of(":.") == std::string_view::npos;
    cctz::time_zone zone;
    if (!isName || !cctz::load_time_zone(std::string(text), &zone))
        return std::nullopt;
    return offsetOf(zone, wall);
}

std::optional<importers::DateOrder> saidDates(std::string_view text) {
    if (equalsIgnoringCase(trimmed(text), "day-first"))
        return importers::DateOrder::DayFirst;
    if (equalsIgnoringCase(trimmed(text), "month-first"))
        return importers::DateOrder::MonthFirst;
    return std::nullopt;
}

bool PlannedSource::isSource() const {
    return !unit.machine && !isRunDatabase(unit);
}

std::string PlannedSource::saidOf(std::string_view key) const {
    const auto found = said.find(key);
    return found == said.end() ? std::string() : found->second;
}

const std::vector<ImportField>& importFields() {
    static const std::vector<ImportField> fields{
        {.key = "dates",
            .label = "Order of dates",
            .expected = "day-first or month-first",
            .isOpen = [](const Source& source) { return source.unit.asksDates; },
            .take =
                [](Source& source, const std::string& text) {
                    source.unit.saidDates = saidDates(text).value_or(DateOrder::Unknown);
                    return text.empty() || source.unit.saidDates != DateOrder::Unknown;
                },
            .hint = [](const Source&) { return std::string("by their signs"); },
            .stated = statedDates,
            .isPressing = true,
            .choices = {"day-first", "month-first"},
            .option = "--dates",
            .optionValue = "ORDER",
            .optionHelp = "Order of dates that can be read in two ways: day-first or month-first"},
        {.key = "zone",
            .label = "Time zone",
            .expected = "an offset in whole quarters of an hour, such as +08:00, +0800 or +8, or a "
                        "name such as Europe/Berlin",
            .isOpen = [](const Source& source) { return source.unit.clock == ClockKind::Local; },
            .take =
                [](Source& source, const std::string& text) {
                    return takeParsed(source.unit.utcOffsetSeconds, text,
                        [&](const std::string& zone) { return saidZone(zone, source.unit.start); });
                },
            .hint =
                [](const Source& source) {
                    return std::string(isToldByPower(source) ? "as power tells" : "UTC");
                },
            .stated =
                [](const Source& source) {
                    const auto offset = source.unit.utcOffsetSeconds;
                    return offset ? text::zone(*offset) : std::string();
                },
            .isPressing = true,
            .option = "--utc-offset",
            .optionValue = "ZONE",
            .optionHelp = "Zone of local time stamps, such as +08:00 or Europe/Berlin; else they "
                          "are taken as UTC"},
        {.key = "start",
            .label = "Start",
            .expected = "a date with a time, such as 2026-04-22 00:03:09, or unix time",
            .isOpen =
                [](const Source& source) {
                    return source.unit.clock == ClockKind::None && source.isSource();
                },
            .take =
                [](Source& source, const std::string& text) {
                    return takeParsed(source.unit.saidStart, text, saidMoment);
                },
            .hint =
                [](const Source& source) {
                    return std::string(isToldByPower(source) ? "as power tells" : "not known");
                },
            .isPressing = true,
            .option = "--start",
            .optionValue = "T",
            .optionHelp = "When recordings without a date began, such as 2026-04-22T00:03:09Z"},
        {.key = "period",
            .label = "Period of readings",
            .expected = "a time such as 100ms or 1.5 (seconds)",
            .isOpen = [](const Source& source) { return source.unit.hasNoStamps; },
            .take =
                [](Source& source, const std::string& text) {
                    return takeParsed(source.unit.saidPeriod, text, importers::parsePeriod);
                },
            .hint = [](const Source&) { return std::string("1 s"); },
            .isPressing = true,
            .option = "--period",
            .optionValue = "S",
            .optionHelp
            = "Between their readings, where they have no time stamps: 100ms, 1.5; else 1 s"},
        {.key = "rank",
            .label = "Rank",
            .expected = "a whole number from 0",
            .isOpen = [](const Source& source) { return source.unit.rank.has_value(); },
            .take = takeRank,
            .hint = [](const Source&) { return std::string("rank"); },
            .stated
            = [](const Source& source) { return std::to_string(source.unit.rank.value_or(0)); },
            .of = ImportField::Of::Source},
        {.key = "gpu",
            .label = "GPU model",
            .expected = "the name of a GPU",
            .isOpen = [](const Source& source) { return source.isSource(); },
            .take = [](Source&, const std::string&) { return true; },
            .hint =
                [](const Source& source) {
                    return source.gpuHint.empty() ? std::string("as recorded") : source.gpuHint;
                }},
        {.key = "airflow",
            .label = "GPUs, front to rear",
            .expected = "the GPUs of a node once each, as in 4, 5, 6, 7, 0, 1, 2, 3",
            .isOpen = [](const Source& source) { return source.isSource(); },
            .take = takeAirflow,
            .hint = [](const Source&) { return std::string("as temperatures tell"); },
            .of = ImportField::Of::Run},
        {.key = "columns",
            .label = "Columns",
            .expected = "NAME=METRIC[unit], such as P_tot=gpu_power[mW], several with semicolons "
                        "between",
            .isOpen = [](const Source& source) { return !source.unit.columns.empty(); },
            .take = takeColumns,
            .hint = [](const Source&) { return std::string("as below, or NAME=METRIC[unit]; …"); }},
    };
    return fields;
}

const ImportField* findImportField(std::string_view key) {
    const auto found = std::ranges::find(importFields(), key, &ImportField::key);
    return found == importFields().end() ? nullptr : &*found;
}

std::vector<int> airflowIn(std::string_view text) {
    std::string order(text);
    std::erase(order, ' ');
    return analysis::parseAirflow(order).valueOr({});
}

bool say(const ImportField& field, Source& source, const std::string& text) {
    const std::string said(trimmed(text));
    if (!field.isOpen(source) || said == textOf(field, source))
        return false;
    source.said.erase(field.key);
    source.faulty.erase(field.key);
    const bool isUnderstood = field.take(source, said);
    if (!isUnderstood)
        source.faulty[field.key] = said;
    else if (!said.empty())
        source.said[field.key] = said;
    return true;
}

std::string textOf(const ImportField& field, const Source& source) {
    const auto faulty = source.faulty.find(field.key);
    if (faulty != source.faulty.end())
        return faulty->second;
    return field.stated != nullptr ? field.stated(source) : source.saidOf(field.key);
}

Status checkSaid(const SaidOfAll& said) {
    for (const auto& [key, text] : said) {
        const ImportField* field = findImportField(key);
        Source nothing;
        if (field != nullptr && !field->take(nothing, std::string(trimmed(text))))
            return Error{ErrorCode::Usage,
                fmt::format("{} takes {}; not \"{}\".", field->option, field->expected, text), {}};
    }
    return {};
}

void sayOfAll(const SaidOfAll& said, importers::ImportUnit& unit) {
    Source source{std::move(unit)};
    for (const auto& [key, text] : said) {
        if (const ImportField* field = findImportField(key); field != nullptr && !text.empty())
            say(*field, source, text);
    }
    unit = std::move(source.unit);
}

} // namespace trainscope::app
