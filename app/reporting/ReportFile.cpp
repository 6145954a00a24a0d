#include "app/reporting/ReportFile.h"

#include "app/painting/FigureExport.h"
#include "app/painting/FigureWriters.h"
#include "app/painting/WriteFile.h"
#include "core/text/NumberMarks.h"

#include <QFileInfo>

namespace trainscope::app {

namespace {

constexpr double kWidth = 980.0; // width of a figure, CSS pixels

constexpr const char* kPageStyle = R"(
:root{color-scheme:light dark;--window:#f6f7f9;--panel:#fff;--text:#1d232b;--second:#596473;--line:#e1e5ea;--serious:#a8320b;--attention:#965100}
@media(prefers-color-scheme:dark){:root{--window:#12151a;--panel:#15191f;--text:#d5dae2;--second:#909aa8;--line:#262c35;--serious:#ff8a5c;--attention:#e69f00}}
body{margin:0;background:var(--window);color:var(--text);font:14px/1.5 Inter,system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1020px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:17px;margin:36px 0 8px}h3{font-size:14px;margin:20px 0 4px;color:var(--second)}
.facts,.note,.rule,figcaption{color:var(--second);font-size:12.5px}.facts b{color:var(--text);font-weight:600}
.finding{margin:10px 0;padding-left:12px;border-left:3px solid var(--line)}.finding b{font-weight:500}
.serious{border-color:var(--serious)}.attention{border-color:var(--attention)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:12.5px}
th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;font-weight:400}
thead th{color:var(--second)}th:first-child,td:first-child{text-align:left;padding-left:0}
.hidden{position:absolute;clip-path:inset(50%);height:1px;overflow:hidden}
figure{margin:20px 0 28px;padding:0}figure svg{width:100%;height:auto}
.dark{display:none}@media(prefers-color-scheme:dark){.dark{display:block}.light{display:none}}
@media print{.scroll{overflow:visible}figure{break-inside:avoid}}
)";

QByteArray figureHtml(
    const figures::Figure& figure, const QByteArray& light, const QByteArray& dark) {
    const QByteArray label = escapedHtml(figure.title.empty() ? "Figure" : figure.title);
    const QByteArray numbers = QByteArray::fromStdString(figure.csv()).toBase64();
    return "<figure role=\"img\" aria-label=\"" + label + "\">\n<div class=\"light\">" + light
        + "</div>\n<div class=\"dark\" aria-hidden=\"true\">" + dark
        + "</div>\n<figcaption><a download=\"figure.csv\" href=\"data:text/csv;base64," + numbers
        + "\">Numbers as CSV</a></figcaption>\n</figure>\n";
}

// On paper, in characters.
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kShortestName = 16; // least length of a shortened name
constexpr std::size_t kMostInShortLines = 44; // longer texts are broken where their column ends
constexpr std::size_t kLeastLine = 12;
constexpr std::size_t kTableWidth = 110;
constexpr double kLineWidth = 114.0; // a table's line; below: gap of columns, factor for bold
constexpr double kColumnGap = 2.0;
constexpr double kBold = 1.12;
constexpr std::size_t kMostNamed = 6; // runs in a sentence

class Body {
public:
    Body(const report::Report& report, const FigureHtml& figure, bool plain)
        : m_report(report)
        , m_figure(figure)
        , m_plain(plain) { }

    QByteArray make() {
        head();
        overview();
        comparisons();
        findings();
        for (const auto& table : m_report.tables)
            add(table);
        list("Not known", m_unknown);
        if (!m_report.figures.empty())
            m_out += "<h2>Figures</h2>\n";
        for (std::size_t i = 0; i < m_report.figures.size(); ++i)
            m_out += m_figure(m_report.overview.size() + i);
        list("Definitions", m_report.definitions);
        add(m_report.sources);
        return std::move(m_out);
    }

private:
    void head() {
        // A number stays with its unit.
        QByteArray title = escapedHtml(m_report.title);
        if (const auto unit = title.lastIndexOf(' '); unit > 0 && !m_report.run.empty())
            title.replace(unit, 1, "&nbsp;");
        m_out += "<h1>" + title + "</h1>\n<p class=\"facts\">";
        bool first = true;
        for (const auto& [label, value] : m_report.facts) {
            m_out += (first ? QByteArray() : QByteArray(" · ")) + escapedHtml(label) + ": <b>"
                + escapedHtml(value) + "</b>";
            first = false;
        }
        m_out += " · Trainscope " TRAINSCOPE_VERSION "</p>\n";
    }

    void overview() {
        list("Summary", m_report.summary);
        for (std::size_t i = 0; i < m_report.overview.size(); ++i)
            m_out += m_figure(i);
    }

    void comparisons() {
        std::size_t picture = m_report.overview.size() + m_report.figures.size();
        for (const auto& one : m_report.comparisons) {
            m_out += "<h2>Comparison: " + escapedHtml(one.board.title) + "</h2>\n<p><b>"
                + escapedHtml(one.headline) + ".</b></p>\n";
            items(one.statements);
            for (const auto& note : one.notes)
                m_out += "<p class=\"note\">" + escapedHtml(note) + "</p>\n";
            for (std::size_t i = 0; i < one.pictures.size(); ++i)
                m_out += m_figure(picture++);
            for (const auto& table : one.tables)
                add(table);
        }
    }

    void findings() {
        m_out += "<h2>Findings</h2>\n";
        std::string run;
        for (const auto& statement : m_report.findings) {
            if (statement.run != run && m_report.run != statement.run)
                m_out += "<h3>" + escapedHtml(statement.run) + "</h3>\n";
            run = statement.run;
            const auto& finding = statement.finding;
            const QByteArray severity(toString(finding.severity).data(),
                static_cast<qsizetype>(toString(finding.severity).size()));
            m_out += "<p class=\"finding " + severity + "\"><b>" + escapedHtml(finding.text)
                + "</b><br><span class=\"rule\">" + severity + " · threshold: "
                + escapedHtml(finding.threshold) + " · basis: " + escapedHtml(finding.denominator)
                + alsoIn(statement.also) + "</span></p>\n";
        }
        for (const auto& note : m_report.findingNotes)
            m_out += "<p class=\"note\">" + escapedHtml(note) + "</p>\n";
    }

    // The names of some, all others counted.
    static QByteArray alsoIn(const std::vector<std::string>& runs) {
        if (runs.empty())
            return {};
        const std::size_t named = std::min(runs.size(), kMostNamed);
        QByteArray out = " · also in ";
        for (std::size_t i = 0; i < named; ++i)
            out += (i == 0 ? QByteArray() : QByteArray(", ")) + escapedHtml(runs[i]);
        if (const auto rest = static_cast<std::int64_t>(runs.size() - named); rest > 0)
            out += " and " + QByteArray::fromStdString(text::counted(rest, "more run"));
        return out;
    }

    void add(const report::Table& table) {
        if (table.rows.empty())
            return;
        auto rows = table.inWords();
        const auto columns = columnsWorthShowing(table, rows);
        const std::size_t silent = dropSilentRows(rows, columns);
        const bool isNames = columns.size() == 1 && columns.front() == 0 && rows.size() > 1;
        if (columns.empty() || rows.empty() || isNames)
            return keepWhatIsNotKnown(table);
        if (rows.size() == 1)
            return addFacts(table, rows.front(), columns);
        m_lineLength = std::max(kLeastLine, kTableWidth / std::max<std::size_t>(columns.size(), 1));
        m_longestName = nameWidth(table, rows, columns);
        const QByteArray title = escapedHtml(table.title);
        m_out += "<h2>" + title + "</h2>\n";
        m_out += m_plain
            ? QByteArray("<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">\n")
            : QByteArray("<div class=\"scroll\"><table>\n<caption class=\"hidden\">") + title
                + "</caption>\n";
        m_out += "<thead><tr>";
        for (const std::size_t i : columns)
            cell("th", i == columns.front(), table.columns[i].title, " scope=\"col\"");
        m_out += "</tr></thead>\n<tbody>\n";
        for (const auto& row : rows) {
            m_out += "<tr>";
            for (const std::size_t i : columns) {
                const bool isName = i == columns.front();
                cell(isName && !m_plain ? "th" : "td", isName, row[i], " scope=\"row\"");
            }
            m_out += "</tr>\n";
        }
        m_out += "</tbody></table>\n";
        m_out += m_plain ? "" : "</div>\n";
        addNotes(table);
        if (silent > 0)
            m_out += "<p class=\"note\">"
                + escapedHtml(
                    text::counted(static_cast<std::int64_t>(silent), "other has", "others have")
                    + " nothing of this.")
                + "</p>\n";
    }

    void addNotes(const report::Table& table) {
        for (const auto& note : table.notes)
            m_out += "<p class=\"note\">" + escapedHtml(note) + "</p>\n";
    }

    // A table of one row is read as a line.
    void addFacts(const report::Table& table, const std::vector<std::string>& row,
        const std::vector<std::size_t>& columns) {
        m_out += "<h2>" + escapedHtml(table.title) + "</h2>\n<p class=\"facts\">";
        bool isFirst = true;
        for (const std::size_t i : columns) {
            if (row[i] == text::kMissing)
                continue;
            m_out += (isFirst ? QByteArray() : QByteArray(" · "))
                + escapedHtml(table.columns[i].title) + ": <b>" + escapedHtml(row[i]) + "</b>";
            isFirst = false;
        }
        m_out += "</p>\n";
        addNotes(table);
    }

    // Keeps of a table without a number only why there is none.
    void keepWhatIsNotKnown(const report::Table& table) {
        constexpr std::string_view begin = "Not known: ";
        for (const auto& note : table.notes) {
            if (note.starts_with(begin))
                m_unknown.push_back(table.title + ": " + note.substr(begin.size()));
        }
    }

    // Those that nothing but the name is known of, of several; returns how many.
    static std::size_t dropSilentRows(
        std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& columns) {
        const auto isSilent = [&columns](const auto& row) {
            return std::all_of(columns.begin() + 1, columns.end(),
                [&row](std::size_t i) { return row[i] == text::kMissing; });
        };
        return columns.size() < 2 ? 0 : std::erase_if(rows, isSilent);
    }

    // Width that the other columns leave of the page's.
    [[nodiscard]] std::size_t nameWidth(const report::Table& table,
        const std::vector<std::vector<std::string>>& rows,
        const std::vector<std::size_t>& columns) const {
        double others = 0.0;
        for (auto i = columns.begin() + (columns.empty() ? 0 : 1); i != columns.end(); ++i) {
            double width = kBold * longestLine(table.columns[*i].title);
            for (const auto& row : rows)
                width = std::max(width, longestLine(row[*i]));
            others += kColumnGap + width;
        }
        const double rest = std::max(0.0, kLineWidth - others);
        return std::clamp(static_cast<std::size_t>(rest), kShortestName, kLongestName);
    }

    // Not those that nothing is known of, nor the run of a report on one run, which is its title.
    [[nodiscard]] std::vector<std::size_t> columnsWorthShowing(
        const report::Table& table, const std::vector<std::vector<std::string>>& rows) const {
        std::vector<std::size_t> shown;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const bool saysNothing = std::ranges::all_of(rows, [&](const auto& row) {
                return row[i] == text::kMissing || (i == 0 && row[i] == m_report.run);
            });
            if (!saysNothing)
                shown.push_back(i);
        }
        return shown;
    }

    void cell(const char* element, bool isName, const std::string& text, const char* scope) {
        const bool isHeader = element[1] == 'h';
        m_out += QByteArray("<") + element;
        if (m_plain)
            m_out += isName ? " align=\"left\"" : " align=\"right\"";
        else if (isHeader)
            m_out += scope;
        if (m_plain && (isName || text::displayWidth(text) <= kMostInShortLines))
            m_out += " style=\"white-space:nowrap\">"
                + (isName ? escapedHtml(text::elidedInMiddle(text, m_longestName))
                          : inShortLines(text));
        else
            m_out += ">" + escapedHtml(text);
        m_out += QByteArray("</") + element + ">";
    }

    // Longest line of a cell as inShortLines() breaks it.
    [[nodiscard]] double longestLine(const std::string& text) const {
        std::size_t longest = 0;
        for (const QByteArray& line : inShortLines(text).replace("<br>", "\n").split('\n'))
            longest = std::max(longest, text::displayWidth(line.toStdString()));
        return static_cast<double>(longest);
    }

    // Broken between words only, which a narrow column of paper would not be.
    [[nodiscard]] QByteArray inShortLines(const std::string& text) const {
        QByteArray lines;
        std::size_t length = 0;
        for (const QString& word : QString::fromStdString(text).split(QLatin1Char(' '))) {
            const auto size = static_cast<std::size_t>(word.size());
            const bool fits = length == 0 || length + 1 + size <= m_lineLength;
            if (!lines.isEmpty())
                lines += fits ? " " : "<br>";
            length = fits && length > 0 ? length + 1 + size : size;
            lines += word.toHtmlEscaped().toUtf8();
        }
        return lines;
    }

    void list(const char* title, const std::vector<std::string>& texts) {
        if (texts.empty())
            return;
        m_out += QByteArray("<h2>") + title + "</h2>\n";
        items(texts);
    }

    void items(const std::vector<std::string>& texts) {
        m_out += "<ul>\n";
        for (const auto& text : texts)
            m_out += "<li>" + escapedHtml(text) + "</li>\n";
        m_out += "</ul>\n";
    }

    const report::Report& m_report;
    const FigureHtml& m_figure;
    bool m_plain;
    std::size_t m_lineLength = kLeastLine; // characters per line of a cell
    std::size_t m_longestName = kLongestName;
    std::vector<std::string> m_unknown; // tables, with why they say nothing
    QByteArray m_out;
};

} // namespace

Result<QByteArray> reportHtml(const report::Report& report) {
    std::vector<QByteArray> figures;
    std::vector<plot::PlotScene> drawn; // once for each setting; one pair of embedded fonts for all
    for (const auto* figure : figuresOf(report)) {
        auto onLight = drawFigure(*figure, plot::lightTheme(), kWidth);
        const auto light = inlineSvg(onLight, plot::lightTheme());
        const auto dark
            = inlineSvg(drawFigure(*figure, plot::darkTheme(), kWidth), plot::darkTheme());
        if (!light.hasValue())
            return light.error();
        if (!dark.hasValue())
            return dark.error();
        figures.push_back(figureHtml(*figure, light.value(), dark.value()));
        drawn.push_back(std::move(onLight));
    }
    QByteArray out
        = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
    out += escapedHtml(report.title) + " · Trainscope</title>\n<style>";
    out += inlineFonts(drawn, plot::lightTheme()) + kPageStyle
        + "</style>\n</head>\n<body>\n<main>\n";
    out += reportBody(
        report, [&figures](std::size_t i) { return figures[i]; }, false);
    return out + "</main>\n</body>\n</html>\n";
}

QByteArray escapedHtml(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped().toUtf8();
}

std::vector<const figures::Figure*> figuresOf(const report::Report& report) {
    std::vector<const figures::Figure*> all;
    for (const auto& figure : report.overview)
        all.push_back(&figure);
    for (const auto& figure : report.figures)
        all.push_back(&figure);
    for (const auto& comparison : report.comparisons) {
        for (const auto& picture : comparison.pictures)
            all.push_back(&picture);
    }
    return all;
}

QByteArray reportBody(const report::Report& report, const FigureHtml& figure, bool plain) {
    return Body(report, figure, plain).make();
}

std::array<Paper, 2> papersByUse(const QLocale& locale) {
    if (locale.measurementSystem() == QLocale::ImperialUSSystem)
        return {Paper::Letter, Paper::A4};
    return {Paper::A4, Paper::Letter};
}

Status checkReportName(const QString& path) {
    static const QStringList known{
        QStringLiteral("pdf"), QStringLiteral("html"), QStringLiteral("htm")};
    return known.contains(QFileInfo(path).suffix(), Qt::CaseInsensitive)
        ? Status()
        : Status(
            Error{ErrorCode::Usage, "A report's name ends in .pdf or .html.", path.toStdString()});
}

Status writeReport(const report::Report& report, const QString& path, Paper paper) {
    RETURN_IF_ERROR(checkReportName(path));
    const bool isPdf = path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive);
    const text::WordingFor file(text::Medium::File);
    ASSIGN_OR_RETURN(const auto bytes, isPdf ? reportPdf(report, paper) : reportHtml(report));
    return writeFile(path, bytes);
}

} // namespace trainscope::app
