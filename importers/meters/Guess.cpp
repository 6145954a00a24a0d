#include "importers/meters/Column.h"

#include "core/model/AsciiText.h"
#include "importers/common/Cells.h"
#include "importers/common/Stamp.h"
#include "importers/meters/Rhythm.h"

#include <cmath>
#include <map>
#include <set>

namespace trainscope::importers::meters::smi {

namespace {

using Role = ColumnRole;

// Profile of the cells of one column.
struct Profile {
    std::size_t values = 0; // cells that are not missing
    std::size_t stamps = 0;
    std::size_t numbers = 0;
    std::size_t decimals = 0; // with a fraction
    int places = -1; // behind the point of all numbers; -1: they differ
    int placesBefore = -1; // without the last number, which may be cut off
    std::size_t withUnit = 0;
    std::map<CellForm, std::size_t> forms;
    std::string unit; // the first cell's with one
    std::string first;
    double firstNumber = 0.0;
    double min = 0.0;
    double max = 0.0;
    std::set<std::string> distinct; // at most 65

    [[nodiscard]] bool isNumeric() const { return values > 0 && numbers * 10 >= values * 9; }
    [[nodiscard]] bool isWhole() const { return decimals == 0; }
};

void addNumber(Profile& profile, const CellValue& value, std::string_view cell) {
    const int places = decimalPlaces(cell);
    profile.placesBefore = profile.places;
    profile.places = profile.numbers == 0 || profile.places == places ? places : -1;
    if (profile.numbers == 0)
        profile.firstNumber = profile.min = profile.max = value.number;
    ++profile.numbers;
    profile.min = std::min(profile.min, value.number);
    profile.max = std::max(profile.max, value.number);
    profile.withUnit += value.unit.empty() ? 0U : 1U;
    profile.decimals += cell.find_first_of(".,") != std::string_view::npos ? 1U : 0U;
    if (profile.unit.empty() && findUnit(value.unit))
        profile.unit = value.unit;
}

Profile profileOf(const std::vector<Cells>& rows, std::size_t column) {
    Profile profile;
    for (const Cells& row : rows) {
        const std::string_view cell = row[column];
        if (isMissingCell(cell))
            continue;
        if (++profile.values == 1)
            profile.first = cell;
        if (profile.distinct.size() <= 64)
            profile.distinct.emplace(cell);
        const auto stamp = parseStamp(cell);
        profile.stamps += stamp && stamp->kind != StampKind::Relative ? 1U : 0U;
        const auto form = formOf(cell);
        if (form)
            ++profile.forms[*form];
        if (form == CellForm::Number) {
            const auto value = *parseCell(cell, CellForm::Number);
            if (value.unit.empty() || findUnit(value.unit))
                addNumber(profile, value, cell);
        }
    }
    return profile;
}

std::optional<CellForm> commonForm(const Profile& profile) {
    for (const auto& [form, count] : profile.forms) {
        if (count * 10 >= profile.values * 8)
            return form;
    }
    return std::nullopt;
}

Column plain(Role role) {
    Column column;
    column.role = role;
    return column;
}

std::optional<Column> byShape(const Profile& p) {
    if (p.stamps * 10 >= p.values * 8 && p.stamps > 0)
        return plain(Role::Stamp);
    if (p.first.starts_with("GPU-") || p.first.starts_with("MIG-"))
        return plain(Role::Uuid);
    if (words(p.first, ":").size() >= 2 && p.first.find('.') != std::string::npos && !p.isNumeric())
        return plain(Role::BusId);
    const auto form = commonForm(p);
    if (form == CellForm::Hex)
        return columnNamed("clocks_throttle_reasons.active");
    if (form == CellForm::PerformanceState)
        return columnNamed("pstate");
    if (p.isNumeric())
        return std::nullopt;
    const bool isName = containsIgnoringCase(p.first, "nvidia")
        || containsIgnoringCase(p.first, "tesla") || containsIgnoringCase(p.first, "rtx")
        || containsIgnoringCase(p.first, "gtx");
    return plain(isName ? Role::Name : Role::Ignored);
}

class Guesser {
public:
    explicit Guesser(const std::vector<Cells>& rows)
        : m_rows(rows) {
        for (std::size_t i = 0; i < rows.front().size(); ++i)
            m_profiles.push_back(profileOf(rows, i));
        m_columns.resize(m_profiles.size());
        m_done.resize(m_profiles.size(), false);
    }

