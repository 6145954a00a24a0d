// Tables: the kernels with their time in a step, and what is configured differently.
#include "core/plot/TextFit.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/NumberMarks.h"
#include "core/text/Times.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr std::size_t kMostKernels = 12;
constexpr double kLeastNames = 0.3; // share of the width
constexpr double kLeastColumn = 5.0; // in sizes of the text
constexpr int kMostValueLines = 6; // lines per value

// Equal values of several of many runs in one line.
void tellOfRuns(const ComparisonData& data, const std::vector<std::string>& values, Hit& hit) {
    if (!data.isMany()) {
        for (std::size_t i = 0; i < values.size(); ++i)
            addFact(hit, markedName(data.runs[i]), values[i]);
        return;
    }
    std::vector<RunsNote> same;
    for (std::size_t i = 0; i < values.size(); ++i)
        addNote(same, i, values[i]);
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(same.size(), most); ++i)
        addFact(hit, analysis::runMarks(same[i].runs), same[i].text);
    if (same.size() > most)
        addFact(hit, "More",
            text::counted(static_cast<std::int64_t>(same.size() - most), "other value"));
}

// By run: `behind` what there is, `missing` where there is nothing.
std::vector<std::string> timesOf(const std::vector<std::optional<double>>& seconds,
    std::string_view behind = {}, std::string_view missing = text::kMissing) {
    std::vector<std::string> times;
    for (const auto& one : seconds)
        times.push_back(
            one ? fmt::format("{}{}", text::seconds(*one), behind) : std::string(missing));
    return times;
}

void tellKernel(const ComparisonData& data, std::size_t row, Hit& hit) {
    const auto& kernel = data.kernels[row];
    hit.title = kernel.name;
    addFact(hit, "Category", kernel.category);
    tellOfRuns(data, timesOf(kernel.seconds, " per step", "does not run"), hit);
}

// A first column of names and one for each run. Columns that do not fit beside each other follow
// in a further block; values that do not fit into their column are wrapped.
class RunTable {
public:
    struct Row {
        std::string name;
        std::vector<std::string> values; // by run, then of the extra column
        std::string category; // a kernel's; empty: none
        bool muted = false; // the name
    };

    using Tell = std::function<void(std::size_t row, Hit& hit)>;

    RunTable(const ComparisonFrame& frame, Tell tell, double width, std::string extra,
        std::vector<Row> rows)
        : m_frame(frame)
        , m_tell(std::move(tell))
        , m_width(width)
        , m_extra(std::move(extra))
        , m_rows(std::move(rows)) {
        m_count = frame.data.runs.size() + (m_extra.empty() ? 0 : 1);
        double names = 0.0;
        double values = kLeastColumn * small();
        for (const auto& row : m_rows) {
            names = std::max(names, frame.width(row.name));
            for (const auto& value : row.values)
                values = std::max(values, frame.width(value));
        }
        names += 3.0 * m_frame.gap() + swatch();
        values += 3.0 * m_frame.gap();
        const double least = kLeastNames * width;
        m_names = std::min(names, std::max(least, width - values * static_cast<double>(m_count)));
        const double room = width - m_names;
        // A long value takes no more than the room of two runs.
        const double most = std::max(room / 2.0, kLeastColumn * small());
        const double column = std::min(values, most);
        m_perBlock
            = std::clamp<std::size_t>(static_cast<std::size_t>(room / column + 1e-6), 1, m_count);
        const std::size_t blocks = (m_count + m_perBlock - 1) / m_perBlock;
        m_perBlock = (m_count + blocks - 1) / blocks;
        m_column = std::min(room / static_cast<double>(m_perBlock), values);
        m_names = std::max(m_names, width - m_column * static_cast<double>(m_perBlock));
        std::vector<std::string> all;
        for (const auto& row : m_rows)
            all.push_back(row.name);
        m_shown = frame.fittedNames(all, m_names - swatch() - m_frame.gap());
    }

    [[nodiscard]] double height() const {
        double height = 0.0;
        for (std::size_t first = 0; first < m_count; first += m_perBlock)
            height += blockHeight(first) + (first > 0 ? gap() : 0.0);
        return height;
    }

    void draw(Rect area) const {
        double y = area.y;
        for (std::size_t first = 0; first < m_count; first += m_perBlock) {
            drawBlock(first, {area.x, y});
            y += blockHeight(first) + gap();
        }
    }

private:
    [[nodiscard]] double small() const { return m_frame.size(); }
    [[nodiscard]] double line() const { return 1.55 * small(); }
    [[nodiscard]] double gap() const { return 3.0 * m_frame.gap(); }
    [[nodiscard]] double swatch() const {
        return std::ranges::any_of(m_rows, [](const Row& row) { return !row.category.empty(); })
            ? 1.2 * small()
            : 0.0;
    }
    [[nodiscard]] std::size_t endOf(std::size_t first) const {
        return std::min(first + m_perBlock, m_count);
    }
    [[nodiscard]] std::vector<std::string> linesOf(const std::string& value) const {
        return brokenAnywhere(
            value, m_column - 2.0 * m_frame.gap(), kMostValueLines, m_frame.measure);
    }
    [[nodiscard]] double rowHeight(const Row& row, std::size_t first) const {
        std::size_t lines = 1;
        for (std::size_t i = first; i < std::min(endOf(first), row.values.size()); ++i)
            lines = std::max(lines, linesOf(row.values[i]).size());
        return line() + static_cast<double>(lines - 1) * 1.2 * small();
    }
    [[nodiscard]] double blockHeight(std::size_t first) const {
        double height = line();
        for (const auto& row : m_rows)
            height += rowHeight(row, first);
        return height;
    }

