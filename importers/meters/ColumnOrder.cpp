#include "importers/meters/ColumnOrder.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/common/FileLines.h"
#include "importers/common/SaidColumns.h"

#include <cstdlib>

namespace trainscope::importers::meters::smi {

namespace {

using Role = ColumnRole;

struct Candidate {
    int column = -1;
    std::size_t distinct = 0;
};

std::size_t countDistinct(const std::vector<Cells>& rows, std::size_t column) {
    std::set<std::string_view> values;
    for (const Cells& row : rows) {
        if (!isMissingCell(row[column]))
            values.insert(row[column]);
    }
    return values.size();
}

bool isIdentity(Role role) {
    return role == Role::Gpu || role == Role::Uuid || role == Role::BusId || role == Role::Serial;
}

// The column with the most different values; an index before a name for the same number of them.
Candidate bestCandidate(const ColumnOrder& order, const std::vector<Cells>& rows) {
    Candidate best;
    for (const bool index : {true, false}) {
        for (std::size_t i = 0; i < order.columns.size(); ++i) {
            const Role role = order.columns[i].role;
            if (!isIdentity(role) || (role == Role::Gpu) != index)
                continue;
            const std::size_t distinct = countDistinct(rows, i);
            if (role == Role::Uuid && distinct == 1 && !tellsApart(rows.front()[i]))
                continue;
            if (best.column < 0 || distinct > best.distinct)
                best = {static_cast<int>(i), distinct};
        }
    }
    return best;
}

void noteStuckIndex(ColumnOrder& order, const std::vector<Cells>& rows, const Candidate& best) {
    for (std::size_t i = 0; i < order.columns.size(); ++i) {
        const bool other = order.columns[i].role == Role::Gpu && static_cast<int>(i) != best.column;
        if (other && countDistinct(rows, i) < best.distinct) {
            order.notes.push_back("Column \"" + order.columns[i].header
                + "\" does not tell the GPUs apart; \""
                + order.columns[static_cast<std::size_t>(best.column)].header + "\" is used.");
        }
    }
}

void countWideGpus(ColumnOrder& order) {
    std::set<int> gpus;
    for (const Column& column : order.columns) {
        if (column.gpu >= 0)
            gpus.insert(column.gpu);
    }
    if (gpus.empty())
        return;
    order.gpusSeen = static_cast<int>(gpus.size());
    order.highestIndex = *gpus.rbegin();
}

void settleRhythm(ColumnOrder& order, const std::vector<Cells>& rows) {
    std::vector<TimeNs> stamps;
    bool hasFraction = false;
    for (const Cells& row : rows) {
        if (const auto stamp = order.stamp < 0 ? std::nullopt : stampIn(order, row)) {
            stamps.push_back(stamp->time);
            hasFraction = hasFraction || stamp->hasFraction;
        }
    }
    order.rhythm = findRhythm(stamps, hasFraction);
    order.gpusSeen = order.rhythm.gpus;
    order.highestIndex = order.rhythm.gpus - 1;
    if (order.rhythm.gpus > 1) {
        order.notes.push_back("No column names the GPU: rows come in groups of "
            + std::to_string(order.rhythm.gpus) + " and were dealt out to as many GPUs in order.");
    }
    if (order.rhythm.isUneven) {
        order.warnings.emplace_back(
            "No column names the GPU, and rows come in groups of different sizes: they were taken "
            "for one GPU. If there are several, record with index among the fields: nvidia-smi "
            "--query-gpu=timestamp,index,power.draw,… --format=csv -l 1");
    }
}

void settleClock(ColumnOrder& order, const std::vector<Cells>& rows) {
    if (order.stamp < 0)
        return;
    std::vector<Stamp> stamps;
    for (const Cells& row : rows) {
        if (const auto stamp = stampIn(order, row))
            stamps.push_back(*stamp);
    }
    if (stamps.empty())
        return;
    std::vector<TimeNs> sorted = vectorOf(stamps, &Stamp::time);
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    constexpr std::int64_t kFar = std::int64_t{366} * 86'400 * 1'000'000'000; // a damaged stamp
    const auto first = std::find_if(stamps.begin(), stamps.end(),
        [middle](const Stamp& stamp) { return std::abs((stamp.time - *middle).ns) <= kFar; });
    order.clock = first->kind;
    order.firstStamp = first->time;
}

// Finds the columns of the stamp, and the order of its dates.
void settleStamps(ColumnOrder& order, const std::vector<Cells>& rows) {
    const auto most = [&rows](std::size_t column, auto&& isSo) {
        const auto count = std::count_if(
            rows.begin(), rows.end(), [&](const Cells& row) { return isSo(row[column]); });
        return !rows.empty() && count * 10 >= static_cast<std::ptrdiff_t>(rows.size()) * 8;
    };
    const auto isClock = [](std::string_view cell) { return parseTimeOfDay(cell).has_value(); };
    const auto isClockOfDate = [](std::string_view cell) {
        return !isDate(cell) && parseStamp("2000-01-01", cell).has_value(); // may have a zone
    };
    const auto find = [&](auto&& isSo) {
        for (std::size_t i = 0; i < order.columns.size(); ++i) {
            if (order.columns[i].role == ColumnRole::Stamp && most(i, isSo))
                return static_cast<int>(i);
        }
        return -1;
    };
    const auto findStamp = [&]() {
        for (std::size_t i = 0; i < order.columns.size(); ++i) {
            const Column& column = order.columns[i];
            const auto isStamp
                = [&column](std::string_view cell) { return stampOf(column, cell).has_value(); };
            if (column.role == ColumnRole::Stamp && most(i, isStamp))
                return static_cast<int>(i);
        }
        return -1;
    };
    const int date = find(isDate);
    const int clock = date >= 0 ? find(isClockOfDate) : find(isClock);
    if (date >= 0 && clock >= 0) {
        order.stamp = date;
        order.timeOfDay = clock;
        order.columns[static_cast<std::size_t>(clock)].role = ColumnRole::TimeOfDay;
    }
    const int stamp = date >= 0 && clock >= 0 ? date : findStamp();
    if (stamp < 0) {
        order.stamp = clock;
        order.isTimeOfDay = clock >= 0;
        return;
    }
    DateOrderEvidence evidence;
    for (const Cells& row : rows)
        evidence.see(row[static_cast<std::size_t>(stamp)]);
    order.dates = evidence.order();
    order.hasOpenDates = evidence.isOpen();
}

} // namespace

void settleIdentity(ColumnOrder& order, const std::vector<Cells>& rows) {
    settleClock(order, rows);
    if (order.name >= 0 && !rows.empty())
        order.model = rows.front()[static_cast<std::size_t>(order.name)];
    if (order.host >= 0)
        order.hostsSeen
            = static_cast<int>(countDistinct(rows, static_cast<std::size_t>(order.host)));
    countWideGpus(order);
    if (order.gpusSeen > 0)
        return;
    const Candidate best = bestCandidate(order, rows);
    if (best.column < 0)
        return settleRhythm(order, rows);
    order.gpu = best.column;
    order.gpusSeen = static_cast<int>(best.distinct);
    noteStuckIndex(order, rows, best);
    for (const Cells& row : rows) {
        if (const auto index = gpuIndexOf(row[static_cast<std::size_t>(order.gpu)]))
            order.highestIndex = std::max(order.highestIndex, *index);
    }
    if (order.highestIndex < 0)
        order.highestIndex = order.gpusSeen - 1;
}

namespace {

using Role = ColumnRole;
constexpr std::size_t kHeaderWithin = 200; // lines
constexpr std::size_t kRowsToJudge = 600;
constexpr std::size_t kLongestLine = 8192; // a header, or a row that is guessed from
constexpr std::size_t kMostColumns = 512;

// Columns of other tools' logs whose remaining names look like ours; and a command, which names
// them.
constexpr std::array<std::string_view, 10> kForeign{"--query-", "emissions", "project_name",
    "socket_power", "gfx_activity", "hotspot_temperature", "timestampus", "dataset", "gfx_0_clk",
    "codecarbon_version"};

bool isForeign(std::string_view line) {
    return std::any_of(kForeign.begin(), kForeign.end(),
        [line](std::string_view name) { return containsIgnoringCase(line, name); });
}

int headerConfidence(const std::vector<Column>& columns, std::string_view line) {
    int metrics = 0;
    int gpuWords = 0;
    bool hasPower = false;
    bool hasStamp = false;
    bool hasUnit = false;
    for (const Column& column : columns) {
        const bool metric = column.role == Role::Metric && column.certain;
        metrics += metric ? 1 : 0;
        hasPower = hasPower || (metric && column.metric.unit == "W");
        hasStamp = hasStamp || column.role == Role::Stamp || column.role == Role::Elapsed;
        hasUnit = hasUnit || (metric && column.header.find('[') != std::string::npos);
        const bool isId
            = column.role == Role::Gpu || column.role == Role::Uuid || column.role == Role::BusId;
        gpuWords += (isId || column.gpu >= 0 || containsIgnoringCase(column.header, "gpu")) ? 1 : 0;
    }
    const bool queried = containsIgnoringCase(line, "power.draw")
        || containsIgnoringCase(line, "utilization.") || containsIgnoringCase(line, "temperature.")
        || containsIgnoringCase(line, "clocks.") || containsIgnoringCase(line, "memory.used");
    const bool isSaid = std::any_of(
        columns.begin(), columns.end(), [](const Column& column) { return column.isSaid; });
    if (metrics == 0 || (isForeign(line) && !isSaid))
        return 0;
    if (!hasStamp)
        return queried ? 60 : 0;
    if (hasUnit || queried || isSaid)
        return 95;
    return gpuWords > 0 || metrics >= 2 || hasPower ? 80 : 0;
}

// Up to a header with other columns than those of `order`.
std::vector<Cells> collectRows(const std::vector<std::string>& lines, std::size_t from,
    char separator, const ColumnOrder& order) {
    std::vector<Cells> rows;
    CellSplitter splitter;
    for (std::size_t i = from; i < lines.size() && rows.size() < kRowsToJudge; ++i) {
        if (trimmed(lines[i]).empty())
            continue;
        const auto header = headerColumns(lines[i], separator, order.columns.size());
        if (!header.empty() && !sameHeader(header, order.columns))
            return rows;
        if (!header.empty())
            continue;
        const auto& cells = splitter.split(lines[i], separator, order.columns.size());
        rows.emplace_back(cells.begin(), cells.end());
    }
    return rows;
}

// Rows of another width (noise, cut lines) tell nothing about the columns.
void keepFitting(std::vector<Cells>& rows, std::size_t width) {
    std::erase_if(rows, [width](const Cells& row) { return row.size() != width; });
}

constexpr std::size_t kMostDecimals = 8;
constexpr std::size_t kRowsOfDecimals = 50; // enough that agree

// "5", "50 W": the digits behind a decimal comma.
bool isFraction(std::string_view cell) {
    const std::size_t digits = std::min(cell.find_first_not_of("0123456789"), cell.size());
    const std::string_view rest = trimmed(cell.substr(digits));
    return digits > 0 && digits <= 9 && (rest.empty() || findUnit(rest));
}

bool isWholeNumber(std::string_view cell) {
    cell.remove_prefix(cell.starts_with('-') ? 1 : 0);
    return !cell.empty() && std::all_of(cell.begin(), cell.end(), isDigit);
}

// True where a row's cells are those of the columns, where these have a decimal comma each.
bool fitsWith(
    const ColumnOrder& order, const std::vector<std::size_t>& decimals, const Cells& row) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < order.columns.size(); ++i) {
        const Role role = order.columns[i].role;
        const std::string& cell = row[at++];
        const bool isStamp = role == Role::Stamp || role == Role::Elapsed;
        if (std::find(decimals.begin(), decimals.end(), i) == decimals.end()) {
            if (isStamp && !stampOf(order.columns[i], cell) && !parseTimeOfDay(cell)
                && !isDate(cell))
                return false;
            if (role == Role::Metric && !isMissingCell(cell) && !formOf(cell))
                return false;
            continue;
        }
        const std::string& fraction = row[at++];
        if (!isFraction(fraction))
            return false;
        // Loggers write whole milliseconds, or microseconds.
        const bool isWhole = isStamp ? fraction.size() % 3 == 0 && parseStamp(cell + "." + fraction)
                                     : isWholeNumber(cell);
        if (!isWhole)
            return false;
    }
    return true;
}

