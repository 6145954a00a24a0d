#include "core/model/AsciiText.h"
#include "core/plot/Palette.h"
#include "core/plot/overview/OverviewFigure.h"
#include "core/plot/replay/StepBars.h"
#include "core/text/Names.h"
#include "core/text/NumberMarks.h"

namespace trainscope::plot {

namespace {

using analysis::OverviewPart;
using analysis::OverviewSentence;
using analysis::Topic;

constexpr double kWidestPage = 84.0; // in sizes of the body text
constexpr double kLeastBeside = 48.0; // narrower pages have the pictures below the sentences
constexpr double kPictureShare = 0.40;
constexpr double kPictureHeight = 5.0; // in sizes of the body text
constexpr std::uint8_t kExtremesAlpha = 110; // extremes are drawn behind their mean
constexpr std::size_t kMostBars = 8;
constexpr int kMostLinesOfASentence = 8;
constexpr std::size_t kMostFindings = 3;

std::string partValue(const OverviewSentence& sentence, double value) {
    return sentence.unit == "s" ? text::seconds(value)
        : sentence.unit == "1"  ? text::roundedPercent(value)
                                : text::rounded(value, sentence.unit);
}

// The place of the window that proves it: "Kernels".
std::string proofTitle(const OverviewFigureData& data, std::size_t row) {
    const auto& told = data.overview.sentences;
    return row < told.size() ? analysis::proofPlace(data.overview, told[row]) : "Findings";
}

void tellRow(const OverviewFigureData& data, Hit& hit) {
    const std::size_t row = *hit.choice;
    const auto& told = data.overview.sentences;
    const bool isFold = row > told.size();
    hit.title = row < told.size() ? std::string(titleOf(told[row].topic))
        : isFold                  ? "What could not be checked"
                                  : "What was checked";
    hit.facts = {{"opens", isFold ? "the list" : proofTitle(data, row)}};
}

class PageBuilder {
public:
    PageBuilder(const OverviewFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_made.scene}
        , m_body(m_canvas.size(TextRole::Body)) {
        m_made.scene.width = style.width;
        m_made.scene.background = style.theme->panel;
        m_pad = 4.0 * m_canvas.gap();
        m_left = m_pad;
        m_width = std::min(style.width - 2.0 * m_pad, kWidestPage * m_body);
        m_isBeside = m_width >= kLeastBeside * m_body;
    }

    Picture build() {
        double y = drawHead(m_pad);
        if (m_data.isEmpty()) {
            drawEmptyText(m_canvas, m_data.emptyText, {m_left, y, m_width, 12.0 * m_body});
            return finish(y + 12.0 * m_body);
        }
        for (std::size_t i = 0; i < m_data.overview.sentences.size(); ++i)
            y = drawSentence(i, y);
        return finish((m_data.overview.isPartial ? drawWaiting(y) : drawChecks(y)) + m_pad);
    }

private:
    Picture finish(double height) {
        m_made.preferredHeight = std::ceil(height);
        m_made.scene.height = std::max(m_style.height, m_made.preferredHeight);
        return std::move(m_made);
    }

    double drawHead(double y) {
        if (m_style.title) {
            const double title = m_canvas.size(TextRole::Title);
            m_canvas.heading(
                {m_left, y + title}, m_data.overview.run.name, m_width, TextRole::Title);
            y += title + 2.0 * m_canvas.gap();
        }
        for (const auto& told : {m_data.overview.line, m_data.overview.window})
            y = drawSmall(told, y, 3);
        return y + 2.0 * m_canvas.gap();
    }

    double drawSmall(const std::string& told, double y, int mostLines) const {
        for (const auto& line : m_canvas.wrapped(told, m_width, mostLines, TextRole::Secondary)) {
            m_canvas.text({m_left, y + m_canvas.size(TextRole::Secondary)}, line,
                m_canvas.theme.textSecondary, TextRole::Secondary);
            y += m_canvas.lineHeight(TextRole::Secondary);
        }
        return y;
    }

