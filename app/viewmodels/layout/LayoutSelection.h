#pragma once
// The selected rank of the layout view, with what is to be known of it: its place, its readings at
// the cursor, what its groups exchange. It is selected in every view. GUI thread.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>

#include "app/viewmodels/layout/LayoutDiagrams.h"
#include "app/viewmodels/layout/Playback.h"
#include "app/viewmodels/workspace/FactListModel.h"
#include "app/viewmodels/workspace/Views.h"

#include <memory>

namespace trainscope::app {

class LayoutSelection : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
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