// Stamps and powers have fractions before all others.
int mayHaveFraction(const Column& column) {
    if (column.role == Role::Stamp || column.role == Role::Elapsed)
        return 6;
    if (column.metric.unit == "W" || column.metric.unit == "J")
        return 5;
    if (!column.certain)
        return 3;
    return column.metric.unit == "°C" ? 2 : 1;
}

// The best choice of `left` columns from `from` on.
void chooseDecimals(const ColumnOrder& order, const std::vector<Cells>& rows, std::size_t from,
    std::size_t left, std::vector<std::size_t>& chosen, int& best,
    std::vector<std::size_t>& result) {
    if (left == 0) {
        int score = 0;
        for (const std::size_t i : chosen)
            score += mayHaveFraction(order.columns[i]);
        if (score <= best || !std::all_of(rows.begin(), rows.end(), [&](const Cells& row) {
                return fitsWith(order, chosen, row);
            }))
            return;
        best = score;
        result = chosen;
        return;
    }
    for (std::size_t i = from; i + left <= order.columns.size(); ++i) {
        const Role role = order.columns[i].role;
        if (role != Role::Metric && role != Role::Stamp && role != Role::Elapsed)
            continue;
        chosen.push_back(i);
        chooseDecimals(order, rows, i + 1, left - 1, chosen, best, result);
        chosen.pop_back();
    }
}

