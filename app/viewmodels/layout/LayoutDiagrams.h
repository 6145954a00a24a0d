#pragma once
// The pictures of the layout view: the scene of each part, where the ranks lie in it, and what is
// marked above it. Laid out once per size; a moment of the playback changes the cells' colours
// only. GUI thread.
//
// Positions are logical pixels of a part.

#include <QObject>
#include <QQmlEngine>
#include <QRectF>

#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/layout/LayoutSchedule.h"

#include <array>

namespace trainscope::app {

class LayoutDiagrams : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")

public:
    enum Part { Physical, Legend, Logical, Schedule, Placed };
    Q_ENUM(Part)
    static constexpr std::size_t kParts = 5;

    // Item at a point.
    struct Hit {
        std::optional<int> rank;
        QRectF place;
        HoverText text; // empty: the reader words the rank
    };

    LayoutDiagrams(
        const LayoutContext& context, const LayoutSchedule& schedule, QObject* parent = nullptr);

    // For the items that paint. Lays a part out anew; its scene's height is what it wants.
    void layOut(Part part, const plot::FigureStyle& style);
    [[nodiscard]] const plot::PlotScene& scene(Part part) const { return diagram(part).scene; }
    // Above the scene: the groups of the rank that is pointed at, or selected.
    [[nodiscard]] plot::PlotScene marks(Part part, const plot::Theme& theme) const;
    // The context has other colours.
    void recolour();

    [[nodiscard]] std::optional<Hit> hitAt(Part part, double x, double y) const;
    // The neighbour of the selected rank in the physical diagram; without one the first.
    [[nodiscard]] std::optional<int> neighbour(int columns, int rows) const;

Q_SIGNALS:
    void changed(); // parts are to be laid out anew
    void laidOut();
    void recoloured(); // scenes have other colours
    void marksChanged();

private:
    [[nodiscard]] const plot::RankDiagram& diagram(Part part) const {
        return m_parts[static_cast<std::size_t>(part)];
    }
    void layOutLegend(const plot::FigureStyle& style, plot::PlotScene& scene) const;

    const LayoutContext& m_context;
    const LayoutSchedule& m_schedule;
    std::array<plot::RankDiagram, kParts> m_parts; // legend and charts have the picture alone
    plot::ScheduleFigureData m_shownSchedule; // the part of the step that is drawn
};

} // namespace trainscope::app