    // A hairline, the head of a row and, at its right, where a click leads.
    double drawRowHead(double y, const std::string& title, const std::string& proof) {
        m_canvas.line({m_left, y}, {m_left + m_width, y}, m_canvas.theme.line);
        y += 3.0 * m_canvas.gap() + m_canvas.size();
        m_canvas.text({m_left, y}, inCapitals(title), m_canvas.theme.textSecondary, TextRole::Small,
            Align::Left, true);
        if (!m_style.links)
            return y + 2.0 * m_canvas.gap();
        const std::string lead = proof + " ›";
        m_canvas.text({m_left + m_width, y}, lead,
            legibleOn(m_canvas.theme.accent, m_canvas.theme.panel, 4.5), TextRole::Small,
            Align::Right);
        return y + 2.0 * m_canvas.gap();
    }

    double drawSentence(std::size_t index, double top) {
        const OverviewSentence& told = m_data.overview.sentences[index];
        const double y
            = drawRowHead(top, std::string(titleOf(told.topic)), proofTitle(m_data, index));
        const double pictureWidth = m_isBeside ? kPictureShare * m_width : m_width;
        const double textWidth = m_isBeside ? m_width - pictureWidth - 2.0 * m_pad : m_width;
        const double text = drawText(told.text, {m_left, y}, textWidth);
        const double pictureTop = m_isBeside ? y : y + text + 2.0 * m_canvas.gap();
        const double picture = drawPicture(index,
            {m_left + m_width - pictureWidth, pictureTop, pictureWidth, kPictureHeight * m_body});
        const double bottom = m_isBeside ? y + std::max(text, picture) : pictureTop + picture;
        const double end = bottom + 3.0 * m_canvas.gap();
        addRow(index, {m_left, top, m_width, end - top});
        return end;
    }

    void addRow(std::size_t choice, Rect rect) {
        Shown shown;
        shown.choice = choice;
        m_made.add(rect, shown, [data = &m_data](Hit& hit) { tellRow(*data, hit); });
    }

    // The height.
    double drawText(const std::string& sentence, Point at, double width) const {
        const double line = 1.45 * m_body;
        return line
            * flowSentence(
                m_canvas, sentence, {{at.x, at.y + m_body}, width, line, kMostLinesOfASentence});
    }

    double drawPicture(std::size_t index, Rect area) {
        const OverviewSentence& told = m_data.overview.sentences[index];
        if (!told.spread.counts.empty())
            return drawSpread(told, area);
        if (told.isWhole && !told.parts.empty())
            return drawWhole(told, area);
        if (index < m_data.curves.size() && !m_data.curves[index].metric.empty())
            return drawCurve(m_data.curves[index], area);
        if (!told.parts.empty())
            return drawBars(told, area);
        return 0.0;
    }

    [[nodiscard]] Color partColor(const OverviewSentence& told, const OverviewPart& part) const {
        if (told.topic == Topic::Path) {
            const Color own = stepColor(m_canvas.theme, part.key);
            // Operations that are no kernels have the colours of series.
            return own == categoryColor({}) && part.key != "other"
                ? seriesColor(static_cast<std::size_t>(&part - told.parts.data()))
                : own;
        }
        if (part.key == "idle" || (part.key.empty() && part.name == "not told apart"))
            return m_canvas.theme.dark ? blend(m_canvas.theme.panel, m_canvas.theme.text, 0.18)
                                       : categoryColor("idle");
        return part.key.empty() ? m_canvas.theme.accent : categoryColor(part.key);
    }