// Rows that all have more cells than the header: a comma is also the decimal one.
void settleDecimals(ColumnOrder& order, std::vector<Cells>& rows) {
    constexpr std::size_t kMostToChooseFrom = 24;
    const std::size_t width = order.columns.size();
    const std::size_t common = commonWidth(rows);
    if (!order.hasHeader || order.separator != ',' || common <= width
        || common > width + kMostDecimals || width > kMostToChooseFrom)
        return;
    std::vector<Cells> wide;
    for (const Cells& row : rows) {
        if (row.size() == common && wide.size() < kRowsOfDecimals)
            wide.push_back(row);
    }
    if (wide.front().back().empty())
        return; // a separator at the end of the line
    std::vector<std::size_t> chosen;
    int best = 0;
    chooseDecimals(order, wide, 0, common - width, chosen, best, order.decimals);
    if (order.decimals.empty())
        return;
    std::string names;
    for (const std::size_t i : order.decimals)
        names += (names.empty() ? "" : ", ") + order.columns[i].header;
    order.notes.push_back("Rows have more cells than the header: a decimal comma parts those of "
        + names + ", which were put together.");
    for (Cells& row : rows) {
        const std::vector<std::string_view> cells(row.begin(), row.end());
        Cells merged;
        if (mergeDecimals(order, cells, merged))
            row = std::move(merged);
    }
}

