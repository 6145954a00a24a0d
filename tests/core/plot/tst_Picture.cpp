// Looking up targets: what lies on top, cells of grids, lines, places of a run, neighbours.

#include "core/plot/Picture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;

namespace {

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

class tst_Picture : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_Picture)
#include "tst_Picture.moc"
