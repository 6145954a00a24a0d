// Colours: the fixed ones of the look, contrast by WCAG, and the magnitudes' scales.

#include "core/plot/Palette.h"
#include "core/plot/Picture.h"
#include "core/plot/Theme.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

const Color kWhite = rgb(0xFFFFFF);

// Rec. 709 luma, as a printer that has no colours makes of it: 0 … 255.
double greyOf(Color color) {
    return 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
}

TimelineData twoRuns(int columns) {
    TimelineData data = emptyData(columns);
    data.runs.push_back(data.runs.front());
    data.iterations.emplace_back();
    data.runs[1].name = "other";
    data.runs[1].color = 1;
    const std::vector<Bucket> level(static_cast<std::size_t>(columns), sample(50.0F, 50.0F));
    LaneData lane = metricLane(LaneStyle::Lines, "gpu_power", {level, level}, 8);
    lane.series[1].run = 1;
    data.lanes.push_back(lane);
    return data;
}

auto named(const char* title) {
    return [title](Hit& hit) { hit.title = title; };
}

std::string titleOf(const std::optional<Hit>& hit) {
    return hit ? hit->title : std::string();
}

Shown ofRun(std::int64_t run, std::optional<int> rank = {}, bool isOwn = true) {
    Shown shown{RunId{run}, rank};
    shown.isOwn = isOwn;
    return shown;
}

// Ranks 0 to 3 of runs 1 and 2, 10 wide and 20 high each; the second has no rank 3.
Picture gridOf() {
    Picture picture;
    Target grid{{100.0, 50.0, 40.0, 40.0}, {},
        [](Hit& hit, const Spot& spot) {
            hit.title = std::to_string(spot.row + 1) + "/" + std::to_string(spot.column);
        },
        2, 4,
        [](std::size_t row, std::size_t column) -> std::optional<Shown> {
            if (row == 1 && column == 3)
                return std::nullopt;
            return ofRun(static_cast<std::int64_t>(row) + 1, static_cast<int>(column));
        }};
    picture.targets.push_back(std::move(grid));
    return picture;
}

} // namespace