    // A bar of the parts with their names below.
    double drawWhole(const OverviewSentence& told, Rect area) {
        double all = 0.0;
        for (const OverviewPart& part : told.parts)
            all += part.value;
        if (all <= 0.0)
            return 0.0;
        const double height = 1.6 * m_body;
        double x = area.x;
        for (const OverviewPart& part : told.parts) {
            const double wide = area.width * part.value / all;
            m_canvas.fill({x, area.y, std::max(wide - 0.5, 0.0), height}, partColor(told, part));
            x += wide;
        }
        const double swatch = 0.8 * m_canvas.size();
        LegendFlow legend(m_canvas,
            {swatch, m_canvas.gap(), 1.2 * m_canvas.size(), 1.5 * m_canvas.size(),
                0.5 * m_canvas.size(), m_canvas.theme.textSecondary},
            {area.x, area.y + height + 1.5 * m_canvas.gap()}, area.width);
        for (const OverviewPart& part : told.parts) {
            if (part.value < 0.002 * all)
                continue;
            legend.add(fmt::format("{} {}", part.name, text::roundedPercent(part.value / all)),
                [&](Point left) {
                    m_canvas.fill(
                        {left.x, left.y - swatch / 2.0, swatch, swatch}, partColor(told, part));
                });
        }
        return height + 1.5 * m_canvas.gap() + legend.height();
    }

    // Columns with the bounds below them.
    double drawSpread(const OverviewSentence& told, Rect area) {
        const auto& counts = told.spread.counts;
        const auto most = static_cast<double>(*std::ranges::max_element(counts));
        const double foot = area.bottom() - m_canvas.lineHeight(TextRole::Small);
        const double wide = area.width / static_cast<double>(counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const double high = (foot - area.y) * static_cast<double>(counts[i]) / most;
            m_canvas.fill({area.x + static_cast<double>(i) * wide, foot - high, wide - 1.0, high},
                m_canvas.theme.accent);
        }
        m_canvas.line({area.x, foot}, {area.right(), foot}, m_canvas.theme.line);
        const double below = foot + 1.1 * m_canvas.size();
        m_canvas.note({area.x, below}, partValue(told, told.spread.from), Align::Left);
        m_canvas.note({area.right(), below}, partValue(told, told.spread.to), Align::Right);
        return area.height;
    }

    // Bars from the left with names before and values behind; the first is this one.
    double drawBars(const OverviewSentence& told, Rect area) {
        const std::size_t count = std::min(told.parts.size(), kMostBars);
        double most = 0.0;
        double names = 0.0;
        double values = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            most = std::max(most, told.parts[i].value);
            names = std::max(names, m_canvas.width(told.parts[i].name));
            values = std::max(values, m_canvas.width(partValue(told, told.parts[i].value)));
        }
        if (most <= 0.0)
            return 0.0;
        names = std::min(names, 0.4 * area.width);
        std::vector<std::string> whole;
        for (std::size_t i = 0; i < count; ++i)
            whole.push_back(told.parts[i].name);
        const auto shown = text::fittedNames(
            whole, [&](std::string_view one) { return m_canvas.width(one) <= names; });
        const double row = 1.6 * m_canvas.size();
        const double room = area.width - names - values - 4.0 * m_canvas.gap();
        for (std::size_t i = 0; i < count; ++i) {
            const OverviewPart& part = told.parts[i];
            const Rect line{area.x, area.y + static_cast<double>(i) * row, area.width, row};
            m_canvas.text({line.x, m_canvas.centred(line)}, shown[i], m_canvas.theme.textSecondary);
            const double wide = room * part.value / most;
            const Rect bar{
                line.x + names + 2.0 * m_canvas.gap(), line.y + 0.2 * row, wide, 0.6 * row};
            m_canvas.fill(bar,
                i == 0 ? m_canvas.theme.accent
                       : blend(m_canvas.theme.panel, m_canvas.theme.textSecondary, 0.6));
            m_canvas.text({bar.right() + m_canvas.gap(), m_canvas.centred(line)},
                partValue(told, part.value), m_canvas.theme.text);
        }
        return static_cast<double>(count) * row;
    }