    std::vector<Column> run() {
        for (std::size_t i = 0; i < m_profiles.size(); ++i) {
            if (auto column = byShape(m_profiles[i]))
                set(i, std::move(*column));
        }
        takeSaid();
        power();
        inOrder("%", {metric::kGpuUtilization, metric::kMemUtilization, metric::kFanSpeed});
        clocks();
        memory();
        bareNumbers();
        return std::move(m_columns);
    }

private:
    void set(std::size_t i, Column column) {
        m_columns[i] = std::move(column);
        m_columns[i].header = "column " + std::to_string(i + 1);
        m_done[i] = true;
    }
    void setMetric(std::size_t i, std::string_view metric, std::string_view unit) {
        set(i, columnOf(metric, unit));
        m_columns[i].unitKnown = true;
    }
    std::vector<std::size_t> withUnit(std::string_view unit) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < m_profiles.size(); ++i) {
            if (!m_done[i] && equalsIgnoringCase(m_profiles[i].unit, unit))
                found.push_back(i);
        }
        return found;
    }
    void inOrder(std::string_view unit, const std::vector<std::string_view>& metrics) {
        setAll(withUnit(unit), metrics, unit);
    }
    void setAll(const std::vector<std::size_t>& columns,
        const std::vector<std::string_view>& metrics, std::string_view unit) {
        for (std::size_t k = 0; k < std::min(columns.size(), metrics.size()); ++k)
            setMetric(columns[k], metrics[k], unit);
    }
    bool isConstant(std::size_t i) const { return m_profiles[i].min == m_profiles[i].max; }
    // A limit stays as it is while the power moves; where nothing moves the power is the least.
    void power() {
        auto columns = withUnit("W");
        if (columns.empty())
            return;
        const auto constants = std::stable_partition(
            columns.begin(), columns.end(), [this](std::size_t i) { return !isConstant(i); });
        const auto draw = constants != columns.begin()
            ? columns.begin()
            : std::ranges::min_element(columns, [this](std::size_t a, std::size_t b) {
                  return m_profiles[a].max < m_profiles[b].max;
              });
        setMetric(*draw, metric::kGpuPower, "W");
        const auto limit
            = std::find_if(constants, columns.end(), [&](std::size_t i) { return i != *draw; });
        if (limit != columns.end())
            setMetric(*limit, metric::kPowerLimit, "W");
        else if (columns.size() > 1)
            setMetric(columns[1], metric::kPowerLimit, "W");
    }
    // The memory's clock stays as it is while the others move.
    void clocks() {
        auto columns = withUnit("MHz");
        const auto constants
            = std::ranges::count_if(columns, [this](std::size_t i) { return isConstant(i); });
        if (constants == 1)
            std::stable_partition(
                columns.begin(), columns.end(), [this](std::size_t i) { return !isConstant(i); });
        if (columns.size() == 3)
            return setAll(columns, {"graphics_clock", metric::kSmClock, metric::kMemClock}, "MHz");
        setAll(columns, {metric::kSmClock, metric::kMemClock}, "MHz");
    }
    // Used and free add up to the same in every row; a column that never changes and exceeds the
    // rest is the total.
    void memory() {
        auto columns = withUnit("MiB");
        std::ranges::stable_sort(columns,
            [this](std::size_t a, std::size_t b) { return m_profiles[a].max > m_profiles[b].max; });
        if (columns.size() == 3)
            setMetric(columns[0], metric::kMemTotal, "MiB");
        if (columns.size() == 3)
            columns.erase(columns.begin());
        if (columns.size() == 1)
            return setMetric(columns[0], metric::kMemUsed, "MiB");
        if (columns.size() != 2)
            return;
        const bool complementary = sumIsConstant(columns[0], columns[1]);
        const bool firstIsLess
            = m_profiles[columns[0]].firstNumber < m_profiles[columns[1]].firstNumber;
        setMetric(columns[firstIsLess ? 0 : 1], metric::kMemUsed, "MiB");
        setMetric(
            columns[firstIsLess ? 1 : 0], complementary ? "mem_free" : metric::kMemTotal, "MiB");
    }
    bool sumIsConstant(std::size_t a, std::size_t b) const {
        if (m_profiles[a].distinct.size() < 2)
            return false;
        const double sum = m_profiles[a].firstNumber + m_profiles[b].firstNumber;
        std::size_t fits = 0;
        for (const Cells& row : m_rows) {
            const auto x = parseCell(row[a], CellForm::Number);
            const auto y = parseCell(row[b], CellForm::Number);
            fits += x && y && std::abs(x->number + y->number - sum) <= 0.01 * sum ? 1U : 0U;
        }
        return fits * 10 >= m_rows.size() * 9;
    }
    // The rows of one reading, from the stamps.
    [[nodiscard]] Rhythm rhythm() const {
        const auto stamp = std::ranges::find(m_columns, Role::Stamp, &Column::role);
        std::vector<TimeNs> stamps;
        bool hasFraction = false;
        for (std::size_t i = 0; stamp != m_columns.end() && i < m_rows.size(); ++i) {
            const auto cell = static_cast<std::size_t>(stamp - m_columns.begin());
            if (const auto time = parseStamp(m_rows[i][cell])) {
                stamps.push_back(time->time);
                hasFraction = hasFraction || time->hasFraction;
            }
        }
        return findRhythm(stamps, hasFraction);
    }
    // An index tells the rows of one reading apart.
    [[nodiscard]] bool looksLikeIndex(std::size_t i) const {
        const Profile& p = m_profiles[i];
        const bool cycles = m_rows.size() > 1 && m_rows[0][i] != m_rows[1][i];
        const bool consecutive = p.max - p.min + 1.0 == static_cast<double>(p.distinct.size());
        const Rhythm rows = rhythm();
        return p.min <= 1.0 && p.max < 64.0 && p.distinct.size() >= 2 && cycles && consecutive
            && (rows.gpus > 1 || rows.isUneven);
    }
    void takeSaid() {
        for (std::size_t i = 0; i < m_profiles.size(); ++i) {
            Column column = columnNamed("column " + std::to_string(i + 1));
            if (column.isSaid)
                set(i, std::move(column));
        }
    }
    // nvidia-smi writes its index and temperature alone without a unit where the others have one,
    // and of numbers that all have none power has decimals. Others stay for --column.
    void bareNumbers() {
        std::size_t whole = 0;
        std::size_t temperature = 0;
        const bool hasUnits = std::ranges::any_of(
            m_profiles, [](const Profile& profile) { return !profile.unit.empty(); });
        bool hasIndex = false;
        bool hasPower = std::ranges::any_of(m_columns,
            [](const Column& column) { return column.metric.name == metric::kGpuPower; });
        for (std::size_t i = 0; i < m_profiles.size(); ++i) {
            const Profile& p = m_profiles[i];
            if (m_done[i] || !p.isNumeric() || !p.unit.empty())
                continue;
            if (p.isWhole() && !hasIndex && looksLikeIndex(i)) {
                hasIndex = true;
                set(i, plain(Role::Gpu));
            } else if (!p.isWhole() && !std::exchange(hasPower, true)) {
                setMetric(i, metric::kGpuPower, "W");
            } else {
                whole += p.isWhole() ? 1U : 0U;
                temperature = p.isWhole() ? i : temperature;
                set(i, columnNamed("column_" + std::to_string(i + 1)));
            }
        }
        constexpr double kCoolest = 15.0;
        constexpr double kHottest = 110.0;
        if (hasUnits && whole == 1 && m_profiles[temperature].min >= kCoolest
            && m_profiles[temperature].max <= kHottest)
            setMetric(temperature, metric::kGpuTemperature, "C");
    }

