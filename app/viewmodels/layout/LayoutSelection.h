#pragma once
// The hovered item of the layout view and its selected rank, with what is to be known of both: the
// rank's place, its readings at the cursor, what its groups exchange. It is selected in every view.
// GUI thread.

#include "app/viewmodels/layout/LayoutDiagrams.h"
#include "app/viewmodels/layout/Playback.h"
#include "app/viewmodels/workspace/FactListModel.h"
#include "app/viewmodels/workspace/Views.h"

#include <QObject>
#include <QPointer>
#include <QQmlEngine>

#include <memory>

namespace trainscope::app {

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

// The selected rank.
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
