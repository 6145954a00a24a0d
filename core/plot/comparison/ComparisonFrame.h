#pragma once
// ComparisonFrame: the values that every panel's drawing gets, and the few things that several of
// them draw.

#include "core/plot/comparison/Comparison.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/figures/PanelBoard.h"

namespace trainscope::plot {

class ComparisonFrame : public Sheet {
public:
    ComparisonFrame(Picture& onto, const FigureStyle& ofStyle, const ComparisonData& compared,
        const BoardChoice& chosen);

    const ComparisonData& data;
    const BoardChoice& choice;

    // Colour of the panels, on which text lies.
    [[nodiscard]] Color paper() const { return theme.panel; }
    [[nodiscard]] Color fillOf(std::size_t run) const { return seriesColor(data.runs[run].color); }
    [[nodiscard]] Color inkOf(std::size_t run) const; // for text and lines
    [[nodiscard]] const std::string& mark(std::size_t run) const { return data.runs[run].mark; }
    // The run's name, or its capture's, without what all of them share (text::tellingNames).
    [[nodiscard]] const std::string& name(std::size_t run) const { return m_names[run]; }
    // "32 × H200" where each run is on another cluster and whole, else its name.
    [[nodiscard]] const std::string& legendName(std::size_t run) const;
    // "A · 32 × H200" of all runs, as far as they fit; no two alike. Marks alone where too little
    // of the names would be left.
    [[nodiscard]] std::vector<std::string> markedNames(double room) const;
    // These as far as each fits; no two alike.
    [[nodiscard]] std::vector<std::string> fittedNames(const std::vector<std::string>& names,
        double room, TextRole role = TextRole::Small, bool bold = false) const;
    [[nodiscard]] double widestMark() const;
    void drawMark(std::size_t run, Point at) const;

    // Adds a target that shows something of the run; isOwn: the run itself.
    template <typename Words>
    void ofRun(Rect rect, std::size_t run, Words words, bool isOwn = false) const {
        Shown shown{data.runs[run].named.id};
        shown.isOwn = isOwn;
        add(rect, shown, run, std::move(words));
    }
    // A place that stands for the run.
    void addRun(Rect rect, std::size_t run) const;
    // A value of that quantity; with many runs beside that of the first alone.
    void addQuantity(Rect rect, std::size_t quantity, std::size_t run) const;
    // The columns of all curves; with many runs of that one and the first.
    void addCurves(Rect plot, std::size_t run) const;

private:
    std::vector<std::string> m_names; // by run
    bool m_areClustersNames = false;

    template <typename Words>
    void add(Rect rect, const Shown& shown, std::size_t run, Words words) const {
        target(rect, shown, [&of = data.runs[run], words = std::move(words)](Hit& hit) {
            hit.range = of.stretch;
            words(hit);
        });
    }
};

// Empty values are left out.
void addFact(Hit& hit, std::string label, std::string value);
std::string markedName(const ComparedRun& run); // "A · gpt3-175b_3_01000"

// The grid of an axis of seconds or of shares.
enum class AxisTicks { Seconds, Shares };
void drawTimeTicks(const ComparisonFrame& frame, Rect plot, double from, double to,
    AxisTicks ticks = AxisTicks::Seconds);

// Fixed everywhere; idle time suits the theme.
Color categoryFill(const ComparisonFrame& frame, const std::string& category);

// They refer to the frame. With many runs cards and bars are tables of runs, curves rows of them.
PanelContent verdictContent(const ComparisonFrame& frame, double width);
PanelContent reasonsContent(const ComparisonFrame& frame, double width);
PanelContent cardsContent(const ComparisonFrame& frame, double width);
PanelContent runsTable(const ComparisonFrame& frame, double width, bool onlyCards);
PanelContent barsContent(const ComparisonFrame& frame, double width);
PanelContent stacksContent(const ComparisonFrame& frame, double width);
PanelContent operatorsContent(const ComparisonFrame& frame, double width);
PanelContent kernelsContent(const ComparisonFrame& frame, double width);
PanelContent curvesContent(const ComparisonFrame& frame, double width);
PanelContent curveRows(const ComparisonFrame& frame, double width);
PanelContent configurationContent(const ComparisonFrame& frame, double width);

struct PanelRow {
    // A part of the board's width where others stand beside it; of many runs maybe not: rows of
    // them need all of it, as names of operators do.
    enum class Width { Whole, Part, PartOfFew };

    ComparisonPanel panel = ComparisonPanel::Verdict;
    Width width = Width::Whole;
    bool (*has)(const ComparisonData& data) = nullptr; // there is something to show
    PanelTexts (*texts)(const ComparisonData& data) = nullptr; // asked only then
    PanelContent (*make)(const ComparisonFrame& frame, double width) = nullptr;
};
const PanelRow& rowOf(ComparisonPanel panel);

} // namespace trainscope::plot
