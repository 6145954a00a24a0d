#include "importers/nvsmi/ColumnOrder.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/SaidColumns.h"
#include "importers/common/SampleStatistics.h"
#include "importers/nvsmi/Guess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;

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

// The stamps of the rows, and the numbers of the column that has most different ones.
struct RowSeries {
    std::vector<TimeNs> stamps;
    std::vector<double> numbers;
    bool hasFraction = false; // of stamps
};

RowSeries seriesOf(const ColumnOrder& order, const std::vector<Cells>& rows) {
    RowSeries series;
    std::optional<std::size_t> richest;
    std::size_t most = 0;
    for (std::size_t i = 0; i < order.columns.size(); ++i) {
        const std::size_t distinct
            = order.columns[i].role == Role::Metric ? countDistinct(rows, i) : 0;
        if (distinct > most)
            richest = i;
        most = std::max(most, distinct);
    }
    for (const Cells& row : rows) {
        const auto stamp = order.stamp < 0 ? std::nullopt : stampIn(order, row);
        if (!stamp)
            continue;
        series.stamps.push_back(stamp->time);
        series.hasFraction = series.hasFraction || stamp->hasFraction;
        const auto value
            = richest ? parseCell(row[*richest], order.columns[*richest].form) : std::nullopt;
        series.numbers.push_back(value ? value->number : kMissing);
    }
    return series;
}

// Share of the numbers that are the same as those that stand `rows` behind them in their burst.
double shareAlike(const RowSeries& series, std::size_t begin, std::size_t burst, std::size_t rows) {
    std::size_t pairs = 0;
    std::size_t same = 0;
    for (std::size_t i = begin; i + rows < series.numbers.size(); ++i) {
        if ((i - begin) % burst >= rows)
            continue;
        ++pairs;
        same += series.numbers[i] == series.numbers[i + rows] ? 1U : 0U;
    }
    return pairs == 0 ? 0.0 : static_cast<double>(same) / static_cast<double>(pairs);
}

