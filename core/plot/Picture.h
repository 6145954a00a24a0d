#pragma once
// A picture: the scene that is painted, and what lies where in it. The code that draws a thing adds
// its target at the same time, so that a place is computed once. Pointing, clicking, arrow keys and
// selections of other views look things up here, in all pictures alike.

#include "core/model/Run.h"
#include "core/plot/Theme.h"

#include <memory>

namespace trainscope::plot {

struct FigureStyle {
    const Theme* theme = nullptr;
    double width = 0.0;
    double height = 0.0; // 0: as tall as the figure wants
    MeasureText measure;
    bool title = true;
    bool caption = true; // with the notes
    bool links = true; // words that lead elsewhere when they are clicked; files have none
};

// The part of the data that a target shows.
struct Shown {
    RunId run = {}; // not valid: none
    std::optional<int> rank = {};
    std::optional<int> stage = {};
    std::optional<std::size_t> choice = {}; // its place among those that the figure offers
    bool isOwn = true; // it stands for the run or the GPU, else for something of it
};

// A target in words. Without a title there is nothing.
struct Hit : Shown {
    Rect outline;
    std::optional<TimeRange> range; // absolute
    std::string metric; // the metric of the value; may be empty
    std::string title; // "gpt3-175b_3_01000 · rank 5"
    std::vector<std::pair<std::string, std::string>> facts; // label, value with unit
};

// A place in a target.
struct Spot {
    std::size_t row = 0; // the cell's row
    std::size_t column = 0;
    Point at; // from the corner of the cell
};

// A thing that can be pointed at: a rectangle, a grid of equal cells, or a line.
struct Target {
    Rect rect;
    Shown shown;
    // Adds the words to a hit that has what is shown and its outline. It refers to Picture::data.
    std::function<void(Hit& hit, const Spot& spot)> tell;
    std::size_t rows = 1;
    std::size_t columns = 1;
    // Content of a grid's cell; absent where it is empty.
    std::function<std::optional<Shown>(std::size_t row, std::size_t column)> cell = {};
    std::vector<Point> line = {}; // instead of the rectangle
    double lineWidth = 0.0;

    [[nodiscard]] std::optional<Shown> shownBy(std::size_t row, std::size_t column) const;
    [[nodiscard]] Rect rectOf(std::size_t row, std::size_t column) const;
};

struct Picture {
    PlotScene scene;
    double preferredHeight = 0.0; // below this, texts are thinned out
    std::vector<Rect> areas; // the content's: plot areas, or the panels of a board
    std::vector<Target> targets; // the last that contains a point is on top
    std::vector<std::string> warnings; // for the user
    std::shared_ptr<const void> data; // kept for the targets' words

    // `words`: void(Hit&), which refers to no value that is gone before the picture.
    template <typename Words>
    void add(Rect rect, const Shown& shown, Words words) {
        targets.push_back(
            {rect, shown, [words = std::move(words)](Hit& hit, const Spot&) { words(hit); }});
    }
    // Adds all of `part`, moved so that its corner lies at `at`; its background stays away.
    void append(Picture part, Point at);

    // Absent where there is nothing. Lines count within 4 units of them, where nothing else is.
    [[nodiscard]] std::optional<Hit> hitAt(Point at) const;
    // Places of the run, or of a GPU of it, the likeliest first; behind those that stand for it
    // comes what shows something of it (isOwn is false).
    [[nodiscard]] std::vector<Hit> placesOf(RunId run, std::optional<int> rank) const;
    // The first that offers the choice, with that title unless it is empty.
    [[nodiscard]] std::optional<Hit> offered(
        std::optional<std::size_t> choice, const std::string& title = {}) const;
    [[nodiscard]] std::optional<Hit> first() const;
    // The nearest in that direction (one of both is ±1, the other 0), in line before aside.
    [[nodiscard]] std::optional<Hit> neighbour(const Rect& from, int columns, int rows) const;
};

} // namespace trainscope::plot