    const std::vector<Cells>& m_rows;
    std::vector<Profile> m_profiles;
    std::vector<Column> m_columns;
    std::vector<bool> m_done;
};

// Two spellings that only nvidia-smi has: dates with slashes and cells with units.
int confidenceOf(const std::vector<Cells>& rows, const std::vector<Column>& columns) {
    const auto stamp = std::ranges::find(columns, Role::Stamp, &Column::role);
    if (stamp == columns.end())
        return 0;
    constexpr int kSaid = 85;
    if (std::ranges::any_of(columns, [](const Column& column) { return column.isSaid; }))
        return kSaid;
    const std::string& first = rows.front()[static_cast<std::size_t>(stamp - columns.begin())];
    const bool slashes = first.size() >= 19 && first[4] == '/' && first[7] == '/';
    int units = 0;
    for (const std::string& cell : rows.front()) {
        const auto value = parseCell(cell, CellForm::Number);
        units += value && !value->unit.empty() && findUnit(value->unit) ? 1 : 0;
    }
    if (units > 0)
        return slashes ? 85 : (units > 1 ? 60 : 0);
    return slashes && columns.size() >= 3 ? 40 : 0;
}

// True for a number whose unit is the column's own.
bool isUnitOf(const Column& column, std::string_view text) {
    const auto unit = findUnit(text);
    return unit && unit->si == column.metric.unit && unit->scale == column.scale
        && !column.inFahrenheit;
}