// For a log whose rows have no stamp: they have that of the line before, where no GPU comes twice
// behind it.
void settleDateLines(ColumnOrder& order, const std::vector<std::string>& lines) {
    constexpr int kMostGpus = 64;
    CellSplitter splitter;
    std::optional<Stamp> first;
    std::vector<int> rows; // behind each date
    std::set<std::string, std::less<>> seen; // GPUs behind the last one
    for (const std::string& line : lines) {
        if (const auto stamp = parseDateLine(line)) {
            first = first ? first : stamp;
            rows.push_back(0);
            seen.clear();
            continue;
        }
        const auto& cells = splitter.split(line, order.separator, order.columns.size());
        bool isRow = false;
        for (std::size_t i = 0; cells.size() == order.columns.size() && i < cells.size(); ++i)
            isRow = isRow
                || (order.columns[i].role == Role::Metric
                    && parseCell(cells[i], order.columns[i].form));
        if (!isRow)
            continue;
        const bool isNamed = order.gpu >= 0 && order.host < 0;
        if (rows.empty()
            || (isNamed && !seen.emplace(cells[static_cast<std::size_t>(order.gpu)]).second))
            return;
        ++rows.back();
    }
    std::erase(rows, 0);
    const int usual = rows.empty() ? 0 : rows.front();
    // The last group may be cut, by the end of these lines.
    const bool isRegular = rows.size() > 1 && usual <= kMostGpus
        && 10 * (std::ranges::count(rows, usual) + 1) >= 8 * std::ssize(rows);
    if (rows.empty() || (order.gpu < 0 && !isRegular))
        return;
    order.hasDateLines = true;
    order.clock = first->kind;
    order.firstStamp = first->time;
    if (order.gpu >= 0)
        return;
    order.rhythm = {usual, {}, {}, {}, false};
    order.gpusSeen = usual;
    order.highestIndex = usual - 1;
}

