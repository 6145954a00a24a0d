#pragma once
// The lanes as they lie on the screen, with their readouts and a sentence on each, for the overlays
// of QML, in the GUI thread; and changes of an arrangement, as pure functions: they return the new
// one, or the old one where a change makes no sense. Indices are positions of lanes.

#include "app/viewmodels/window/RowListModel.h"
#include "core/plot/timeline/Timeline.h"

#include <QQmlEngine>
#include <QString>

namespace trainscope::app {

struct LaneRow {
    QString title; // "GPU power"
    QString subtitle;
    double y = 0.0; // top of the lane in the view, may lie outside
    double height = 0.0;
    int style = 0; // plot::LaneStyle
    bool hasStyles = false;
    QString toggleText; // says what a click does to more series than are drawn as lines; else empty
    bool canSplit = false; // shows all GPUs
    bool canMerge = false; // shows one GPU
    bool hasSpectrum = false; // the power of GPUs
    bool isFixed = false; // its height was chosen
    bool isDerived = false; // by a formula
    QString readout; // at the cursor
    QString summary; // for screen readers
    bool operator==(const LaneRow&) const = default;
};

class LaneListModel : public RowListModel<LaneRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit LaneListModel(QObject* parent = nullptr);
    // Rows that stay keep their delegates, and their readouts: only what differs in the middle is
    // inserted or removed.
    void setLanes(std::vector<LaneRow> lanes);
    // Those of lanes that are not laid out yet wait for them.
    void setReadouts(const std::vector<QString>& readouts);
    // Ahead of setLanes() when a lane moves, so that its delegate keeps the keyboard focus.
    void moveRow(int from, int to);

private:
    std::vector<QString> m_waiting; // readouts of other lanes than the rows
};

// "GPU power, 32 series: 120 W to 713 W, mean 470 W." over the visible columns; kernels: "…, 12
// tracks, 3,456 groups of spans"; without data it says so.
QString laneSummary(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible);

constexpr double kLeastLaneHeight = 32.0;
constexpr double kMostLaneHeight = 1600.0;

plot::Arrangement withLane(plot::Arrangement from, const plot::LaneSpec& lane, int at);
plot::Arrangement withoutLane(plot::Arrangement from, int lane);
plot::Arrangement withLaneMoved(plot::Arrangement from, int lane, int to);
// Fixed: the other lanes share what is left.
plot::Arrangement withLaneHeight(plot::Arrangement from, int lane, double height);
// The lane shares the window's height again, with that wish.
plot::Arrangement withLaneShared(plot::Arrangement from, int lane, double wish);
// Lines, Band and Heat are styles of the same lane; kernels and threads have one style only.
plot::Arrangement withLaneStyle(plot::Arrangement from, int lane, plot::LaneStyle style);
// One lane per rank in the place of one lane with all of them.
plot::Arrangement withLaneSplit(plot::Arrangement from, int lane, const std::vector<int>& ranks);
// One lane with all ranks in the place of all lanes that show single ranks of the same metric and
// style.
plot::Arrangement withLanesMerged(plot::Arrangement from, int lane);

bool hasStyles(const plot::LaneSpec& lane);

// True for the same lane when an arrangement changes while its data is already loaded: the same
// data, whatever its height.
inline bool sameLane(const plot::LaneSpec& a, const plot::LaneSpec& b) {
    return a.style == b.style && a.metric == b.metric && a.rank == b.rank;
}

// True where every lane of `wanted` is among those of `loaded`.
bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted);

// Reorders, resizes and drops the lanes of `data` to what the arrangement says; lanes that are not
// loaded come empty.
void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement);

} // namespace trainscope::app