// Memory without a unit: numbers that no board has in MiB are bytes, shares above 100 are MiB.
void settleMagnitude(Column& column, const Profile& profile, std::vector<std::string>& notes) {
    constexpr double kNoMebibytes = 16'777'216.0; // 16 TiB
    if (column.role != Role::Metric || column.unitKnown || !column.certain || profile.numbers == 0)
        return;
    const bool isShare = column.metric.name == metric::kMemUtilization && profile.max > 100.0;
    const bool areBytes = column.metric.unit == "B" && profile.max >= kNoMebibytes;
    if (!isShare && !areBytes)
        return;
    if (isShare) {
        const std::string header = column.header;
        column = columnOf(metric::kMemUsed, areBytes ? "B" : "MiB");
        column.header = header;
    }
    if (areBytes || profile.max >= kNoMebibytes)
        column.scale = 1.0;
    notes.push_back("Column \"" + column.header + "\" names no unit and was taken for "
        + (column.scale == 1.0 ? "bytes" : "MiB") + " by its numbers.");
}

} // namespace

int decimalPlaces(std::string_view cell) {
    const std::size_t point = cell.find('.');
    if (point == std::string_view::npos)
        return 0;
    const std::string_view rest = cell.substr(point + 1);
    return static_cast<int>(std::min(rest.find_first_not_of("0123456789"), rest.size()));
}

std::size_t commonWidth(const std::vector<Cells>& rows) {
    std::map<std::size_t, std::size_t> widths;
    for (const Cells& row : rows)
        ++widths[row.size()];
    const auto common = std::ranges::max_element(
        widths, [](const auto& a, const auto& b) { return a.second < b.second; });
    return common == widths.end() ? 0 : common->first;
}

int guessColumns(const std::vector<Cells>& rows, std::vector<Column>& columns) {
    if (rows.empty() || rows.front().size() < 2 || rows.front().size() > 64)
        return 0;
    columns = Guesser(rows).run();
    return confidenceOf(rows, columns);
}

void settleForms(
    std::vector<Column>& columns, const std::vector<Cells>& rows, std::vector<std::string>& notes) {
    std::string ignored;
    for (std::size_t i = 0; i < columns.size() && !rows.empty(); ++i) {
        Column& column = columns[i];
        if (column.role == Role::Gpu && !column.isSaid
            && rows.front()[i].find_first_of("%.") != std::string::npos)
            column = columnNamed(column.header + " [%]");
        if (column.role != Role::Metric)
            continue;
        const Profile profile = profileOf(rows, i);
        column.isEmpty = profile.values == 0;
        if (column.form == CellForm::Hex && profile.isNumeric() && profile.isWhole())
            column.form = CellForm::Number; // a mask in decimal
        if (profile.values > 0 && !(column.certain && column.form != CellForm::Number)) {
            if (const auto form = commonForm(profile))
                column.form = *form;
            else if (!column.certain)
                ignored += (ignored.empty() ? "" : ", ") + column.header,
                    column.role = Role::Ignored;
        }
        if (!column.unitKnown && column.role == Role::Metric && !profile.unit.empty())
            adoptUnit(column, profile.unit);
        if (profile.numbers >= 2 && profile.withUnit + 1 >= profile.numbers
            && isUnitOf(column, profile.unit))
            column.cellUnit = profile.unit;
        column.decimals
            = profile.numbers >= 3 && profile.placesBefore > 0 ? profile.placesBefore : -1;
        settleMagnitude(column, profile, notes);
        column.mayBeFraction = isUnitOf(column, "%") && !column.unitKnown && profile.unit.empty()
            && profile.decimals > 0 && profile.max <= 1.0;
    }
    if (!ignored.empty())
        notes.push_back("Columns without numbers are left out: " + ignored + ".");
}

} // namespace trainscope::importers::meters::smi
