#pragma once
// The sheet that every picture is drawn on: its title above, the content, its legend, and below in
// small text its caption and notes; or the reason in the place of content that is missing.

#include "core/plot/Canvas.h"
#include "core/plot/Picture.h"

namespace trainscope::plot {

struct SheetTexts {
    std::string title;
    std::string caption;
    std::vector<std::string> notes; // things left out, with reasons
    std::string emptyText; // says which data is missing, where nothing is drawn
};

// With the gap below it.
double titleHeight(const Canvas& canvas);
void drawTitle(const Canvas& canvas, const std::string& title, Point corner, double width);

inline constexpr double kEmptyHeight = 12.0; // lines that a figure without content wants
// In the middle.
void drawEmptyText(const Canvas& canvas, const std::string& text, Rect area);

// Caption and notes.
class SheetFoot {
public:
    SheetFoot(const Canvas& canvas, const SheetTexts& texts, double width);

    // Each text takes the lines that it needs, at most so many; an empty one takes none.
    void keepTo(int mostLines);
    // With the gap above it; 0 without text.
    [[nodiscard]] double height() const;
    void draw(double x, double top) const;

private:
    void wrap(const std::string& text, int mostLines);

    const Canvas& m_canvas;
    double m_width;
    std::vector<std::string> m_texts;
    std::vector<std::string> m_lines;
};

class Sheet : public Canvas {
public:
    using Legend = std::vector<std::pair<std::string, Color>>; // words and their colour

    // Takes the width and the background of the style.
    Sheet(Picture& picture, const FigureStyle& style);
    Sheet(const Sheet&) = delete;
    Sheet& operator=(const Sheet&) = delete;
    ~Sheet() = default;

    Picture& picture;
    const FigureStyle& style;

    using Canvas::width;
    [[nodiscard]] double width() const; // between the edges
    [[nodiscard]] double edge() const { return 2.0 * gap(); }

    // Below the content; before open().
    void setLegend(Legend legend) { m_legend = std::move(legend); }
    // Decides the height from that of the content, draws the title and returns the content's place:
    // as high as wanted, or what the style's height leaves. Texts of the foot are cut to so many
    // lines where that is less.
    Rect open(const SheetTexts& texts, double wanted, int mostFootLines = 4);
    // Draws legend and foot.
    void close() const;
    // Instead of both.
    void drawEmpty(const SheetTexts& texts);

    // `words`: void(Hit&), see Picture::add().
    template <typename Words>
    void target(Rect rect, const Shown& shown, Words words) const {
        picture.add(rect, shown, std::move(words));
    }

private:
    double drawLegend(Point at, bool isDrawn) const; // its height

    Legend m_legend;
    Rect m_area;
    std::optional<SheetFoot> m_foot; // once it is open
};

// Sentences that flow in lines, their numbers in bold, each in one line with its unit: "took
// **5.34 MJ** in **28 min**". Names with digits are no numbers, nor is the count of a cluster,
// "32 × H200 SXM".

struct SentencePlace {
    Point baseline; // the first line's
    double width = 0.0;
    double line = 0.0; // distance of baselines
    int most = 64; // lines; what does not fit flows on in the last one
};

// Lines that it takes; not drawn: measured alone. Text of the body.
int flowSentence(
    const Canvas& canvas, std::string_view text, const SentencePlace& place, bool isDrawn = true);

} // namespace trainscope::plot