class tst_Theme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void contrastOfKnownPairs() {
        QVERIFY(std::abs(contrast(rgb(0x000000), rgb(0xFFFFFF)) - 21.0) < 1e-9);
        QVERIFY(std::abs(contrast(rgb(0x777777), rgb(0x777777)) - 1.0) < 1e-9);
        // #767676 on white is the well-known limit of 4.5.
        QVERIFY(std::abs(contrast(rgb(0x767676), rgb(0xFFFFFF)) - 4.54) < 0.01);
    }

    void textReadsInEveryTheme_data() {
        const auto row = columns<QString>("name");
        for (const char* name : {"dark", "light", "paper"})
            row(name, QString::fromLatin1(name));
    }
    void textReadsInEveryTheme() {
        QFETCH(QString, name);
        const Theme* theme = findTheme(name.toStdString());
        QVERIFY(theme != nullptr);
        for (const Color surface : {theme->window, theme->panel, theme->raised}) {
            for (const Color text :
                {theme->text, theme->textSecondary, theme->textMuted, theme->warning})
                QVERIFY(contrast(text, surface) >= 4.5);
        }
    }

    void textReadsOnEveryFill() {
        std::vector<Color> fills;
        for (std::size_t i = 0; i < 8; ++i)
            fills.push_back(seriesColor(i));
        for (const char* category : {"gemm", "attention", "all_reduce", "all_gather", "all_to_all",
                 "broadcast", "communication", "send_recv", "normalisation", "elementwise",
                 "optimizer", "copy", "idle"})
            fills.push_back(categoryColor(category));
        for (int percent = 0; percent <= 100; ++percent) {
            fills.push_back(inferno(percent / 100.0));
            fills.push_back(viridis(percent / 100.0));
        }
        for (const Color fill : fills)
            QVERIFY(contrast(readableOn(fill), fill) >= 4.5);
    }

    // Names of runs are written in their colour, made legible.
    void seriesReadAsText() {
        for (const Theme* theme : {&darkTheme(), &lightTheme(), &paperTheme()}) {
            for (std::size_t i = 0; i < 8; ++i) {
                for (const Color surface : {theme->window, theme->panel, theme->raised})
                    QVERIFY(contrast(legibleOn(seriesColor(i), surface, 4.5), surface) >= 4.5);
            }
        }
    }

    void seriesStandOutInEveryTheme() {
        for (const Theme* theme : {&darkTheme(), &lightTheme(), &paperTheme()}) {
            for (std::size_t i = 0; i < 8; ++i)
                QVERIFY(contrast(legibleOn(seriesColor(i), theme->window), theme->window) >= 3.0);
        }
    }

    void categoriesHaveTheLooksColours_data() {
        const auto row = columns<QString, uint>("category", "color");
        row("gemm", "gemm", 0x4477AAU);
        row("attention", "attention", 0x66CCEEU);
        row("all-reduce", "all_reduce", 0xEE6677U);
        row("reduce-scatter", "reduce_scatter", 0xEE6677U);
        row("send", "send_recv", 0xCCBB44U);
        row("elementwise", "elementwise", 0x9AA0AAU);
        row("optimizer", "optimizer", 0xAA3377U);
        row("copy", "copy", 0x44AA99U);
        row("idle", "idle", 0xE3E7ECU);
    }
    void categoriesHaveTheLooksColours() {
        QFETCH(QString, category);
        QFETCH(uint, color);
        QVERIFY(categoryColor(category.toStdString()) == rgb(color));
    }

    void seriesRepeatOkabeIto() {
        QVERIFY(seriesColor(0) == rgb(0x56B4E9));
        QVERIFY(seriesColor(7) == rgb(0x999999));
        QVERIFY(seriesColor(9) == seriesColor(1));
    }

    void metricsKeepTheirColour() {
        QVERIFY(metricColor("nvlink_rx") == metricColor("nvlink_rx_rate"));
        QVERIFY(!(metricColor("gpu_power") == metricColor("gpu_temperature")));
        QVERIFY(metricColor("something_new") == metricColor("something_new"));
    }

    void magnitudesAreClamped() {
        QVERIFY(inferno(-1.0) == rgb(0x000004));
        QVERIFY(inferno(2.0) == rgb(0xFCFFA4));
        QVERIFY(inferno(std::nan("")) == rgb(0x000004));
        QVERIFY(viridis(0.0) == rgb(0x440154));
        QVERIFY(viridis(1.0) == rgb(0xFDE725));
        // A ninth of the way is exactly the second of ten stops.
        QVERIFY(viridis(1.0 / 9.0) == rgb(0x482878));
    }

    void textOnColour() {
        QVERIFY(readableOn(rgb(0xFDE725)) == rgb(0x0B0D10));
        QVERIFY(readableOn(rgb(0x440154)) == rgb(0xFFFFFF));
    }

    void unknownThemes() {
        QVERIFY(findTheme("sepia") == nullptr);
        QVERIFY(findTheme("") == nullptr);
    }

    // Runs that are laid over each other stay apart in grey print.

    // As far apart as a tenth of the greys, and legible.
    void neighboursDifferInGrey() {
        for (std::size_t first = 0; first < 8; ++first) {
            for (std::size_t second = 0; second < 8; ++second) {
                const Color a = runInk(seriesColor(first), 0, paperTheme(), kWhite);
                const Color b = runInk(seriesColor(second), 1, paperTheme(), kWhite);
                QVERIFY(greyOf(b) - greyOf(a) > 50.0);
                QVERIFY(contrast(a, kWhite) >= 3.0);
                QVERIFY(contrast(b, kWhite) >= 3.0);
            }
        }
    }

    void theScreenHasItsColours() {
        QCOMPARE(
            runInk(seriesColor(0), 1, lightTheme(), kWhite), legibleOn(seriesColor(0), kWhite));
        QVERIFY(!isPrinted(lightTheme()));
        QVERIFY(!isPrinted(darkTheme()));
        QVERIFY(isPrinted(paperTheme()));
    }

    void patterns() {
        for (const double along : {0.0, 3.3, 100.0})
            QVERIFY(isInked(0, along));
        // Dashes: 9 on, 5 off.
        QVERIFY(isInked(1, 0.0));
        QVERIFY(isInked(1, 8.9));
        QVERIFY(!isInked(1, 9.1));
        QVERIFY(!isInked(1, 13.9));
        QVERIFY(isInked(1, 14.1));
        // Dots: 2 on, 3 off. Dash and dot: 9, 3, 2, 3.
        QVERIFY(isInked(2, 1.9) && !isInked(2, 2.1) && isInked(2, 5.1));
        QVERIFY(isInked(3, 8.9) && !isInked(3, 11.9) && isInked(3, 12.1) && !isInked(3, 14.1));
    }

    // 100 columns of 1 pt are 200 widths of the line: of 14 widths 9 are drawn.
    void linesOfTheSecondRunAreDashedInPrint() {
        const TimelineData data = twoRuns(100);
        TimelineStyle style = smallStyle();
        style.theme = &paperTheme();
        const auto columns = itemsOf<Columns>(buildTimeline(data, data.window, style).scene);
        QCOMPARE(columns.size(), std::size_t{2});
        const auto drawn = [](const Columns& of) {
            return std::count_if(
                of.top.begin(), of.top.end(), [](float top) { return !std::isnan(top); });
        };
        QCOMPARE(drawn(columns[0]), std::ptrdiff_t{100});
        QVERIFY(drawn(columns[1]) > 55 && drawn(columns[1]) < 73);
        // On the screen both are whole.
        const auto shown = itemsOf<Columns>(buildTimeline(data, data.window, smallStyle()).scene);
        QCOMPARE(drawn(shown[1]), std::ptrdiff_t{100});
    }

    // Looking up targets: what lies on top, cells of grids, lines, places of a run, neighbours.

    void theLastDrawnIsOnTop() {
        Picture picture;
        picture.add({0.0, 0.0, 100.0, 20.0}, {}, named("row"));
        picture.add({10.0, 0.0, 10.0, 20.0}, {}, named("part"));
        picture.add({50.0, 0.0, 10.0, 20.0}, {}, [](Hit&) {}); // nothing to say
        QCOMPARE(titleOf(picture.hitAt({15.0, 10.0})), std::string("part"));
        QCOMPARE(titleOf(picture.hitAt({20.0, 10.0})), std::string("row"));
        QCOMPARE(titleOf(picture.hitAt({55.0, 10.0})), std::string("row"));
        QVERIFY(!picture.hitAt({100.0, 10.0}));
        QCOMPARE(titleOf(picture.first()), std::string("row"));
    }

    void cellsOfAGrid() {
        const Picture picture = gridOf();
        const auto hit = picture.hitAt({129.9, 70.1});
        QCOMPARE(titleOf(hit), std::string("2/2"));
        QCOMPARE(hit->outline, (Rect{120.0, 70.0, 10.0, 20.0}));
        QVERIFY(hit->run == RunId{2});
        QCOMPARE(hit->rank.value_or(-1), 2);
        QVERIFY(!picture.hitAt({135.0, 80.0})); // an empty cell
        QVERIFY(!picture.hitAt({140.0, 60.0}));
    }

    // 4 units beside a line of 2 units' width; what is a thing there comes first.
    void linesAreReached() {
        Picture picture;
        Target line;
        line.line = {{0.0, 0.0}, {100.0, 0.0}};
        line.lineWidth = 2.0;
        line.tell = [](Hit& hit, const Spot&) { hit.title = "line"; };
        picture.targets.push_back(line);
        picture.add({40.0, -10.0, 20.0, 20.0}, {}, named("thing"));
        QCOMPARE(titleOf(picture.hitAt({20.0, 4.9})), std::string("line"));
        QVERIFY(!picture.hitAt({20.0, 5.1}));
        QCOMPARE(titleOf(picture.hitAt({50.0, 0.0})), std::string("thing"));
        line.line = {{0.0, 6.0}, {100.0, 6.0}};
        line.tell = [](Hit& hit, const Spot&) { hit.title = "nearer"; };
        picture.targets.push_back(line);
        QCOMPARE(titleOf(picture.hitAt({20.0, 3.5})), std::string("nearer"));
        QCOMPARE(titleOf(picture.hitAt({20.0, 2.5})), std::string("line"));
        QCOMPARE(titleOf(picture.first()), std::string("thing")); // keys go to no line
    }

    void placesOfAGpu() {
        Picture picture;
        picture.add({0.0, 0.0, 10.0, 10.0}, ofRun(2, {}, false), named("card"));
        picture.add({0.0, 10.0, 10.0, 10.0}, ofRun(2), named("name"));
        picture.append(gridOf(), {0.0, 0.0});
        const auto titles = [&picture](std::int64_t run, std::optional<int> rank) {
            std::string all;
            for (const Hit& hit : picture.placesOf(RunId{run}, rank))
                all += hit.title + (hit.isOwn ? " " : "? ");
            return all;
        };
        QCOMPARE(titles(2, 1), std::string("2/1 name card? "));
        QCOMPARE(titles(2, {}), std::string("name card? "));
        QCOMPARE(titles(1, 3), std::string("1/3 "));
        QCOMPARE(titles(2, 3), std::string("name card? "));
        QVERIFY(picture.placesOf(RunId(), {}).empty());
    }

    void keysWalkOverAGrid() {
        const Picture picture = gridOf();
        Rect from{110.0, 50.0, 10.0, 20.0}; // 1/1
        QCOMPARE(titleOf(picture.neighbour(from, 1, 0)), std::string("1/2"));
        QCOMPARE(titleOf(picture.neighbour(from, -1, 0)), std::string("1/0"));
        QCOMPARE(titleOf(picture.neighbour(from, 0, 1)), std::string("2/1"));
        QVERIFY(!picture.neighbour(from, 0, -1));
        from.x = 130.0; // 1/3, below which is nothing
        QCOMPARE(titleOf(picture.neighbour(from, 0, 1)), std::string("2/2"));
        QVERIFY(!picture.neighbour(from, 1, 0));
    }

    // A wide caller above two callees, as in a flame graph: beside comes before below, whatever is
    // wide; down leads to a callee, up to the caller.
    void keysWalkOverUnequalThings() {
        Picture picture;
        const Rect caller{0.0, 0.0, 300.0, 15.0};
        const Rect beside{300.0, 0.0, 700.0, 15.0};
        const Rect left{0.0, 16.0, 200.0, 15.0};
        const Rect right{200.0, 16.0, 100.0, 15.0};
        picture.add(caller, {}, named("caller"));
        picture.add(beside, {}, named("beside"));
        picture.add(left, {}, named("left"));
        picture.add(right, {}, named("right"));
        QCOMPARE(titleOf(picture.neighbour(caller, 1, 0)), std::string("beside"));
        QCOMPARE(titleOf(picture.neighbour(caller, 0, 1)), std::string("left"));
        QCOMPARE(titleOf(picture.neighbour(left, 1, 0)), std::string("right"));
        QCOMPARE(titleOf(picture.neighbour(right, 0, -1)), std::string("caller"));
        QCOMPARE(titleOf(picture.neighbour(beside, -1, 0)), std::string("caller"));
    }

    // A target that holds another is not beside it.
    void keysStayInARow() {
        Picture picture;
        const Rect part{10.0, 2.0, 20.0, 10.0};
        picture.add({0.0, 0.0, 200.0, 14.0}, {}, named("row"));
        picture.add(part, {}, named("part"));
        picture.add({150.0, 2.0, 20.0, 10.0}, {}, named("other"));
        QCOMPARE(titleOf(picture.neighbour(part, 1, 0)), std::string("other"));
    }

    void choicesAreFound() {
        Picture picture;
        Shown shown;
        picture.add({0.0, 0.0, 10.0, 10.0}, {}, named("none"));
        for (const std::size_t choice : {3U, 4U, 4U}) {
            shown.choice = choice;
            picture.add({10.0, 0.0, 10.0, 10.0}, shown, named(choice == 3 ? "three" : "four"));
        }
        QCOMPARE(titleOf(picture.offered(4)), std::string("four"));
        QCOMPARE(titleOf(picture.offered({}, "four")), std::string("four"));
        QVERIFY(!picture.offered(3, "four"));
        QVERIFY(!picture.offered(5));
        QVERIFY(!picture.offered({}, "none"));
    }

    void partsAreMoved() {
        Picture part = gridOf();
        Target line;
        line.line = {{0.0, 0.0}, {10.0, 0.0}};
        line.tell = [](Hit& hit, const Spot&) { hit.title = "line"; };
        part.targets.push_back(line);
        part.scene.items.emplace_back(FillRect{{1.0, 2.0, 3.0, 4.0}, {}});
        Picture picture;
        picture.append(part, {1000.0, 500.0});
        QCOMPARE(titleOf(picture.hitAt({1105.0, 560.0})), std::string("1/0"));
        QCOMPARE(titleOf(picture.hitAt({1005.0, 501.0})), std::string("line"));
        QCOMPARE(
            std::get<FillRect>(picture.scene.items.front()).rect, (Rect{1001.0, 502.0, 3.0, 4.0}));
    }

    // A heat map of 1,000 runs and GPUs is one target, and a key finds its way in it.
    void aMillionCells() {
        Picture picture;
        picture.targets.push_back({{0.0, 0.0, 3000.0, 3000.0}, {},
            [](Hit& hit, const Spot& spot) {
                hit.title = std::to_string(spot.row) + "/" + std::to_string(spot.column);
            },
            1000, 1000,
            [](std::size_t row, std::size_t column) {
                return std::optional(
                    ofRun(static_cast<std::int64_t>(row) + 1, static_cast<int>(column)));
            }});
        const Rect middle = picture.hitAt({1500.0, 1500.0})->outline;
        QCOMPARE(titleOf(picture.neighbour(middle, 0, -1)), std::string("499/500"));
        const auto places = picture.placesOf(RunId{7}, 999);
        QCOMPARE(places.size(), std::size_t{1});
        QCOMPARE(places[0].title, std::string("6/999"));
    }
};

TRAINSCOPE_TEST(tst_Theme)
#include "tst_Theme.moc"
