#pragma once
// PredictionFrame: the values that every panel of a prediction's board gets, and the few things
// that several of them draw.

#include "core/plot/figures/FigureParts.h"
#include "core/plot/figures/PanelBoard.h"
#include "core/plot/prediction/PredictionWords.h"

namespace trainscope::plot {

class PredictionFrame : public Sheet {
public:
    PredictionFrame(Picture& onto, const FigureStyle& ofStyle, const PredictionFigureData& shown)
        : Sheet(onto, ofStyle)
        , data(shown) { }

    const PredictionFigureData& data;

    using Facts = std::vector<std::pair<std::string, std::string>>;
    // Its words are ready, since a board has few.
    void target(Rect rect, std::string title, Facts facts) const;
    // The bounds of an interval along x, seen over any fill.
    void whisker(const predict::Interval& bounds, const FigureAxis& axis, Rect row) const;
    [[nodiscard]] Color fillOf(std::string_view part) const;
    // Hatched besides, where another part has the same hue.
    [[nodiscard]] static bool isHatched(std::string_view part);
    void drawSwatch(Rect rect, std::string_view part) const;
};

// Numbers stay with their units where lines are broken.
std::string unbroken(std::string words);

// Parts in a row from its left; hover tells each. `whisker`: of the whole, drawn over the row
// later, which leaves no room for numbers.
void drawParts(const PredictionFrame& frame, const FigureAxis& axis, Rect row,
    const std::string& name, const std::vector<PredictedPart>& parts,
    const std::optional<predict::Interval>& whisker = {});
// Legend of all parts that are not 0, in the order of their first showing. With draw false its
// height.
double drawPartLegend(const PredictionFrame& frame,
    const std::vector<std::vector<PredictedPart>>& rows, Point at, double width, bool draw);

PanelContent predictedCardGrid(const PredictionFrame& frame, double width);
PanelContent predictedSteps(const PredictionFrame& frame, double width);
PanelContent predictedMemory(const PredictionFrame& frame, double width);
PanelContent predictedHeat(const PredictionFrame& frame, double width);
PanelContent predictedSchedule(const PredictionFrame& frame, double width);
PanelContent predictedTracks(const PredictionFrame& frame, double width);
PanelContent predictedVerdict(const PredictionFrame& frame, double width);
std::string scheduleCaption(const PredictedJob& asked);
// Sentences below each other, and tables: of the layouts that were ranked, and what would change
// the asked one.
PanelContent predictedReasons(const PredictionFrame& frame, double width);
PanelContent predictedSources(const PredictionFrame& frame, double width);
PanelContent predictedChoices(const PredictionFrame& frame, double width);
PanelContent predictedChanges(const PredictionFrame& frame, double width);
std::string choicesCaption(const PredictionFigureData& data);

} // namespace trainscope::plot