// Mean size of the steps from each number to that `rows` behind it.
double meanStep(const RowSeries& series, std::size_t begin, std::size_t rows) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = begin; i + rows < series.numbers.size(); ++i) {
        const double step = std::abs(series.numbers[i + rows] - series.numbers[i]);
        if (std::isnan(step))
            continue;
        sum += step;
        ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

// Two steps between rows that take turns.
struct Turns {
    DurationNs shorter;
    DurationNs longer;

    [[nodiscard]] DurationNs between() const { return {(shorter.ns + longer.ns) / 2}; }
};

// Absent where rows do not come from two recorders in phases of their own.
std::optional<Turns> turnsOf(const RowSeries& series, std::size_t begin) {
    std::array<std::vector<std::int64_t>, 2> steps;
    for (std::size_t i = begin; i + 1 < series.stamps.size(); ++i)
        steps[(i - begin) % 2].push_back((series.stamps[i + 1] - series.stamps[i]).ns);
    const auto first = medianOf(steps[0]);
    const auto second = medianOf(steps[1]);
    if (!first || !second || *first <= 0 || *second <= 0)
        return std::nullopt;
    const auto areSteady = [](const std::vector<std::int64_t>& all, std::int64_t median) {
        const auto near = std::count_if(all.begin(), all.end(),
            [median](std::int64_t step) { return 4 * std::abs(step - median) <= median; });
        return near * 10 >= static_cast<std::ptrdiff_t>(all.size()) * 8;
    };
    const bool differ = 10 * std::abs(*first - *second) > *first + *second;
    const bool isSteady = areSteady(steps[0], *first) && areSteady(steps[1], *second);
    if (!differ || !isSteady)
        return std::nullopt;
    return Turns{{std::min(*first, *second)}, {std::max(*first, *second)}};
}

constexpr std::string_view kRecorders
    = "Two recorders write to this file with the same columns, none of which names the GPU: ";

// Recorders that write bursts together: before the header of the last one a burst had fewer rows.
void settleBursts(ColumnOrder& order, const RowSeries& series) {
    Rhythm& rhythm = order.rhythm;
    const std::size_t begin = order.rowsOfFirst;
    std::size_t first = begin > 0 ? 1 : 0; // rows of the first burst
    while (first > 0 && first < begin
        && series.stamps[first] - series.stamps[first - 1] <= rhythm.pause)
        ++first;
    const bool isShared = rhythm.gpus % order.headers == 0 && static_cast<int>(first) < rhythm.gpus;
    if (!isShared)
        return; // recorded again
    std::size_t behind = begin; // the first whole burst
    while (behind > 0 && behind < series.stamps.size()
        && series.stamps[behind] - series.stamps[behind - 1] <= rhythm.pause)
        ++behind;
    const auto burst = static_cast<std::size_t>(rhythm.gpus);
    const std::size_t each = burst / static_cast<std::size_t>(order.headers);
    const bool isSame = shareAlike(series, behind, burst, each) > 0.5;
    order.warnings.push_back(std::string(kRecorders)
        + (isSame ? "they read the same numbers, so that their rows are of the same GPUs and count "
                    "once."
                  : "their numbers differ, so that each was taken to read GPUs of its own. Record "
                    "with index among the fields."));
    if (!isSame)
        return;
    rhythm.recorders = order.headers;
    rhythm.gpus = static_cast<int>(each);
    order.twins = rhythm.pause;
}

// True where all readings of nearly all rows are those of the row `each` before it in its burst.
bool areCopies(const ColumnOrder& order, const std::vector<Cells>& rows, std::size_t each) {
    constexpr double kAlways = 0.95;
    const auto burst = static_cast<std::size_t>(order.rhythm.gpus);
    std::size_t pairs = 0;
    std::size_t same = 0;
    for (std::size_t i = 0; i + each < rows.size(); ++i) {
        if (i % burst + each >= burst)
            continue;
        bool isSame = true;
        for (std::size_t k = 0; k < order.columns.size(); ++k)
            isSame = isSame
                && (order.columns[k].role != Role::Metric || rows[i][k] == rows[i + each][k]);
        ++pairs;
        same += isSame ? 1U : 0U;
    }
    return pairs > 0 && static_cast<double>(same) >= kAlways * static_cast<double>(pairs);
}

// Bursts whose rows repeat all readings of those before, which change from burst to burst: no two
// GPUs draw the same all the time.
void settleCopies(ColumnOrder& order, const std::vector<Cells>& rows) {
    constexpr std::size_t kFewestNumbers = 5;
    Rhythm& rhythm = order.rhythm;
    std::size_t most = 0;
    for (std::size_t k = 0; k < order.columns.size(); ++k)
        most = std::max(
            most, order.columns[k].role == Role::Metric ? countDistinct(rows, k) : std::size_t{0});
    for (int each = 1; 2 * each <= rhythm.gpus && most >= kFewestNumbers; ++each) {
        if (rhythm.gpus % each != 0 || !areCopies(order, rows, static_cast<std::size_t>(each)))
            continue;
        rhythm.recorders = rhythm.gpus / each;
        rhythm.gpus = each;
        order.twins = rhythm.pause;
        order.warnings.push_back("No column names the GPU, and each reading stands there "
            + std::to_string(rhythm.recorders)
            + " times, a moment apart, with the same numbers: as many recorders write to this "
              "file. The first reading of each counts.");
        return;
    }
}

// Two recorders of one GPU each, whose rows take turns.
void settleTurns(ColumnOrder& order, const RowSeries& series) {
    constexpr std::size_t kFewest = 8;
    constexpr double kClearly = 2.0;
    const std::size_t begin = order.rowsOfFirst;
    if (order.headers != 2 || begin + kFewest > series.stamps.size())
        return;
    const auto turns = turnsOf(series, begin);
    const double steps = meanStep(series, begin, 1);
    const bool areTurns = steps > kClearly * meanStep(series, begin, 2) && steps > 0.0;
    if (areTurns && turns)
        order.rhythm = {2, turns->between(), false, 1};
    else if (!areTurns && !turns)
        return; // recorded again
    order.warnings.push_back(std::string(kRecorders)
        + (areTurns && turns ? "their rows take turns and their numbers differ, so that each was "
                               "taken to read a GPU of its own. "
                : areTurns   ? "their rows cannot be told apart and were taken for one GPU. "
                             : "their rows were taken for one GPU, which both read. ")
        + "Record with index among the fields.");
}

// Two recorders of GPUs that a column names, whose readings of a GPU come in pairs.
void settleTwins(ColumnOrder& order, const std::vector<Cells>& rows) {
    constexpr std::int64_t kFarApart = 5; // times as far from the next pair
    if (order.headers != 2 || rows.empty())
        return;
    const auto subject = [&order](const Cells& row) {
        return row[static_cast<std::size_t>(order.gpu)]
            + (order.host < 0 ? std::string() : "\n" + row[static_cast<std::size_t>(order.host)]);
    };
    std::vector<Cells> own;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (subject(rows[i]) != subject(rows.back()))
            continue;
        own.push_back(rows[i]);
        begin = i < order.rowsOfFirst ? own.size() : begin;
    }
    const auto turns = turnsOf(seriesOf(order, own), begin);
    if (!turns || kFarApart * turns->shorter.ns > turns->longer.ns)
        return;
    order.twins = turns->between();
    order.warnings.emplace_back(
        "Two recorders write to this file with the same columns: of two readings of a GPU that lie "
        "close together the first is taken.");
}