Result<ColumnOrder> finish(
    ColumnOrder order, std::vector<Cells> rows, const std::vector<std::string>& lines) {
    settleDecimals(order, rows);
    keepFitting(rows, order.columns.size());
    settleStamps(order, rows);
    findParts(order);
    settleForms(order.columns, rows, order.notes);
    settleColumns(order.columns, order.notes, order.warnings);
    findParts(order);
    settleIdentity(order, rows);
    if (order.stamp < 0)
        settleDateLines(order, lines);
    return order;
}

// True for a first row that guessColumns() can use: it has nvidia-smi's stamp, or units, or the
// user says of one of its columns what it is.
bool mayBeRow(const std::vector<std::string_view>& cells) {
    int units = 0;
    for (std::size_t i = 0; i < cells.size() && i < kMostColumns; ++i) {
        if (saidColumn("column " + std::to_string(i + 1)))
            return true;
    }
    for (const std::string_view cell : cells) {
        if (cell.size() >= 19 && cell[4] == '/' && cell[7] == '/')
            return true;
        const auto value = parseCell(cell, CellForm::Number);
        units += value && !value->unit.empty() && findUnit(value->unit) ? 1 : 0;
    }
    return units > 1;
}

bool hasSeparator(std::string_view line) {
    return line.find_first_of(",;\t|") != std::string_view::npos;
}

Result<ColumnOrder> withoutHeader(const std::vector<std::string>& lines) {
    ColumnOrder order;
    std::set<std::pair<char, std::size_t>> tried; // starting a line later tells nothing new
    for (std::size_t i = 0; i < std::min(lines.size(), kHeaderWithin); ++i) {
        const char separator = hasSeparator(lines[i]) ? separatorOf(lines[i]) : ' ';
        CellSplitter splitter;
        const auto& cells = splitter.split(lines[i], separator);
        if (cells.size() < 2 || !mayBeRow(cells) || !tried.emplace(separator, cells.size()).second)
            continue;
        auto rows = collectRows(lines, i, separator, order);
        keepFitting(rows, commonWidth(rows));
        if (rows.empty() || rows.front().size() != cells.size())
            continue;
        order.confidence = guessColumns(rows, order.columns);
        order.separator = separator;
        if (order.confidence > 0)
            return finish(std::move(order), std::move(rows), lines);
        constexpr int kDated = 60;
        settleDateLines(order, lines);
        order.confidence = kDated;
        if (order.hasDateLines)
            return finish(std::move(order), std::move(rows), lines);
        order = {};
    }
    return Error{ErrorCode::Unrecognised,
        "No column names or units of nvidia-smi were found in its first lines.", {}};
}

} // namespace

bool mergeDecimals(const ColumnOrder& order, const std::vector<std::string_view>& cells,
    std::vector<std::string>& merged) {
    if (cells.size() != order.columns.size() + order.decimals.size())
        return false;
    merged.clear();
    std::size_t at = 0;
    for (std::size_t i = 0; i < order.columns.size(); ++i) {
        merged.emplace_back(cells[at++]);
        if (std::find(order.decimals.begin(), order.decimals.end(), i) != order.decimals.end())
            merged.back().append(".").append(cells[at++]);
    }
    return true;
}

void findParts(ColumnOrder& order) {
    for (std::size_t i = 0; i < order.columns.size(); ++i) {
        const int at = static_cast<int>(i);
        const Role role = order.columns[i].role;
        const auto take = [at](int& part) { part = part < 0 ? at : part; };
        if (role == Role::Stamp || role == Role::Date)
            take(order.stamp);
        else if (role == Role::TimeOfDay)
            take(order.timeOfDay);
        else if (role == Role::Host)
            take(order.host);
        else if (role == Role::Name)
            take(order.name);
        else if (role == Role::Uuid)
            take(order.uuid);
        else if (role == Role::BusId)
            take(order.address);
    }
}

bool sameHeader(const std::vector<Column>& a, const std::vector<Column>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](const Column& x, const Column& y) { return x.header == y.header; });
}