    void drawBlock(std::size_t first, Point at) const {
        const std::size_t runs = m_frame.data.runs.size();
        for (std::size_t i = first; i < endOf(first); ++i)
            m_frame.text({rightOf(i - first, at.x), baseline(at.y)},
                i < runs ? m_frame.mark(i) : m_extra,
                i < runs ? m_frame.inkOf(i) : m_frame.theme.textSecondary, TextRole::Small,
                Align::Right, i < runs);
        double y = at.y + line();
        m_frame.line({at.x, y}, {rightOf(endOf(first) - first - 1, at.x), y}, m_frame.theme.line);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            drawRow(i, first, {at.x, y});
            const double high = rowHeight(m_rows[i], first);
            m_frame.ofRun(
                {at.x, y, m_width, high}, 0, [tell = m_tell, i](Hit& hit) { tell(i, hit); });
            y += high;
        }
    }
    [[nodiscard]] double rightOf(std::size_t column, double left) const {
        return left + m_names + m_column * static_cast<double>(column + 1);
    }
    [[nodiscard]] double baseline(double top) const { return m_frame.centred(top + line() / 2.0); }

    void drawRow(std::size_t index, std::size_t first, Point at) const {
        const Row& row = m_rows[index];
        const double base = baseline(at.y);
        if (!row.category.empty())
            m_frame.fill({at.x, base - 0.7 * small(), 0.7 * small(), 0.7 * small()},
                categoryFill(m_frame, row.category));
        m_frame.text({at.x + swatch(), base}, m_shown[index],
            row.muted ? m_frame.theme.textSecondary : m_frame.theme.text);
        for (std::size_t i = first; i < std::min(endOf(first), row.values.size()); ++i) {
            double y = base;
            for (const auto& text : linesOf(row.values[i])) {
                m_frame.text({rightOf(i - first, at.x), y}, text,
                    i < m_frame.data.runs.size() ? m_frame.theme.text : m_frame.theme.textSecondary,
                    TextRole::Small, Align::Right);
                y += 1.2 * small();
            }
        }
    }

    const ComparisonFrame& m_frame;
    Tell m_tell;
    double m_width;
    std::string m_extra; // title of a last column; empty: none
    std::vector<Row> m_rows;
    std::vector<std::string> m_shown; // their names, as far as they fit
    std::size_t m_count = 0; // columns
    std::size_t m_perBlock = 1;
    double m_names = 0.0;
    double m_column = 0.0;
};

RunTable kernelTable(const ComparisonFrame& frame, double width) {
    const bool isPair = frame.data.runs.size() == 2;
    std::vector<RunTable::Row> rows;
    for (const auto& kernel : frame.data.kernels) {
        if (rows.size() == kMostKernels)
            break;
        RunTable::Row row{std::string(shortKernelName(kernel.name)), timesOf(kernel.seconds),
            kernel.category, false};
        const bool ratio
            = isPair && kernel.seconds[0] && kernel.seconds[1] && *kernel.seconds[0] > 0.0;
        if (ratio)
            row.values.push_back(
                fmt::format("{:.2f} ×", text::worded(*kernel.seconds[1] / *kernel.seconds[0])));
        rows.push_back(std::move(row));
    }
    return {frame, [&data = frame.data](std::size_t row, Hit& hit) { tellKernel(data, row, hit); },
        width, isPair ? fmt::format("{} / {}", frame.mark(1), frame.mark(0)) : std::string(),
        std::move(rows)};
}

// "+38.2 ms" of the second run to the first; of more the longest less the shortest.
std::string operatorChange(const analysis::StepOperator& one) {
    if (one.seconds.size() != 2)
        return text::seconds(one.difference());
    const double change = one.seconds[1].value_or(0.0) - one.seconds[0].value_or(0.0);
    return (change < 0.0 ? "−" : "+") + text::seconds(std::abs(change));
}

RunTable operatorTable(const ComparisonFrame& frame, double width) {
    std::vector<RunTable::Row> rows;
    for (const auto& one : frame.data.operators) {
        if (rows.size() == kMostKernels)
            break;
        RunTable::Row row{one.name, timesOf(one.seconds), {}, false};
        row.values.push_back(operatorChange(one));
        rows.push_back(std::move(row));
    }
    const bool isPair = frame.data.runs.size() == 2;
    return {frame,
        [&data = frame.data](std::size_t row, Hit& hit) {
            const auto& one = data.operators[row];
            hit.title = one.name;
            tellOfRuns(data, timesOf(one.seconds, " per step", "is not called"), hit);
            addFact(hit, "Difference", operatorChange(one));
        },
        width, isPair ? fmt::format("{} − {}", frame.mark(1), frame.mark(0)) : "at most",
        std::move(rows)};
}

std::vector<std::string> statedValues(const analysis::ConfigDifference& setting) {
    std::vector<std::string> values;
    for (const auto& value : setting.values)
        values.push_back(value.value_or(text::kMissing));
    return values;
}

RunTable configurationTable(const ComparisonFrame& frame, double width) {
    std::vector<RunTable::Row> rows;
    for (const auto& fact : frame.data.configuration)
        rows.push_back({fact.title, statedValues(fact), {}, true});
    return {frame,
        [&data = frame.data](std::size_t row, Hit& hit) {
            hit.title = data.configuration[row].title;
            tellOfRuns(data, statedValues(data.configuration[row]), hit);
        },
        width, {}, std::move(rows)};
}

} // namespace

PanelContent operatorsContent(const ComparisonFrame& frame, double width) {
    return RunTable(operatorTable(frame, width));
}

PanelContent kernelsContent(const ComparisonFrame& frame, double width) {
    return RunTable(kernelTable(frame, width));
}

PanelContent configurationContent(const ComparisonFrame& frame, double width) {
    return RunTable(configurationTable(frame, width));
}

} // namespace trainscope::plot