void settleRhythm(ColumnOrder& order, const std::vector<Cells>& rows) {
    const RowSeries series = seriesOf(order, rows);
    order.rhythm = findRhythm(series.stamps, series.hasFraction);
    if (order.headers > 1 && order.rowsOfFirst < series.stamps.size()) {
        if (order.rhythm.gpus > 1)
            settleBursts(order, series);
        else
            settleTurns(order, series);
    } else if (order.headers == 1 && order.rhythm.gpus > 1) {
        settleCopies(order, rows);
    }
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
    std::vector<TimeNs> sorted;
    for (const Stamp& stamp : stamps)
        sorted.push_back(stamp.time);
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
            if (order.columns[i].role == Column::Role::Stamp && most(i, isSo))
                return static_cast<int>(i);
        }
        return -1;
    };
    const auto findStamp = [&]() {
        for (std::size_t i = 0; i < order.columns.size(); ++i) {
            const Column& column = order.columns[i];
            const auto isStamp
                = [&column](std::string_view cell) { return stampOf(column, cell).has_value(); };
            if (column.role == Column::Role::Stamp && most(i, isStamp))
                return static_cast<int>(i);
        }
        return -1;
    };
    const int date = find(isDate);
    const int clock = date >= 0 ? find(isClockOfDate) : find(isClock);
    if (date >= 0 && clock >= 0) {
        order.stamp = date;
        order.timeOfDay = clock;
        order.columns[static_cast<std::size_t>(clock)].role = Column::Role::TimeOfDay;
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
    settleTwins(order, rows);
    for (const Cells& row : rows) {
        if (const auto index = gpuIndexOf(row[static_cast<std::size_t>(order.gpu)]))
            order.highestIndex = std::max(order.highestIndex, *index);
    }
    if (order.highestIndex < 0)
        order.highestIndex = order.gpusSeen - 1;
}

namespace {

using Role = Column::Role;
constexpr std::size_t kHeaderWithin = 200; // lines
constexpr std::size_t kRowsToJudge = 600;
constexpr std::size_t kLongestLine = 8192; // of a header, and of rows that are guessed from
constexpr std::size_t kMostColumns = 512;

// Columns of other tools' logs whose remaining names look like ours.
constexpr std::array<std::string_view, 9> kForeign{"emissions", "project_name", "socket_power",
    "gfx_activity", "hotspot_temperature", "timestampus", "dataset", "gfx_0_clk",
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

bool isTable(const std::vector<std::string>& lines) {
    const std::size_t last = std::min<std::size_t>(lines.size(), 40);
    for (std::size_t i = 0; i < last; ++i) {
        const std::string_view line = trimmed(lines[i]);
        if (line.starts_with("| NVIDIA-SMI ") && i > 0 && trimmed(lines[i - 1]).starts_with("+--"))
            return true;
    }
    return false;
}

// Up to a header with other columns than those of `order`, whose own ones are counted.
std::vector<Cells> collectRows(
    const std::vector<std::string>& lines, std::size_t from, char separator, ColumnOrder& order) {
    std::vector<Cells> rows;
    CellSplitter splitter;
    for (std::size_t i = from; i < lines.size() && rows.size() < kRowsToJudge; ++i) {
        if (trimmed(lines[i]).empty())
            continue;
        const auto header = headerColumns(lines[i], separator, order.columns.size());
        if (!header.empty() && !sameHeader(header, order.columns))
            return rows;
        if (!header.empty()) {
            order.rowsOfFirst = ++order.headers == 2 ? rows.size() : order.rowsOfFirst;
            continue;
        }
        const auto& cells = splitter.split(lines[i], separator, order.columns.size());
        rows.emplace_back(cells.begin(), cells.end());
    }
    return rows;
}

// Rows of another width (noise, cut lines) tell nothing about the columns.
void keepFitting(std::vector<Cells>& rows, std::size_t width, ColumnOrder& order) {
    const auto isOther = [width](const Cells& row) { return row.size() != width; };
    const auto first
        = rows.begin() + static_cast<std::ptrdiff_t>(std::min(order.rowsOfFirst, rows.size()));
    order.rowsOfFirst = static_cast<std::size_t>(
        first - rows.begin() - std::count_if(rows.begin(), first, isOther));
    std::erase_if(rows, isOther);
}

constexpr std::size_t kMostDecimals = 8;
constexpr std::size_t kRowsOfDecimals = 50; // that must agree

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

Result<ColumnOrder> finish(ColumnOrder order, std::vector<Cells> rows) {
    settleDecimals(order, rows);
    keepFitting(rows, order.columns.size(), order);
    settleStamps(order, rows);
    findParts(order);
    settleForms(order.columns, rows, order.notes);
    settleColumns(order.columns, order.notes, order.warnings);
    findParts(order);
    settleIdentity(order, rows);
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
        keepFitting(rows, commonWidth(rows), order);
        if (rows.empty() || rows.front().size() != cells.size())
            continue;
        order.confidence = guessColumns(rows, order.columns, order.notes);
        if (order.confidence == 0)
            continue;
        order.separator = separator;
        return finish(std::move(order), std::move(rows));
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
        if (role == Role::Stamp)
            take(order.stamp);
        else if (role == Role::TimeOfDay)
            take(order.timeOfDay);
        else if (role == Role::Host)
            take(order.host);
        else if (role == Role::Name)
            take(order.name);
        else if (role == Role::Uuid)
            take(order.uuid);
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
    if (isTable(lines)) {
        ColumnOrder order;
        order.shape = ColumnOrder::Shape::Table;
        order.confidence = 90;
        return order;
    }
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
        return finish(std::move(order), std::move(rows));
    }
    return withoutHeader(lines);
}

} // namespace trainscope::importers::nvsmi