namespace {

std::vector<Column> columnsOf(const std::vector<std::string_view>& cells, std::string_view line) {
    if (cells.empty() || cells.size() > kMostColumns || parseStamp(cells.front())
        || std::none_of(cells.begin(), cells.end(), namesMetric))
        return {};
    std::vector<Column> columns;
    for (const std::string_view cell : cells)
        columns.push_back(columnNamed(cell));
    return headerConfidence(columns, line) > 0 ? columns : std::vector<Column>{};
}

// A name of several words has one blank between them, or none of its own.
std::vector<Column> columnsBetweenBlanks(std::string_view line, std::size_t width) {
    auto byGaps = columnsOf(cellsBetweenGaps(line), line);
    if (byGaps.size() == width && width > 0)
        return byGaps;
    auto byBlanks = columnsOf(headsBetweenBlanks(line), line);
    return byBlanks.size() == width || width == 0 ? byBlanks : std::vector<Column>{};
}

// True where a row's cells are of the kinds that the columns say.
bool isRowOf(const std::vector<Column>& columns, const std::vector<std::string_view>& cells) {
    if (cells.size() != columns.size())
        return false;
    bool hasTime = false;
    bool hasNumber = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Role role = columns[i].role;
        const bool isTime = role == Role::Stamp || role == Role::Elapsed;
        if (isTime && !stampOf(columns[i], cells[i]) && !parseTimeOfDay(cells[i])
            && !isDate(cells[i]))
            return false;
        const bool isReading = role == Role::Metric && columns[i].certain;
        if (isReading && !isMissingCell(cells[i]) && !formOf(cells[i]))
            return false;
        hasTime = hasTime || isTime;
        hasNumber = hasNumber || (isReading && !isMissingCell(cells[i]));
    }
    return hasTime && hasNumber;
}

// Lines behind a header that blanks part must be rows of its columns: prose has their words, too.
bool hasRows(
    const std::vector<std::string>& lines, std::size_t header, const std::vector<Column>& columns) {
    constexpr std::size_t kLookedAt = 40;
    constexpr std::size_t kFewest = 2;
    std::size_t rows = 0;
    std::size_t others = 0;
    CellSplitter splitter;
    for (std::size_t i = header + 1; i < lines.size() && rows + others < kLookedAt; ++i) {
        if (trimmed(lines[i]).empty() || trimmed(lines[i]) == trimmed(lines[header]))
            continue;
        const bool isRow = lines[i].size() <= kLongestLine
            && isRowOf(columns, splitter.split(lines[i], ' ', columns.size()));
        ++(isRow ? rows : others);
    }
    return rows >= kFewest && rows >= 4 * others;
}

// The columns of a header that blanks part; empty: it is none.
std::vector<Column> headerBetweenBlanks(const std::vector<std::string>& lines, std::size_t header) {
    const std::string_view line = lines[header];
    // Most lines of most texts end here, before any name is looked up.
    const auto isRowLike = [](std::string_view text) {
        const auto parts = words(text, " \t");
        const auto numbers = std::count_if(parts.begin(), parts.end(),
            [](std::string_view part) { return isDigit(part.front()) || part.front() == '-'; });
        return parts.size() >= 2 && 3 * numbers >= std::ssize(parts);
    };
    const bool mayBeHeader = line.size() <= kLongestLine && !trimmed(line).empty()
        && !isRowLike(line) && header + 1 < lines.size() && isRowLike(lines[header + 1]);
    if (!mayBeHeader)
        return {};
    for (const auto& cells : {headsBetweenBlanks(line), cellsBetweenGaps(line)}) {
        if (cells.size() < 2)
            continue;
        auto columns = columnsOf(cells, line);
        if (!columns.empty() && hasRows(lines, header, columns))
            return columns;
    }
    return {};
}

} // namespace

std::vector<Column> headerColumns(std::string_view line, char separator, std::size_t width) {
    if (line.size() > kLongestLine || line.empty())
        return {};
    if (separator == ' ')
        return columnsBetweenBlanks(line, width);
    CellSplitter splitter;
    return columnsOf(splitter.split(line, separator), line);
}

Result<ColumnOrder> readColumnOrder(const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(lines.size(), kHeaderWithin); ++i) {
        const char separator = hasSeparator(lines[i]) ? separatorOf(lines[i]) : ' ';
        auto columns
            = separator == ' ' ? headerBetweenBlanks(lines, i) : headerColumns(lines[i], separator);
        if (columns.empty())
            continue;
        ColumnOrder order;
        order.separator = separator;
        order.hasHeader = true;
        order.confidence = headerConfidence(columns, lines[i]);
        order.columns = std::move(columns);
        auto rows = collectRows(lines, i + 1, separator, order);
        return finish(std::move(order), std::move(rows), lines);
    }
    return withoutHeader(lines);
}

} // namespace trainscope::importers::meters::smi