    // The metric over the run as a pale band with its mean as a line, what lies above the limit in
    // the colour of warnings.
    double drawCurve(const OverviewCurve& curve, Rect area) {
        double least = curve.unit == "°C" ? INFINITY : 0.0;
        double most = curve.limit.value_or(-INFINITY);
        for (std::size_t i = 0; i < curve.low.size(); ++i) {
            if (std::isnan(curve.low[i]))
                continue;
            least = std::min(least, curve.low[i]);
            most = std::max(most, curve.high[i]);
        }
        if (!(most > least))
            return 0.0;
        const std::string top = text::rounded(most, curve.unit);
        const std::string foot = text::rounded(least, curve.unit);
        const std::string limit = curve.limit ? text::rounded(*curve.limit, curve.unit) : "";
        const double axis
            = std::max({m_canvas.width(top), m_canvas.width(foot), m_canvas.width(limit)});
        const Rect plot{area.x + axis + 2.0 * m_canvas.gap(), area.y + 0.3 * m_canvas.size(),
            area.width - axis - 2.0 * m_canvas.gap(), area.height - 0.6 * m_canvas.size()};
        const auto yOf = [&](double value) {
            return plot.bottom() - plot.height * (value - least) / (most - least);
        };
        const double apart = 1.2 * m_canvas.size();
        if (!curve.limit || yOf(*curve.limit) - plot.y > apart)
            m_canvas.note(
                {plot.x - 2.0 * m_canvas.gap(), m_canvas.centred(plot.y)}, top, Align::Right);
        m_canvas.note(
            {plot.x - 2.0 * m_canvas.gap(), m_canvas.centred(plot.bottom())}, foot, Align::Right);
        m_canvas.line({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, m_canvas.theme.line);
        addColumns(curve, plot, yOf);
        if (curve.limit && plot.bottom() - yOf(*curve.limit) > apart) {
            const double y = yOf(*curve.limit);
            m_made.scene.items.emplace_back(Line{{plot.x, y}, {plot.right(), y},
                m_canvas.theme.text, m_canvas.theme.lineWidth, true});
            m_canvas.text({plot.x - 2.0 * m_canvas.gap(), m_canvas.centred(y)}, limit,
                m_canvas.theme.text, TextRole::Small, Align::Right);
        }
        return area.height;
    }

    template <typename Y>
    void addColumns(const OverviewCurve& curve, Rect plot, const Y& yOf) {
        const Color color = metricColor(curve.metric);
        Columns band{plot, {}, {}, withAlpha(color, kExtremesAlpha)};
        Columns mean{plot, {}, {}, color};
        Columns above{plot, {}, {}, m_canvas.theme.warning};
        for (std::size_t i = 0; i < curve.low.size(); ++i) {
            const bool isThere = !std::isnan(curve.low[i]);
            const double top = isThere ? yOf(curve.high[i]) : NAN;
            // At least a line's width is seen.
            const double bottom = isThere ? std::max(yOf(curve.low[i]), top + 1.0) : NAN;
            band.top.push_back(static_cast<float>(top));
            band.bottom.push_back(static_cast<float>(bottom));
            const double y = isThere ? yOf(curve.mean[i]) : NAN;
            const double before
                = i > 0 && !std::isnan(curve.mean[i - 1]) && isThere ? yOf(curve.mean[i - 1]) : y;
            mean.top.push_back(static_cast<float>(std::min(y, before)));
            mean.bottom.push_back(static_cast<float>(std::max(y, before) + 1.0));
            const bool isAbove = isThere && curve.limit && curve.high[i] > *curve.limit;
            above.top.push_back(isAbove ? static_cast<float>(top) : NAN);
            above.bottom.push_back(
                isAbove ? static_cast<float>(std::max(top + 1.0, yOf(*curve.limit))) : NAN);
        }
        m_made.scene.items.emplace_back(std::move(band));
        if (curve.limit)
            m_made.scene.items.emplace_back(std::move(above));
        m_made.scene.items.emplace_back(std::move(mean));
    }

    double drawWaiting(double top) {
        const double y = drawRowHead(top, "What was checked", "Findings");
        return y + drawText("The rest is being read.", {m_left, y}, m_width);
    }

    double drawChecks(double top) {
        const auto& checks = m_data.overview.checks;
        double y = drawRowHead(top, "What was checked", "Findings");
        y += drawText(checkedText(checks), {m_left, y}, m_width);
        y = drawFindings(y);
        addRow(m_data.overview.sentences.size(), {m_left, top, m_width, y - top});
        if (checks.missing.empty())
            return y;
        const double fold = y + m_canvas.gap();
        y = drawMissing(fold);
        addRow(m_data.overview.sentences.size() + 1, {m_left, fold, m_width, y - fold});
        return y;
    }

    // The costliest ones in full.
    double drawFindings(double y) {
        const auto& findings = m_data.overview.checks.findings;
        const double indent = 2.0 * m_canvas.gap();
        const std::size_t shown = std::min(findings.size(), kMostFindings);
        for (std::size_t i = 0; i < shown; ++i) {
            y += m_canvas.gap();
            m_canvas.dot({m_left + 0.2 * m_body, y + 0.65 * m_body}, 0.3 * m_body,
                m_canvas.theme.textSecondary);
            y += drawText(findings[i], {m_left + indent, y}, m_width - indent);
        }
        if (findings.size() > shown)
            y += drawText(fmt::format("and {} more.", findings.size() - shown),
                {m_left + indent, y + m_canvas.gap()}, m_width - indent);
        return findings.empty() ? y : y + m_canvas.gap();
    }

    // A line, which opens to one for each data that is wanted.
    double drawMissing(double y) {
        const auto& checks = m_data.overview.checks;
        const char* sign = !m_style.links ? "" : m_data.isUnfolded ? "− " : "+ ";
        y = drawSmall(sign + notCheckedText(checks), y, m_data.isUnfolded ? 4 : 1);
        for (const auto& one : checks.missing) {
            if (m_data.isUnfolded)
                y = drawSmall(fmt::format("  {} ({}): {}", one.data, one.checks.size(),
                                  fmt::join(one.checks, ", ")),
                    y, 4);
        }
        return y;
    }

    const OverviewFigureData& m_data;
    const FigureStyle& m_style;
    Picture m_made;
    Canvas m_canvas;
    double m_body;
    double m_pad = 0.0;
    double m_left = 0.0;
    double m_width = 0.0;
    bool m_isBeside = true;
};

} // namespace

std::string overviewCsv(const OverviewFigureData& data) {
    std::string csv = "run,about,name,value,text\n";
    const std::string& run = data.overview.run.name;
    for (const auto& told : data.overview.sentences) {
        const std::string about(toString(told.topic));
        text::addCsvLine(csv, {run, about, "sentence", "", told.text});
        for (const auto& [name, value] : told.values)
            text::addCsvLine(csv, {run, about, name, value, ""});
        for (const auto& part : told.parts)
            text::addCsvLine(
                csv, {run, about, fmt::format("{} ({})", part.name, told.unit), part.value, ""});
    }
    const auto& checks = data.overview.checks;
    text::addCsvLine(csv, {run, "checks", "made", checks.made, ""});
    text::addCsvLine(csv, {run, "checks", "findings", std::ssize(checks.findings), ""});
    for (const auto& finding : checks.findings)
        text::addCsvLine(csv, {run, "checks", "finding", "", finding});
    for (const auto& one : checks.missing) {
        for (const auto& check : one.checks)
            text::addCsvLine(csv, {run, "checks", "not made", "", check + ": wants " + one.data});
    }
    return csv;
}

Picture buildOverview(const OverviewFigureData& data, const FigureStyle& style) {
    return PageBuilder(data, style).build();
}

} // namespace trainscope::plot
