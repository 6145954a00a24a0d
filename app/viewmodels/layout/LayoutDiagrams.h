#pragma once
// The pictures of the layout view: the scene of each part, where the ranks lie in it, and what is
// marked above it; what is pointed at there, and the selected rank. Laid out once per size; a
// moment of the playback changes the cells' colours only. GUI thread.
//
// Positions are logical pixels of a part.

#include "app/viewmodels/layout/LayoutMoment.h"
#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/layout/LayoutSchedule.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/Views.h"

#include <QQmlEngine>
#include <QRectF>

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

// The item under the pointer, and the words for it.
class LayoutHover : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(QString title READ title NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(int part READ part NOTIFY changed FINAL) // part of LayoutDiagrams; -1: nothing
    Q_PROPERTY(QRectF place READ place NOTIFY changed FINAL) // in that part

public:
    LayoutHover(LayoutContext& context, LayoutDiagrams& diagrams, QObject* parent = nullptr);

    void hoverAt(trainscope::app::LayoutDiagrams::Part part, double x, double y);
    Q_INVOKABLE void leave();
    // The values of the ranks are other ones.
    void refresh();
    [[nodiscard]] bool isSomewhere() const { return !m_text.title.isEmpty(); }

    [[nodiscard]] QString title() const { return m_text.title; }
    [[nodiscard]] QString text() const { return m_text.text; }
    [[nodiscard]] int part() const { return isSomewhere() ? m_part : -1; }
    [[nodiscard]] QRectF place() const { return m_hit.place; }

Q_SIGNALS:
    void changed();

private:
    void take(const LayoutDiagrams::Hit& hit);
    [[nodiscard]] HoverText wording() const;

    LayoutContext& m_context;
    LayoutDiagrams& m_diagrams;
    int m_part = 0;
    LayoutDiagrams::Hit m_hit;
    HoverText m_text;
};

// The selected rank, in every view, with its place, its readings at the cursor and what its groups
// exchange.
class LayoutSelection : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int rank READ rank NOTIFY changed FINAL) // -1: none
    Q_PROPERTY(trainscope::app::FactListModel* facts READ facts CONSTANT FINAL)

public:
    LayoutSelection(LayoutContext& context, LayoutDiagrams& diagrams, const Playback& playback,
        QObject* parent = nullptr);

    // Sets the place where the selection is shared.
    void setViews(Views* views) { m_views = views; }

    void clickAt(trainscope::app::LayoutDiagrams::Part part, double x, double y);
    Q_INVOKABLE void select(int rank); // -1: none
    // To the neighbour of the selected rank in the physical diagram; true if there is one.
    Q_INVOKABLE bool step(int columns, int rows);
    // The timeline of the selected rank.
    Q_INVOKABLE void open();
    // For this view alone.
    void take(std::optional<int> rank);
    // Reads the values at the cursor again.
    void probe();
    void refresh();
    // Another run or database: what was read of the rank is not of it.
    void forget();

    [[nodiscard]] int rank() const { return m_context.rank.value_or(-1); }
    [[nodiscard]] FactListModel* facts() { return &m_facts; }

Q_SIGNALS:
    void changed();
    void chosen(); // by the user

private:
    // Readings of one rank at a moment.
    struct Probe {
        int rank = -1;
        QString moment; // in words
        std::shared_ptr<const std::vector<Series>> series; // series of that rank
        std::vector<Fact> facts;
    };

    LayoutContext& m_context;
    LayoutDiagrams& m_diagrams;
    const Playback& m_playback;
    QPointer<Views> m_views;
    Task<Probe> m_task{Urgency::Pointer, Asking::Steady};
    std::shared_ptr<const std::vector<Series>> m_series; // series of the selected rank
    std::vector<Fact> m_probed; // at that moment
    QString m_moment;
    FactListModel m_facts;
};

} // namespace trainscope::app
